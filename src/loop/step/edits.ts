// A person's edits of tasks in progress: the attempt is stopped, its work is saved as a rescue, and the tree is restored. Pure.
// The command has changed the task file already; working.ts runs the activities of a job.
import { endsAttempt, taskOfChange, type PersonChange } from "../../todo/model/changes/person-change.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import {
  type ChangeResult,
  addJob,
  dropJob,
  getTaskId,
  hasWork,
  makeJob,
  takeChangeResult,
  uncount,
} from "./jobs.js";
import type { EffectOf } from "./effects.js";
import type { Job, RunState, Work } from "./state.js";
import type { Decision } from "./decision.js";
import { type Activity, BY_AGENT } from "../../workflow/stage-kinds.js";

/** The activities that an edit of the task ends. A commit is refused if the edit came before it. */
const ENDED_BY_EDITS: readonly Activity[] = [...BY_AGENT, "reread", "gate", "commit"];
/** The activities that run a process. */
const STOPPABLE: readonly Activity[] = ["baseline", "before", "agent", "gate"];

/** Ends the attempts at these tasks. */
function releaseJobs(work: Work, ids: readonly TaskId[], decision: Decision): Work {
  const jobs = work.jobs.map((job): Job => {
    const { task_id: id } = job.facts;
    if (id === undefined || !ids.includes(id) || !ENDED_BY_EDITS.includes(job.activity)) return job;
    if (job.stopped === true || !STOPPABLE.includes(job.activity)) return { ...job, released: true };
    decision.effects.push({ kind: "stop", job: job.facts, how: "now" });
    return { ...job, released: true, stopped: true };
  });
  return { ...work, jobs };
}

/** Reads an edited task file, or rescues the work that an edit left in the tree; both come before any other job. `undefined`: neither is due. */
export function startDueEdit(work: Work, decision: Decision): RunState | undefined {
  if (work.closing?.broken === true || work.rereading) return undefined;
  const [stray, ...toPutAside] = work.toPutAside;
  // Never while another job works in the tree. Allowed while the run is stopping, because it starts no new work.
  const mayRescue = isRestoring(work) && work.jobs.length === 0;
  if (stray !== undefined && mayRescue) return startRescue({ ...work, toPutAside }, stray, decision);
  // L8: once the run is stopped, the settlement of what is in hand sees the edit.
  const isStopping = work.stopping > 0 || work.closing !== undefined;
  return work.unread === true && !isStopping ? reread(work, decision) : undefined;
}

/** Asks for the task file as it is now. */
export function reread({ unread: _unread, ...work }: Work, decision: Decision): RunState {
  const during = work.jobs.length > 0 ? "agent" : "idle";
  decision.effects.push({ kind: "change-backlog", changes: [], during });
  return { phase: "working", work: { ...work, rereading: true } };
}

function isRestoring({ git, rules }: Work): boolean {
  return git && rules.on_failure === "restore";
}

/** The `agent` in the log lines of a job that has no agent. */
export const NO_AGENT = "looper";

/** Restores the tree to the checkpoint of a claim that has no job; the work in it is saved as a rescue. */
function startRescue(work: Work, id: TaskId, decision: Decision): RunState {
  const attempt = Math.max(1, work.attempts.get(id) ?? 1);
  const facts = { job: work.nextJob, iteration: work.iterations, agent: NO_AGENT, attempt, task_id: id };
  const job: Job = { ...makeJob({ ...facts, phase: "iteration" }, "rescue"), released: true };
  decision.because = { rule: "put-aside", picked: id };
  decision.effects.push({ kind: "checkpoint", job: job.facts, reuse: true });
  return addJob(work, job);
}

/** The task whose row the effect settles. Its changes are refused once a person took the task from the job: the edit counts. */
export function taskToSettle(effect: EffectOf<"change-backlog">): TaskId | undefined {
  const { job, changes, during } = effect;
  const isClaim = changes.some(({ op }) => op === "claim");
  return isClaim || during === "idle" || job?.agent === NO_AGENT ? undefined : job?.task_id;
}

/** Whether a released job's work is taken out of the tree. */
export function mayRestore(work: Work): boolean {
  return isRestoring(work) && work.closing?.broken !== true;
}

/** Logs that an attempt was stopped, and where its work is. */
export function noteStopped(work: Work, job: Job, decision: Decision): void {
  const { rescue } = job;
  const kept = rescue !== undefined ? "rescue" : isRestoring(work) ? "nothing" : "tree";
  const { task_id: id = "" } = job.facts;
  // This run has started nothing yet, so the work is from an earlier run.
  if (job.route === "rescue" && job.facts.iteration === 0 && rescue !== undefined) {
    const name = rescue.replace(/^refs\/looper\/rescue\//, "");
    const message = `${id} is not in progress any more: the unfinished work an earlier run left in the tree was put aside; bring it back with \`looper rescue restore ${name}\``;
    decision.warn(message, job.facts);
  }
  decision.notes.push({ type: "attempt_stopped", ...job.facts, kept, rescue });
}

/** Ends a released job. It does not count as an attempt, but it does count as an iteration if its agent ran. */
export function endReleased(work: Work, job: Job): Work {
  const rest = dropJob(work, job);
  if (job.route === "rescue") return rest;
  // The work of a stage that changes nothing is that of stages before it, and may still be in the tree.
  const stays = isRestoring(work) && !hasWork(job.route);
  const left = stays ? { ...rest, toPutAside: [...rest.toPutAside, getTaskId(job)] } : rest;
  const counted = uncount(left, job);
  return job.end === undefined ? counted : { ...counted, iterations: work.iterations };
}

/** Takes over the store's result, including what people changed in the backlog. */
export function takeStoreResult(
  work: Work,
  outcome: ChangeResult,
  job: Job | undefined,
  decision: Decision,
): Work {
  const taken = takeChangeResult(work, outcome, job, decision);
  if (outcome.edits === undefined) return taken;
  const reported = (outcome.heard ?? []).flatMap(({ changes }) => changes);
  // A task that this result claims was edited before its claim.
  const begun = work.jobs.filter(
    ({ facts, activity }) =>
      ENDED_BY_EDITS.includes(activity) && !(activity === "claim" && facts.job === job?.facts.job),
  );
  const inHand = new Set(begun.flatMap(({ facts }) => facts.task_id ?? []));
  const ended = reported.filter((change) => {
    const id = taskOfChange(change);
    return endsAttempt(change, inHand.has(id) ? "doing" : findStatus(work, id));
  });
  const stopped = ended.map(taskOfChange).filter((id) => inHand.has(id));
  const released = releaseJobs(taken, stopped, decision);
  return takeEdits(work, released, outcome, ended);
}

/** Leaves tasks that a person blocked alone, and saves the work of tasks in progress that an edit took away from the run. */
function takeEdits(
  before: Work,
  work: Work,
  { updated, edits }: Pick<ChangeResult, "updated" | "edits">,
  ended: readonly PersonChange[],
): Work {
  const own = new Set(updated.map(({ id }) => id));
  const byPerson = new Set(ended.map(taskOfChange));
  const jobOf = (id: TaskId): Job | undefined => work.jobs.find(({ facts }) => facts.task_id === id);
  // While an agent works on a task, an edit that no command reported may be the agent's own. A claim has no agent yet.
  const mayBeAgents = (id: TaskId): boolean => {
    const activity = jobOf(id)?.activity;
    return !byPerson.has(id) && activity !== undefined && activity !== "after" && activity !== "claim";
  };
  const { added = [], changed = [], removed = [] } = edits ?? {};
  const moved = [...added, ...changed, ...removed].filter(
    (id) => !own.has(id) && findStatus(before, id) !== findStatus(work, id) && !mayBeAgents(id),
  );
  const blocked = moved.filter((id) => findStatus(work, id) === "blocked");
  const reported = ended.flatMap((change) =>
    change.op === "edit" && change.set.status === "blocked" ? change.id : [],
  );
  const restores = (id: TaskId): boolean => {
    const { activity, route } = jobOf(id) ?? { activity: "after", route: "attempt" };
    if (["claim", "save", "settle", "after"].includes(activity)) return false;
    // A stage that changes nothing restores the work of the stages before it.
    return activity !== "restore" || hasWork(route);
  };
  const toPutAside = isRestoring(work)
    ? moved.filter((id) => findStatus(before, id) === "doing" && !restores(id))
    : [];
  return {
    ...work,
    toPutAside: [...new Set([...work.toPutAside, ...toPutAside])],
    blockedByHand: new Set([...work.blockedByHand, ...blocked, ...reported]),
  };
}

function findStatus({ index }: Work, id: TaskId): IndexRow["status"] | undefined {
  return index.get(id)?.status;
}
