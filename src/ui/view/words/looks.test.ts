import { expect, test } from "vitest";
import { listLooks, lookLine } from "../judged.js";

test("a task that only waits for others is not named, and these are named once", () => {
  const found = [
    { id: "T1", look: [] },
    { id: "T2", look: undefined },
    { id: "T3", look: ["T1"] },
    { id: "T4", look: ["T2", "T1"] },
  ];
  expect(listLooks(found)).toEqual(["T1", "T2"]);
});

test.each([
  [[], ""],
  [["T3"], "1 task needs a look: looper accept T3"],
  [["T3", "T7"], "2 tasks need a look: looper accept T3 T7"],
  [["a;b", "c\u001b[31m"], "2 tasks need a look: looper accept 'a;b' c"],
])("the tasks %j are named for the shell", (ids, line) => {
  expect(lookLine(ids)).toBe(line);
});

test("a line names at most twenty tasks", () => {
  const ids = Array.from({ length: 30 }, (_, n) => `T${String(n)}`);
  expect(lookLine(ids)).toMatch(/^30 tasks need a look: looper accept T0 .* T19 …$/);
});
