// Checks that cannot run, or are red before any work: they are named before the first agent starts, and refuse the run where
// the user asked for it.
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
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
  ["npm run tset", 1, /Missing script: "tset"/],
  ["nosuchprogram --all", 127, /nosuchprogram: not found/],
  ["./not-executable", 126, /Permission denied/],
  ["sh missing.sh", 2, /missing\.sh/],
  ["make nosuchtarget", 2, /No rule to make target 'nosuchtarget'/],
  ["make test", 2, /Error 127/],
];

test.each(sample(["nosuchprogram | tee log", "! nosuchprogram", "nosuchprogram; true"], 1))(
  "a check that passes although a part of it cannot run is named, and --strict refuses the run: %s",
  (check) =>
    story(async (rig) => {
      await project(rig, check);
      expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
      expect(
        rig.events().flatMap((event) => (event.type === "run_started" ? (event["warnings"] ?? []) : [])),
      ).toContain(
        `cannot run the check "${check}": nosuchprogram is not on PATH; its exit code may hide this: install nosuchprogram`,
      );

      rig.writeBacklog([{ id: "T1" }]);
      expect(await rig.run(["run", "--no-review", "--strict"])).toMatchObject({ code: 3 });
      expect(beforeAgent(rig).agents).toBe(0);
    })(),
);

test.each(sample(CANNOT_RUN, 2))(
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

test(
  "a check that passes is not named, and under --strict it runs no more often than without",
  story(async (rig) => {
    rig.trees = true;
    await project(rig, `echo x >> ${rig.root}/ran; echo not found; npm test`);
    expect(await rig.run(["run", "--no-review", "--strict"])).toMatchObject({ code: 0 });
    expect(rig.read("../ran")).toBe("x\nx\n");
    expect(beforeAgent(rig).warnings).toEqual([]);
    expect(rig.readBacklog().tasks[0]).toMatchObject({ status: "done", meta: { verified: true } });
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

test.each(sample(["nosuchsetup", "exit 7"], 1))(
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

test(
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

/** The warnings of the first event of the log. */
function atStart(rig: Rig): string[] {
  const [first] = rig.events();
  return first?.["warnings"] as string[];
}

/** A project without checks of its own, and tasks with these. */
async function ownChecks(rig: Rig, checks: Record<string, string>): Promise<void> {
  const puppet = await rig.agent({}, { verify: { commands: [] } });
  rig.write("package.json", MANIFEST);
  rig.writeBacklog(Object.entries(checks).map(([id, check]) => ({ id, verify: [check] })));
  rig.gitInit();
  puppet.play((turn) => turn.report());
}

test.each(
  sample(
    [
      ["nosuchprogram --all", "nosuchprogram is not on PATH"],
      ["npm tset", 'npm has no command "tset"'],
      ["/no/such/program", "there is no program at /no/such/program"],
    ],
    1,
  ),
)(
  "a task's own check that cannot run is named before the first agent, and --strict refuses the run: %s",
  (check, missing) =>
    story(async (rig) => {
      await ownChecks(rig, { T1: "npm test", T2: check });
      const named = `cannot run the check "${check}" of T2: ${missing}`;
      expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
      expect(atStart(rig).filter((one) => one.startsWith(named))).toHaveLength(1);

      rig.writeBacklog([{ id: "T1" }, { id: "T2", verify: [check] }]);
      const before = rig.read("to-do.json");
      const strict = await rig.run(["run", "--no-review", "--trust", "--strict"]);
      expect(strict).toMatchObject({ code: 3 });
      expect(strict.stderr + strict.stdout).toContain(named);
      expect(rig.read("to-do.json")).toBe(before);
      expect(beforeAgent(rig).agents).toBe(0);
      expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({
        ending: "environment",
      });
      expect(rig.git("for-each-ref", "refs/looper/checkpoint")).toBe("");

      const plan = await rig.run(["run", "--strict", "--dry-run"]);
      expect(plan.stdout).toContain(named);
      expect((await rig.run(["run", "--dry-run"])).stderr).toContain(named);
      // With --task only the checks of that task and of its dependencies count.
      const other = await rig.run(["run", "--no-review", "--trust", "--strict", "--task", "T1"]);
      expect(other).toMatchObject({ code: 0 });
    })(),
);

test(
  "a task's own check that needs a file or a script of the project is named, and --strict does not refuse it",
  story(async (rig) => {
    await ownChecks(rig, { T1: "sh check.sh", T2: "./check", T3: "npm run check" });
    await rig.run(["run", "--no-review", "--trust", "--strict"]);
    const { agents } = beforeAgent(rig);
    expect(atStart(rig).filter((one) => one.startsWith("cannot run the check"))).toEqual([
      expect.stringContaining('"sh check.sh" of T1: there is no file check.sh'),
      expect.stringContaining('"./check" of T2: there is no program at ./check'),
      expect.stringContaining('"npm run check" of T3: package.json has no script "check"'),
    ]);
    expect(agents).toBeGreaterThan(0);
  }),
);

test(
  "a check that many tasks share is named once",
  story(async (rig) => {
    await ownChecks(rig, { T1: "nosuchprogram", T2: "nosuchprogram", T3: "nosuchprogram" });
    await rig.run(["run", "--no-review", "--trust", "--max-iterations", "1"]);
    const named = atStart(rig).filter((one) => one.startsWith("cannot run"));
    expect(named).toEqual([expect.stringContaining('"nosuchprogram" of T1 and 2 more tasks: ')]);
  }),
);
