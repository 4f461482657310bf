// A task that was done is undone: what it changed is taken back by a commit on top, and it comes again.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { UndoAnswer } from "../../src/ui/shapes/work.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, type TaskDraft, story } from "../rig/rig.js";

const at = (turn: Turn, name: string) => `${turn.hello.cwd}/${name}`;

/** Each task writes a file of its own, with how often it was tried in it. */
function play(puppet: Puppet): void {
  const tries = new Map<string, number>();
  puppet.play(async (turn) => {
    const count = (tries.get(turn.task) ?? 0) + 1;
    tries.set(turn.task, count);
    if (turn.task !== "") await turn.write(at(turn, `${turn.task}.txt`), `${turn.task} try ${count}\n`);
    await turn.report();
  });
}

/** A run in which every task is done, each with its commit. */
async function allDone(rig: Rig, tasks: readonly TaskDraft[]): Promise<Puppet> {
  const puppet = await rig.agent();
  rig.writeBacklog(tasks);
  rig.gitInit();
  play(puppet);
  const { code, stderr } = await rig.run(["run", "--no-review"]);
  expect(code, stderr).toBe(0);
  return puppet;
}

/** How many commits of each task nothing took back. */
function live(rig: Rig): Record<string, number> {
  const values = (key: string, value: string) =>
    rig
      .git("log", `--format=%H %(trailers:key=${key},valueonly,separator=%x20)`)
      .split("\n")
      .flatMap((line) => {
        const [commit = "", ...found] = line.trim().split(" ");
        return found.map((one) => [value === "commit" ? commit : "", one] as const);
      });
  const gone = new Set(values("Looper-Undo-Commit", "").map(([, commit]) => commit));
  const counts: Record<string, number> = {};
  for (const [commit, task] of values("Looper-Task", "commit")) {
    if (!gone.has(commit)) counts[task] = (counts[task] ?? 0) + 1;
  }
  return counts;
}

const commitOf = (rig: Rig, id: string) =>
  rig.git("log", "-1", "--format=%H", `--grep=^Looper-Task: ${id}$`).trim();
const task = (rig: Rig, id: string) => rig.readBacklog().tasks.find((one) => one.id === id);

/** The answer of `looper undo … --json`, held against its schema. */
async function undoJson(rig: Rig, ...args: string[]) {
  const { code, stdout, stderr } = await rig.run(["undo", ...args, "--json"]);
  return { code, stderr, answer: UndoAnswer.parse(JSON.parse(stdout)) };
}

test(
  "run, undo, run again: the work is gone and comes again, with the reason in the prompt, and every done task has one commit that counts",
  story(async (rig) => {
    const puppet = await allDone(rig, [{ id: "T1", title: "Add a greeting" }, { id: "T2" }]);
    const [first, head] = [commitOf(rig, "T1"), rig.git("rev-parse", "HEAD").trim()];
    rig.write("mine.txt", "a person's\n");
    const { code, stdout, stderr } = await rig.run(["undo", "T1", "--reason", "the greeting is empty"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const undoing = rig.git("rev-parse", "HEAD").trim();
    expect(stdout.split("\n")).toEqual([
      `undone T1 Add a greeting (${first.slice(0, 12)})`,
      `committed ${undoing.slice(0, 12)}`,
      "1 path changed back: T1.txt",
      "to do again: T1",
      "",
    ]);
    expect(rig.git("log", "-1", "--format=%P %B").trim()).toBe(
      `${head} Undo: Add a greeting\n\nthe greeting is empty\n\nLooper-Undo: T1\nLooper-Undo-Commit: ${first}`,
    );
    expect(existsSync(path.join(rig.project, "T1.txt"))).toBe(false);
    expect(rig.git("status", "--porcelain")).toBe("?? mine.txt\n");
    expect(rig.statuses()).toEqual({ T1: "todo", T2: "done" });
    expect(task(rig, "T1")).toMatchObject({ blockers: ["undone: the greeting is empty"] });
    expect(task(rig, "PROJECT-DONE")).toBeUndefined();
    expect(live(rig)).toEqual({ T2: 1 });

    const prompts: string[] = [];
    puppet.play(async (turn) => {
      prompts.push(turn.hello.prompt);
      if (turn.task !== "") await turn.write(at(turn, "T1.txt"), "Hello, world\n");
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(prompts[0]).toContain("undone: the greeting is empty");
    expect(live(rig)).toEqual({ T1: 1, T2: 1 });
    expect(commitOf(rig, "T1")).not.toBe(first);
    expect(task(rig, "T1")).toMatchObject({ status: "done", blockers: [], attempts: 2 });

    // And once more: the newer commit is the one that counts.
    expect(await rig.run(["undo", "T1"])).toMatchObject({ code: 0 });
    expect(live(rig)).toEqual({ T2: 1 });
    expect(await rig.run(["undo", "T1"])).toMatchObject({
      code: 1,
      stderr: "looper: T1 is todo, and this branch has no commit of it: there is nothing to undo\n",
    });
  }),
);

test(
  "a task that others depend on is not undone without them; a dry run leaves no trace",
  story(async (rig) => {
    await allDone(rig, [
      { id: "T1" },
      { id: "T2", depends_on: ["T1"] },
      { id: "T3" },
      { id: "T4", depends_on: ["T2"] },
    ]);
    const state = () => [
      rig.git("rev-parse", "HEAD"),
      rig.git("status", "--porcelain"),
      rig.read("to-do.json"),
    ];
    const before = state();
    const refused = await rig.run(["undo", "T1"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      "looper: T1 was not undone: done tasks depend on it\n  T4 Do T4\n  T2 Do T2\n  looper undo T1 --cascade undoes them as well\n",
    );
    const planned = await undoJson(rig, "T1", "--cascade", "--dry-run");
    expect(planned).toMatchObject({
      code: 0,
      answer: {
        outcome: "planned",
        undone: [{ task: "T1" }, { task: "T4", commit: commitOf(rig, "T4") }, { task: "T2" }],
        paths: ["T1.txt", "T2.txt", "T4.txt"],
        reopened: ["T1", "T4", "T2"],
      },
    });
    expect(state()).toEqual(before);
    expect(rig.unfinished()).toBe("");

    const { code, answer } = await undoJson(rig, "T1", "--cascade", "--reason", "no");
    expect([code, answer.outcome]).toEqual([0, "undone"]);
    expect(live(rig)).toEqual({ T3: 1 });
    expect(rig.statuses()).toEqual({ T1: "todo", T2: "todo", T3: "done", T4: "todo" });
    expect(task(rig, "T4")).toMatchObject({ blockers: ["undone with T1: no"] });
    // All of them are in one commit, so that none is undone without the others.
    expect(rig.git("rev-parse", "HEAD^")).toBe(before[0]);
    expect(rig.git("log", "-1", "--format=%B")).toContain(
      "Undone with it, since they depend on it:\n- T4 Do T4\n- T2 Do T2\n",
    );
  }),
);

test(
  "later work in the same places, a person's changes, and work in hand are in the way: each is named, and nothing is changed",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.write("shared.txt", "start\n");
    rig.gitInit();
    puppet.play(async (turn) => {
      if (turn.task !== "") await turn.write(at(turn, "shared.txt"), `${turn.task}\n`);
      if (turn.task === "T1") await turn.write(at(turn, "own.txt"), "T1\n");
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review", "--max-iterations", "2"])).toMatchObject({ code: 1 });
    const head = rig.git("rev-parse", "HEAD");
    const conflict = await undoJson(rig, "T1");
    expect(conflict).toMatchObject({
      code: 1,
      answer: {
        outcome: "refused",
        why: "conflicts",
        paths: ["shared.txt"],
        conflicts: [
          { path: "shared.txt", later: [{ commit: commitOf(rig, "T2"), title: "Do T2", task: "T2" }] },
        ],
      },
    });
    const said = await rig.run(["undo", "T1"]);
    expect(said.stderr).toContain(`  shared.txt\n    ${commitOf(rig, "T2").slice(0, 12)} Do T2 (T2)\n`);

    rig.write("shared.txt", "a person\n");
    expect(await undoJson(rig, "T2")).toMatchObject({
      code: 1,
      answer: { why: "changes", paths: ["shared.txt"] },
    });
    expect(rig.read("shared.txt")).toBe("a person\n");
    rig.git("checkout", "-q", "--", "shared.txt");

    // T3 is in hand when its run is killed.
    puppet.play(() => Promise.resolve());
    const started = new Promise<Turn>((resolve) => {
      puppet.play((turn) => {
        resolve(turn);
        return turn.gone;
      });
    });
    const run = rig.start(["run", "--no-review"]);
    const turn = await started;
    expect(await rig.run(["undo", "T2"])).toMatchObject({ code: 3, stdout: "" });
    await turn.write(at(turn, "half.txt"), "half\n");
    await run.kill("alone");
    expect(await undoJson(rig, "T2")).toMatchObject({
      code: 1,
      answer: { why: "in-hand", tasks: [{ task: "T3", title: "Do T3" }] },
    });
    expect(rig.git("rev-parse", "HEAD")).toBe(head);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "doing" });
    expect(rig.read("half.txt")).toBe("half\n");
  }),
);

test(
  "undo without a commit changes only the status and reports it; without git, from an agent, or for an unknown task it is refused",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", status: "done" }]);
    expect(await rig.run(["undo", "T1"])).toMatchObject({ code: 1, stdout: "" });
    expect(rig.statuses()).toEqual({ T1: "done" });
    rig.gitInit();
    const head = rig.git("rev-parse", "HEAD");
    expect(await rig.run(["undo", "T2"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean T1?") as string,
    });
    expect(await rig.run(["undo", "T1"], { env: { LOOPER_RUN_ID: "r" } })).toMatchObject({ code: 1 });
    expect(await rig.run(["undo", "T1", "--reason", " "])).toMatchObject({ code: 2 });
    expect(rig.statuses()).toEqual({ T1: "done" });
    const { code, answer } = await undoJson(rig, "T1");
    expect(code).toBe(0);
    expect(answer).toMatchObject({ undone: [{ task: "T1", commit: null }], commit: null, reopened: ["T1"] });
    expect(rig.git("rev-parse", "HEAD")).toBe(head);
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);

const REAL_GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** Kills the program that made the call asked for, before git does it. */
const GIT = `#!/bin/sh
case " $* " in
*"\${KILL_CALL:-no call}"*) echo >>"$KILL_COUNT"; [ "$(wc -l <"$KILL_COUNT")" -eq "$KILL_NTH" ] && kill -9 "$PPID" && exit 1 ;;
esac
exec "${REAL_GIT}" "$@"
`;

/** From the moment something is changed: the commit, the tree, the index, HEAD; and who comes next. */
const CUTS: readonly [call: string, nth: number, then: "undo" | "run"][] = [
  [" read-tree ", 1, "undo"],
  [" update-ref ", 1, "run"],
  [" fast-import ", 1, "undo"],
  [" add --all ", 2, "run"],
  [" update-index ", 2, "run"],
  [" update-ref ", 1, "undo"],
];

exhaustively(
  "killed in the middle, the same again or the next run ends it: one undoing, and the tree that goes with it",
  story(async (rig) => {
    await allDone(rig, [{ id: "T1" }, { id: "T2", depends_on: ["T1"] }]);
    writeFileSync(path.join(rig.root, "bin/git"), GIT, { mode: 0o755 });
    const run = ["run", "--no-review"];
    for (const [index, [call, nth, then]] of sample(CUTS, 2).entries()) {
      const count = path.join(rig.root, `calls-${index}`);
      const env = { KILL_CALL: call, KILL_NTH: String(nth), KILL_COUNT: count };
      const where = `${call}${nth}`;
      const head = rig.git("rev-parse", "HEAD").trim();
      const killed = await rig.run(["undo", "T1", "--cascade"], { env });
      expect(killed.signal, where).toBe("SIGKILL");
      const again = then === "undo" ? ["undo", "T1", "--cascade"] : run;
      const { code, stderr } = await rig.run(again);
      expect(code, `${where}: ${stderr}`).toBe(0);
      expect(rig.git("status", "--porcelain"), where).toBe("");
      expect(rig.unfinished(), where).toBe("");
      if (then === "undo") {
        expect(rig.git("rev-list", "--count", `${head}..HEAD`).trim(), where).toBe("1");
        expect(rig.statuses(), where).toEqual({ T1: "todo", T2: "todo" });
        expect(existsSync(path.join(rig.project, "T1.txt")), where).toBe(false);
        expect(live(rig), where).toEqual({});
        expect(await rig.run(run)).toMatchObject({ code: 0 });
      }
      expect(live(rig), where).toEqual({ T1: 1, T2: 1 });
      expect(
        rig.git("log", "--oneline", "--grep=^Looper-Undo: T1$", `${head}..HEAD`).split("\n"),
        where,
      ).toHaveLength(2);
    }
  }),
);
