import { expect, test } from "vitest";
import { enter, findJob, makeJob, makeLabel } from "./jobs.js";
import type { Activity } from "../../workflow/stage-kinds.js";
import type { Job, JobKind, Route, Work } from "./state.js";

function job(route: Route, activity: Activity, phase: JobKind = "iteration"): Job {
  const facts = { job: 3, iteration: 7, phase, agent: "a", attempt: 2 };
  return { facts, route, activity, hooks: [] };
}

test("an event of another activity, or of a job that is not there, throws", () => {
  const work = { jobs: [job("attempt", "claim")] } as unknown as Work;
  const event = { type: "woke", job: 3 };
  expect(findJob(work, event, "claim", "agent").facts.job).toBe(3);
  expect(() => findJob(work, event, "agent")).toThrow("woke came for job 3 in activity claim, not agent");
  expect(() => findJob(work, { type: "woke", job: 4 })).toThrow(
    "woke came for job 4, which is not under way",
  );
});

test("a job's folder is named after its phase and its number", () => {
  const labels = (["iteration", "review", "bootstrap", "repair"] as const).map((phase) =>
    makeLabel(job("attempt", "agent", phase)),
  );
  expect(labels).toEqual(["iter-7", "review-7", "bootstrap-2", "repair-2"]);
});

test("a job moves forward through the activities of its route, may skip some, and never goes back", () => {
  expect(makeJob(job("attempt", "agent").facts, "attempt").activity).toBe("claim");
  expect(makeJob(job("review", "agent").facts, "review").activity).toBe("checkpoint");
  expect(enter(job("attempt", "claim"), "agent").activity).toBe("agent");
  expect(enter(job("attempt", "agent"), "agent").activity).toBe("agent");
  expect(() => enter(job("attempt", "agent"), "before")).toThrow(
    "a job of the route attempt cannot go from agent to before",
  );
  expect(() => enter(job("review", "agent"), "gate")).toThrow(
    "a job of the route review cannot go from agent to gate",
  );
  expect(enter(job("attempt", "claim"), "claim").activity).toBe("claim");
});
