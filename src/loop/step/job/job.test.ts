import { expect, test } from "vitest";
import { expectActivity, makeLabel } from "./job.js";
import type { Job, JobKind, Activity } from "../state.js";

function job(phase: JobKind, activity: Activity): Job {
  const facts = { job: 3, iteration: 7, phase, agent: "a", attempt: 2 };
  return { facts, route: "attempt", activity, hooks: [] };
}

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
