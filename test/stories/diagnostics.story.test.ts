// The output on stderr: --log-level, --log-format, --no-color, and plain output in CI.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { z } from "zod";
import { type Rig, story } from "../rig/rig.js";
import { BIN, DIST, type Ran } from "../rig/program.js";

const ESCAPE = "\u001b";

const TASKS = [{ id: "T1", title: "Reach the \u001b[31mdatabase" }, { id: "T2" }];

/** T1 fails once and is then blocked, T2 is done. */
async function stage(rig: Rig): Promise<void> {
  rig.writeBacklog(TASKS);
  const puppet = await rig.agent();
  puppet.play(async (turn) => {
    if (turn.task === "T2") return turn.report();
    if (turn.hello.env["LOOPER_ATTEMPT"] === "1") return turn.exit(0, "no report\n");
    return turn.report({ status: "blocked", blockers: ["no\u0007 password"] });
  });
}

const Said = z.looseObject({ level: z.string(), time: z.iso.datetime(), msg: z.string() });

function jsonOf({ stderr }: Ran): z.infer<typeof Said>[] {
  return stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Said.parse(JSON.parse(line)));
}

exhaustively(
  "--log-level: errors alone, or all, with each event as tail shows it; --quiet is quiet whatever it says",
  story(async (rig) => {
    await stage(rig);
    const told = async (...words: string[]): Promise<string> => {
      rig.writeBacklog(TASKS);
      const { code, stderr, stdout } = await rig.run(["run", "--no-review", ...words]);
      expect(code).toBe(1);
      expect(stdout).toContain("blocked · 1 of 2 tasks done");
      return stderr;
    };
    expect(await told("--log-level", "error")).toMatch(/^✗ blocked T1 .+: no password\n$/);
    const debug = await told("--log-level", "debug");
    expect(debug).toMatch(/^- 1\/2 T1 Reach the database · fake\n/m);
    expect(debug).toMatch(/^✗ failed T1 .+: no-summary/m);
    const tail = (await rig.run(["tail"])).stdout.trimEnd().split("\n");
    expect(tail.length).toBeGreaterThan(20);
    for (const line of tail) expect(debug.split("\n")).toContain(line);
    expect(await told("--quiet", "--log-level", "debug")).toBe("");
  }),
);

test(
  "--log-format json: each line of stderr is an object, of a run and of what failed; never a colour",
  story(async (rig) => {
    await stage(rig);
    const env = { LOOPER_LOG_FORMAT: "json", FORCE_COLOR: "1" };
    const run = await rig.run(["run", "--no-review", "--log-level", "debug"], { env });
    expect(run.stderr).not.toContain("\\u001b");
    const said = jsonOf(run);
    expect(said).toContainEqual(
      expect.objectContaining({ level: "info", type: "task_selected", task_id: "T1" }),
    );
    expect(said).toContainEqual(
      expect.objectContaining({
        level: "error",
        task_id: "T1",
        msg: expect.stringMatching(/no password$/) as string,
      }),
    );
    const events = said.filter(({ level }) => level === "debug").map(({ seq }) => seq);
    expect(events).toEqual(rig.events().map(({ seq }) => seq));
    for (const [words, code, msg] of [
      [["lss"], 2, "unknown command lss"],
      [["run", "--agent", "nobody"], 2, expect.stringContaining("nobody") as string],
      [["why", "T9"], 2, expect.stringContaining("T9") as string],
    ] as const) {
      const failed = await rig.run(words, { env });
      expect(failed.code).toBe(code);
      expect(jsonOf(failed)).toEqual([expect.objectContaining({ level: "error", msg, exit_code: code })]);
    }
    expect(jsonOf(await rig.run(["lss", "--log-format", "json"]))).toHaveLength(1);
    expect((await rig.run(["lss", "--log-format", "text"], { env })).stderr).toMatch(/^looper: unknown/);
  }),
);

test(
  "a run keeps its diagnostics in run.log: private, in the level asked for, whatever stderr shows",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report({ status: "blocked", blockers: ["no password"] }));
    const logOf = async (...words: string[]) => {
      rig.writeBacklog([{ id: "T1" }]);
      await rig.run(["run", "--no-review", ...words]);
      const file = path.join(rig.project, "looper-logs/last/run.log");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      return jsonOf({ stderr: readFileSync(file, "utf8") } as Ran);
    };
    const about = { level: "info", version: expect.any(String) as string };
    for (const manner of ["--quiet", "--json"])
      expect(await logOf(manner, "--log-level", "debug")).toMatchObject([
        { ...about, msg: expect.stringMatching(/^run 20/) as string },
        { level: "info", msg: "ended: blocked", ending: "blocked" },
      ]);
    expect(await logOf("--log-level", "error")).toEqual([]);
    expect((await rig.run(["clean", "--keep", "0", "-y"])).code).toBe(0);
    expect(readdirSync(path.join(rig.project, "looper-logs/runs"))).toEqual([]);
  }),
);

test(
  "an unknown level or format is a usage error, from the environment too; the flag beats it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const flag = await rig.run(["ls", "--log-level", "wran"]);
    expect([flag.code, flag.stdout]).toEqual([2, ""]);
    expect(flag.stderr).toMatch(/^looper: --log-level is "wran".+\n {2}did you mean warn\?\n$/);
    const env = { LOOPER_LOG_FORMAT: "jsn", LOOPER_LOG_LEVEL: "debug" };
    const fromEnv = await rig.run(["ls"], { env });
    expect(fromEnv.code).toBe(2);
    expect(fromEnv.stderr).toContain("LOOPER_LOG_FORMAT");
    expect((await rig.run(["ls", "--log-format", "text"], { env })).code).toBe(0);
    expect((await rig.run(["--help"], { env })).code).toBe(0);
  }),
);

/** The program on a terminal of its own. */
function onTerminal(rig: Rig, words: string, env: Record<string, string> = {}): string {
  const line = `"${process.execPath}" "${BIN}" ${words}`;
  return execFileSync("script", ["-qefc", line, "/dev/null"], {
    cwd: rig.project,
    env: { ...rig.env, TERM: "xterm", ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test(
  "--no-color beats FORCE_COLOR; what is started sees neither",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const puppet = await rig.agent();
    const env = { FORCE_COLOR: "1" };
    expect((await rig.run(["ls"], { env })).stdout).toContain(ESCAPE);
    expect((await rig.run(["ls", "--no-color"], { env })).stdout).not.toContain(ESCAPE);
    puppet.play((turn) => {
      expect(turn.hello.env).toMatchObject(env);
      expect(turn.hello.env).not.toHaveProperty("NO_COLOR");
      return turn.report();
    });
    const run = await rig.run(["run", "--no-color", "--no-review"], { env });
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining(ESCAPE) as string });
    expect(run.stdout).not.toContain(ESCAPE);
  }),
);

exhaustively(
  "CI=true: also on a terminal no live line, no cursor that moves, and colour only where it is forced",
  story((rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("steps.json", JSON.stringify({ default: [[{ summary: { task_id: null, status: "done" } }]] }));
    const script = path.join(rig.project, "steps.json");
    rig.settings({ schedule: { agent: "scripted" }, agents: { scripted: { script } } });
    const run = "run --no-review";
    expect(onTerminal(rig, run)).toContain(`\r${ESCAPE}[K`);
    const plain = onTerminal(rig, `todo T1; "${process.execPath}" "${BIN}" ${run}`, { CI: "true" });
    expect(plain).toContain("- 1/1 T1 Do T1 · scripted\r\n");
    expect(plain).not.toContain(ESCAPE);
    expect(plain).not.toMatch(/\r(?!\n)/);
    const forced = onTerminal(rig, "ls", { CI: "true", FORCE_COLOR: "1" });
    expect(forced).toContain(`${ESCAPE}[`);
    return Promise.resolve();
  }),
);

test(
  "a limit of open files is an environment error that names the limit, wherever it is reached",
  story((rig) => {
    const env = { ...rig.clis(), FAKE_AGENT_LOG: path.join(rig.root, "starts.jsonl") };
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const seen = new Set<number>();
    const runBelow = (limit: number, ...words: string[]) =>
      spawnSync("sh", ["-c", `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, ...words], {
        cwd: rig.project,
        env: { ...rig.env, ...env },
        encoding: "utf8",
      });
    // Below this limit Node itself does not start.
    rig.write("nothing.js", "");
    let least = 16;
    while (runBelow(least, "nothing.js").status !== 0) least += 1;
    for (const limit of [least, least + 1, least + 7]) {
      const { status, stderr } = runBelow(limit, DIST, "run", "--no-review");
      expect(stderr, String(limit)).toMatch(
        /^looper: .*too many open files \(EMFILE\)(\n {2}|: )[^]*ulimit -n/m,
      );
      expect(stderr).not.toContain("bug");
      seen.add(status ?? -1);
    }
    expect([...seen]).toEqual([3]);
    return Promise.resolve();
  }),
);

test(
  "a program whose parts were removed reports the error once and ends with 70",
  story((rig) => {
    const half = path.join(rig.root, "half");
    cpSync(path.dirname(DIST), half, { recursive: true });
    rmSync(path.join(half, "chunks"), { recursive: true });
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(half, "looper.js"), "ls"], {
      cwd: rig.project,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 70, stdout: "" });
    expect(stderr).toMatch(/^looper: internal error; .*\n {2}Error.*: Cannot find module/);
    expect(stderr.match(/internal error/g)).toHaveLength(1);
    return Promise.resolve();
  }),
);
