// Starts the jobs of workflows: the stage of a task that was selected, the two ends, and those that only move work. Pure.
// jobs.ts has the activities of each.
import { never } from "../../../system/never.js";
import type { Change } from "../../../todo/model/changes/change.js";
import type { selectTask } from "../../../todo/model/select.js";
import type { IndexRow } from "../../../todo/model/task.js";
import { passStages } from "../../../workflow/advance.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import { DEFAULT_WORKFLOW } from "../../../workflow/words.js";
import { makeAsk, type Move, noteAsked, noteEntered, type RowNeed } from "./advance.js";
import { NO_AGENT } from "../edits.js";
import type { Decision } from "../decision.js";
import type { JobFacts } from "../effects.js";
import { addJob, getTaskId, hasAgent, makeJob } from "../jobs.js";
import { chooseAgent } from "../schedule/schedule.js";
import { locate, type Position, routeOf } from "./stage.js";
import type { Job, Route, RunState, Work } from "../state.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { listPassedOver } from "../../../workflow/file/graph.js";
import type { Workflow } from "../../../workflow/workflow.js";

/** How a task was selected, for readers of the log. */
type Selected = Exclude<ReturnType<typeof selectTask>, { none: unknown }>;

type Ready = Extract<Position, { kind: "default" | "enter" | "stage" }>;

/** The job that comes next for a task. `stage`, `visit`: absent under `default`, whose one stage no row names. */
export interface NextStage extends Pick<JobFacts, "stage" | "visit"> {
  route: Route;
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

/**
 * The agent of the next stage (contract §4): `--agent`, that of the session, the one that the stage names, the task's own, then the
 * schedule's. `same`: it is the one that the stage wants another than.
 */
export function chooseAgentOf(
  work: Pick<Work, "rules" | "dropped" | "backoffs" | "iterations" | "agents">,
  {
    agent: wanted,
    progress,
  }: Pick<IndexRow, "agent"> & { progress?: Pick<ProgressRow, "agents"> | undefined },
  order: { position: Ready; next: NextStage; at: number; picked?: string | undefined },
): ReturnType<typeof chooseAgent> {
  const { rules, dropped, backoffs, iterations: turn } = work;
  const { position, next, at, picked } = order;
  const now = { dropped, backoffs, at, picked, turn };
  if (position.kind === "default")
    return chooseAgent(rules, { ...now, named: [rules.agent, wanted, rules.roles.iteration] });
  const stage = position.workflow.stages[next.stage ?? ""];
  if (stage?.prompt === undefined) return { choice: { agent: NO_AGENT } };
  const { agent: own = "", session = "new", not_agent_of = "" } = stage;
  const named = rules.stage_agents?.[own] ?? (work.agents?.includes(own) === true ? own : undefined);
  // A session is resumed by the agent that it belongs to.
  const resumed = session === "new" ? undefined : progress?.agents?.[session];
  const unlike = progress?.agents?.[not_agent_of];
  return chooseAgent(rules, { ...now, named: [rules.agent, resumed, named, wanted], unlike });
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
    decision.warn(message, facts);
  }
  const entry = position.kind === "enter" ? makeEntry(work, row, position, decision.at) : undefined;
  const job: Job = { ...makeJob(facts, next.route), from: row.status, entering: entry?.notes };
  const counts = hasAgent(next.route);
  claim(work, job, entry?.changes ?? [], decision);
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
  const enter: Change = { op: "enter", id: row.id, workflow: workflow.name, digest, to: led.to, ask };
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
function claim(work: Work, job: Job, before: readonly Change[], decision: Decision): void {
  const id = getTaskId(job);
  const uncount: Change[] = hasAgent(job.route) ? [] : [{ op: "uncount", id }];
  decision.effects.push({
    kind: "change-backlog",
    job: job.facts,
    changes: [...before, { op: "claim", id, expect: job.from ?? "todo" }, ...uncount],
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
  const { stage = "do", visit = 1 } = row.progress ?? {};
  switch (need.kind) {
    case "shelve": {
      // The work of a paused task leaves the tree, so that others can work there.
      const job = makeAgentless(work, row, { route: "shelve", stage, visit });
      decision.because = { rule: "shelve", picked: row.id };
      decision.effects.push({ kind: "checkpoint", job: job.facts, reuse: true, apply_work: true });
      return addJob(work, job);
    }
    case "discard": {
      // The changes of a stage that a person rejected leave the work that is saved.
      const { move, outcome, stage: dropped } = need;
      const job = makeAgentless(work, row, { route: "discard", stage, visit });
      const order = { outcome, shelve: true, work: false, discard: { stage: dropped } };
      decision.because = { rule: "discard", picked: row.id };
      decision.effects.push({ kind: "save-work", job: job.facts, ...order });
      const visitEnd = { outcome, advances: move.advances, notes: move.notes, more: [] };
      return addJob(work, { ...job, visitEnd });
    }
    case "give-up": {
      const { advances, notes } = need.move;
      const end = { route: "give-up" as const, visit: visit + advances.length, changes: advances, notes };
      return startEnd(work, { ...row, status: advances.at(-1)?.status ?? row.status }, end, decision);
    }
    case "end":
      return startOwnEnd(work, row, decision);
    default:
      return never(need);
  }
}

function makeAgentless(work: Work, row: IndexRow, next: NextStage): Job {
  return { ...makeJob(makeFacts(work, row, next, NO_AGENT), next.route), from: row.status };
}

/** A task that is at its end, or one that a person completed before it was in a stage. */
function startOwnEnd(work: Work, row: IndexRow, decision: Decision): RunState {
  const position = locate(work.rules, row);
  if (position.kind === "end") {
    const route = position.end === "finish" ? "deliver" : "give-up";
    const end = { route, visit: position.progress.visit, changes: [] } as const;
    return startEnd(warnOfRow(work, row, position, decision), row, end, decision);
  }
  const known = position.kind === "enter" ? position : undefined;
  const workflow = known?.workflow.name ?? DEFAULT_WORKFLOW;
  const digest = known?.digest ?? DEFAULT_WORKFLOW;
  const enter: Change = { op: "enter", id: row.id, workflow, digest, to: "finish" };
  const notes = noteEntered(row.id, { visit: 0 }, undefined, { to: "finish", passed: [] });
  return startEnd(work, row, { route: "deliver", visit: 1, changes: [enter], notes }, decision);
}

/** `row`: as the claim finds it. `changes`: what leads to the end, in the same change as the claim. */
function startEnd(
  work: Work,
  row: IndexRow,
  end: { route: "deliver" | "give-up"; visit: number; changes: readonly Change[]; notes?: Move["notes"] },
  decision: Decision,
): RunState {
  const { route, visit, changes, notes: entering } = end;
  const stage = route === "deliver" ? "finish" : "block";
  const job: Job = { ...makeAgentless(work, row, { route, stage, visit }), entering };
  decision.because = { rule: stage, picked: row.id };
  claim(work, job, changes, decision);
  return addJob(work, job);
}

/** Makes each warning once in a run. */
function warnOfRow(work: Work, row: IndexRow, position: Position, decision: Decision): Work {
  const warned = work.warned ?? new Set();
  const messages = explain(work, row, position).filter((message) => !warned.has(message));
  if (messages.length === 0) return work;
  for (const message of messages) decision.warn(message, { task_id: row.id });
  return { ...work, warned: new Set([...warned, ...messages]) };
}

function explain({ rules }: Work, row: IndexRow, position: Position): string[] {
  const passed = (workflow: Workflow, at: Passed, how = "moved by hand to"): string[] =>
    explainPassedOver(row, `${how} ${at.stage}`, listPassedOver(workflow, at, rules.skip ?? []));
  switch (position.kind) {
    case "stage":
      return [...explainChanged(row, position), ...passed(position.workflow, position.progress)];
    case "enter": {
      const { facts, answered_stages } = row.progress ?? {};
      const at = { stage: position.to, visit: 1, facts, answered_stages };
      return passed(position.workflow, at, "restarted at");
    }
    case "end": {
      const { workflow, progress: at } = position;
      if (workflow === undefined || at.complete === true) return [];
      const digest = rules.workflows?.[workflow.name]?.digest ?? at.digest;
      return [...explainChanged(row, { workflow, digest }), ...passed(workflow, at)];
    }
    default:
      return [];
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

type Passed = Parameters<typeof listPassedOver>[1];

/** A task that a person brought past questions. `where`: to where it is now. */
function explainPassedOver({ id }: IndexRow, where: string, passed: readonly string[]): string[] {
  const [first] = passed;
  if (first === undefined) return [];
  const what =
    passed.length === 1
      ? `the question of ${first}, which has`
      : `the questions of ${passed.join(", ")}, which have`;
  return [
    `${id} was ${where}, past ${what} no answer; to be asked: looper todo ${quoteIfNeeded(id)} --restart --stage ${first}`,
  ];
}
