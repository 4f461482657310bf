// Edits by people of tasks that are in hand: the attempt is ended, its work put aside and the tree put back, and only then the
// backlog is changed. Pure. Leaves making the change to the store, and what runs for a job to job.ts.
import type { StepEvent } from "../../logging/events.js";
import type { StoppedAttempt } from "../../logging/told-events.js";
import { given } from "../../system/given.js";
import { endsAttempt, taskOfChange } from "../../todo/model/person-change.js";
import type { IndexRow, TaskId } from "../../todo/model/task.js";
import { enter } from "./job.js";
import { dropJob, replaceJob, takeOutcome, taskOf, uncount, type Outcome } from "./jobs.js";
import type { AskedEdit, Job, Stage, State, Work } from "./state.js";
import type { Turn } from "./decision.js";

type Asked = Extract<StepEvent, { type: "edit_asked" }>;

/** The stages before an attempt's commit is decided: from `commit` on, the task is finished first. */
const BEFORE_COMMIT: readonly Stage[] = [
  "claim",
  "checkpoint",
  "baseline",
  "before",
  "agent",
  "snapshot",
  "look",
  "gate",
];
/** Those in which a process runs. */
const STOPPABLE: readonly Stage[] = ["baseline", "before", "agent", "gate"];

/** An edit as the run keeps it until it is made. `jobs`: a task they have in hand is being claimed, whatever its row still says. */
export function askedEdit(
  { request, changes }: Pick<AskedEdit, "request" | "changes">,
  { index, jobs }: Partial<Pick<Work, "index" | "jobs">>,
): AskedEdit {
  const isBegun = (id: TaskId): boolean =>
    jobs?.some(({ facts, stage }) => facts.task_id === id && BEFORE_COMMIT.includes(stage)) === true;
  const ends = changes.filter((change) => {
    const id = taskOfChange(change);
    return endsAttempt(change, isBegun(id) ? "doing" : index?.get(id)?.status);
  });
  return { request, changes, ids: [...new Set(ends.map(taskOfChange))], stopped: [] };
}

/** The run is ending, or has no backlog in hand: the command makes the edit itself. */
export function leaveEdit({ request }: Pick<AskedEdit, "request">, turn: Turn): void {
  turn.notes.push({ type: "edit_answered", request, outcome: "left", stopped: [] });
}

/** L16: the attempts at the tasks of an edit that was asked for are ended; the edit itself is made once they are over. */
export function askFor(work: Work, event: Asked, turn: Turn): Work {
  const asked = askedEdit(event, work);
  turn.because = { rule: "edit-asked", ...given({ picked: asked.ids[0] }) };
  if (work.closing?.broken === true) {
    leaveEdit(asked, turn);
    return work;
  }
  return releaseJobs({ ...work, asked: [...work.asked, asked] }, asked.ids, turn);
}

/** Ends the attempts at these tasks whose commit is not decided yet. */
function releaseJobs(work: Work, ids: readonly TaskId[], turn: Turn): Work {
  const jobs = work.jobs.map((job): Job => {
    const { task_id: id } = job.facts;
    if (id === undefined || !ids.includes(id) || !BEFORE_COMMIT.includes(job.stage)) return job;
    if (job.stopped === true || !STOPPABLE.includes(job.stage)) return { ...job, released: true };
    turn.effects.push({ kind: "stop", job: job.facts, how: "now" });
    return { ...job, released: true, stopped: true };
  });
  return { ...work, jobs };
}

/** What edits are due comes before any other job; `undefined` when there is nothing of it to do now. */
export function editFirst(work: Work, turn: Turn): State | undefined {
  const [asked] = work.asked;
  if (work.closing?.broken === true || (asked === undefined && work.strays.length === 0)) return undefined;
  const stays: State = { phase: "working", work };
  if (work.looking) return stays;
  const [stray, ...strays] = work.strays;
  if (stray !== undefined && mayPutAside(work)) return putAside({ ...work, strays }, stray, turn);
  if (asked === undefined) return undefined;
  if (work.jobs.some((job) => holds(work, job, asked))) return stays;
  const left = unfinished(work, asked)[0];
  if (left !== undefined && mayPutAside(work)) return putAside(work, left, turn);
  const { request } = asked;
  const during = work.jobs.length > 0 ? "agent" : "idle";
  turn.effects.push({ kind: "change-backlog", changes: [], during, request });
  return { phase: "working", work: { ...work, looking: true } };
}

/** A job at a task of the edit is not over; what follows its commit changes nothing any more. */
function holds(work: Work, { facts, stage }: Job, { ids }: AskedEdit): boolean {
  if (facts.task_id === undefined || !ids.includes(facts.task_id)) return false;
  return stage !== "after" || work.index.get(facts.task_id)?.status === "doing";
}

/** Its tasks that are claimed, and of which no work was put aside yet. */
function unfinished({ index }: Work, { ids, stopped }: AskedEdit): TaskId[] {
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
function putAside(work: Work, id: TaskId, turn: Turn): State {
  const attempt = Math.max(1, work.attempts.get(id) ?? 1);
  const facts = { job: work.nextJob, iteration: work.iterations, agent: NO_AGENT, attempt, task_id: id };
  const job: Job = {
    facts: { ...facts, phase: "iteration" },
    stage: "checkpoint",
    hooks: [],
    released: true,
    putsAside: true,
  };
  turn.because = { rule: "put-aside", picked: id };
  turn.effects.push({ kind: "checkpoint", job: job.facts, reuse: true });
  return { phase: "working", work: { ...work, jobs: [...work.jobs, job], nextJob: work.nextJob + 1 } };
}

/** A released job whose agent, if it had one, has ended: the tree as it was left is looked at, then put back. */
export function lookAtReleased(work: Work, job: Job, turn: Turn): State {
  turn.effects.push({ kind: "snapshot", job: job.facts });
  return { phase: "working", work: replaceJob(work, enter({ ...job, hooks: [] }, "snapshot")) };
}

/** Whether the tree is to be put back for it. */
export function goesBack(work: Work): boolean {
  return restores(work) && work.closing?.broken !== true;
}

/** Says that an attempt was stopped, and where its work is. */
export function sayStopped(work: Work, job: Job, turn: Turn): void {
  const { kept, rescue } = keptOf(work, job);
  const { task_id: id = "" } = job.facts;
  // Nothing was begun in this run yet: the work is an earlier one's.
  if (job.putsAside === true && job.facts.iteration === 0 && rescue !== undefined)
    turn.notes.push({ type: "warning", ...job.facts, message: leftBehindText(id, rescue) });
  turn.notes.push({
    type: "attempt_stopped",
    ...job.facts,
    kept,
    ...given({ rescue }),
  });
}

function leftBehindText(id: string, rescue: string): string {
  const name = rescue.replace(/^refs\/looper\/rescue\//, "");
  return `${id} is not in progress any more: the unfinished work an earlier run left in the tree was put aside; bring it back with \`looper rescue restore ${name}\``;
}

function keptOf(work: Work, { rescue }: Job): Pick<StoppedAttempt, "kept" | "rescue"> {
  if (rescue !== undefined) return { kept: "rescue", rescue };
  return { kept: restores(work) ? "nothing" : "tree" };
}

/** A released job is over. It was no attempt; an agent that was asked has made an iteration of it all the same. */
export function endReleased(work: Work, job: Job): Work {
  const id = taskOf(job);
  const { agent, attempt } = job.facts;
  const who = job.putsAside === true ? {} : { agent, attempt };
  const stopped: StoppedAttempt = { task_id: id, ...who, ...keptOf(work, job) };
  const asked = work.asked.map((edit) =>
    edit.ids.includes(id) ? { ...edit, stopped: [...edit.stopped, stopped] } : edit,
  );
  const rest = { ...dropJob(work, job), asked };
  if (job.putsAside === true) return rest;
  const counted = uncount(rest, job);
  return job.end === undefined ? counted : { ...counted, iterations: work.iterations };
}

/** The edit that was asked for first is made, or was refused. `before`: as the run was until then. */
export function answerEdit(
  before: Work,
  work: Work,
  event: Extract<StepEvent, { type: "backlog_changed" }>,
  turn: Turn,
): Work {
  const [asked, ...rest] = work.asked;
  if (asked === undefined || asked.request !== event.request)
    throw new Error(`the edit ${event.request ?? ""} was not asked for`);
  const [refusal] = event.refused;
  turn.because = { rule: refusal === undefined ? "edited" : "edit-refused", why: refusal?.why ?? "" };
  const stays = unfinished(before, asked).map((id): StoppedAttempt => ({ task_id: id, kept: "tree" }));
  turn.notes.push({
    type: "edit_answered",
    request: asked.request,
    outcome: refusal === undefined ? "applied" : "refused",
    ...(refusal === undefined ? {} : { why: refusal.why }),
    stopped: [...asked.stopped, ...stays],
  });
  const blocked = refusal === undefined ? blockedIn(asked.changes) : [];
  return { ...work, asked: rest, blockedByHand: new Set([...work.blockedByHand, ...blocked]) };
}

function blockedIn(changes: AskedEdit["changes"]): TaskId[] {
  return changes.flatMap((change) =>
    change.op === "edit" && change.set.status === "blocked" ? change.id : [],
  );
}

/** Takes over what the store says of the backlog, what people changed in it included. */
export function takeChanged(work: Work, outcome: Outcome, job: Job | undefined, turn: Turn): Work {
  const taken = takeOutcome(work, outcome, job, turn);
  return outcome.edits === undefined ? taken : heedEdits(work, taken, { outcome, edits: outcome.edits });
}

/** Tasks that a person blocked are left alone; of one that left the run's hands by an edit the work is put aside. */
function heedEdits(
  before: Work,
  work: Work,
  { outcome, edits }: { outcome: Outcome; edits: NonNullable<Outcome["edits"]> },
): Work {
  const own = new Set(outcome.updated.map(({ id }) => id));
  const heard = (outcome.heard ?? []).flatMap(({ changes }) => changes);
  const told = new Set(heard.filter((change) => endsAttempt(change, undefined)).map(taskOfChange));
  // While its agent works, an edit of a task that no editing command reported may be the agent's. A claim has no agent yet.
  const inHand = (id: TaskId): boolean =>
    !told.has(id) &&
    work.jobs.some(({ facts, stage }) => facts.task_id === id && stage !== "after" && stage !== "claim");
  const moved = [...edits.added, ...edits.changed, ...(edits.removed ?? [])].filter(
    (id) => !own.has(id) && statusIn(before, id) !== statusIn(work, id) && !inHand(id),
  );
  const blocked = moved.filter((id) => statusIn(work, id) === "blocked");
  const strays = restores(work) ? moved.filter((id) => statusIn(before, id) === "doing") : [];
  if (strays.length + blocked.length === 0 && told.size === 0) return work;
  return {
    ...work,
    strays: [...new Set([...work.strays, ...strays])],
    blockedByHand: new Set([...work.blockedByHand, ...blocked, ...blockedIn(heard)]),
  };
}

function statusIn({ index }: Work, id: TaskId): IndexRow["status"] | undefined {
  return index.get(id)?.status;
}
