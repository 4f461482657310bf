// The command line as a shell sees it: exit codes, which stream says what, pipes that break, signals.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { drawDemo, maskChanging } from "../../scripts/draw-terminal.js";
import { EventLine } from "../../src/logging/events/events.js";
import { RunDryRunAnswer } from "../../src/ui/shapes/runs.js";
import { ROOT } from "../rig/documents.js";
import { story, type Rig } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

// The beginning of every escape sequence.
const ESCAPE = "\u001b";

/** A scripted agent that does every task at once. */
function scripted(rig: Rig, steps: unknown[] = []): void {
  rig.write(
    "steps.json",
    JSON.stringify({ default: [[...steps, { summary: { task_id: null, status: "done" } }]] }),
  );
  rig.settings({
    schedule: { agent: "scripted" },
    agents: { scripted: { script: path.join(rig.project, "steps.json") } },
  });
}

test(
  "answers go to stdout, the rest to stderr; output without a terminal has neither colour nor a live line",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"] }]);
    scripted(rig);
    const { code, stdout, stderr } = await rig.run([], { env: { CI: "true" } });
    expect(code).toBe(0);
    expect(stdout).toContain("complete · 2 of 2 tasks done");
    expect(stdout).not.toContain("- 1/2");
    expect(stderr).toContain("- 1/2 T1 Do T1 · scripted\n");
    expect(stderr).toMatch(/! T2 Do T2 · scripted · [\d.]+s · unverified: no checks are configured\n/);
    expect(stdout + stderr).not.toContain(ESCAPE);
    expect(stderr).not.toContain("\r");
  }),
);

test(
  "run --json is the log itself, line by line; --quiet leaves only the result",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    scripted(rig);
    const run = await rig.run(["--json", "--no-review"]);
    const printed = run.stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(printed).toEqual(rig.events());
    for (const line of printed) expect(EventLine.safeParse(line).error).toBeUndefined();
    expect(run.stderr).toBe("");
    const quiet = await rig.run(["--quiet", "to-do.json"]);
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    expect(quiet.stdout).toContain("1 of 1 task done");
  }),
);

test(
  "--dry-run shows the plan, starts nothing and writes nothing",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T2", depends_on: ["T1"] }, { id: "T1" }]);
    scripted(rig);
    const before = readdirSync(rig.project);
    const { code, stdout } = await rig.run(["--json", "--dry-run"]);
    expect(code).toBe(0);
    const plan = RunDryRunAnswer.parse(JSON.parse(stdout));
    expect(plan).toMatchObject({ task: "T1", agent: "scripted", steps: [{ task: "T1" }, { task: "T2" }] });
    expect(readdirSync(rig.project)).toEqual(before);
    rig.writeBacklog([{ id: "T1", title: "a\u202eb", details: "c\u2066d\u200fe" }]);
    const shown = await rig.run(["run", "--dry-run"]);
    expect((await rig.run(["run", "--dry-run", "--workflow", "plan-approve-execute"])).stdout).toMatch(
      /T1 .*clarify · scripted\n +then plan \(scripted\), approve \(you\), execute \(scripted\), validate \(scripted\)\n/,
    );
    expect(shown.stdout).toContain('"title": "a b"');
    expect(shown.stdout).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
  }),
);

test(
  "a reader that leaves early is not a failure",
  story((rig) => {
    rig.writeBacklog(Array.from({ length: 5000 }, (_, at) => ({ id: `T${at}`, title: "x".repeat(100) })));
    for (const words of ["ls", "ls --json", "help"]) {
      const piped = `"${process.execPath}" "${BIN}" ${words} | head -n 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
      const said = execFileSync("bash", ["-c", piped], { cwd: rig.project, env: rig.env, encoding: "utf8" });
      expect(said).toBe("0\n");
    }
    return Promise.resolve();
  }),
);

test(
  "every way to be wrong has its exit code, and says what to do",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const codes = async (...words: string[]): Promise<[number | undefined, boolean]> => {
      const { code, stdout, stderr } = await rig.run(words);
      return [code, stdout === "" && /^looper: .+\n {2}\S/.test(stderr)];
    };
    expect(await codes("lss")).toEqual([2, true]);
    expect(await codes("--prompt", "more")).toEqual([2, true]);
    expect(await codes()).toEqual([3, true]);
    expect(await codes("tail")).toEqual([1, true]);
    rig.write(".looper/config.json", '{"hooks": {"post_iteration": ["true"]}}');
    scripted(rig);
    expect(await codes()).toEqual([3, true]);
    rig.write(".looper/config.json", '{"hoks": {}}');
    expect(await codes("ls")).toEqual([2, true]);
    expect((await rig.run(["--version"])).code).toBe(0);
    expect((await rig.run(["ls", "--help"])).code).toBe(0);
  }),
);

test(
  "tail -f waits for the first run, and continues with the run after it",
  story(async (rig) => {
    const tail = rig.start(["tail", "-f", "--type", "run_ended", "--raw"]);
    for (const seen of [1, 2]) {
      rig.writeBacklog([{ id: "T1" }]);
      scripted(rig);
      await rig.run(["--no-review"]);
      await tail.says(new RegExp(`(?:"type":"run_ended"[^]*){${String(seen)}}`));
    }
    tail.signal("SIGINT");
    expect((await tail.ended).code).toBe(130);
  }),
);

test(
  "the demo works through its backlog with one failure on the way, and leaves everything to look at",
  story(async (rig) => {
    const output = await rig.run(["demo"], { env: { FORCE_COLOR: "1" } });
    const picture = readFileSync(path.join(ROOT, "docs/run.svg"), "utf8");
    expect(maskChanging(drawDemo(output)), "run npm run picture").toBe(maskChanging(picture));
    const { code } = output;
    const stdout = stripVTControlCharacters(output.stdout);
    const stderr = stripVTControlCharacters(output.stderr);
    expect(code).toBe(0);
    expect(stderr).toMatch(/✗ failed D3 .*: node --test .*1 test/);
    expect(stdout).not.toContain("unverified");
    expect(stdout).toContain("complete · 4 of 4 tasks done · 6 iterations");
    const project = /^ {2}cd (.+)$/m.exec(stdout)?.[1] ?? "";
    const log = execFileSync("git", ["log", "--format=%(trailers:key=Looper-Task,valueonly)"], {
      cwd: project,
      env: rig.env,
      encoding: "utf8",
    });
    expect(
      log
        .split("\n")
        .filter((line) => line !== "")
        .reverse(),
    ).toEqual(["D1", "D2", "D3", "D4"]);
    expect((await rig.run(["-C", project, "replay"])).code).toBe(0);
  }),
);

/** The program on a terminal that does not know its size; `keys` are typed once it has said `cue`. */
function onTerminal(
  rig: Rig,
  words: string,
  { cue, keys }: { cue: string; keys: string },
): Promise<{ code: number | null; said: string }> {
  const line = `"${process.execPath}" "${BIN}" ${words}`;
  const child = spawn("script", ["-qefc", line, "/dev/null"], { cwd: rig.project, env: rig.env });
  let said = "";
  let typed = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (typed || !said.includes(cue)) return;
    typed = true;
    child.stdin.write(keys);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => {
      resolve({ code, said });
    });
  });
}

test(
  "a command that runs in the process of the test says what it says when it is started",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", status: "done" }]);
    const env = { FORCE_COLOR: "1" };
    for (const line of ["ls", "show T1 --json", "why T9", "config --help", "-C nowhere ls", "ls --lo"]) {
      const words = line.split(" ");
      expect(await rig.run(words, { env })).toEqual(await rig.start(words, { env }).ended);
    }
  }),
);

const onLinux = test.skipIf(process.platform !== "linux");

onLinux.each([
  ["Ctrl-D", "\u0004", 130],
  ["Ctrl-C", "\u0003", 130],
  ["n", "n", 3],
])("%s at the question for trust starts nothing", (_name, keys, code) =>
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    scripted(rig);
    rig.write(".looper/config.json", '{"hooks": {"post_iteration": ["true"]}}');
    const ended = await onTerminal(rig, "run", { cue: "/ ● No", keys });
    expect(ended.code, ended.said).toBe(code);
    expect(rig.runs()).toEqual([]);
  })(),
);

onLinux(
  "a terminal of no columns is one of 80",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", title: "Just the title" }]);
    const { code, said } = await onTerminal(rig, "ls", { cue: "never said", keys: "" });
    expect(code).toBe(0);
    expect(said).toContain("T1  p3  Just the title");
  }),
);

test(
  "NO_COLOR wins over FORCE_COLOR, without a word",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const ran = await rig.run(["ls"], { env: { NO_COLOR: "1", FORCE_COLOR: "1" } });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).not.toContain(ESCAPE);
  }),
);

test(
  "a project's control characters are spelled out where it is asked whether to trust it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    scripted(rig);
    const command = "true \u001b[2J\rgone\nlooper: all is well\u202e";
    rig.write(".looper/config.json", JSON.stringify({ hooks: { post_iteration: [command] } }));
    const { code, stderr } = await rig.run([]);
    expect(code).toBe(3);
    expect(stderr).toContain(String.raw`: true \u{1b}[2J\u{d}gone\nlooper: all is well\u{202e}`);
    expect(stderr.split("\n").filter((line) => line.startsWith("looper:"))).toHaveLength(1);
    rig.write(".looper/config.json", JSON.stringify({ [`x${command}`]: 1 }));
    const unknown = await rig.run(["ls"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).not.toMatch(/[\u001b\r\u202e]/u);
  }),
);

test(
  "in a folder that was removed a command says so",
  story((rig) => {
    const line = `mkdir gone && cd gone && rmdir ../gone; { "${process.execPath}" "${BIN}" ls; echo "$?"; } 2>&1`;
    const said = execFileSync("bash", ["-c", line], { cwd: rig.project, env: rig.env, encoding: "utf8" });
    expect(said).toMatch(/^looper: the folder that this shell is in was removed\n {2}go to .*\n2\n$/u);
    return Promise.resolve();
  }),
);

test(
  "a run continues in silence when the reader of its events is gone",
  story((rig) => {
    rig.writeBacklog(Array.from({ length: 3 }, (_, at) => ({ id: `T${at}` })));
    scripted(rig, [{ say: "x".repeat(200_000) }]);
    const piped = `"${process.execPath}" "${BIN}" run --json --no-review | head -n 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    const said = execFileSync("bash", ["-c", `{ ${piped}; } 2>&1`], {
      cwd: rig.project,
      env: rig.env,
      encoding: "utf8",
    });
    expect(said).toBe("0\n");
    expect(Object.values(rig.statuses())).toEqual(Array.from({ length: 3 }, () => "done"));
    return Promise.resolve();
  }),
);
