import { expect, test } from "vitest";
import type { RunEvent, Sealed } from "../../logging/events/events.js";
import { TaskId } from "../../todo/model/task.js";
import { describeNotice, Notices, type Told } from "./notices.js";

const task_id = TaskId.parse("T1");
const question = {
  id: "T1.2",
  source: "stage" as const,
  text: "Carry out this plan?",
  outcomes: ["approve"],
  asked_at: "2026-11-23T00:00:00Z",
};

/** Folds the lines of a log, numbered from 1. */
function toldOf(...lines: RunEvent[]): Told[] {
  const notices = new Notices();
  const sealed = lines.map((line, at): Sealed => ({
    seq: at + 1,
    timestamp: "2026-11-23T00:00:00Z",
    ...line,
  }));
  return [...sealed.flatMap((line) => notices.take(line)), ...notices.flush()];
}

const changed: Extract<RunEvent, { type: "backlog_changed" }> = {
  type: "backlog_changed",
  ...{ updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" },
};
const blocked: RunEvent = { type: "task_updated", task_id, from: "doing", to: "blocked" };
const asked: RunEvent = { type: "asked", task_id, question };
test("a blocked task is told, and a task that asks only with its question", () => {
  expect(toldOf(changed, blocked)).toMatchObject([{ of: "blocked", seq: 2, line: { task_id } }]);
  expect(toldOf(changed, blocked, asked)).toMatchObject([{ of: "asked", seq: 3, line: { question } }]);
  expect(toldOf(changed, asked, blocked)).toMatchObject([{ of: "asked" }]);
  // Later it is blocked for another reason.
  expect(toldOf(changed, asked, changed, blocked).map(({ of }) => of)).toEqual(["asked", "blocked"]);
});

test("a question is told once, and a task that is open again is not told", () => {
  expect(toldOf(changed, asked, changed, asked)).toHaveLength(1);
  expect(toldOf(changed, { type: "task_updated", task_id, from: "blocked", to: "todo" })).toEqual([]);
});

test("a commit is told with its task, also one that a killed run had begun", () => {
  const { type: _type, ...outcome } = changed;
  const updated = [{ id: task_id, from: "doing" as const, to: "done" as const }];
  const committed: RunEvent = { type: "committed", ...outcome, updated, commit: "c" };
  expect(toldOf(committed)).toMatchObject([{ of: "committed", line: { task_id, commit: "c" } }]);
  expect(toldOf({ type: "committed", ...outcome })).toEqual([]);
});

test("a notice is one line for a person", () => {
  const about = { run: "r", project: "/p", timestamp: "", task_id: "T1", title: "Greet" };
  expect(describeNotice({ ...about, of: "asked", question })).toBe("T1 (Greet) asks: Carry out this plan?");
  expect(describeNotice({ ...about, of: "blocked", why: `a\nb${"c".repeat(400)}` })).toMatch(
    /^T1 \(Greet\) is blocked: a bc+…$/,
  );
  const { task_id: _task, title: _title, ...run } = about;
  expect(describeNotice({ ...run, of: "run_ended", ending: "complete" })).toBe("the run ended: complete");
});
