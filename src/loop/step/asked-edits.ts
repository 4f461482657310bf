// Edits by people of tasks that are in hand: the attempt is ended, its work put aside and the tree put back, and only then the
// backlog is changed. Pure. Leaves making the change to the store, and what runs for a job to job.ts.
import type { StepEvent } from "../../logging/events.js";
import type { StoppedAttempt } from "../../logging/told-events.js";
import { given } from "../../system/given.js";
import { endsAttempt, taskOfChange } from "../../todo/model/person-change.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import { enter } from "./job.js";
import { dropJob, replaceJob, takeChangeResult, taskOf, uncount, type ChangeResult } from "./jobs.js";
import type { AskedEdit, Job, Activity, RunState, Work } from "./state.js";
import type { Decision } from "./decision.js";

type Asked = Extract<StepEvent, { type: "edit_asked" }>;

/** The activities before an attempt's commit is decided: from `commit` on, the task is finished first. */
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
/** Those in which a process runs. */
const STOPPABLE: readonly Activity[] = ["baseline", "before", "agent", "gate"];

/** An edit as the run keeps it until it is made. `jobs`: a task they have in hand is being claimed, whatever its row still says. */
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

/** The run is ending, or has no backlog in hand: the command makes the edit itself. */
export function leaveEdit({ request }: Pick<AskedEdit, "request">, decision: Decision): void {
  decision.notes.push({ type: "edit_answered", request, outcome: "left", stopped: [] });
}

/** L16: the attempts at the tasks of an edit that was asked for are ended; the edit itself is made once they are over. */
export function takeEditRequest(work: Work, event: Asked, decision: Decision): Work {
  const asked = makeAskedEdit(event, work);
  decision.because = { rule: "edit-asked", ...given({ picked: asked.ids[0] }) };
  if (work.closing?.broken === true) {
    leaveEdit(asked, decision);
    return work;
  }
  return releaseJobs({ ...work, askedEdits: [...work.askedEdits, asked] }, asked.ids, decision);
}

/** Ends the attempts at these tasks whose commit is not decided yet. */
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

/** What edits are due comes before any other job; `undefined` when there is nothing of it to do now. */
export function startDueEdit(work: Work, decision: Decision): RunState | undefined {
  const [asked] = work.askedEdits;
  if (work.closing?.broken === true || (asked === undefined && work.toPutAside.length === 0))
    return undefined;
  const stays: RunState = { phase: "working", work };
  if (work.rereading) return stays;
  const [stray, ...toPutAside] = work.toPutAside;
  if (stray !== undefined && mayPutAside(work)) return putAside({ ...work, toPutAside }, stray, decision);
  if (asked === undefined) return undefined;
  if (work.jobs.some((job) => holds(work, job, asked))) return stays;
  const left = listUnfinished(work, asked)[0];
  if (left !== undefined && mayPutAside(work)) return putAside(work, left, decision);
  const { request } = asked;
  const during = work.jobs.length > 0 ? "agent" : "idle";
  decision.effects.push({ kind: "change-backlog", changes: [], during, request });
  return { phase: "working", work: { ...work, rereading: true } };
}

/** A job at a task of the edit is not over; what follows its commit changes nothing any more. */
function holds(work: Work, { facts, activity }: Job, { ids }: AskedEdit): boolean {
  if (facts.task_id === undefined || !ids.includes(facts.task_id)) return false;
  return activity !== "after" || work.index.get(facts.task_id)?.status === "doing";
}

/** Its tasks that are claimed, and of which no work was put aside yet. */
function listUnfinished({ index }: Work, { ids, stopped }: AskedEdit): TaskId[] {
  const ended = new Set(stopped.map(({ task_id }) => task_id));
  return ids.filter((id) => index.get(id)?.status === "doing" && !ended.has(id));
}

/** Another job's work in the tree is not to be touched. Once the run is to end it is still done: nothing new begins with it. */
function mayPutAside(work: Work): boolean {
  return restores(work) && work.jobs.length === 0;
}

function restores({ git, rules }: Work): boolean {
  return git && rules.on_failure === "restore";
}

/** No agent's: what it is named in lines of a job that has none. */
const NO_AGENT = "looper";

/** Puts the tree back to the checkpoint of a claim that no job has in hand; what was there is kept. */
function putAside(work: Work, id: TaskId, decision: Decision): RunState {
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

/** A released job whose agent, if it had one, has ended: the tree as it was left is looked at, then put back. */
export function snapshotReleased(work: Work, job: Job, decision: Decision): RunState {
  decision.effects.push({ kind: "snapshot", job: job.facts });
  return { phase: "working", work: replaceJob(work, enter({ ...job, hooks: [] }, "snapshot")) };
}

/** Whether the tree is to be put back for it. */
export function restoresTree(work: Work): boolean {
  return restores(work) && work.closing?.broken !== true;
}

/** Says that an attempt was stopped, and where its work is. */
export function noteStopped(work: Work, job: Job, decision: Decision): void {
  const { kept, rescue } = describeKept(work, job);
  const { task_id: id = "" } = job.facts;
  // Nothing was begun in this run yet: the work is an earlier one's.
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
  return { kept: restores(work) ? "nothing" : "tree" };
}

/** A released job is over. It was no attempt; an agent that was asked has made an iteration of it all the same. */
export function endReleased(work: Work, job: Job): Work {
  const id = taskOf(job);
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

/** The edit that was asked for first is made, or was refused. `before`: as the run was until then. */
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

/** Takes over what the store says of the backlog, what people changed in it included. */
export function takeStoreResult(
  work: Work,
  outcome: ChangeResult,
  job: Job | undefined,
  decision: Decision,
): Work {
  const taken = takeChangeResult(work, outcome, job, decision);
  return outcome.edits === undefined ? taken : takeEdits(work, taken, { outcome, edits: outcome.edits });
}

/** Tasks that a person blocked are left alone; of one that left the run's hands by an edit the work is put aside. */
function takeEdits(
  before: Work,
  work: Work,
  { outcome, edits }: { outcome: ChangeResult; edits: NonNullable<ChangeResult["edits"]> },
): Work {
  const own = new Set(outcome.updated.map(({ id }) => id));
  const heard = (outcome.heard ?? []).flatMap(({ changes }) => changes);
  const told = new Set(heard.filter((change) => endsAttempt(change, undefined)).map(taskOfChange));
  // While its agent works, an edit of a task that no editing command reported may be the agent's. A claim has no agent yet.
  const inHand = (id: TaskId): boolean =>
    !told.has(id) &&
    work.jobs.some(
      ({ facts, activity }) => facts.task_id === id && activity !== "after" && activity !== "claim",
    );
  const moved = [...edits.added, ...edits.changed, ...(edits.removed ?? [])].filter(
    (id) => !own.has(id) && statusIn(before, id) !== statusIn(work, id) && !inHand(id),
  );
  const blocked = moved.filter((id) => statusIn(work, id) === "blocked");
  const toPutAside = restores(work) ? moved.filter((id) => statusIn(before, id) === "doing") : [];
  if (toPutAside.length + blocked.length === 0 && told.size === 0) return work;
  return {
    ...work,
    toPutAside: [...new Set([...work.toPutAside, ...toPutAside])],
    blockedByHand: new Set([...work.blockedByHand, ...blocked, ...listBlocked(heard)]),
  };
}

function statusIn({ index }: Work, id: TaskId): IndexRow["status"] | undefined {
  return index.get(id)?.status;
}
