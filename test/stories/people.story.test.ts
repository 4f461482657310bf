// Workflows with people in the loop, by the real program: asked in the evening, answered in the morning, by command, by file,
// from another folder or another process. Leaves what is typed at a prompt to typed-answer.test.ts.
import { cpSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EXHAUSTIVE, exhaustively, sample } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import type { Rig } from "../rig/rig.js";
import { story } from "../rig/rig.js";
import { playStages, USUAL, visitOf } from "../rig/stages.js";

const APPROVE = "plan-approve-execute";

/** A repository with one task and an agent that plays every stage. */
async function begin(rig: Rig, own: Parameters<typeof playStages>[0] = {}, settings = {}) {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.gitInit();
  const agent = await rig.agent({}, settings);
  agent.play(playStages(own));
  return agent;
}

function run(rig: Rig, ...more: string[]) {
  return rig.run(["run", "--no-review", "--workflow", APPROVE, ...more]);
}

function progress(rig: Rig, id = "T1") {
  return rig.readBacklog().tasks.find((task) => task.id === id)?.progress;
}

/** The visits of the newest runs, as the log has them. */
function stages(rig: Rig): string[] {
  return rig
    .runs()
    .flatMap((one) => rig.events(one))
    .flatMap(({ type, stage, visit }) =>
      type === "agent_finished" ? [`${String(visit)} ${String(stage)}`] : [],
    );
}

exhaustively(
  "a plan is asked about in the evening and carried out in the morning; a copy of the project has the history",
  story(async (rig) => {
    await begin(rig);
    const evening = await run(rig);
    expect(evening.code).toBe(1);
    expect(evening.stdout).toContain("Carry out this plan?");
    expect(evening.stdout).toContain("looper approve T1");
    expect(evening.stdout).toContain("1 question is open: looper questions");
    expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({ ending: "waiting" });
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    expect(rig.git("status", "--porcelain", "--", ".", ":!to-do.json")).toBe("");
    const listed = await rig.run(["ls"]);
    expect(listed.stdout.split("\n").slice(0, 2)).toEqual([
      "waits for you (1)",
      "  T1  p3  Do T1  approve: Carry out this plan?",
    ]);
    const asked = await rig.run(["questions"]);
    expect(asked.stdout).toContain("plan: .looper/tasks/T1/2-plan.md");
    expect(rig.read(".looper/tasks/T1/2-plan.md")).toContain("Write hello.txt");

    const approved = await rig.run(["approve", "T1", "-m", "go ahead"]);
    expect(approved.code).toBe(0);
    const again = await rig.run(["approve", "T1"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/already answered: approve, by /u);

    const morning = await run(rig);
    expect(morning.code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(progress(rig)).toBeUndefined();
    expect(stages(rig)).toEqual(["1 clarify", "2 plan", "4 execute", "5 validate"]);
    expect(rig.git("log", "-1", "--format=%B")).toMatch(/^Looper-Approved-By: .* \(cli, approve\)$/mu);
    expect(rig.commitsByTask()).toEqual({ T1: 1 });
    const shown = await rig.run(["show", "T1"]);
    expect(shown.stdout).toMatch(/ 3 {2}approve +\S+ \(cli\) .* approve\n +"Carry out this plan\?"/u);
    expect(shown.stdout).toMatch(/ 4 {2}execute .* done, next validate/u);
    const copy = path.join(rig.root, "elsewhere", "copy");
    cpSync(rig.project, copy, { recursive: true, verbatimSymlinks: true });
    expect((await rig.run(["-C", copy, "show", "T1"])).stdout).toBe(shown.stdout);
  }),
);

exhaustively(
  "killed with a question open, copied to another folder, approved there: it finishes there",
  story(async (rig) => {
    await begin(rig);
    const asking = rig.start(["run", "--no-review", "--workflow", APPROVE]);
    await asking.says(/Carry out this plan\?/u);
    await asking.kill("group");
    const other = path.join(rig.root, "elsewhere");
    mkdirSync(other);
    cpSync(rig.project, path.join(other, "copy"), { recursive: true, verbatimSymlinks: true });
    renameSync(rig.project, path.join(rig.root, "old"));
    renameSync(path.join(other, "copy"), rig.project);
    const approved = await rig.run(["approve", "T1"]);
    expect([approved.code, approved.stderr]).toEqual([0, ""]);
    const { code } = await run(rig);
    expect(code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.git("show", "--stat", "--format=", "HEAD")).toContain("hello.txt");
  }),
);

test(
  "a rejected plan ends blocked, with exit code 1 and the tree as it was",
  story(async (rig) => {
    await begin(rig);
    await run(rig);
    const files = () =>
      rig
        .git("ls-tree", "-r", "HEAD")
        .split("\n")
        .filter((line) => !line.endsWith("to-do.json"));
    const before = files();
    const rejected = await rig.run(["reject", "T1", "-m", "too risky"]);
    expect(rejected.code).toBe(0);
    const { code, stdout } = await run(rig);
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    expect(stdout).toContain("too risky");
    expect(rig.git("status", "--porcelain", "--", ".", ":!to-do.json")).toBe("");
    expect(files()).toEqual(before);
    expect(progress(rig)).toMatchObject({ stage: "block", paused: { via: "cli" } });
    const [task] = rig.readBacklog().tasks;
    expect(task?.blockers).toEqual([
      expect.stringMatching(/^approve: reject, \S+ \(cli\), \d{4}-\S+Z: too risky$/u),
    ]);
    expect(stdout).toContain("1 task was rejected and is paused (T1)");
    const ended = () => rig.events().findLast(({ type }) => type === "run_ended");
    expect(ended()).toMatchObject({ ending: "blocked", rejected: ["T1"] });
    const status = async () => JSON.parse((await rig.run(["status", "--json"])).stdout) as unknown;
    expect(await status()).toMatchObject({ paused: ["T1"], rejected: ["T1"], run: { ending: "blocked" } });
    for (const words of [
      ["show", "T1"],
      ["why", "T1"],
    ])
      expect((await rig.run(words)).stdout).toMatch(/\(cli\), \d{4}-\S+Z: reject: too risky/u);
    // It is paused: the next run does not ask again.
    const third = await run(rig);
    expect(third.code).toBe(1);
    expect(stages(rig)).toEqual(["1 clarify", "2 plan"]);
    expect(ended()).toMatchObject({ ending: "blocked", rejected: ["T1"] });
    expect((await rig.run(["status"])).stdout).toContain("rejected by a person: T1");
    // A pause that a person lifted is a task to be tried again, not a rejected one.
    await rig.run(["resume", "T1"]);
    expect(await status()).not.toHaveProperty("rejected");
  }),
);

exhaustively(
  "rejecting a stage of staged-review drops what it did, and the stage is done again",
  story(async (rig) => {
    let created = 0;
    await begin(rig, {
      create: async (turn) => {
        created += 1;
        await turn.write(`made-${String(created)}.txt`, "new\n");
        await turn.report({ outcome: "done", summary: "Made it" });
      },
      modify: async (turn) => {
        await turn.write("changed.txt", "changed\n");
        await turn.report({ outcome: "done", summary: "Changed it" });
      },
    });
    const go = () => rig.run(["run", "--no-review", "--workflow", "staged-review"]);
    await go();
    await rig.run(["approve", "T1"]);
    await go();
    expect(progress(rig)?.question?.text).toBe("Keep these new files?");
    const asked = await rig.run(["questions"]);
    expect(asked.stdout).toMatch(/the changes: git show [0-9a-f]{12}/u);
    await rig.run(["reject", "T1", "-m", "another name"]);
    await go();
    expect(created).toBe(2);
    for (const stage of sample(["created", "modified", "commit"], 1)) {
      expect(progress(rig)?.stage).toBe(stage);
      // The task file is the runner's: a person is not shown that the work would delete it.
      const { stdout } = await rig.run(["questions", "T1"]);
      const paths = [...stdout.matchAll(/^diff --git a\/(\S+)/gmu)].map(([, name]) => name);
      const all = stage === "commit" ? ["changed.txt", "made-2.txt"] : [expect.stringMatching(/\.txt$/u)];
      expect(paths).toEqual(all);
      await rig.run(["approve", "T1"]);
      await go();
    }
    if (!EXHAUSTIVE) return;
    expect(rig.statuses()).toEqual({ T1: "done" });
    // The outputs of its stages, which came with earlier ends of runs, leave with it.
    const files = rig.git("show", "--diff-filter=d", "--name-only", "--format=", "HEAD").trim().split("\n");
    expect(files.filter((one) => one !== "to-do.json")).toEqual(["changed.txt", "made-2.txt"]);
  }),
);

test(
  "tdd: the test fails before the code, which is recorded, and a commit is offered only once it passes; --auto-approve and --skip are recorded",
  story(async (rig) => {
    const ok: Parameters<Turn["report"]>[0] = { outcome: "done", output: { completed: [] } };
    let tries = 0;
    const red = {
      red: async (turn: Turn) => {
        tries += 1;
        if (tries > 1) await turn.write("test.sh", "test -f impl.txt\n");
        await turn.report(ok);
      },
      green: async (turn: Turn) => {
        await turn.write("impl.txt", "done\n");
        await turn.report(ok);
      },
      refactor: (turn: Turn) => turn.report(ok),
    };
    await begin(rig, red, { verify: { commands: ["test ! -f test.sh || sh test.sh"] } });
    const tdd = ["run", "--no-review", "--trust", "--workflow", "tdd"];
    const flags = ["--auto-approve", "approve", "--auto-approve", "tests", "--skip", "plan"];
    expect((await rig.run([...tdd, ...flags])).stdout).toMatch(/^T1 .* · commit · T1\.\d+$/mu);
    // Without a failing test the stage is not done.
    expect(stages(rig).map((one) => one.split(" ")[1])).toEqual(["red", "red", "green", "refactor"]);
    const told = rig.events();
    expect(told).toContainEqual(
      expect.objectContaining({ type: "stage_entered", skipped: "skip", from: "plan" }),
    );
    expect(told.find(({ type }) => type === "question_answered")).toMatchObject({ via: "setting" });
    expect(JSON.parse(rig.read(".looper/tasks/T1/2-red.json"))).toMatchObject({
      red: ["test ! -f test.sh || sh test.sh"],
    });
    expect(rig.read(".looper/tasks/T1/2-red.md")).toContain("## New tests that fail, as they must");
    expect(JSON.parse(rig.read(".looper/tasks/T1/5-refactor.json"))).not.toHaveProperty("red");
    expect(rig.git("log", "--format=%s", "--", "impl.txt")).toBe("");
    await rig.run(["approve", "T1"]);
    expect((await rig.run(tdd)).code).toBe(0);
    expect(rig.git("log", "--format=%s", "--", "impl.txt", "test.sh").trim()).toBe("Do T1");
    expect(rig.git("log", "-1", "--format=%B", "--", "impl.txt")).toMatch(/^Looper-Approved-By: .*setting/mu);
    const shown = await rig.run(["show", "T1"]);
    expect(shown.stdout).toMatch(/ 1 {2}approve +ask\.auto_approve \(setting\) /u);
  }),
);

exhaustively(
  "two agents that never agree are stopped at the limit of visits, with the reason",
  story(async (rig) => {
    await begin(rig, {
      implement: async (turn) => {
        await turn.write("hello.txt", `visit ${String(visitOf(turn))}\n`);
        await turn.report({ outcome: "done", output: { completed: [] } });
      },
      review: (turn) =>
        turn.report({ outcome: "changes", output: { findings: [{ text: "no", severity: "high" }] } }),
    });
    await rig.run(["workflows", "copy", "implement-review"]);
    const file = ".looper/workflows/implement-review.json";
    const copied = JSON.parse(rig.read(file)) as { limits?: object };
    rig.write(file, JSON.stringify({ ...copied, limits: { ...copied.limits, visits: 4 } }));
    const { code, stdout } = await rig.run([
      ...["run", "--no-review", "--trust", "--workflow", "implement-review"],
    ]);
    expect(code).toBe(1);
    expect(stages(rig)).toHaveLength(4);
    expect(stdout).toMatch(/T1 Do T1: .*visits/u);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    expect(progress(rig)?.reasons?.join(" ")).toMatch(/visits/u);
    expect(rig.git("status", "--porcelain", "--", ".", ":!to-do.json")).toBe("");
  }),
);

test(
  "an agent's question is answered with a text, which is in the next prompt of the same stage; an answer that a person writes into the task file is taken by the next run",
  story(async (rig) => {
    const prompts: string[] = [];
    await begin(rig, {
      clarify: async (turn) => {
        prompts.push(turn.hello.prompt);
        if (prompts.length > 1) return USUAL["clarify"]?.(turn);
        await turn.report({
          status: "blocked",
          questions: ["Which language should it greet in?"],
          output: { status: "needs_clarification", questions: ["Which language should it greet in?"] },
        });
      },
    });
    const first = await run(rig);
    expect(first.code).toBe(1);
    expect(first.stdout).toContain("Which language should it greet in?");
    const answered = await rig.run(["answer", "T1", "-m", "In Icelandic, please"]);
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    await run(rig);
    expect(prompts[1]).toContain("Which language should it greet in?");
    expect(prompts[1]).toContain("In Icelandic, please");
    // The question is a visit too.
    expect(stages(rig)).toEqual(["1 clarify", "3 clarify", "4 plan"]);

    const backlog = rig.readBacklog();
    const tasks = backlog.tasks.map((task) => ({
      ...task,
      progress: { ...task.progress, answer: { outcome: "approve" } },
    }));
    rig.write("to-do.json", `${JSON.stringify({ ...backlog, tasks }, undefined, 2)}\n`);
    expect((await run(rig)).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.git("log", "-1", "--format=%B")).toMatch(/^Looper-Approved-By: unknown \(file, approve\)$/mu);
  }),
);

test(
  "a paused task is left alone until it is resumed; other tasks go through, also one that looper complete ends during a turn",
  story(async (rig) => {
    await begin(rig, {
      review: async (turn) => {
        if (turn.task === "T1") return USUAL["review"]?.(turn);
        expect((await rig.run(["complete", "T2"])).code).toBe(0);
        await turn.report({ outcome: "changes", output: { findings: [{ text: "more", severity: "low" }] } });
      },
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const paused = await rig.run(["pause", "T1", "-m", "not before Monday"]);
    expect([paused.code, paused.stderr]).toEqual([0, ""]);
    const go = () => rig.run(["run", "--no-review", "--workflow", "implement-review"]);
    await go();
    expect(stages(rig)).toEqual(["1 implement", "2 review"]);
    expect(rig.statuses()).toEqual({ T1: "todo", T2: "done" });
    const status = await rig.run(["status"]);
    expect(status.stdout).toContain("paused: T1");
    await rig.run(["resume", "T1"]);
    expect((await go()).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
  }),
);
