import { expect, test } from "vitest";
import type { Activity, Job, Route } from "../state.js";
import { enter, makeJob } from "./routes.js";

function job(route: Route, activity: Activity): Job {
  const facts = { job: 3, iteration: 7, phase: "iteration", agent: "a", attempt: 2 } as const;
  return { facts, route, activity, hooks: [] };
}

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
