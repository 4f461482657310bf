// A person's edits of tasks in progress: the attempt is stopped, its work is saved as a rescue, the tree is restored, and only
// then the backlog changes. Pure. The store makes the change; job.ts runs the activities of a job.
import type { StepEvent } from "../../logging/events/events.js";
import type { StoppedAttempt } from "../../logging/events/told-events.js";
import { given } from "../../system/given.js";
import { endsAttempt, taskOfChange } from "../../todo/model/changes/person-change.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import { enter } from "./attempt/job.js";
import { dropJob, replaceJob, takeChangeResult, getTaskId, uncount, type ChangeResult } from "./jobs.js";
import type { AskedEdit, Job, Activity, RunState, Work } from "./state.js";
import type { Decision } from "./decision.js";

type Asked = Extract<StepEvent, { type: "edit_asked" }>;

/** The activities before an attempt's commit is decided. From `commit` on, the task is finished before the edit is made. */
const BEFORE_COMMIT: readonly Activity[] = [
  "claim",
  "checkpoint",
  "baseline",
  "before",
  "agent",
  "snapshot",
  "reread",
  "gate",
];
/** The activities that run a process. */
const STOPPABLE: readonly Activity[] = ["baseline", "before", "agent", "gate"];

/** Makes the record of a requested edit. A task that one of `jobs` is claiming counts as `doing`, even before its row says so. */
export function makeAskedEdit(
  { request, changes }: Pick<AskedEdit, "request" | "changes">,
  { index, jobs }: Partial<Pick<Work, "index" | "jobs">>,
): AskedEdit {
  const isBegun = (id: TaskId): boolean =>
    jobs?.some(({ facts, activity }) => facts.task_id === id && BEFORE_COMMIT.includes(activity)) === true;
  const ends = changes.filter((change) => {
    const id = taskOfChange(change);
    return endsAttempt(change, isBegun(id) ? "doing" : index?.get(id)?.status);
  });
  return { request, changes, ids: [...new Set(ends.map(taskOfChange))], stopped: [] };
}

/** Leaves the edit to the command that asked, because the run is ending or has no backlog. */
export function leaveEdit({ request }: Pick<AskedEdit, "request">, decision: Decision): void {
  decision.notes.push({ type: "edit_answered", request, outcome: "left", stopped: [] });
}

/** L16: stops the attempts at the edit's tasks; the edit is made once they have ended. */
export function takeEditRequest(work: Work, event: Asked, decision: Decision): Work {
  const asked = makeAskedEdit(event, work);
  decision.because = { rule: "edit-asked", ...given({ picked: asked.ids[0] }) };
  if (work.closing?.broken === true) {
    leaveEdit(asked, decision);
    return work;
  }
  return releaseJobs({ ...work, askedEdits: [...work.askedEdits, asked] }, asked.ids, decision);
}

/** Stops the attempts at these tasks, except those whose commit is already decided. */
function releaseJobs(work: Work, ids: readonly TaskId[], decision: Decision): Work {
  const jobs = work.jobs.map((job): Job => {
    const { task_id: id } = job.facts;
    if (id === undefined || !ids.includes(id) || !BEFORE_COMMIT.includes(job.activity)) return job;
    if (job.stopped === true || !STOPPABLE.includes(job.activity)) return { ...job, released: true };
    decision.effects.push({ kind: "stop", job: job.facts, how: "now" });
    return { ...job, released: true, stopped: true };
  });
  return { ...work, jobs };
}

/** Starts the next requested edit, or the rescue before it; edits come before any other job. `undefined`: none is due. */
export function startDueEdit(work: Work, decision: Decision): RunState | undefined {
  const [asked] = work.askedEdits;
  if (work.closing?.broken === true || (asked === undefined && work.toPutAside.length === 0))
    return undefined;
  const stays: RunState = { phase: "working", work };
  if (work.rereading) return stays;
  const [stray, ...toPutAside] = work.toPutAside;
  if (stray !== undefined && mayRescue(work)) return startRescue({ ...work, toPutAside }, stray, decision);
  if (asked === undefined) return undefined;
  if (work.jobs.some((job) => mustWaitFor(work, job, asked))) return stays;
  const left = listUnfinished(work, asked)[0];
  if (left !== undefined && mayRescue(work)) return startRescue(work, left, decision);
  const { request } = asked;
  const during = work.jobs.length > 0 ? "agent" : "idle";
  decision.effects.push({ kind: "change-backlog", changes: [], during, request });
  return { phase: "working", work: { ...work, rereading: true } };
}

/** Whether the edit must wait for this job. The hooks after a task's commit no longer delay it. */
function mustWaitFor(work: Work, { facts, activity }: Job, { ids }: AskedEdit): boolean {
  if (facts.task_id === undefined || !ids.includes(facts.task_id)) return false;
  return activity !== "after" || work.index.get(facts.task_id)?.status === "doing";
}

/** The edit's claimed tasks whose work was not saved yet. */
function listUnfinished({ index }: Work, { ids, stopped }: AskedEdit): TaskId[] {
  const ended = new Set(stopped.map(({ task_id }) => task_id));
  return ids.filter((id) => index.get(id)?.status === "doing" && !ended.has(id));
}

/** Never while another job works in the tree. Allowed while the run is stopping, because it starts no new work. */
function mayRescue(work: Work): boolean {
  return isRestoring(work) && work.jobs.length === 0;
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
  const job: Job = {
    facts: { ...facts, phase: "iteration" },
    activity: "checkpoint",
    hooks: [],
    released: true,
    putsAside: true,
  };
  decision.because = { rule: "put-aside", picked: id };
  decision.effects.push({ kind: "checkpoint", job: job.facts, reuse: true });
  return { phase: "working", work: { ...work, jobs: [...work.jobs, job], nextJob: work.nextJob + 1 } };
}

/** Takes a snapshot for a released job once its agent has ended; the restore comes after it. */
export function snapshotReleased(work: Work, job: Job, decision: Decision): RunState {
  decision.effects.push({ kind: "snapshot", job: job.facts });
  return { phase: "working", work: replaceJob(work, enter({ ...job, hooks: [] }, "snapshot")) };
}

/** Whether a released job's work is taken out of the tree. */
export function mayRestore(work: Work): boolean {
  return isRestoring(work) && work.closing?.broken !== true;
}

/** Logs that an attempt was stopped, and where its work is. */
export function noteStopped(work: Work, job: Job, decision: Decision): void {
  const { kept, rescue } = describeKept(work, job);
  const { task_id: id = "" } = job.facts;
  // This run has started nothing yet, so the work is from an earlier run.
  if (job.putsAside === true && job.facts.iteration === 0 && rescue !== undefined)
    decision.notes.push({ type: "warning", ...job.facts, message: describeLeftBehind(id, rescue) });
  decision.notes.push({
    type: "attempt_stopped",
    ...job.facts,
    kept,
    ...given({ rescue }),
  });
}

function describeLeftBehind(id: string, rescue: string): string {
  const name = rescue.replace(/^refs\/looper\/rescue\//, "");
  return `${id} is not in progress any more: the unfinished work an earlier run left in the tree was put aside; bring it back with \`looper rescue restore ${name}\``;
}

function describeKept(work: Work, { rescue }: Job): Pick<StoppedAttempt, "kept" | "rescue"> {
  if (rescue !== undefined) return { kept: "rescue", rescue };
  return { kept: isRestoring(work) ? "nothing" : "tree" };
}

/** Ends a released job. It does not count as an attempt, but it does count as an iteration if its agent ran. */
export function endReleased(work: Work, job: Job): Work {
  const id = getTaskId(job);
  // The work of a workflow's task may still be in the tree: it is put aside next, like that of a claim without a job.
  if (job.route !== undefined && job.route !== "work") {
    const counted = uncount(dropJob(work, job), job);
    return job.end === undefined ? counted : { ...counted, iterations: work.iterations };
  }
  const { agent, attempt } = job.facts;
  const who = job.putsAside === true ? {} : { agent, attempt };
  const stopped: StoppedAttempt = { task_id: id, ...who, ...describeKept(work, job) };
  const askedEdits = work.askedEdits.map((edit) =>
    edit.ids.includes(id) ? { ...edit, stopped: [...edit.stopped, stopped] } : edit,
  );
  const rest = { ...dropJob(work, job), askedEdits };
  if (job.putsAside === true) return rest;
  const counted = uncount(rest, job);
  return job.end === undefined ? counted : { ...counted, iterations: work.iterations };
}

/** Answers the oldest requested edit: applied or refused. `before`: the state before the edit. */
export function answerEdit(
  before: Work,
  work: Work,
  event: Extract<StepEvent, { type: "backlog_changed" }>,
  decision: Decision,
): Work {
  const [asked, ...rest] = work.askedEdits;
  if (asked === undefined || asked.request !== event.request)
    throw new Error(`the edit ${event.request ?? ""} was not asked for`);
  const [refusal] = event.refused;
  decision.because = { rule: refusal === undefined ? "edited" : "edit-refused", why: refusal?.why ?? "" };
  const stays = listUnfinished(before, asked).map((id): StoppedAttempt => ({ task_id: id, kept: "tree" }));
  decision.notes.push({
    type: "edit_answered",
    request: asked.request,
    outcome: refusal === undefined ? "applied" : "refused",
    ...(refusal === undefined ? {} : { why: refusal.why }),
    stopped: [...asked.stopped, ...stays],
  });
  const blocked = refusal === undefined ? listBlocked(asked.changes) : [];
  return { ...work, askedEdits: rest, blockedByHand: new Set([...work.blockedByHand, ...blocked]) };
}

function listBlocked(changes: AskedEdit["changes"]): TaskId[] {
  return changes.flatMap((change) =>
    change.op === "edit" && change.set.status === "blocked" ? change.id : [],
  );
}

/** Takes over the store's result, including what people changed in the backlog. */
export function takeStoreResult(
  work: Work,
  outcome: ChangeResult,
  job: Job | undefined,
  decision: Decision,
): Work {
  const taken = takeChangeResult(work, outcome, job, decision);
  return outcome.edits === undefined ? taken : takeEdits(work, taken, { outcome, edits: outcome.edits });
}

/** Leaves tasks that a person blocked alone, and saves the work of tasks in progress that an edit took away from the run. */
function takeEdits(
  before: Work,
  work: Work,
  { outcome, edits }: { outcome: ChangeResult; edits: NonNullable<ChangeResult["edits"]> },
): Work {
  const own = new Set(outcome.updated.map(({ id }) => id));
  const reported = (outcome.heard ?? []).flatMap(({ changes }) => changes);
  const ended = new Set(reported.filter((change) => endsAttempt(change, undefined)).map(taskOfChange));
  // While an agent works on a task, an edit that no command reported may be the agent's own. A claim has no agent yet.
  const mayBeAgents = (id: TaskId): boolean =>
    !ended.has(id) &&
    work.jobs.some(
      ({ facts, activity }) => facts.task_id === id && activity !== "after" && activity !== "claim",
    );
  const moved = [...edits.added, ...edits.changed, ...(edits.removed ?? [])].filter(
    (id) => !own.has(id) && findStatus(before, id) !== findStatus(work, id) && !mayBeAgents(id),
  );
  const blocked = moved.filter((id) => findStatus(work, id) === "blocked");
  const toPutAside = isRestoring(work) ? moved.filter((id) => findStatus(before, id) === "doing") : [];
  if (toPutAside.length + blocked.length === 0 && ended.size === 0) return work;
  return {
    ...work,
    toPutAside: [...new Set([...work.toPutAside, ...toPutAside])],
    blockedByHand: new Set([...work.blockedByHand, ...blocked, ...listBlocked(reported)]),
  };
}

function findStatus({ index }: Work, id: TaskId): IndexRow["status"] | undefined {
  return index.get(id)?.status;
}
