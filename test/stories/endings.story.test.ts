// Every way a run ends, and the exit code of each (contract §1, §4); how one begins without a backlog, or with a broken one.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Script } from "../fakes/play.mjs";
import { type Rig, story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

/** Puts the stand-ins on PATH; their starts are written down. */
function agents(rig: Rig, script: Script = {}): Record<string, string> {
  return { ...rig.clis(script), FAKE_AGENT_LOG: path.join(rig.root, "starts.jsonl") };
}

function countStarts(rig: Rig): number {
  const log = path.join(rig.root, "starts.jsonl");
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
}

/** The ending the log tells of, which must be the one the table shows. */
function ending(rig: Rig, stdout: string): unknown {
  const last = rig.events().findLast(({ type }) => type === "run_ended")?.["ending"];
  expect(stdout).toContain(`\n${String(last)} · `);
  return last;
}

const done = { summary: { status: "done" } };
const blocked = { summary: { status: "blocked", blockers: ["the door is shut"] } };

test(
  "complete is 0; a backlog that is marked and finished is 0 again and starts no agent",
  story(async (rig) => {
    const env = agents(rig);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const first = await rig.run([], { env });
    expect([first.code, ending(rig, first.stdout)]).toEqual([0, "complete"]);
    expect(rig.readBacklog().tasks.at(-1)).toEqual({
      id: "PROJECT-DONE",
      title: "Project done: no new tasks",
      priority: 5,
      status: "done",
      tags: ["project-done"],
    });
    const finished = rig.read("to-do.json");
    expect(countStarts(rig)).toBe(3);

    const second = await rig.run(["run"], { env });
    expect(second.code).toBe(0);
    expect(second.stdout).toContain("finished already: nothing was started");
    expect([countStarts(rig), rig.read("to-do.json")]).toEqual([3, finished]);
  }),
);

test(
  "blocked is 1, says why and what waits; the next run tries again",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"] }, { id: "T3" }]);
    const ran = await rig.run(["run"], { env: agents(rig, { tasks: { T1: [blocked] } }) });
    expect([ran.code, ending(rig, ran.stdout)]).toEqual([1, "blocked"]);
    expect(ran.stdout).toMatch(/1 task is blocked; 1 task waits for what is not done/);
    expect(ran.stdout + ran.stderr).toContain("the door is shut");
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "todo", T3: "done" });
    expect(rig.readBacklog().tasks[0]?.blockers).toEqual(["the door is shut"]);
    const opened = { FAKE_AGENT_SCRIPT: path.join(rig.root, "none.json") };
    rig.write("../none.json", "{}");
    expect(await rig.run(["run", "--no-review"], { env: opened })).toMatchObject({ code: 0 });
    expect(rig.readBacklog().tasks[0]?.blockers).toEqual([]);
  }),
);

test(
  "a limit is 1; one task asked for by its id is 0, with what it depends on",
  story(async (rig) => {
    const env = agents(rig, { default: [done] });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", depends_on: ["T2"] }]);
    const limited = await rig.run(["run", "--max-iterations", "1"], { env });
    expect([limited.code, ending(rig, limited.stdout)]).toEqual([1, "limit"]);
    expect(limited.stdout).toContain("max_iterations (1) is reached");
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo", T3: "todo" });

    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", depends_on: ["T2"] }]);
    expect(await rig.run(["run", "--task", "T3"], { env })).toMatchObject({ code: 0 });
    expect(rig.statuses()).toEqual({ T1: "todo", T2: "done", T3: "done" });
    expect(await rig.run(["run", "--task", "T4"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no task T4.*\n.*did you mean T\d/) as string,
    });
  }),
);

test(
  "without an agent it is 3, and names what to install; nothing is written",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const names = () => readdirSync(rig.project);
    const none = await rig.run(["run"]);
    expect(none).toMatchObject({ code: 3, stdout: "" });
    expect(none.stderr).toMatch(/^looper: no agent is installed.*\n {2}.*npm i.*claude-code.*@openai\/codex/);
    const mine = { LOOPER_AGENTS_MINE_KIND: "command", LOOPER_AGENTS_MINE_BINARY: "./agent.sh" };
    const own = await rig.run(["run"], { env: mine });
    expect(own.stderr).toMatch(
      /; of your own there is mine\n {2}name your own: looper config set schedule\.agent mine/,
    );
    const wanted = await rig.run(["run", "--schedule", "odd-even"], {
      env: { CLAUDE_BIN: process.execPath },
    });
    expect(wanted).toMatchObject({ code: 3, stdout: "" });
    expect(wanted.stderr).toMatch(/^looper: agent codex: .*not on PATH/);
    expect([names(), rig.statuses()]).toEqual([["to-do.json"], { T1: "todo" }]);
  }),
);

test(
  "Ctrl-C twice ends the agent; what was in hand stays so, and comes first next time; once lets the agent finish, and nothing new starts: 130",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([
      { id: "T1", priority: 1 },
      { id: "T2", priority: 5, status: "doing" },
      { id: "T3", priority: 5 },
    ]);
    rig.gitInit();
    const program = rig.start(["run"]);
    const turn = await puppet.next();
    expect(turn.task).toBe("T2");
    await turn.write("half.txt", "half\n");
    await turn.leaveBehind("trap '' INT TERM HUP; exec sleep 1000");
    program.signal("SIGINT");
    await program.says(/stopping once the agent has finished/);
    program.signal("SIGINT");
    await turn.gone;
    const ran = await program.ended;
    expect([ran.code, ending(rig, ran.stdout)]).toEqual([130, "interrupted"]);
    // Not even what it left behind, in a session of its own and deaf.
    expect(rig.leftovers()).toEqual([]);
    expect(rig.statuses()).toEqual({ T1: "todo", T2: "doing", T3: "todo" });
    expect([rig.read("half.txt"), rig.commitsByTask()]).toEqual(["half\n", {}]);

    const next = rig.start(["run"]);
    const resumed = await puppet.next();
    expect(resumed.task).toBe("T2");
    await resumed.report();
    const last = await puppet.next();
    expect(last.task).toBe("T1");
    next.signal("SIGINT");
    await next.says(/stopping once the agent has finished/);
    await last.write("a.txt", "whole\n");
    await last.report();
    const once = await next.ended;
    expect([once.code, ending(rig, once.stdout)]).toEqual([130, "interrupted"]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "todo" });
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.git("log", "--format=%s", "--", "half.txt").trim()).toBe("Do T2");
  }),
);

test(
  "Ctrl-C three times ends everything at once, an agent that is deaf to signals too: 130",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run"]);
    const turn = await puppet.next();
    await turn.ignore("SIGINT", "SIGTERM", "SIGHUP");
    await turn.leaveBehind("trap '' INT TERM HUP; exec sleep 1000");
    program.signal("SIGINT");
    await program.says(/stopping once the agent has finished/);
    program.signal("SIGINT");
    await program.says(/ending the agent/);
    expect(rig.leftovers().length).toBeGreaterThanOrEqual(3);
    program.signal("SIGINT");
    const ran = await program.ended;
    expect(rig.leftovers()).toEqual([]);
    expect([ran.code, ending(rig, ran.stdout)]).toEqual([130, "interrupted"]);
    // Not after the five seconds that a second Ctrl-C grants. Where the third came late, the machine is too slow to tell.
    const [second, third] = rig
      .events()
      .filter(({ type }) => type === "run_interrupted")
      .slice(1);
    const end = rig.events().findLast(({ type }) => type === "run_ended");
    const at = (line?: { timestamp: string }) => Date.parse(line?.timestamp ?? "");
    expect(at(third)).toBeGreaterThanOrEqual(at(second));
    if (at(third) - at(second) < 1000) expect(at(end) - at(second)).toBeLessThan(5000);
    expect(rig.statuses()).toEqual({ T1: "doing" });
  }),
);

test(
  "SIGTERM ends the agent at once: 143",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run"]);
    const turn = await puppet.next();
    program.signal("SIGTERM");
    await turn.gone;
    const ran = await program.ended;
    expect([ran.code, ending(rig, ran.stdout)]).toEqual([143, "interrupted"]);
    expect(ran.stdout).toContain("next: looper run");
    expect(rig.statuses()).toEqual({ T1: "doing" });
  }),
);

test(
  "SIGHUP without a terminal is noted and ignored",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    program.signal("SIGHUP");
    await program.says(/SIGHUP is ignored/);
    await turn.report();
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(rig.events().filter(({ type }) => type === "run_interrupted")).toMatchObject([
      { signal: "SIGHUP", terminal: false },
    ]);
  }),
);

test("SIGHUP when the terminal goes away ends the agent, and the log tells of it", async (context) => {
  if (spawnSync("script", ["--version"]).error !== undefined)
    context.skip("needs script(1), which makes a terminal");
  await story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const command = `'${process.execPath}' '${BIN}' run`;
    const terminal = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: rig.project,
      env: { ...rig.env, TERM: "xterm" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const turn = await puppet.next();
    await turn.leaveBehind("trap '' INT TERM HUP; exec sleep 1000");
    // As when its window is closed: whatever is written to it from now on fails.
    terminal.kill("SIGKILL");
    await turn.gone;
    await expect.poll(() => rig.leftovers()).toEqual([]);
    expect(rig.events().find(({ type }) => type === "run_interrupted")).toMatchObject({
      signal: "SIGHUP",
      terminal: true,
    });
    expect(rig.events().findLast(({ type }) => type === "run_ended")).toMatchObject({
      ending: "interrupted",
      signal: "SIGHUP",
    });
    expect(rig.statuses()).toEqual({ T1: "doing" });
  })();
});

test(
  "without a backlog an agent drafts one from --prompt; without it nothing is started: 2",
  story(async (rig) => {
    const env = agents(rig, { default: [done] });
    const refused = await rig.run(["run"], { env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^looper: there are no tasks in to-do\.json: .*`looper init`.*`looper add .*`looper run --prompt ".*\n$/,
    );
    expect([countStarts(rig), readdirSync(rig.project)]).toEqual([0, []]);

    const drafted = await rig.run(["run", "--no-review", "--prompt", "a shop for things"], { env });
    expect([drafted.code, ending(rig, drafted.stdout)]).toEqual([0, "complete"]);
    expect(rig.statuses()).toEqual({ T1: "done" });
    const prompt = rig.read("looper-logs/last/001-bootstrap-1/prompt.md");
    expect(prompt).toContain("a shop for things");

    const again = await rig.run(["run", "--prompt", "something else"], { env });
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--prompt is for a new backlog.*\n +use add: looper add "/) as string,
    });
  }),
);

test(
  "an idea from stdin is enough to begin with; a backlog that still exists somewhere is not drafted anew",
  story(async (rig) => {
    const env = agents(rig, { default: [done] });
    const piped = await rig.run(["run", "--no-review", "--prompt", "-"], {
      env,
      input: "an idea from a pipe",
    });
    expect(piped.code).toBe(0);
    expect(rig.read("looper-logs/last/001-bootstrap-1/prompt.md")).toContain("an idea from a pipe");
    const starts = countStarts(rig);

    rig.gitInit();
    rig.git("rm", "-q", "to-do.json");
    rig.write("README.md", "# A shop\n");
    const known = await rig.run(["run"], { env });
    expect(known.code).toBe(2);
    expect(known.stderr).toMatch(/commit [0-9a-f]{7,} has: git checkout [0-9a-f]{7,} -- /);
    expect(countStarts(rig)).toBe(starts);
    const command = /git (checkout [0-9a-f]+ -- \S+)/.exec(known.stderr)?.[1] ?? "";
    rig.git(...command.split(" "));
    expect(rig.statuses()).toEqual({ T1: "done" });
    const anew = /to start anew, .*: looper (init) && git (add \S+) && git commit -m "Start anew"\)/.exec(
      known.stderr,
    );
    rig.git("rm", "-q", "to-do.json");
    await rig.run([anew?.[1] ?? ""]);
    rig.git(...(anew?.[2] ?? "").split(" "));
    rig.git("-c", "user.name=p", "-c", "user.email=p@example.com", "commit", "-qm", "Start anew");
    expect((await rig.run(["run", "--no-review", "--prompt", "a second shop"], { env })).code).toBe(0);
    expect(countStarts(rig)).toBeGreaterThan(starts);
  }),
);

test(
  "documents alone start no agent without a terminal to ask on; -y has a backlog drafted from them",
  story(async (rig) => {
    rig.write("README.md", "# A shop for things\n");
    rig.write("to-do.json", " \n");
    const env = agents(rig, { default: [done] });
    for (const args of [[], ["run", "--trust"]]) {
      const { code, stdout, stderr } = await rig.run(args, { env: { ...env, CI: "true" } });
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("there are no tasks in")]);
    }
    expect([countStarts(rig), readdirSync(rig.project)]).toEqual([0, ["README.md", "to-do.json"]]);
    expect((await rig.run(["run", "--dry-run"], { env })).stdout).toContain('looper run --prompt "');

    const { code } = await rig.run(["run", "--no-review", "-y"], { env });
    expect(code).toBe(0);
    expect(rig.read("looper-logs/last/001-bootstrap-1/prompt.md")).toContain("README.md");
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

const NO_COMMA = `{"schema_version": 1, "source_files": [], "tasks": [
  {"id": "T1", "title": "One", "priority": 1, "status": "done"}
  {"id": "T2", "title": "Two", "priority": 1, "status": "todo"}
]}
`;

test(
  "a broken task file is repaired by an agent, a copy of it kept, and the run continues",
  story(async (rig) => {
    rig.write("to-do.json", NO_COMMA);
    const mend = `sed 's/"done"}/"done"},/' to-do.json >"$LOOPER_TODO_FILE"`;
    const { code, stderr } = await rig.run(["run", "--no-review"], {
      env: agents(rig, { repair: [{ shell: [mend] }], default: [done] }),
    });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/1 problem.*line 3/) as string,
    });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    const [copy = ""] = readdirSync(rig.project).filter((name) => name.startsWith("to-do.json.broken-"));
    expect(rig.read(copy)).toBe(NO_COMMA);
    expect(rig.read("looper-logs/last/001-repair-1/prompt.md")).toContain(NO_COMMA.trim());
  }),
);

test(
  "a repair that loses a task is refused, and a backlog that could not be repaired exits with 2",
  story(async (rig) => {
    rig.write("to-do.json", NO_COMMA);
    const lose = `grep -v T1 to-do.json >"$LOOPER_TODO_FILE"`;
    const ran = await rig.run(["run"], { env: agents(rig, { repair: [{ shell: [lose] }] }) });
    expect([ran.code, ending(rig, ran.stdout)]).toEqual([2, "unusable-backlog"]);
    expect(ran.stderr).toContain("the repair would lose T1");
    expect(ran.stderr).toContain("still not valid after 2 repairs");
    expect([countStarts(rig), rig.read("to-do.json")]).toEqual([2, NO_COMMA]);
  }),
);
