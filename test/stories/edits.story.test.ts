// Other writers: people who save the task file during a run, agents that report new tasks, reviews.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, type TaskDraft, story } from "../rig/rig.js";

const copies = (rig: Rig) =>
  readdirSync(rig.project)
    .filter((name) => name.startsWith("to-do.json.edited-"))
    .map((name) => rig.read(name));
const taskOf = (rig: Rig, id: string) => rig.readBacklog().tasks.find((task) => task.id === id);
const ids = (rig: Rig) => rig.readBacklog().tasks.map((task) => task.id);
const edits = (rig: Rig) => rig.events().filter(({ type }) => type === "backlog_edited");

/** Saves the file as an editor would, from what is in it now. */
function save(rig: Rig, change: (tasks: TaskDraft[]) => TaskDraft[]): void {
  const backlog = JSON.parse(rig.read("to-do.json")) as { tasks: TaskDraft[] };
  rig.write("to-do.json", JSON.stringify({ ...backlog, tasks: change(backlog.tasks) }, undefined, 4));
}

const alter = (rig: Rig, id: string, more: Record<string, unknown>) => {
  save(rig, (tasks) => tasks.map((task) => (task.id === id ? { ...task, ...more } : task)));
};

/** Does the task in its simple way. */
async function work(turn: Turn, summary: Record<string, unknown> = {}): Promise<void> {
  if (turn.task !== "") await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, `${turn.task}\n`);
  await turn.report(summary);
}

test(
  "while an agent runs: new tasks and texts are taken; status, dependencies and deleted tasks are put back, with a copy",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([
      { id: "T1" },
      { id: "T2", meta: { team: "a" } },
      { id: "T3", priority: 4 },
      { id: "T4", priority: 4 },
    ]);
    puppet.play(async (turn) => {
      if (turn.task === "T1") {
        alter(rig, "T2", { title: "A better title", meta: { team: "b" }, tags: ["x"] });
        alter(rig, "T4", { status: "done", priority: 1 });
        alter(rig, "T1", { details: "said while it ran" });
        save(rig, (tasks) => [
          ...tasks.filter((task) => task.id !== "T3"),
          { id: "P1", title: "From a person", priority: 2, status: "todo" },
        ]);
      }
      await work(turn);
    });
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    expect(taskOf(rig, "T2")).toMatchObject({ title: "A better title", meta: { team: "b" }, tags: ["x"] });
    expect(taskOf(rig, "T1")).toMatchObject({ details: "said while it ran", status: "done" });
    expect(taskOf(rig, "T4")).toMatchObject({ priority: 4, attempts: 1, status: "done" });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done", T4: "done", P1: "done" });
    expect(edits(rig)).toMatchObject([
      {
        added: ["P1"],
        changed: ["T1", "T2", "T4"],
        put_back: ["priority, status of T4", "T3, which was deleted"],
      },
    ]);
    const [copy] = copies(rig);
    expect(copies(rig)).toHaveLength(1);
    expect(JSON.parse(copy ?? "")).toMatchObject({
      tasks: [{ id: "T1" }, { id: "T2" }, { status: "done" }, {}],
    });
    expect(stderr).toContain("put back: priority, status of T4; T3, which was deleted");
    // The person's task was taken in its turn, by its priority, before those that wait.
    const order = rig.events().flatMap((line) => (line.type === "agent_started" ? [line["task_id"]] : []));
    expect(order.slice(0, 5)).toEqual(["T1", "P1", "T2", "T3", "T4"]);
    // Only what differs was written anew: the indentation is that of the person's last save.
    expect(rig.read("to-do.json")).toContain('\n        {\n            "id": "P1"');
  }),
);

test(
  "between attempts a person's valid save is taken as it is, save that what this run finished stays done",
  story(async (rig) => {
    // A hook runs when no agent does: what it saves, a person saves between two attempts.
    const step = `node -e '
      const fs = require("fs"), file = "to-do.json", backlog = JSON.parse(fs.readFileSync(file, "utf8"));
      const [t1, t2, t3] = backlog.tasks;
      t1.status = "todo"; t1.title = "Once more"; t2.status = "done"; t3.priority = 1;
      backlog.tasks = [t1, t2, t3, { id: "P1", title: "New", priority: 2, status: "todo" }];
      fs.writeFileSync(file, JSON.stringify(backlog, null, 2));'`;
    const hooks = { post_iteration: [`[ "$1" = T1 ] && ${step}`] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }, { id: "T4" }]);
    const order: string[] = [];
    puppet.play(async (turn) => {
      order.push(turn.task);
      await work(turn);
    });
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    // T2 was marked done by the person, T4 deleted, T3 made urgent.
    expect(order).toEqual(["T1", "T3", "P1", ""]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done", P1: "done" });
    expect(taskOf(rig, "T1")).toMatchObject({ title: "Once more", status: "done", attempts: 1 });
    expect(stderr).toContain("put back: the status of T1, which this run finished");
  }),
);

test(
  "a file that is broken between attempts is given two seconds, then put aside, and the last good one is restored",
  story(async (rig) => {
    const hooks = { post_iteration: ['[ "$1" = T1 ] && printf "{ half a save" > to-do.json'] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    puppet.play(work);
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect(copies(rig)).toEqual(["{ half a save"]);
    expect(stderr).toContain("put back: the whole file, which was not a valid backlog");
  }),
);

test(
  "a file that is half saved between attempts, and whole soon after, is taken as the person meant it",
  story(async (rig) => {
    const begun = path.join(rig.root, "begun");
    execFileSync("mkfifo", [begun]);
    const half = `printf '{' > to-do.json; echo half > ${begun}`;
    const hooks = { post_iteration: [`if [ "$1" = T1 ]; then ${half}; fi`] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1", status: "done" }, { id: "T2" }, { id: "P1" }]);
    rig.write("next.json", rig.read("to-do.json"));
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    puppet.play(work);
    const run = rig.start(["run"]);
    await readFile(begun);
    rig.write("to-do.json", rig.read("next.json"));
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", P1: "done" });
    expect(copies(rig)).toEqual([]);
  }),
);

exhaustively(
  "new tasks from agents: ids in the file's style, references among them, duplicates and verify dropped",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([
      { id: "T001", title: "First" },
      { id: "T002", title: "Second" },
    ]);
    const order: string[] = [];
    puppet.play((turn) => {
      order.push(turn.task);
      if (turn.task !== "T001") return work(turn);
      return work(turn, {
        new_tasks: [
          { id: "N1", title: "Given a free id", priority: 1 },
          { id: "T002", title: "Given a taken id", depends_on: ["N1"] },
          { title: "  second ", details: "a duplicate of T002, which is not done" },
          { title: "first", details: "like this one's title; it counts as done by then" },
          { title: "With commands", verify: ["rm -rf /"], agent: "nobody", depends_on: ["nothing"] },
          { title: "Loop a", id: "L1", depends_on: ["L2"] },
          { title: "Loop b", id: "L2", depends_on: ["L1"] },
        ],
      });
    });
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    const added = rig.readBacklog().tasks.slice(2, -1);
    expect(added.map(({ id, title, priority }) => [id, title, priority])).toEqual([
      ["N1", "Given a free id", 1],
      ["T003", "Given a taken id", 3],
      ["T004", "first", 3],
      ["T005", "With commands", 3],
      ["L1", "Loop a", 3],
      ["L2", "Loop b", 3],
    ]);
    expect(Object.fromEntries(added.map((task) => [task.id, task.depends_on]))).toEqual({
      N1: undefined,
      T003: ["N1"],
      T004: undefined,
      T005: undefined,
      L1: ["L2"],
      L2: undefined,
    });
    expect(rig.read("to-do.json")).not.toMatch(/verify|nobody|duplicate of/);
    expect(order).toEqual(["T001", "N1", "L2", "L1", "T002", "T003", "T004", "T005", ""]);
    for (const told of ["a task with this title is open", "its verify commands", "would close a cycle"])
      expect(stderr).toContain(told);
  }),
);

test(
  "a review that adds tasks: they are worked through, reviewed again, then the file is marked; new tasks remove the mark",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    let reviews = 0;
    puppet.play((turn) => {
      if (turn.phase !== "review" || reviews++ > 0) return work(turn);
      return work(turn, { new_tasks: [{ title: "Found by the review" }] });
    });
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
    expect(reviews).toBe(2);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect(taskOf(rig, "PROJECT-DONE")).toEqual({
      id: "PROJECT-DONE",
      title: "Project done: no new tasks",
      priority: 5,
      status: "done",
      tags: ["project-done"],
    });
    // A person adds a task: work on it takes the mark away, and at the end there is one mark again.
    save(rig, (tasks) => [...tasks, { id: "T3", title: "More", priority: 3, status: "todo" }]);
    const marked: boolean[] = [];
    puppet.play((turn) => {
      marked.push(ids(rig).some((id) => id === "PROJECT-DONE"));
      return work(turn, turn.task === "T3" ? { new_tasks: [{ title: "And more" }] } : {});
    });
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
    expect(marked).toEqual([false, false, false]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done", T4: "done" });
    expect(ids(rig).filter((id) => id === "PROJECT-DONE")).toHaveLength(1);
  }),
);

test(
  "a review that changes files: all of it is put back, a person's own changes are not; one that fails twice leaves no mark",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write("kept.txt", "kept\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.write("person.txt", "not committed\n");
    let reviews = 0;
    puppet.play(async (turn) => {
      if (turn.task !== "") return work(turn);
      reviews += 1;
      await turn.write(`${turn.hello.cwd}/kept.txt`, "reviewed\n");
      await turn.write(`${turn.hello.cwd}/review-notes.md`, "notes\n");
      await turn.shell("git rm -q --cached T1.txt; rm T1.txt");
      return turn.exit(1);
    });
    const { code, stderr } = await rig.run(["run"]);
    expect(code, stderr).toBe(0);
    expect(reviews).toBe(2);
    expect(ids(rig)).toEqual(["T1"]);
    expect(rig.read("kept.txt")).toBe("kept\n");
    expect(rig.read("T1.txt")).toBe("T1\n");
    expect(rig.git("status", "--porcelain")).toBe("?? person.txt\n");
  }),
);

exhaustively(
  "a run with --no-review, and one that ends with its last iteration, leave no mark",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play(work);
    rig.writeBacklog([{ id: "T1" }]);
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(ids(rig)).toEqual(["T1"]);
    rig.writeBacklog([{ id: "T1" }]);
    expect(await rig.run(["run", "--max-iterations", "1"])).toMatchObject({ code: 0 });
    expect(ids(rig)).toEqual(["T1"]);
  }),
);
