// Two people and two clones, by the real program: a plan written here is read and approved there, and its task is finished in
// either. Leaves answers in one folder to people.story.test.ts.
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { mcpCalls, mcpResults, type Call } from "../rig/mcp.js";
import type { Puppet, Turn } from "../rig/puppet.js";
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

exhaustively(
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

/** Writes an answer into the task file as an editor saves it. */
function answerInFile(rig: Rig, outcome: string): void {
  const backlog = rig.readBacklog();
  const tasks = backlog.tasks.map((task) => ({
    ...task,
    progress: { ...task.progress, answer: { outcome } },
  }));
  rig.write("to-do.json", `${JSON.stringify({ ...backlog, tasks }, undefined, 2)}\n`);
}

exhaustively(
  "a run that waits sleeps while only questions are open, wakes on each answer, and makes one commit",
  story(async (rig) => {
    const agent = await begin(rig);
    const stage = async (turn: Turn, name: string): Promise<void> => {
      await turn.write(`${name}.txt`, "hello\n");
      await turn.report({ outcome: "done" });
    };
    agent.play(playStages({ create: (turn) => stage(turn, "new"), modify: (turn) => stage(turn, "old") }));
    const waiting = rig.start(["run", "--no-review", "--wait", "--workflow", "staged-review"]);
    await waiting.says(/asks: Carry out this plan\?[^]*waiting for an answer/u);
    const status = await rig.run(["status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      run: { state: "running", waiting: { reason: "an answer", until: null } },
    });
    expect((await rig.run(["status"])).stdout).toContain("waiting for an answer");
    expect(rig.git("log", "--format=%s")).toBe("start\n");
    await rig.run(["approve", "T1"]);
    await waiting.says(/asks: Keep these new files\?[^]*waiting for an answer/u);
    answerInFile(rig, "approve");
    await waiting.says(/asks: Keep these changes\?[^]*waiting for an answer/u);
    await rig.run(["approve", "T1"]);
    await waiting.says(/asks: Commit\?[^]*waiting for an answer/u);
    await rig.run(["approve", "T1"]);
    expect((await waiting.ended).code).toBe(0);
    expect(rig.git("log", "--format=%s")).toBe("Do T1\nstart\n");
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

test(
  "a run that waits for answers ends at a signal, and when its time is over",
  story(async (rig) => {
    await begin(rig);
    const args = ["run", "--no-review", "--wait", "--workflow", "plan-approve-execute"];
    const waiting = rig.start(args);
    await waiting.says(/waiting for an answer/u);
    waiting.signal("SIGINT");
    expect((await waiting.ended).code).toBe(130);
    const timed = await rig.run([...args, "--max-duration", "1s"]);
    expect(timed.code).toBe(1);
    expect(timed.stdout).toContain("1 question waits for an answer: T1 at approve");
  }),
);

/** A remote that both clones push to, and the other person's clone of it. */
function shareOrigin(rig: Rig): string {
  const origin = path.join(rig.root, "origin.git");
  rig.git("init", "-q", "--bare", origin);
  rig.git("remote", "add", "origin", origin);
  rig.git("push", "-q", "origin", "main");
  const there = path.join(rig.root, "there");
  rig.git("clone", "-q", `file://${origin}`, there);
  return there;
}

/** The refs of Looper that the remote has. */
function shared(rig: Rig): string {
  return rig.git("ls-remote", "origin", "refs/looper/*");
}

/** Asks there until the question has arrived. */
async function seeThere(rig: Rig, there: string, text: string): Promise<void> {
  for (;;) {
    const { stdout } = await rig.run(["-C", there, "questions"]);
    if (stdout.includes(text)) return;
  }
}

test(
  "with git.share a plan written here is approved there, and the run that waits here continues with it",
  story(async (rig) => {
    await begin(rig, { git: { share: "origin" } });
    const there = shareOrigin(rig);
    rig.write("private.txt", "mine\n");
    const waiting = rig.start(["run", "--no-review", "--wait", "--workflow", "staged-review"]);
    await waiting.says(/waiting for an answer/u);
    await seeThere(rig, there, "Carry out this plan?");
    const plan = await rig.run(["-C", there, "questions", "T1"]);
    expect(plan.stdout).toContain("1. Write hello.txt");
    expect((await rig.run(["-C", there, "approve", "T1", "-m", "go"])).code).toBe(0);
    expect((await rig.run(["questions"])).stdout).toContain("no question is open");
    await waiting.says(/Keep these new files\?[^]*waiting for an answer/u);
    expect(waiting.stderr).toMatch(/T1 approve, by \S+ \(cli\): go/u);
    // The work, and whatever else is in the tree, stays on this machine.
    const gone = rig.git(
      "--git-dir",
      path.join(rig.root, "origin.git"),
      "log",
      "--all",
      "--format=",
      "--name-only",
    );
    expect(gone).not.toMatch(/hello\.txt|private\.txt/u);
    expect(gone).toContain("row.json");
    waiting.signal("SIGINT");
    await waiting.ended;
    expect(rig.git("-C", there, "status", "--porcelain")).toBe(" M to-do.json\n");
  }),
);

test(
  "a remote that cannot be reached is a warning; without the setting nothing is pushed; a decided question is removed",
  story(async (rig) => {
    await begin(rig);
    shareOrigin(rig);
    const args = ["run", "--no-review", "--workflow", "plan-approve-execute"];
    expect((await rig.run(args)).code).toBe(1);
    expect(shared(rig)).toBe("");
    // A file of the project alone shares nothing: a person approves it first.
    rig.write(".looper/config.json", JSON.stringify({ git: { share: "origin" } }));
    expect((await rig.run(["questions"])).stderr).toContain("git.share is not approved yet");
    expect(shared(rig)).toBe("");
    const env = { LOOPER_GIT_SHARE: "origin" };
    expect((await rig.run(["questions"], { env })).stderr).toBe("");
    expect(shared(rig)).toMatch(/refs\/looper\/open\/T1\n$/u);
    const origin = path.join(rig.root, "origin.git");
    rig.git("remote", "set-url", "origin", path.join(rig.root, "gone.git"));
    const away = await rig.run(["approve", "T1"], { env });
    expect([away.code, away.stdout]).toEqual([0, expect.stringContaining("T1.3: approve")]);
    // It looks twice, and says it once.
    expect(away.stderr).toMatch(/^looper: open questions are not shared with origin now: git fetch: .*\n$/u);
    const done = await rig.run(args, { env });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("not shared with origin now")]);
    rig.git("remote", "set-url", "origin", origin);
    await rig.run(["questions"], { env });
    expect(shared(rig)).toBe("");
  }),
);

test(
  "with git.share an answer over MCP looks first what was answered elsewhere",
  story(async (rig) => {
    await begin(rig, { git: { share: "origin" } });
    const there = shareOrigin(rig);
    expect((await run(rig, "plan-approve-execute")).code).toBe(1);
    const approved = await rig.run(["-C", there, "approve", "T1", "-m", "go"]);
    expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
    const call: Call = ["answer", { id: "T1", outcome: "revise" }];
    const { stdout } = await rig.run(["mcp", "--allow-answers"], { input: mcpCalls(call) });
    expect(JSON.stringify(mcpResults(stdout))).toContain("T1.3 was already answered: approve");
    expect(rig.readBacklog().tasks[0]?.progress).toMatchObject({ answer: { outcome: "approve" } });
  }),
);
