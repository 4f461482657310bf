import { expect, test } from "vitest";
import { objectionsTo } from "./losses.js";
import { backlog, task } from "./testing.js";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");
const open = '{"id":"T1","title":"a","priority":9,"status":"todo"}';
const fine = '{"id":"T2","title":"b","priority":1,"status":"todo"}';
const file = (...tasks: string[]): Uint8Array =>
  bytes(`{"schema_version":1,"source_files":[],"tasks":[${tasks.join(",")}]}`);

test("a repair that keeps every task by id or by title is taken", () => {
  expect(objectionsTo(file(open, fine), backlog(task("T1"), task("T2")))).toEqual([]);
  const twice = file(fine, fine);
  expect(objectionsTo(twice, backlog(task("T2", { title: "b" }), task("T3", { title: "b" })))).toEqual([]);
});

test("a repair that drops a task, or one of two with the same id, is refused", () => {
  expect(objectionsTo(file(fine, fine.replace("T2", "T2")), backlog(task("T2")))).toEqual([
    "lose 1 of its 2 tasks",
  ]);
  expect(objectionsTo(file(fine, "7"), backlog(task("T9")))).toEqual(["lose T2"]);
  // Wrong itself, it is a task all the same.
  expect(objectionsTo(file(open, fine), backlog(task("T2")))).toEqual(["lose T1"]);
});

test("the task a cut-off file ends in counts by its title", () => {
  const cut = bytes(
    `{"schema_version":1,"source_files":[],"tasks":[${fine},{"id":"T3","title":"c \\"d\\"","prio`,
  );
  expect(objectionsTo(cut, backlog(task("T2", { title: "b" })))).toEqual(['lose "c \\"d\\""']);
  expect(objectionsTo(cut, backlog(task("T2", { title: "b" }), task("T3", { title: 'c "d"' })))).toEqual([]);
});

test("a repair makes nothing done", () => {
  const mended = backlog(task("T2", { title: "b", status: "done" }));
  expect(objectionsTo(file(fine, "7"), mended)).toEqual([
    "mark T2 as done, which only a finished attempt may",
  ]);
});
