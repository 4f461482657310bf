import { expect, test } from "vitest";
import { TaskId } from "../model/task.js";
import { hintOnTask } from "./person-edits.js";

const task = (id: string, title: string, tags: string[] = []) => ({
  id: TaskId.parse(id),
  title,
  status: "done" as const,
  tags,
});

const TASKS = [
  task("T1", "Fix the login page"),
  task("T2", "Dates in leap years"),
  task("T3", "Log in with a key"),
  task("PROJECT-DONE", "Every task is done", ["project-done"]),
];

test.each([
  ["T42", "looper ls lists them"],
  ["T22", 'did you mean "T2"?'],
  ["login", "that is in the title of T1 (Fix the login page)"],
  ["LOG in", "that is in the title of T1 (Fix the login page), T3 (Log in with a key)"],
  ["every task", "looper ls lists them"],
  ["1", "looper ls lists them"],
  [" ", "looper ls lists them"],
])("%j is answered: %s", (typed, hint) => {
  expect(hintOnTask(TASKS, typed)).toBe(hint);
});

test("long titles are cut, and only the first of many tasks are named", () => {
  const many = ["A", "B", "C", "D", "E"].map((id) => task(id, `dates ${"x".repeat(80)}`));
  expect(hintOnTask(many, "dates")).toMatch(
    /^that is in the title of A \(dates x{33}…\), B .*, C .* and 2 more$/,
  );
});
