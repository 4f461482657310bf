import { expect, test } from "vitest";
import { sha256Hex } from "../../../system/text/sha256.js";
import { task } from "../../../todo/testing/testing.js";
import type { Progress, Question } from "../../../workflow/progress.js";
import { inTurn, planShare, readShared, type Shared } from "./share-questions.js";

const QUESTION: Question = {
  ...{ id: "T1.3", source: "stage", text: "?", outcomes: ["yes", "no"], asked_at: "t" },
};
const ASKED: Progress = {
  ...{ workflow: "mine", digest: "d", stage: "ask", visit: 3, since: "t", question: QUESTION },
  notes: [{ text: "mine", by: "me", via: "cli", at: "t" }],
};
const answered = (outcome: string, by: string): Progress => ({
  ...ASKED,
  answer: { question: "T1.3", outcome, by, via: "cli", at: "t" },
});
const there = (progress: Progress, more: Partial<Shared> = {}): Shared => ({
  ...{ task: "T1", commit: "c", row: "", status: "blocked", progress },
  ...more,
});
const plan = (here: Progress | undefined, ...found: Shared[]) => {
  const { changes, set, drop, late } = planShare([task("T1", { progress: here })], found, HERE);
  return { changes: changes.length, set: set.length, drop: drop.length, late: late.length };
};
const HERE = { file: "to-do.json" };
const NOTHING = { changes: 0, set: 0, drop: 0, late: 0 };

test("a question is pushed once, its answer again, and both are removed when the task has gone further", () => {
  expect(plan(ASKED)).toEqual({ ...NOTHING, set: 1 });
  expect(plan(ASKED, there(ASKED))).toEqual(NOTHING);
  expect(plan(answered("yes", "me"), there(ASKED))).toEqual({ ...NOTHING, set: 1 });
  const { question: _over, ...rest } = ASKED;
  expect(plan({ ...rest, visit: 4 }, there(ASKED))).toEqual({ ...NOTHING, drop: 1 });
  expect(planShare([task("T1", { status: "done" })], [there(ASKED)], HERE).drop).toHaveLength(1);
});

test("an answer from elsewhere is taken beside what is noted here; the first at the remote counts", () => {
  const taken = planShare(
    [task("T1", { progress: ASKED })],
    [there(answered("no", "ada"), { status: "todo" })],
    HERE,
  );
  expect(taken.changes).toMatchObject([
    { op: "adopt", status: "todo", progress: { notes: ASKED.notes, answer: { outcome: "no", by: "ada" } } },
  ]);
  expect(plan(answered("no", "ada"), there(answered("no", "ada")))).toEqual(NOTHING);
  expect(plan(answered("yes", "me"), there(answered("no", "ada")))).toEqual({
    ...NOTHING,
    changes: 1,
    late: 1,
  });
});

test("a task that went further elsewhere is taken over, unless an agent works on it here", () => {
  const further: Progress = { ...ASKED, visit: 5, question: { ...QUESTION, id: "T1.5" } };
  expect(plan(undefined, there(ASKED))).toEqual({ ...NOTHING, changes: 1 });
  expect(plan(ASKED, there(further))).toEqual({ ...NOTHING, changes: 1 });
  expect(
    planShare([task("T1", { status: "doing", progress: ASKED })], [there(further)], HERE).changes,
  ).toEqual([]);
});

test("a row from elsewhere allows no call of a tool, and names no file outside its task's folder", () => {
  const read = (progress: Progress) =>
    readShared(there(ASKED, { row: JSON.stringify({ id: "T1", status: "todo", progress }) }));
  const call: Progress = { ...answered("yes", "ada"), question: { ...QUESTION, source: "tool" } };
  expect(read(call)).toEqual([]);
  expect(plan({ ...ASKED, question: { ...QUESTION, source: "tool" } })).toEqual(NOTHING);
  const by = { by: "ada", via: "cli", at: "t" } as const;
  const grants = [
    { what: "ask", ...by },
    { what: { tool: "Bash" }, ...by },
  ];
  expect(read({ ...ASKED, grants })[0]?.progress.grants).toEqual([grants[0]]);
  const output = {
    ...{ stage: "plan", visit: 2, outcome: "done", sha256: "0", agent: "a", run: "r", at: "t" },
  };
  expect(read({ ...ASKED, outputs: { plan: { ...output, file: "T1/2-plan.json" } } })).toHaveLength(1);
  expect(read({ ...ASKED, outputs: { plan: { ...output, file: "../../2-plan.json" } } })).toEqual([]);
  const work = { commit: "--output=x", base: "0".repeat(40), verdict: "passed" } as const;
  expect(read({ ...ASKED, work })).toEqual([]);
});

test("the question of another task with this id is left alone: nothing of it is taken, replaced or removed", () => {
  const made = task("T1", { progress: ASKED, created_at: "2026-11-20T00:00:00Z" });
  const [own] = planShare([made], [], HERE).set;
  expect(own?.task).toBe(made);
  const of = sha256Hex("to-do.json\0" + "2026-11-20T00:00:00Z");
  const further = there({ ...ASKED, visit: 5 }, { of });
  expect(planShare([{ ...made, title: "with another title" }], [further], HERE).changes).toHaveLength(1);
  const others = [
    [made, "other/to-do.json"],
    [task("T1", { progress: ASKED, created_at: "2026-11-21T00:00:00Z" }), "to-do.json"],
    [task("T1", { progress: ASKED }), "to-do.json"],
    [task("T1", { status: "done" }), "to-do.json"],
  ] as const;
  for (const [other, file] of others) {
    const { notes, ...rest } = planShare([other], [further], { file });
    expect(rest).toEqual({ changes: [], take: [], set: [], drop: [], late: [] });
    const told =
      other.status === "done" ? [] : [expect.stringContaining("git push origin :refs/looper/open/T1")];
    expect(notes.map((note) => note("origin"))).toEqual(told);
  }
});

test("a run leaves a task that is in a workflow which it did not load", () => {
  const knows = ({ workflow }: Progress) => workflow === "loaded";
  const left = planShare([task("T1")], [there(ASKED)], { ...HERE, knows });
  expect([left.changes, left.set, left.drop]).toEqual([[], [], []]);
  expect(left.notes.map((note) => note("origin"))).toEqual([
    expect.stringContaining("workflow mine elsewhere"),
  ]);
  const found = there({ ...ASKED, workflow: "loaded" });
  expect(planShare([task("T1")], [found], { ...HERE, knows }).changes).toHaveLength(1);
});

test("a run shares once at a time, and its end waits for the look before it, which has nothing more to say", async () => {
  const ends: (() => void)[] = [];
  let calls = 0;
  const share = inTurn(async () => {
    const call = ++calls;
    await new Promise<void>((end) => ends.push(end));
    return [call === 1 ? "ended by SIGKILL" : "away"];
  });
  const first = share({ tells: true });
  const last = share({ tells: true, ends: "with-this" });
  await Promise.resolve();
  expect([calls, await share({ tells: true })]).toEqual([1, []]);
  ends[0]?.();
  expect(await first).toEqual([]);
  await Promise.resolve();
  ends[1]?.();
  expect(await last).toEqual(["away"]);

  const stopped = inTurn(() => Promise.resolve(["ended by SIGKILL"]));
  const begun = stopped({ tells: true });
  expect(await stopped({ tells: true, ends: "now" })).toEqual([]);
  expect(await begun).toEqual([]);
});
