// Two people and two clones, by the real program: a plan written here is read and approved there, and its task is finished in
// either. Leaves answers in one folder to people.story.test.ts.
import path from "node:path";
import { expect, test } from "vitest";
import type { Puppet } from "../rig/puppet.js";
import type { Rig } from "../rig/rig.js";
import { story } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";

const PERSON = ["-c", "user.name=Person", "-c", "user.email=person@example.org"];

/** A project in git with one task, and an agent that plays every stage. */
async function begin(rig: Rig, settings: Record<string, unknown> = {}): Promise<Puppet> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/lock/\n");
  rig.gitInit();
  const agent = await rig.agent({}, settings);
  const create = playStages({
    create: async (turn) => {
      await turn.write("hello.txt", "hello\n");
      await turn.report({ outcome: "done" });
    },
  });
  agent.play(create);
  return agent;
}

/** Another person's copy, without the objects that only this repository's own refs hold. */
function clone(rig: Rig): string {
  const there = path.join(rig.root, "there");
  rig.git("clone", "-q", `file://${rig.project}`, there);
  return there;
}

function run(rig: Rig, workflow: string, folder = rig.project) {
  return rig.run(["-C", folder, "run", "--no-review", "--workflow", workflow]);
}

function files(rig: Rig, revision: string): string[] {
  return rig.git("ls-tree", "-r", "--name-only", revision, ".looper").split("\n").slice(0, -1);
}

test(
  "a plan travels with the repository, is approved in a clone, and its task is done here",
  story(async (rig) => {
    rig.trees = true;
    await begin(rig);
    expect((await run(rig, "plan-approve-execute")).code).toBe(1);
    expect(rig.git("log", "--format=%s")).toBe("looper: waiting\nstart\n");
    expect(files(rig, "HEAD")).toEqual(
      ["1-clarify.json", "1-clarify.md", "2-plan.json", "2-plan.md"].map(
        (name) => `.looper/tasks/T1/${name}`,
      ),
    );
    expect(rig.git("status", "--porcelain")).toBe("");
    const there = clone(rig);
    const asked = await rig.run(["-C", there, "questions", "T1"]);
    expect(asked.stdout).toContain("1. Write hello.txt");
    expect((await rig.run(["-C", there, "approve", "T1"])).code).toBe(0);
    expect(rig.git("-C", there, "status", "--porcelain")).toBe(" M to-do.json\n");
    rig.git("-C", there, ...PERSON, "commit", "-qam", "approved");
    rig.git("pull", "-q", there, "HEAD");
    expect((await run(rig, "plan-approve-execute")).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(files(rig, "HEAD")).toEqual([]);
    expect(rig.git("log", "--format=%s")).toBe("Do T1\napproved\nlooper: waiting\nstart\n");
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.read(".looper/tasks/T1/2-plan.md")).toContain("Write hello.txt");
    const undone = await rig.run(["undo", "T1", "-y"]);
    expect(undone.code).toBe(0);
    expect(undone.stdout).toContain("1 path changed back: hello.txt");
  }),
);

test(
  "a clone approves a plan and continues its task; changes that only the first repository has are refused there",
  story(async (rig) => {
    await begin(rig);
    await run(rig, "staged-review");
    const there = clone(rig);
    expect((await rig.run(["-C", there, "approve", "T1"])).code).toBe(0);
    expect((await run(rig, "staged-review", there)).stdout).toContain("Keep these new files?");
    expect(rig.git("-C", there, "status", "--porcelain")).toBe("");
    rig.git("pull", "-q", there, "HEAD");
    const shown = await rig.run(["questions", "T1"]);
    expect([shown.code, shown.stderr]).toEqual([
      1,
      expect.stringMatching(/the work that T1\.4 shows, [0-9a-f]{12}, is not in this repository/u),
    ]);
    expect((await rig.run(["approve", "T1"])).code).toBe(1);
    expect((await rig.run(["-C", there, "approve", "T1"])).code).toBe(0);
  }),
);
