// Checks that cannot run, or are red before any work: they are named before the first agent starts, and refuse the run where
// the user asked for it.
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const MANIFEST = JSON.stringify({ name: "x", version: "1.0.0", scripts: { test: "exit 0" } });

/** Lines of the log before the first agent, and whether there was one. */
function beforeAgent(rig: Rig): { warnings: string[]; agents: number } {
  const events = rig.events();
  const first = events.findIndex(({ type }) => type === "agent_started");
  const lines = events.slice(0, first < 0 ? undefined : first);
  const warnings = lines.flatMap((line) => (line.type === "warning" ? [String(line["message"])] : []));
  return { warnings, agents: events.filter(({ type }) => type === "agent_started").length };
}

/** A project with this check, in which an agent does T1. */
async function project(rig: Rig, check: string, more: Record<string, unknown> = {}): Promise<void> {
  const puppet = await rig.agent({}, { verify: { commands: [check], ...more } });
  rig.write("package.json", MANIFEST);
  rig.write("not-executable", "#!/bin/sh\n");
  rig.write("Makefile", "test:\n\t@nosuchrunner\n");
  rig.writeBacklog([{ id: "T1" }]);
  rig.gitInit();
  puppet.play((turn) => turn.report());
}

const CANNOT_RUN: [check: string, code: number, line: RegExp][] = [
  ["nosuchprogram --all", 127, /nosuchprogram: not found/],
  ["npm run tset", 1, /Missing script: "tset"/],
  ["./not-executable", 126, /Permission denied/],
  ["sh missing.sh", 2, /missing\.sh/],
  ["make nosuchtarget", 2, /No rule to make target 'nosuchtarget'/],
  ["make test", 2, /Error 127/],
];

test.each(sample(CANNOT_RUN, 1))(
  "a check that cannot run is named before the first agent, and --strict refuses the run: %s",
  (check, code, line) =>
    story(async (rig) => {
      await project(rig, check);
      expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
      const { warnings } = beforeAgent(rig);
      const named = warnings.filter((one) => one.startsWith(`cannot run the check "${check}"`));
      expect(named).toHaveLength(1);
      expect(named[0]).toContain(`(exit code ${String(code)})`);
      expect(named[0]).toMatch(line);

      rig.writeBacklog([{ id: "T1" }]);
      const before = rig.read("to-do.json");
      const strict = await rig.run(["run", "--no-review", "--strict"]);
      expect(strict).toMatchObject({ code: 3 });
      expect(strict.stderr + strict.stdout).toContain(`cannot run the check "${check}"`);
      expect(strict.stdout).not.toContain("of 0 tasks");
      expect(rig.read("to-do.json")).toBe(before);
      expect(beforeAgent(rig).agents).toBe(0);
      expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({
        ending: "environment",
      });
      expect(rig.git("for-each-ref", "refs/looper/checkpoint")).toBe("");
    })(),
);

test(
  "a check that is red before any work is named once, with its exit code and last line, and --strict does not refuse it",
  story(async (rig) => {
    await project(rig, "echo 2 of 9 failed; exit 4");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    const message = 'failing check "echo 2 of 9 failed; exit 4" (exit code 4): 2 of 9 failed';
    expect((stdout + stderr).split(message)).toHaveLength(2);
    expect(beforeAgent(rig).warnings.filter((one) => one.startsWith(message))).toHaveLength(1);
    rig.writeBacklog([{ id: "T1" }]);
    expect(await rig.run(["run", "--no-review", "--strict"])).toMatchObject({ code: 1 });
    expect(beforeAgent(rig).agents).toBeGreaterThan(0);
  }),
);

exhaustively(
  "a check that passes is not named, and under --strict it runs no more often than without",
  story(async (rig) => {
    rig.trees = true;
    await project(rig, `echo x >> ${rig.root}/ran; echo not found; npm test`);
    expect(await rig.run(["run", "--no-review", "--strict"])).toMatchObject({ code: 0 });
    expect(rig.read("../ran")).toBe("x\nx\n");
    expect(beforeAgent(rig).warnings).toEqual([]);
    expect(rig.readBacklog().tasks[0]).toMatchObject({ status: "done", meta: { verdict: "unbroken" } });
  }),
);

test(
  "verify.strict refuses in a cold room, and where its setup fails",
  story(async (rig) => {
    await project(rig, "nosuchprogram", { strict: true, cold: true });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 3 });
    expect(beforeAgent(rig).agents).toBe(0);
    await project(rig, "npm test", { strict: true, cold: true, setup: ["nosuchsetup"] });
    const ended = await rig.run(["run", "--no-review"]);
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stderr + ended.stdout).toContain("nosuchsetup");
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);

exhaustively.each(["nosuchsetup", "exit 7"])(
  "--strict refuses a run whose setup fails, where the checks could run in the project instead: %s",
  (setup) =>
    story(async (rig) => {
      await project(rig, "npm test", { setup: [setup] });
      const ended = await rig.run(["run", "--no-review", "--strict"]);
      expect(ended).toMatchObject({ code: 3 });
      expect(ended.stderr + ended.stdout).toContain(`cannot prepare the cold room: ${setup}`);
      expect(rig.statuses()).toEqual({ T1: "todo" });
      expect(beforeAgent(rig).agents).toBe(0);
      expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
      expect(beforeAgent(rig).warnings.join("\n")).toContain("the checks run in the project");
    })(),
);

exhaustively(
  "without git a check that cannot run is named and refused as well",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["nosuchprogram"] } });
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play((turn) => turn.report());
    expect(await rig.run(["run", "--no-review", "--strict"])).toMatchObject({ code: 3 });
    expect(rig.statuses()).toEqual({ T1: "todo" });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(beforeAgent(rig).warnings.join("\n")).toContain('cannot run the check "nosuchprogram"');
  }),
);

test(
  "a check that cannot run is named before a draft, and refused under --strict",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["nosuchprogram"] } });
    puppet.play((turn) => turn.report({ status: "blocked", blockers: ["no"] }));
    const draft = ["run", "--no-review", "--prompt", "an idea", "-y"];
    expect(await rig.run([...draft, "--strict"])).toMatchObject({ code: 3 });
    expect(beforeAgent(rig).agents).toBe(0);
    await rig.run(draft);
    const { warnings, agents } = beforeAgent(rig);
    expect(warnings.join("\n")).toContain('cannot run the check "nosuchprogram"');
    expect(agents).toBeGreaterThan(0);
  }),
);

test(
  "a task's own check that cannot run fails its attempts, and the task's blocker says so",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: [] } });
    rig.writeBacklog([{ id: "T1", verify: ["nosuchprogram --all"] }]);
    rig.gitInit();
    puppet.play((turn) => turn.report());
    expect(await rig.run(["run", "--no-review", "--trust", "--strict"])).toMatchObject({ code: 1 });
    const [task] = rig.readBacklog().tasks;
    expect(task).toMatchObject({ status: "blocked" });
    expect(JSON.stringify(task?.["blockers"])).toMatch(
      /nosuchprogram --all cannot run \(exit code 127\): .*nosuchprogram: (?:command )?not found/,
    );
  }),
);
