// The routes of jobs: which activities each has, in order, and what they have in common. Pure.
import type { Activity, Job, Route } from "../state.js";

/** The activities of each route, in order. */
const ROUTES: Record<Route, readonly Activity[]> = {
  attempt: [
    "claim",
    "checkpoint",
    "baseline",
    "before",
    "agent",
    "snapshot",
    "reread",
    "gate",
    "commit",
    "restore",
    "settle",
    "after",
  ],
  review: ["checkpoint", "before", "agent", "restore", "settle", "after"],
  draft: ["agent", "adopt"],
  rescue: ["checkpoint", "snapshot", "restore", "settle"],
  work: [
    "claim",
    "checkpoint",
    "baseline",
    "before",
    "agent",
    "snapshot",
    "gate",
    "save",
    "restore",
    "settle",
    "after",
  ],
  analyze: ["claim", "checkpoint", "before", "agent", "restore", "save", "settle", "after"],
  check: ["claim", "checkpoint", "gate", "save", "settle", "after"],
  deliver: ["claim", "checkpoint", "gate", "aside", "commit", "restore", "settle", "after"],
  "give-up": ["claim", "checkpoint", "restore", "settle", "after"],
  discard: ["save", "settle", "after"],
  shelve: ["checkpoint", "save", "settle", "after"],
};

/** A job at the first activity of its route. */
export function makeJob(facts: Job["facts"], route: Route): Job {
  const [activity] = ROUTES[route];
  if (activity === undefined) throw new Error(`a job of the route ${route} has no activities`);
  return { facts, route, activity, hooks: [] };
}

/** Moves the job to a later activity. Contract: an activity may be skipped, but never repeated. */
export function enter(job: Job, activity: Activity): Job {
  const activities = ROUTES[job.route];
  const to = activities.indexOf(activity);
  if (to < 0 || to < activities.indexOf(job.activity)) {
    throw new Error(`a job of the route ${job.route} cannot go from ${job.activity} to ${activity}`);
  }
  return { ...job, activity };
}

/** Whether a job has an agent, so that it is an iteration and an attempt. */
export function hasAgent(route: Route): boolean {
  return ROUTES[route].includes("agent");
}

/** Whether the agent of a job only reads: what it changes is put back. */
export function onlyReads(route: Route): boolean {
  return route === "review" || route === "analyze";
}

/** Whether the changes in the tree are the job's own work. */
export function hasWork(route: Route): boolean {
  return ROUTES[route].includes("snapshot");
}

/** Whether the job is a visit of a stage, or of an end, of a workflow whose rows have a progress. */
export function isVisit(route: Route): boolean {
  return !["attempt", "review", "draft", "rescue"].includes(route);
}
