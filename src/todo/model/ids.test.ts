import { expect, test } from "vitest";
import { makeIds } from "./add-tasks.js";

test.each([
  [["T001", "T009"], "T010"],
  [["T1", "T9"], "T10"],
  [["TASK-12"], "TASK-13"],
  [["T1.2", "T1.10"], "T1.11"],
  [["a", "b"], "T1"],
  [[], "T1"],
  [["A1", "B1", "B2"], "B3"],
  [["A1", "B7"], "B8"],
  [["A1", "A2", "B7"], "A3"],
  [["T999999999999998"], "T999999999999999"],
  [["T99999999999999999999"], "T1"],
  [["007"], "008"],
])("after %j comes %s", (ids, next) => {
  expect(makeIds(ids)()).toBe(next);
});

test("ids from an agent do not decide the style of the file and are not given twice", () => {
  const next = makeIds(["T1"], ["X1", "X2", "T2"]);
  expect([next(), next()]).toEqual(["T3", "T4"]);
});
