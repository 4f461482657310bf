import { expect, test } from "vitest";
import { visitText } from "./live-line.js";

const visit = { stage: "implement", visit: 3, outcome: "done" };

test("a visit is named with its outcome and the next stage, an outcome that the gate rejected is not", () => {
  expect(visitText({ ...visit, to: "review", result: "advanced" })).toBe(
    "implement, visit 3: done, next review",
  );
  expect(visitText({ ...visit, result: "failed" })).toBe("implement, visit 3");
  expect(visitText({ ...visit, outcome: "exhausted", to: "block", result: "failed" })).toBe(
    "implement, visit 3: exhausted, next block",
  );
  expect(visitText({ ...visit, result: "advanced" })).toBe("implement, visit 3: done");
  expect(visitText({ outcome: "done", result: "done" })).toBe("");
});
