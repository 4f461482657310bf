import { expect, test } from "vitest";
import { task } from "../../src/todo/testing/testing.js";
import { NOTHING } from "../../src/ui/view/view.js";
import { etaOf } from "./status.js";

test("no time is estimated where only answers of people are left", () => {
  const look = { pace: { done: 9, ms: 9000 }, now: 0 };
  expect(etaOf(NOTHING, [task("T1", { status: "blocked" })], look)).toBe(null);
  expect(etaOf(NOTHING, [task("T1", { status: "blocked" }), task("T2")], look)).toBeGreaterThan(0);
});
