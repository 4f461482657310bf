import { expect, test } from "vitest";
import type { Progress } from "../../workflow/progress.js";
import { findObjections, withOldProgress } from "./losses.js";
import { backlog, task } from "../testing/testing.js";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");
const open = '{"id":"T1","title":"a","priority":9,"status":"todo"}';
const fine = '{"id":"T2","title":"b","priority":1,"status":"todo"}';
const file = (...tasks: string[]): Uint8Array =>
  bytes(`{"schema_version":1,"source_files":[],"tasks":[${tasks.join(",")}]}`);

test("a repair that keeps every task by id or by title is accepted", () => {
  expect(findObjections(file(open, fine), backlog(task("T1"), task("T2")))).toEqual([]);
  const twice = file(fine, fine);
  expect(findObjections(twice, backlog(task("T2", { title: "b" }), task("T3", { title: "b" })))).toEqual([]);
});

test("a repair that drops a task, or one of two with the same id, is refused", () => {
  expect(findObjections(file(fine, fine.replace("T2", "T2")), backlog(task("T2")))).toEqual([
    "lose 1 of its 2 tasks",
  ]);
  expect(findObjections(file(fine, "7"), backlog(task("T9")))).toEqual(["lose T2"]);
  // Wrong itself, it is a task all the same.
  expect(findObjections(file(open, fine), backlog(task("T2")))).toEqual(["lose T1"]);
});

test("the last task of a cut-off file counts by its title", () => {
  const cut = bytes(
    `{"schema_version":1,"source_files":[],"tasks":[${fine},{"id":"T3","title":"c \\"d\\"","prio`,
  );
  expect(findObjections(cut, backlog(task("T2", { title: "b" })))).toEqual(['lose "c \\"d\\""']);
  expect(findObjections(cut, backlog(task("T2", { title: "b" }), task("T3", { title: 'c "d"' })))).toEqual(
    [],
  );
});

test("the whole tasks of a cut-off file count by id or title", () => {
  const cut = bytes(`{"tasks":[${fine},{"id":"T3","title" : "c","prio`);
  const both = backlog(task("T2", { title: "another" }), task("T9", { title: " c " }));
  expect(findObjections(cut, both)).toEqual([]);
  expect(findObjections(cut, backlog(task("T8", { title: "b" }), task("T9", { title: "c" })))).toEqual([]);
  expect(findObjections(cut, backlog(task("T3", { title: "c" })))).toEqual(["lose T2"]);
  expect(findObjections(cut, backlog(task("T9")))).toEqual(['lose T2, "c"']);
});

test.each(['"title":"x"', '"title"  :"x"', '"title":\n "x"', '"title"\n:\n"x"'])(
  "a title is one however it is spaced: %j",
  (title) => {
    expect(findObjections(bytes(`{"tasks":[{${title},`), backlog(task("T1")))).toEqual(['lose "x"']);
  },
);

test("a title that is not a JSON string is not counted, an empty one is", () => {
  expect(
    findObjections(bytes('{"tasks":[{"title":"a\\q"},{"title":"b\nc"},{"title":7},'), backlog(task("T1"))),
  ).toEqual([]);
  expect(findObjections(bytes('{"tasks":[{"title":""},'), backlog(task("T1")))).toEqual(['lose ""']);
});

test("a task without a usable id is named by its title, if it has one", () => {
  const broken = file('{"title":"t"}', '{"id":3}', '{"id":"T1"}', "null", '{"id":"T5","title":" a "}');
  expect(findObjections(broken, backlog(task("T9", { title: "a" })))).toEqual(['lose "t", 3, T1']);
});

test.each(["null", "7", "[]", "{}", '{"tasks":7}', '{"tasks":[null,7]}', " "])(
  "there is nothing to lose in %s",
  (text) => {
    expect(findObjections(bytes(text), backlog())).toEqual([]);
  },
);

test("a repair must not mark a task as done", () => {
  const mended = backlog(task("T2", { title: "b", status: "done" }), task("T4", { status: "done" }));
  expect(findObjections(file(fine, "7"), mended)).toEqual([
    "mark T2 as done, which only a finished attempt may",
  ]);
  expect(findObjections(file(fine, fine.replace("T2", "T4"), "7"), mended)).toEqual([
    "mark T2, T4 as done, which only a finished attempt may",
  ]);
  const done = fine.replace("todo", "done");
  expect(findObjections(file(done, "7"), mended)).toEqual([]);
  expect(findObjections(file(done, fine), backlog(...mended.tasks, task("T5")))).toEqual([]);
});

test.each(["completed", "Done", "closed"])(
  "a task that the file itself calls %s may be done in a repair",
  (word) => {
    const mended = backlog(task("T2", { title: "b", status: "done" }));
    expect(findObjections(file(fine.replace("todo", word)), mended)).toEqual([]);
    const commented = Buffer.concat([file(fine.replace("todo", word).replace("id", "ID")), bytes("// end")]);
    expect(findObjections(commented, mended)).toEqual([]);
  },
);

test.each([
  ["an array at the root", `[${open},${fine}]`],
  ["another key", `{"items":[${open},${fine}]}`],
  ["a key beside an empty list", `{"tasks":[],"backlog":{"todo":[${open}],"next":[${fine}]}}`],
  ["their ids", `{"tasks":{"T1":{"title":"a","status":"open"},"T2":{"name":"b","priority":1}}}`],
])("tasks count in the wrong place too: %s", (_place, text) => {
  const kept = backlog(task("T1", { title: "a" }), task("T2", { title: "b" }));
  expect(findObjections(bytes(text), kept)).toEqual([]);
  expect(findObjections(bytes(text), backlog(task("T1", { title: "a" })))).toEqual(["lose T2"]);
  const done = backlog(
    task("T1", { title: "x", status: "done" }),
    task("T9", { title: "b", status: "done" }),
  );
  expect(findObjections(bytes(text), done)).toEqual([
    "mark T1, T9 as done, which only a finished attempt may",
  ]);
});

test("objects in the root's meta are not counted as tasks", () => {
  const text = `{"tasks":[${fine}],"meta":{"seen":[{"id":"A","title":"x","status":"todo"}]},"Project":{"name":"p"}}`;
  expect(findObjections(bytes(text), backlog(task("T2")))).toEqual([]);
});

test("an id that is a number is kept by the same id as a text", () => {
  const broken = file(fine.replace('"T2"', "2"));
  expect(findObjections(broken, backlog(task("2", { title: "another" })))).toEqual([]);
  expect(findObjections(broken, backlog(task("2", { status: "done" })))).toEqual([
    "mark 2 as done, which only a finished attempt may",
  ]);
});

test("an agent that repairs a file neither answers a question nor moves a task", () => {
  const at = "2026-11-24T08:00:00Z";
  const question = { id: "T1.2", source: "agent", text: "Which port?", outcomes: [], asked_at: at } as const;
  const progress: Progress = {
    ...{ workflow: "w", digest: "d", stage: "plan", visit: 2, since: at },
    question: { ...question, outcomes: [] },
  };
  const asked = backlog(task("T1", { progress }), task("T2"));
  const broken = Buffer.from(JSON.stringify(asked).replace(/\}$/u, ",}"), "utf8");
  expect(withOldProgress(asked, broken)).toBe(asked);
  const answered = { ...progress, answer: { text: "80" } };
  const forged = backlog(task("T1", { progress: answered }), task("T2", { progress }));
  expect(withOldProgress(forged, broken)).toEqual(asked);
  expect(withOldProgress(forged, undefined)).toEqual(backlog(task("T1"), task("T2")));
});
