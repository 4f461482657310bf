import { expect, test } from "vitest";
import { enter, expectActivity, getFirstActivity, makeLabel } from "./job.js";
import type { Job, JobKind, Activity } from "../state.js";

function job(phase: JobKind, activity: Activity): Job {
  return { facts: { job: 3, iteration: 7, phase, agent: "a", attempt: 2 }, activity, hooks: [] };
}

test("a job moves forward through the activities of its kind, may skip some, and never goes back", () => {
  expect(getFirstActivity("iteration")).toBe("claim");
  expect(getFirstActivity("review")).toBe("checkpoint");
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

test("an event of another activity throws", () => {
  const event = { type: "woke" } as const;
  expect(() => {
    expectActivity(job("iteration", "claim"), "agent", event);
  }).toThrow("woke came for job 3 in activity claim, not agent");
});

test("a job's folder is named after its phase and its number", () => {
  const labels = (["iteration", "review", "bootstrap", "repair"] as const).map((phase) =>
    makeLabel(job(phase, "agent")),
  );
  expect(labels).toEqual(["iter-7", "review-7", "bootstrap-2", "repair-2"]);
});
