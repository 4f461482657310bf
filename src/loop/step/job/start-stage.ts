// Starts the jobs of workflows: the stage of a task that was selected, the two ends, and those that only move work. Pure.
// routes.ts has the activities of each.
import { never } from "../../../system/never.js";
import type { Change } from "../../../todo/model/changes/change.js";
import type { IndexRow, Status, TaskId } from "../../../todo/model/task.js";
import { passStages } from "../../../workflow/advance.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import { DEFAULT_WORKFLOW } from "../../../workflow/words.js";
import { makeAsk, noteAsked, noteEntered, type Move } from "./advance.js";
import { NO_AGENT } from "../edits.js";
import type { Decision } from "../decision.js";
import type { JobFacts } from "../effects.js";
import { addJob } from "../jobs.js";
import { hasAgent, makeJob } from "./routes.js";
import { chooseAgent, chooseStageAgent, orderOfPhase } from "../schedule/schedule.js";
import { locate, routeOf, type Position } from "./stage.js";
import type { Route, Job, RunState, Work } from "../state.js";
import type { RowNeed } from "./moves.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { listPassedOver } from "../../../workflow/file/passed-over.js";
import type { Workflow } from "../../../workflow/workflow.js";

/** How a task was selected, for readers of the log. */
export interface Selected {
  reason: "doing" | "todo" | "blocked";
  candidates: number;
  next?: TaskId | undefined;
}

type Ready = Extract<Position, { kind: "default" | "enter" | "stage" }>;

/** The job that comes next for a task. `stage`, `visit`: absent under `default`, whose one stage no row names. */
export interface NextStage {
  route: Route;
  stage?: string;
  visit?: number;
}

/** The job that a selected task needs; `undefined`: a question comes first. */
export function findNextStage(work: Work, row: IndexRow, position: Ready): NextStage | undefined {
  if (position.kind === "default") return { route: "attempt" };
  const isThere = position.kind === "stage";
  const at = isThere ? position.progress : { stage: pass(work, row, position).to, visit: 1 };
  const stage = position.workflow.stages[at.stage];
  const route = stage && routeOf(stage);
  return route && { route, stage: at.stage, visit: at.visit };
}

function pass({ rules }: Work, { progress }: IndexRow, { workflow, to }: Extract<Ready, { kind: "enter" }>) {
  const at = { visits: {}, facts: progress?.facts };
  return passStages(workflow, at, to, rules.skip ?? []);
}

/** The agent of the next stage; a warning says if it is the one that the stage wants another than. */
export function chooseAgentOf(
  work: Pick<Work, "rules" | "dropped" | "backoffs" | "iterations" | "agents">,
  row: Pick<IndexRow, "agent"> & { progress?: Pick<ProgressRow, "agents"> | undefined },
  {
    position,
    next,
    at,
    picked,
  }: { position: Ready; next: NextStage; at: number; picked?: string | undefined },
): ReturnType<typeof chooseAgent> {
  const { rules, dropped, backoffs } = work;
  const now = { iteration: work.iterations + 1, dropped, backoffs, at, picked, wanted: row.agent };
  if (position.kind === "default") return chooseAgent(rules, orderOfPhase(rules, "iteration", now));
  const stage = position.workflow.stages[next.stage ?? ""];
  if (stage === undefined || !hasAgent(next.route)) return { choice: { agent: NO_AGENT } };
  return chooseStageAgent(rules, { ...now, stage, progress: row.progress ?? {}, known: work.agents ?? [] });
}

/** Starts the job of a task: the claim, and before it the entry into its workflow. */
export function startStage(
  work: Work,
  row: IndexRow,
  order: { position: Ready; next: NextStage; agent: string; same?: string | undefined; selected: Selected },
  decision: Decision,
): RunState {
  const { position, next, agent, same, selected } = order;
  const { reason, candidates } = selected;
  const facts = makeFacts(work, row, next, agent);
  decision.because = { rule: `select-${reason}`, picked: row.id, candidates, loser: selected.next };
  decision.notes.push({ type: "task_selected", ...facts, reason, candidates, next: selected.next });
  const warned = warnOfRow(work, row, position, decision);
  if (same !== undefined) {
    const message = `no other agent is left: ${same} does the stage ${next.stage ?? ""} as well, in a new session`;
    decision.notes.push({ type: "warning", ...facts, message });
  }
  const entry = position.kind === "enter" ? makeEntry(work, row, position, decision.at) : undefined;
  const job: Job = { ...makeJob(facts, next.route), from: row.status, entering: entry?.notes };
  const counts = hasAgent(next.route);
  claim(work, job, { status: row.status, before: entry?.changes ?? [] }, decision);
  const counted = {
    ...warned,
    iterations: work.iterations + (counts ? 1 : 0),
    attempts: counts ? work.attempts.with(row.id, facts.attempt) : work.attempts,
    reviews: { ...work.reviews, clean: false, failed: 0 },
  };
  return addJob(counted, job);
}

/** A task whose first stage asks a person enters it without a job. */
export function enterQuestion(
  work: Work,
  row: IndexRow,
  position: Extract<Ready, { kind: "enter" }>,
  decision: Decision,
): RunState {
  const { changes, notes } = makeEntry(work, row, position, decision.at);
  decision.because = { rule: "enter", picked: row.id };
  return moveRows(work, { changes, moving: [{ id: row.id, notes, row }] }, decision);
}

/** Changes rows without a job; onReread logs the lines of those that were not refused. */
export function moveRows(
  work: Work,
  { changes, moving }: { changes: readonly Change[]; moving: NonNullable<Work["moving"]> },
  decision: Decision,
): RunState {
  const during = work.jobs.length > 0 ? "agent" : "idle";
  decision.effects.push({ kind: "change-backlog", changes, during });
  return { phase: "working", work: { ...work, rereading: true, moving } };
}

/** The changes with which a task enters its workflow, through stages that are passed and questions that a setting answers. */
function makeEntry(
  work: Work,
  row: IndexRow,
  position: Extract<Ready, { kind: "enter" }>,
  at: number,
): { changes: Change[]; notes: NonNullable<Job["entering"]> } {
  const { workflow, digest } = position;
  const led = pass(work, row, position);
  const ask = makeAsk(workflow, led.to, { at });
  const enter: Change = {
    op: "enter",
    id: row.id,
    workflow: workflow.name,
    digest,
    to: led.to,
    ask,
  };
  const notes = noteEntered(row.id, { visit: 0 }, undefined, led);
  return {
    changes: [enter],
    notes: ask === undefined ? notes : [...notes, noteAsked(row.id, { visit: 1 }, ask, at)],
  };
}

function makeFacts(
  { nextJob, iterations, attempts }: Work,
  { id }: IndexRow,
  { route, stage, visit }: NextStage,
  agent: string,
): JobFacts & { phase: "iteration" } {
  const tried = attempts.get(id) ?? 0;
  const counts = hasAgent(route);
  return {
    job: nextJob,
    phase: "iteration",
    iteration: iterations + (counts ? 1 : 0),
    agent,
    attempt: counts ? tried + 1 : Math.max(1, tried),
    task_id: id,
    stage,
    visit,
  };
}

/** A job without an agent is not an attempt. */
function claim(
  work: Work,
  job: Job,
  { status, before }: { status: Status; before: readonly Change[] },
  decision: Decision,
): void {
  const { task_id: id } = job.facts;
  if (id === undefined) throw new Error("a stage without a task");
  const uncount: Change[] = hasAgent(job.route) ? [] : [{ op: "uncount", id }];
  decision.effects.push({
    kind: "change-backlog",
    job: job.facts,
    changes: [...before, { op: "claim", id, expect: status }, ...uncount],
    during: work.jobs.length > 0 ? "agent" : "idle",
  });
}

/** Starts a job that has no agent, for a row that needs one before any task is selected. */
export function startNeed(
  work: Work,
  need: Exclude<RowNeed, { kind: "move" }>,
  decision: Decision,
): RunState {
  const { row } = need;
  switch (need.kind) {
    case "shelve":
      return startShelve(work, row, decision);
    case "discard":
      return startDiscard(work, need, decision);
    case "give-up": {
      const { move } = need;
      const status = move.advances.at(-1)?.status ?? row.status;
      return startEnd(work, row, { route: "give-up", before: move, status }, decision);
    }
    case "end":
      return startOwnEnd(work, row, decision);
    default:
      return never(need);
  }
}

/** A task that is at its end, or one that a person completed before it was in a stage. */
function startOwnEnd(work: Work, row: IndexRow, decision: Decision): RunState {
  const position = locate(work.rules, row);
  if (position.kind === "end")
    return startEnd(
      warnOfRow(work, row, position, decision),
      row,
      { route: position.end === "finish" ? "deliver" : "give-up", status: row.status },
      decision,
    );
  const known = position.kind === "enter" ? position : undefined;
  const enter: Change = {
    op: "enter",
    id: row.id,
    workflow: known?.workflow.name ?? DEFAULT_WORKFLOW,
    digest: known?.digest ?? DEFAULT_WORKFLOW,
    to: "finish",
  };
  const notes = noteEntered(row.id, { visit: 0 }, undefined, { to: "finish", passed: [] });
  return startEnd(work, row, { route: "deliver", entry: { enter, notes }, status: row.status }, decision);
}

interface EndOrder {
  route: "deliver" | "give-up";
  /** The status that the claim finds. */
  status: Status;
  /** The move that leads to the end, in the same change as the claim. */
  before?: Move;
  entry?: { enter: Change; notes: NonNullable<Job["entering"]> };
}

function startEnd(
  work: Work,
  row: IndexRow,
  { route, status, before, entry }: EndOrder,
  decision: Decision,
): RunState {
  const end = route === "deliver" ? "finish" : "block";
  const visit = entry === undefined ? (row.progress?.visit ?? 1) + (before?.advances.length ?? 0) : 1;
  const facts = makeFacts(work, row, { route, stage: end, visit }, NO_AGENT);
  const entering = before?.notes ?? entry?.notes;
  const job: Job = { ...makeJob(facts, route), from: status, entering };
  decision.because = { rule: end, picked: row.id };
  const changes = before?.advances ?? (entry === undefined ? [] : [entry.enter]);
  claim(work, job, { status, before: changes }, decision);
  return addJob(work, job);
}

/** Takes the work of a paused task out of the tree, so that others can work there. */
function startShelve(work: Work, row: IndexRow, decision: Decision): RunState {
  const { stage = "do", visit = 1 } = row.progress ?? {};
  const facts = makeFacts(work, row, { route: "shelve", stage, visit }, NO_AGENT);
  const job: Job = { ...makeJob(facts, "shelve"), from: row.status };
  decision.because = { rule: "shelve", picked: row.id };
  decision.effects.push({ kind: "checkpoint", job: job.facts, reuse: true, apply_work: true });
  return addJob(work, job);
}

/** Drops the changes of a stage that a person rejected, from the work that is saved. */
function startDiscard(work: Work, need: Extract<RowNeed, { kind: "discard" }>, decision: Decision): RunState {
  const { row, move, outcome, stage: dropped } = need;
  const { stage = "", visit = 1 } = row.progress ?? {};
  const facts = makeFacts(work, row, { route: "discard", stage, visit }, NO_AGENT);
  const { advances, notes } = move;
  const visitEnd = { outcome, advances, notes, more: [] };
  const job: Job = { ...makeJob(facts, "discard"), from: row.status, visitEnd };
  const order = { outcome, shelve: true, work: false, discard: { stage: dropped } };
  decision.because = { rule: "discard", picked: row.id };
  decision.effects.push({ kind: "save-work", job: facts, ...order });
  return addJob(work, job);
}

/** Makes each warning once in a run. */
export function warnOfRow(work: Work, row: IndexRow, position: Position, decision: Decision): Work {
  const warned = work.warned ?? new Set();
  const messages = explain(work, row, position).filter((message) => !warned.has(message));
  if (messages.length === 0) return work;
  for (const message of messages) decision.notes.push({ type: "warning", task_id: row.id, message });
  return { ...work, warned: new Set([...warned, ...messages]) };
}

function explain({ rules }: Work, row: IndexRow, position: Position): string[] {
  switch (position.kind) {
    case "stage": {
      const moved: Brought = { workflow: position.workflow, at: position.progress, how: "moved by hand to" };
      return [...explainChanged(row, position), ...explainPassedOver(row, moved, rules.skip ?? [])];
    }
    case "enter": {
      const { facts, answered_stages } = row.progress ?? {};
      const at = { stage: position.to, visit: 1, facts, answered_stages };
      const moved: Brought = { workflow: position.workflow, at, how: "restarted at" };
      return explainPassedOver(row, moved, rules.skip ?? []);
    }
    case "end": {
      const { workflow, progress: at } = position;
      if (workflow === undefined || at.complete === true) return [];
      const digest = rules.workflows?.[workflow.name]?.digest ?? at.digest;
      return [
        ...explainChanged(row, { workflow, digest }),
        ...explainPassedOver(row, { workflow, at, how: "moved by hand to" }, rules.skip ?? []),
      ];
    }
    case "default":
    case "lost":
      return [];
    default:
      return never(position);
  }
}

/** The file of a workflow may change while a task is in it: the current one counts. */
function explainChanged(
  { id, progress }: IndexRow,
  { workflow, digest }: { workflow: Workflow; digest: string | undefined },
): string[] {
  const before = progress?.digest;
  if (before === undefined || before === digest) return [];
  return [`the workflow ${workflow.name} has changed since ${id} began: it goes by the current file`];
}

/** A task that was brought past questions by a person. `at`: where it is now. */
interface Brought {
  workflow: Workflow;
  at: Parameters<typeof listPassedOver>[1];
  how: "moved by hand to" | "restarted at";
}

function explainPassedOver({ id }: IndexRow, brought: Brought, skip: readonly string[]): string[] {
  const passed = listPassedOver(brought.workflow, brought.at, skip);
  const [first] = passed;
  if (first === undefined) return [];
  const what =
    passed.length === 1
      ? `the question of ${first}, which has`
      : `the questions of ${passed.join(", ")}, which have`;
  return [
    `${id} was ${brought.how} ${brought.at.stage}, past ${what} no answer; to be asked: looper todo ${quoteIfNeeded(id)} --restart --stage ${first}`,
  ];
}
