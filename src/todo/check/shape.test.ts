import { expect, test } from "vitest";
import { explainShape, isBacklog, readTask } from "./shape.js";
import { backlog, task } from "../testing/testing.js";

/** Everything wrong with a value: the rule, where, what, and the advice. */
function said(value: unknown): string[] {
  expect(isBacklog(value)).toBe(false);
  return explainShape(value).map(
    (one) =>
      `${one.rule} ${one.pointer}${one.atKey === true ? " (key)" : ""}: ${one.message} | ${one.suggestion ?? ""}`,
  );
}

function withTask(more: object): unknown {
  return backlog({ ...task("T1"), ...more });
}

test.each([
  [
    { id: "" },
    'bad-value /tasks/0/id: an id is not empty and has no white space or control characters; it is "" | ',
  ],
  [
    { id: " a  b " },
    'bad-value /tasks/0/id: an id is not empty and has no white space or control characters; it is " a  b " | write "a-b"',
  ],
  [{ id: 7 }, 'wrong-type /tasks/0/id: id must be a string; it is 7 | write "7": looper fmt --fix does'],
  [{ title: "" }, "bad-value /tasks/0/title: title must not be empty | "],
  [{ priority: 0 }, "bad-value /tasks/0/priority: priority must be 1 or more; it is 0 | "],
  [{ priority: 6 }, "bad-value /tasks/0/priority: priority must be 5 or less; it is 6 | "],
  [{ priority: 1.5 }, "bad-value /tasks/0/priority: priority must be a whole number; it is 1.5 | "],
  [
    { priority: "1" },
    'wrong-type /tasks/0/priority: priority must be a number; it is "1" | write 1: looper fmt --fix does',
  ],
  [{ attempts: -1 }, "bad-value /tasks/0/attempts: attempts must be 0 or more; it is -1 | "],
  [{ status: 1 }, "bad-value /tasks/0/status: status must be one of todo, doing, blocked, done; it is 1 | "],
  [
    { status: "wip" },
    'bad-value /tasks/0/status: status must be one of todo, doing, blocked, done; it is "wip" | write "doing": looper fmt --fix does',
  ],
  [{ steps: {} }, "wrong-type /tasks/0/steps: steps must be an array; it is an object | "],
  [{ steps: ["a", 1] }, "wrong-type /tasks/0/steps/1: steps[1] must be a string; it is 1 | "],
  [
    { updated_at: "yesterday" },
    'bad-value /tasks/0/updated_at: updated_at must be a date and time such as 2026-11-20T21:46:01Z; it is "yesterday" | ',
  ],
  [
    { zzz: 1 },
    'unknown-key /tasks/0/zzz (key): the key "zzz" is not known here | remove it, or put it under "meta"; looper fmt --fix moves it there',
  ],
  [
    { children: [{ title: "Two" }] },
    'unknown-key /tasks/0/children (key): the key "children" is not known here | put its tasks into "tasks", or remove it',
  ],
  [
    { detail: "" },
    'unknown-key /tasks/0/detail (key): the key "detail" is not known here | did you mean "details"?',
  ],
])("a task with %j", (more, words) => {
  expect(said(withTask(more))).toEqual([words]);
});

test.each([
  [{ tasks: 7 }, "wrong-type /tasks: tasks must be an array; it is 7 | "],
  [{ tasks: [null] }, "wrong-type /tasks/0: tasks[0] must be an object; it is null | "],
  [{ schema_version: 2 }, "bad-value /schema_version: schema_version must be 1; it is 2 | "],
  [
    { source_files: ["a", null] },
    "wrong-type /source_files/1: source_files[1] must be a string; it is null | ",
  ],
  [{ project: "x" }, 'wrong-type /project: project must be an object; it is "x" | '],
  [
    { project: { nam: "x" } },
    'unknown-key /project/nam (key): the key "nam" is not known here | did you mean "name"?',
  ],
  [
    { project: { rot: "x" } },
    'unknown-key /project/rot (key): the key "rot" is not known here | did you mean "root"?',
  ],
  [{ projct: {} }, 'unknown-key /projct (key): the key "projct" is not known here | did you mean "project"?'],
])("a file with %j", (more, words) => {
  expect(said({ ...backlog(), ...more })).toEqual([words]);
});

test("a missing required key is reported with the value to add, if known", () => {
  expect(said({})).toEqual([
    'missing-key : "schema_version" is missing | add "schema_version": 1',
    'missing-key : "source_files" is missing | add "source_files": []',
    'missing-key : "tasks" is missing | add "tasks": []',
  ]);
  expect(said({ ...backlog(), tasks: [{}] })).toEqual([
    'missing-key /tasks/0: "id" is missing | add "id"',
    'missing-key /tasks/0: "title" is missing | add "title"',
    'missing-key /tasks/0: "priority" is missing | add "priority": 3',
    'missing-key /tasks/0: "status" is missing | add "status": "todo"',
  ]);
});

test("a task is read with its valid keys", () => {
  const whole = task("T1", { steps: ["a"], meta: { a: 1 } });
  expect(readTask(whole)).toStrictEqual(whole);
  expect(readTask({ ...whole, details: 7, foo: 1 })).toStrictEqual(whole);
  for (const value of [null, 7, "T1", [], { ...whole, status: "wip" }])
    expect(readTask(value)).toBeUndefined();
});
