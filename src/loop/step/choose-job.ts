// Chooses the next job, or ends the run. Pure. working.ts handles the events of a job.
import type { Ending, EventOf } from "../../logging/events/events.js";
import { PersistentMap } from "../../system/persistent-map.js";
import { ById } from "../../todo/model/indexed-list.js";
import { closure, selectTask } from "../../todo/model/select.js";
import { compareIds } from "../../todo/model/order.js";
import { type IndexRow, TaskId } from "../../todo/model/task.js";
import { explainRunOver } from "./job/spending.js";
import { reread, startDueEdit } from "./edits.js";
import { beginClose } from "./ending.js";
import { addJob, hasAgent, makeJob } from "./jobs.js";
import { listNeeds, type RowNeed } from "./job/advance.js";
import { listOpenQuestions, waitForPeople } from "./job/questions.js";
import { isInWorkflow, locate } from "./job/stage.js";
import {
  chooseAgentOf,
  enterQuestion,
  findNextStage,
  moveRows,
  startNeed,
  startStage,
} from "./job/start-stage.js";
import { type AgentChoice, choosePhaseAgent, waitFor } from "./schedule/schedule.js";
import type { Job, Opening, RunState, TaskResult, Work } from "./state.js";
import type { Decision } from "./decision.js";

/** A review that failed is tried once more (contract §4, *Review*). */
const MOST_FAILED_REVIEWS = 2;

/** Starts work on the first usable backlog. */
export function beginWork(opening: Opening, event: EventOf<"backlog_read">, decision: Decision): RunState {
  if (event.rows === undefined) throw new Error("backlog_read came without its rows");
  const { rows } = event;
  // L16: a dead run's work is saved before anything else starts.
  const left = event.left_behind === undefined ? [] : [TaskId.parse(event.left_behind)];
  const { rules, git, stopping, began, spent, agents, clients } = opening;
  const { dropped, backoffs, earlierResults, reportedChecks = new Set() } = opening;
  const work: Work = {
    ...{ rules, git, stopping, began, spent, agents, clients, dropped, backoffs, reportedChecks },
    index: ById.of<IndexRow>(rows),
    jobs: [],
    // Drafts and repairs took the first numbers.
    nextJob: opening.nextJob,
    iterations: 0,
    attempts: PersistentMap.of(),
    spentOn: PersistentMap.of(),
    blockedAtStart: new Set(
      rows
        .filter((row) => row.status === "blocked" && row.progress?.asked === undefined)
        .map((row) => row.id),
    ),
    final: PersistentMap.of(),
    earlier: PersistentMap.of(),
    reviews: { added: 0, failed: 0, clean: false },
    rereading: false,
    toPutAside: left,
    results: earlierResults?.reduce(
      (known, { task_id: id, ...result }) => known.with(id, result),
      PersistentMap.of<TaskId, TaskResult>(),
    ),
    blockedByHand: new Set(),
  };
  return choose(work, decision);
}

/** Continues after a job started or ended: rereads the backlog, or ends the run. */
export function startNext(work: Work, decision: Decision): RunState {
  const before = stopHere(work, decision);
  if (before !== undefined) return before;
  if (work.rereading || work.jobs.length >= work.rules.workers) return { phase: "working", work };
  return reread(work, decision);
}

/** An edit that is due, the end of the run, or no new job; `undefined`: one may start. */
function stopHere(work: Work, decision: Decision): RunState | undefined {
  const next = startDueEdit(work, decision) ?? endIfAsked(work, decision);
  const isOver = work.stopping > 0 || work.closing !== undefined || isPicking(work);
  return next ?? (isOver ? { phase: "working", work } : undefined);
}

/** L13: every wait has a timer. The delay comes before an iteration, never before the end of the run. */
function waitForDelay(work: Work, decision: Decision): RunState | undefined {
  if (work.resumeAt === undefined || work.resumeAt <= decision.at) return undefined;
  decision.because = { rule: "delay" };
  decision.wakeAt = work.resumeAt;
  const until = new Date(work.resumeAt).toISOString();
  decision.notes.push({ type: "waiting", reason: "loop.delay_seconds", until });
  return { phase: "working", work };
}

/** L13: waits until the agent may be asked again, or ends the run if that takes too long. */
function waitForAgent(
  work: Work,
  choice: Exclude<AgentChoice, { agent: string }>,
  decision: Decision,
): RunState {
  if (choice === undefined) return end(work, "environment", "no agent is left that can be used", decision);
  const tooLong = waitFor(work, choice, decision);
  return tooLong === undefined ? { phase: "working", work } : end(work, "waiting", tooLong, decision);
}

/** Chooses the next job from the current backlog. L3: in the order of contract §3.4, and no task has two jobs. */
export function choose(work: Work, decision: Decision): RunState {
  const before = stopHere(work, decision);
  if (before !== undefined) return before;
  const rows = work.index.values;
  const only = work.rules.only === undefined ? undefined : closure(work.rules.only, rows);
  if (work.rules.only !== undefined && only === undefined) {
    return end(work, "unusable-backlog", `there is no task ${work.rules.only} in the backlog`, decision);
  }
  const inHand = work.jobs.flatMap(({ facts }) => facts.task_id ?? []);
  const needs = listNeeds(work, { only, inHand }, decision);
  const needed = startNeeds(work, needs, decision);
  if (needed !== undefined) return needed;
  const isNeeded = (id: TaskId): boolean => inHand.includes(id) || needs.some(({ row }) => row.id === id);
  const suspected = [...(work.suspects?.values() ?? [])].flatMap(({ id }) =>
    work.held?.has(id) === true ? [id] : [],
  );
  const chosen = findTask(work, only, isNeeded, suspected);
  if (!("none" in chosen)) return startChosen(work, chosen, decision);
  if (work.jobs.length > 0) return { phase: "working", work };
  const [late] = needs;
  if (late !== undefined && late.kind !== "move") return startAgentless(work, late, decision);
  const open = listOpenQuestions(work, only);
  if (open.length > 0) {
    const waits = waitForPeople(work, open, decision);
    return typeof waits === "string" ? end(work, "waiting", waits, decision) : waits;
  }
  return startReviewOrEnd(work, chosen.none, decision);
}

/** L12: tasks whose agent may not work come last. */
function findTask(
  work: Work,
  only: ReadonlySet<TaskId> | undefined,
  isLeftOut: (id: TaskId) => boolean,
  last: readonly TaskId[],
): ReturnType<typeof selectTask> {
  const find = (later: readonly TaskId[]): ReturnType<typeof selectTask> => {
    const tried = {
      // A task in a workflow is given up by its stage, not left out for its attempts.
      attempts: { get: (id: TaskId) => (isStaged(work, id) ? 0 : work.attempts.get(id)) },
      maxAttempts: work.rules.max_attempts,
      blockedAtStart: work.blockedAtStart,
      finalForRun: {
        has: (id: TaskId) =>
          work.final.has(id) ||
          later.includes(id) ||
          (work.blockedByHand.has(id) && work.index.get(id)?.status === "blocked") ||
          isAsked(work, id) ||
          isLeftOut(id),
      },
      only,
    };
    return selectTask(work.index.values, tried, (id) => work.index.get(id)?.status);
  };
  const first = find(last);
  return "none" in first && last.length > 0 && work.jobs.length === 0 ? find([]) : first;
}

/** Whether another task could be tried instead of this one. */
export function hasOther(work: Work, { facts }: Job): boolean {
  const { only } = work.rules;
  const reach = only === undefined ? undefined : closure(only, work.index.values);
  return "picked" in findTask(work, reach, (id) => id === facts.task_id, [...(work.held ?? [])]);
}

/** L22: what rows ask for comes before any task: all moves at once, then one job at a time, in a tree that holds no other work. */
function startNeeds(work: Work, needs: readonly RowNeed[], decision: Decision): RunState | undefined {
  const moves = needs.filter((need) => need.kind === "move");
  if (moves.length > 0) {
    decision.because = { rule: "move", picked: moves[0]?.row.id, candidates: moves.length };
    const changes = moves.flatMap(({ move }) => move.advances);
    const moving = moves.map(({ row, move }) => ({ id: row.id, notes: move.notes, row }));
    return moveRows(work, { changes, moving }, decision);
  }
  if (work.jobs.length > 0) return undefined;
  const inHand = work.index.values.filter(({ id, status }) => status === "doing" && !work.final.has(id));
  const sorted = needs.toSorted((a, b) => compareIds(a.row.id, b.row.id));
  const next =
    sorted.find(({ kind }) => kind === "shelve") ??
    sorted.find(({ row }) => inHand.every(({ id }) => id === row.id));
  return next === undefined || next.kind === "move" ? undefined : startAgentless(work, next, decision);
}

/** L18: nothing starts once the run's budget is spent, but a job without an agent is not an iteration. */
function startAgentless(work: Work, need: Exclude<RowNeed, { kind: "move" }>, decision: Decision): RunState {
  const spent = explainRunOver(work, decision.at);
  if (spent !== undefined && need.kind !== "shelve") return end(work, "budget", spent, decision);
  if (need.kind !== "shelve" || isInWorkflow(need.row)) return startNeed(work, need, decision);
  // A paused task without stages has no saved work: the changes in the tree become a rescue.
  const { id } = need.row;
  decision.because = { rule: "paused", picked: id };
  const seen = { ...work, toPutAside: [...work.toPutAside, id] };
  return moveRows(seen, { changes: [{ op: "return", id, to: "todo" }], moving: [] }, decision);
}

/** Whether a task goes through the stages of a workflow. */
function isStaged({ rules, index }: Work, id: TaskId): boolean {
  const row = index.get(id);
  const isPossible = rules.workflows !== undefined || row?.progress !== undefined;
  return isPossible && row !== undefined && locate(rules, row).kind !== "default";
}

/** Starts the task that was selected, at its next stage. */
function startChosen(work: Work, chosen: Picked, decision: Decision): RunState {
  const row = chosen.picked;
  const position = locate(work.rules, row);
  if (position.kind === "lost") return giveUpLost(work, row, position.why, decision);
  if (position.kind === "end") throw new Error(`${row.id} was selected at its end`);
  const next = findNextStage(work, row, position);
  if (next === undefined) {
    if (position.kind !== "enter") throw new Error(`${row.id} was selected at a question`);
    return enterQuestion(work, row, position, decision);
  }
  const over = findSpentLimit(work, hasAgent(next.route), decision);
  if (over !== undefined && work.jobs.length > 0) return { phase: "working", work };
  if (over !== undefined) return end(work, over.ending, over.message, decision);
  const waits = waitForDelay(work, decision);
  if (waits !== undefined) return waits;
  // The agent that the user's module chose for this iteration, unless it was dropped since.
  const { pick: { id, iteration, agent = "" } = {}, iterations, dropped } = work;
  const isOfNext = id === row.id && iteration === iterations + 1 && !dropped.has(agent);
  const picked = isOfNext && agent !== "" ? agent : undefined;
  const { choice, same, open } = chooseAgentOf(work, row, { position, next, at: decision.at, picked });
  if (open === true) return askPick(work, row.id, decision);
  if (choice === undefined || !("agent" in choice)) return waitForAgent(work, choice, decision);
  return startStage(work, row, { position, next, agent: choice.agent, same, selected: chosen }, decision);
}

/** Asks the user's module for the agent of the next iteration; nothing is claimed before it has answered. */
function askPick(work: Work, id: TaskId, decision: Decision): RunState {
  const iteration = work.iterations + 1;
  decision.because = { rule: "pick-agent", picked: id };
  decision.effects.push({
    kind: "pick-agent",
    task_id: id,
    iteration,
    attempt: (work.attempts.get(id) ?? 0) + 1,
    agents: work.rules.schedule.filter((name) => !work.dropped.has(name)),
    failed: work.earlier.get(id) ?? [],
  });
  return { phase: "working", work: { ...work, pick: { id, iteration } } };
}

/** Whether the user's module is choosing an agent. */
function isPicking({ pick }: Work): boolean {
  return pick !== undefined && pick.agent === undefined;
}

/** The workflow of a task is not there: it is given up with that reason, and what is in the tree is put aside. */
function giveUpLost(work: Work, row: IndexRow, why: string, decision: Decision): RunState {
  decision.because = { rule: "lost", picked: row.id, why };
  decision.warn(`${row.id}: ${why}`, { task_id: row.id });
  const toPutAside = row.status === "doing" ? [...work.toPutAside, row.id] : work.toPutAside;
  const seen: Work = { ...work, final: work.final.with(row.id, true), toPutAside };
  return moveRows(seen, { changes: [{ op: "block", id: row.id, blockers: [why] }], moving: [] }, decision);
}

/** L22: also where the answer does not fit the workflow as it is now, so that no change of the row follows from it. */
function isAsked({ index }: Work, id: TaskId): boolean {
  const { asked, complete } = index.get(id)?.progress ?? {};
  return asked !== undefined && complete === undefined;
}

/** L9: at most `max_iterations` attempts and reviews start. L18: none starts once a budget is spent. */
function findSpentLimit(
  work: Work,
  counts: boolean,
  decision: Decision,
): { ending: Ending; message: string } | undefined {
  const { max_iterations } = work.rules;
  const spent = explainRunOver(work, decision.at);
  if (spent !== undefined) return { ending: "budget", message: spent };
  if (!counts || work.iterations < max_iterations) return undefined;
  return { ending: "limit", message: `max_iterations (${max_iterations}) is reached` };
}

type Picked = Exclude<ReturnType<typeof selectTask>, { none: unknown }>;

function startReviewOrEnd(work: Work, why: "all-done" | "nothing-ready", decision: Decision): RunState {
  const ending: Ending = why === "all-done" ? "complete" : "blocked";
  const marked = work.index.values.some((row) => row.marker === true);
  if (why === "all-done" && marked && work.iterations === 0) {
    return end(work, ending, "the backlog is finished already: nothing was started", decision);
  }
  const { rules, reviews } = work;
  // L6: a review may add tasks at most `max_reviews` times, and fails at most twice in a row.
  const wanted =
    rules.review &&
    rules.only === undefined &&
    !(why === "all-done" && marked) &&
    !reviews.clean &&
    reviews.failed < MOST_FAILED_REVIEWS &&
    reviews.added < rules.max_reviews &&
    findSpentLimit(work, true, decision) === undefined;
  if (!wanted) return end(work, ending, undefined, decision);
  const waits = waitForDelay(work, decision);
  if (waits !== undefined) return waits;
  const choice = choosePhaseAgent(work, "review", decision.at);
  if (choice === undefined || !("agent" in choice)) return waitForAgent(work, choice, decision);
  const iteration = work.iterations + 1;
  const facts = { job: work.nextJob, phase: "review" as const, iteration };
  const job = makeJob({ ...facts, agent: choice.agent, attempt: reviews.failed + 1 }, "review");
  decision.because = { rule: "review", why };
  decision.effects.push({ kind: "checkpoint", job: job.facts, reuse: false });
  return addJob({ ...work, iterations: iteration }, job);
}

function end(work: Work, ending: Ending, message: string | undefined, decision: Decision): RunState {
  decision.because = { rule: `end-${ending}`, why: message };
  if (work.jobs.length > 0) return { phase: "working", work: { ...work, closing: { ending, message } } };
  return beginClose(work, ending, message, decision);
}

/** L8: a run that must end starts no job, and ends as soon as none is running. */
function endIfAsked(work: Work, decision: Decision): RunState | undefined {
  if (work.jobs.length > 0 || work.rereading || isPicking(work)) return undefined;
  const { ending, message } = work.closing ?? {};
  if (ending !== undefined) return beginClose(work, ending, message, decision);
  return work.stopping > 0 ? beginClose(work, "interrupted", undefined, decision) : undefined;
}
