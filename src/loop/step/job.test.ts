import { expect, test } from "vitest";
import { enter, expectActivity, firstActivity, labelOf } from "./job.js";
import type { Job, JobKind, Activity } from "./state.js";

function job(phase: JobKind, activity: Activity): Job {
  return { facts: { job: 3, iteration: 7, phase, agent: "a", attempt: 2 }, activity, hooks: [] };
}

test("a job goes forward through the activities of its kind, past some of them, and never back", () => {
  expect(firstActivity("iteration")).toBe("claim");
  expect(firstActivity("review")).toBe("checkpoint");
  expect(enter(job("iteration", "claim"), "agent").activity).toBe("agent");
  expect(enter(job("iteration", "agent"), "agent").activity).toBe("agent");
  expect(() => enter(job("iteration", "agent"), "before")).toThrow(
    "a job of kind iteration cannot go from agent to before",
  );
  expect(() => enter(job("review", "agent"), "gate")).toThrow(
    "a job of kind review cannot go from agent to gate",
  );
  expect(enter(job("iteration", "claim"), "claim").activity).toBe("claim");
});

test("an event of another activity is a bug", () => {
  const event = { type: "woke" } as const;
  expect(() => {
    expectActivity(job("iteration", "claim"), "agent", event);
  }).toThrow("woke came for job 3 in activity claim, not agent");
});

test("a job's folder is named after what it is and how often", () => {
  const labels = (["iteration", "review", "bootstrap", "repair"] as const).map((phase) =>
    labelOf(job(phase, "agent")),
  );
  expect(labels).toEqual(["iter-7", "review-7", "bootstrap-2", "repair-2"]);
});
