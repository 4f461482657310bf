import { expect, test } from "vitest";
import { addPace, estimate, NO_PACE } from "./estimate.js";
import type { Finished } from "./job-view.js";

const one = (result: Finished["result"], ms: number, phase: Finished["phase"] = "iteration"): Finished => ({
  ...{ job: 1, phase, agent: "a", attempt: 1, spent: { tokens: 0 }, began: 0, why: "", added: 0 },
  ...{ result, ms },
});

test("the pace counts failed attempts, and no reviews", () => {
  const first = addPace(NO_PACE, {
    finished: [one("failed", 100), one("done", 50), one("reviewed", 999, "review")],
  });
  const pace = addPace(first, { finished: [one("done", 150)] });
  expect(pace).toEqual({ done: 2, ms: 300 });
  expect(estimate(pace, 3, 0)).toBe(450);
  expect(estimate(pace, 3, 100)).toBe(350);
  // It takes longer than others did: the others come after it all the same.
  expect(estimate(pace, 3, 10_000)).toBe(300);
  expect(estimate(pace, 0, 0)).toBe(0);
});

test("an estimate needs a task that is done", () => {
  expect(estimate(addPace(NO_PACE, { finished: [one("blocked", 100)] }), 3, 0)).toBeUndefined();
});
