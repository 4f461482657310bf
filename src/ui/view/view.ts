// The view of a run, folded from its events: `fold(view, event) → view`. Pure. Live line, progress lines and table all
// render it. Leaves titles to callers with the backlog, and the layout to terminal/.
import { tokensOf } from "../../agents/usage.js";
import type { Ending, RunEvent, Sealed } from "../../logging/events/events.js";
import { hasDollarBudget, NOTHING_SPENT as NOTHING_CHARGED, addUsage } from "../../loop/step/job/spending.js";
import { given } from "../../system/given.js";
import { PersistentMap } from "../../system/persistent-map.js";
import { ById } from "../../todo/model/indexed-list.js";
import {
  beginStage,
  endAgent,
  endGate,
  endVisit,
  failAttempt,
  resultOf,
  resultOfVisit,
  unreportedBy,
  type Current,
  type Finished,
} from "./job-view.js";
import { addSpent, NOTHING_SPENT, spentOf, type SpentAmounts } from "./words/amounts.js";
import { foldStages, movedBy, type StageView } from "./stage-view.js";

export interface Ended {
  ending: Ending;
  signal?: string;
  message?: string;
  rejected?: readonly string[];
  totals: { done: number; tasks: number; iterations: number; ms: number; tokens: number; cost?: number };
}

type Waiting = Omit<Extract<RunEvent, { type: "waiting" }>, "type">;
type Beyond = Extract<RunEvent, { type: "over_budget" }>;

export interface View {
  run: string;
  version: string;
  project: string;
  todoFile: string;
  agents: readonly string[];
  /** Times of the first and of the last event, epoch ms. */
  began: number;
  at: number;
  /** Status by task, completion marker left out. */
  statuses: ById<{ id: string; status: string }>;
  markers: ReadonlySet<string>;
  /** Tasks removed from the backlog since the run began. */
  removed: ReadonlySet<string>;
  /** Done when the run began. */
  doneAtStart: number;
  /** The task of `--task`: only it and its dependencies are worked on. */
  only?: string;
  current?: Current;
  /** In the order they ended. */
  finished: readonly Finished[];
  /** Jobs and tasks by id, because every event looks one up among up to 10,000. */
  finishedJobs: PersistentMap<number, true>;
  finishedTasks: PersistentMap<string, true>;
  warnings: readonly string[];
  /** How often the run was asked to stop: `looper stop` counts once, `--now` twice. */
  interrupts: number;
  /** The command that ends it; absent for a signal. */
  stoppedBy?: "looper stop";
  spent: SpentAmounts;
  /** The current wait: its end and its reason. */
  waiting?: Waiting;
  /** Budgets that attempts exceeded. */
  beyond: readonly Beyond[];
  /** The exceeded budget of the run; for dollars `unpriced` names an agent whose cost is unknown. */
  inDollars: boolean;
  unpriced?: string;
  /** The fault of the task file: no tasks, no tasks although an earlier version had some, or problems. */
  invalid?: "nothing" | "known" | "broken";
  ended?: Ended;
  /** Present for a release, which does not work on the backlog. */
  release?: true;
  /** Where tasks are in their workflows; absent under `default`. */
  stages?: StageView;
}

/** Before the first event. */
export const NOTHING: View = {
  run: "",
  version: "",
  project: "",
  todoFile: "",
  agents: [],
  began: 0,
  at: 0,
  statuses: ById.of([]),
  markers: new Set(),
  removed: new Set(),
  doneAtStart: 0,
  finished: [],
  finishedJobs: PersistentMap.of(),
  finishedTasks: PersistentMap.of(),
  warnings: [],
  interrupts: 0,
  spent: NOTHING_SPENT,
  beyond: [],
  inDollars: false,
};

/** The view after one more event. Events come in the order of their `seq`. */
export function fold(view: View, event: Sealed): View {
  const at = Date.parse(event.timestamp);
  const seen = { ...view, began: view.began || at, at };
  const folded = foldRun(foldJob(begin(seen, event, at), event, at), event);
  const stages = foldStages(folded.stages, event);
  return stages === folded.stages ? folded : { ...folded, ...given({ stages }) };
}

/** Any event of an unknown job begins it. */
function begin(view: View, event: RunEvent, at: number): View {
  if (!("job" in event) || event.job === undefined || event.job === view.current?.job) return view;
  // Work of an earlier run becomes a rescue; no agent works on it.
  if (event.phase === "iteration" && event.iteration === 0 && event.stage === undefined) return view;
  if (event.phase === undefined || view.finishedJobs.has(event.job)) return view;
  const { waiting: _over, ...rest } = view;
  // An attempt whose task was removed is not settled by an event. It ends when the next job begins.
  const ended =
    rest.current?.agentEnded === true
      ? finish(rest, rest.current, { result: "stopped", why: "", added: 0 }, at)
      : rest;
  return {
    ...ended,
    current: {
      job: event.job,
      phase: event.phase,
      ...(typeof event.task_id === "string" ? { taskId: event.task_id } : {}),
      agent: event.agent ?? "",
      attempt: event.attempt ?? 1,
      ...beginStage(event, view),
      spent: NOTHING_SPENT,
      began: at,
      doing: "getting ready",
      agentEnded: false,
    },
  };
}

/** As many are shown of one attempt. */
const MOST_WARNINGS = 20;

/** The effect of an event on the job in progress. */
function foldJob(view: View, event: Sealed, at: number): View {
  const { current } = view;
  if (current === undefined) return view;
  switch (event.type) {
    case "usage":
      return {
        ...view,
        spent: addSpent(view.spent, spentOf(event)),
        current: { ...current, spent: addSpent(current.spent, spentOf(event)) },
      };
    case "checkpoint":
      // The time for the checkpoint of a large tree is not the agent's.
      return { ...view, current: { ...current, began: at } };
    case "agent_finished":
      return endsAgent(view, current, event);
    case "gate_finished":
      return { ...view, current: endGate(current, event) };
    case "work_saved":
      return { ...view, current: endVisit(current, event) };
    case "restored": {
      const rescued = event.rescue === undefined ? current : { ...current, rescue: event.rescue };
      const kept = current.stage === "block" ? { ...rescued, agentEnded: true } : rescued;
      // This ends a release; a task is settled next.
      if (current.phase !== "push") return { ...view, current: kept };
      return finish(
        view,
        kept,
        { result: view.interrupts > 0 ? "stopped" : "failed", why: "", added: 0 },
        at,
      );
    }
    case "attempt_stopped":
      return { ...view, current: { ...current, agentEnded: true, released: keptWorkText(event) } };
    case "attempt_failed":
      return failed(view, current, event, at);
    case "warning": {
      const { warnings = [] } = current;
      if (event.job !== current.job || warnings.length >= MOST_WARNINGS) return view;
      return { ...view, current: { ...current, warnings: [...warnings, event.message] } };
    }
    case "backlog_changed":
      if (event.job !== current.job) return view;
      if (current.agentEnded) return settle(view, current, event, at);
      return event.refused.length > 0 ? drop(view) : view;
    case "committed": {
      const { taskId } = current;
      // The tree is restored first, then the job is settled.
      if (event.refused.some(({ op, id }) => op === "finish" && id === taskId)) return view;
      return event.job === current.job ? settle(view, current, event, at) : view;
    }
    case "adopted":
      return event.adopted ? finish(view, current, { result: "done", why: "", added: 0 }, at) : view;
    case "run_ended": {
      const result = current.phase === "push" && event.ending === "complete" ? "done" : "stopped";
      return finish(view, current, { result, why: "", added: 0 }, at);
    }
    default: {
      const doing = doingOf(event);
      return doing === undefined ? view : { ...view, current: { ...current, doing } };
    }
  }
}

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function endsAgent(view: View, current: Current, event: Of<"agent_finished">): View {
  const reported = current.spent.tokens > 0 || current.spent.cost !== undefined;
  const unreported = reported ? NOTHING_SPENT : unreportedBy(event);
  const ended = { ...endAgent(current, event), spent: addSpent(current.spent, unreported) };
  return { ...view, spent: addSpent(view.spent, unreported), current: ended };
}

/** A task is settled by a later event; a failed draft, repair or review ends here. */
function failed(view: View, current: Current, event: Of<"attempt_failed">, at: number): View {
  const seen = failAttempt(current, event);
  if (current.phase === "iteration") return { ...view, current: seen };
  return finish(
    view,
    seen,
    { result: event.next === "wait" ? "waiting" : "failed", why: seen.why, added: 0 },
    at,
  );
}

function settle(
  view: View,
  current: Current,
  event: Of<"backlog_changed"> | Of<"committed">,
  at: number,
): View {
  const added = event.updated.filter(({ from, to, id }) => {
    return from === undefined && to === "todo" && id !== current.taskId;
  }).length;
  const updated = event.updated.find(({ id }) => id === current.taskId)?.to;
  const own = updated ?? event.rows.find(({ id }) => id === current.taskId)?.status;
  const to = movedBy(current, event.rows);
  const result = to === undefined ? resultOf(current, own) : resultOfVisit(current, to);
  if (result === undefined) return view;
  const isTold = result === "done" || result === "reviewed" || result === "advanced";
  const says = !isTold && !(result === "stopped" && current.stopped === true);
  const { released } = current;
  const why = released === undefined ? (says ? (current.why ?? "") : "") : `edited meanwhile; ${released}`;
  const commit = event.type === "committed" ? event.commit : undefined;
  return finish(view, current, { result, why, added, commit, to }, at);
}

function finish(
  view: View,
  current: Current,
  end: Pick<Finished, "result" | "why" | "added" | "commit" | "to">,
  at: number,
): View {
  const { doing: _doing, agentEnded: _isOver, why: _why, reported: _reported, ...known } = current;
  const { next: _next, hadAgent: _had, stopped: _stopped, released: _released, judged, ...facts } = known;
  const { job, phase, taskId, stage } = current;
  const isWork = end.result === "done" && phase === "iteration";
  const verdict = isWork
    ? (judged ?? { verdict: "unverified" as const })
    : stage === undefined
      ? undefined
      : judged;
  const over: Finished = {
    ...facts,
    ...end,
    ...given({ judged: verdict, uncounted: isUncounted(current) || undefined }),
    ms: Math.max(0, at - current.began),
  };
  return {
    ...drop(view),
    finished: [...view.finished, over],
    finishedJobs: view.finishedJobs.with(job, true),
    finishedTasks: taskId === undefined ? view.finishedTasks : view.finishedTasks.with(taskId, true),
  };
}

function isUncounted({ phase, next, released, stage, hadAgent }: Current): boolean {
  if (released !== undefined || (stage !== undefined && hadAgent !== true)) return true;
  if (next === "drop-agent" || next === "end") return phase === "iteration";
  return next === "wait" || next === "later";
}

function drop(view: View): View {
  const { current: _over, ...rest } = view;
  return rest;
}

/** The effect of an event on the run. */
function foldRun(view: View, event: Sealed): View {
  switch (event.type) {
    case "run_started":
      return {
        ...view,
        run: event.run,
        version: event.version,
        project: event.project,
        todoFile: event.todo_file,
        agents: event.agents.map(({ name }) => name),
        only: event.rules.only,
        inDollars: hasDollarBudget(event.rules),
        ...(event.rules.release === undefined ? {} : { release: true as const }),
        warnings: [...view.warnings, ...event.warnings],
      };
    case "backlog_read": {
      const { invalid: _mended, ...rest } = view;
      const seen = takeRows(rest, event.rows ?? [], []);
      return { ...seen, doneAtStart: count(seen, "done") };
    }
    case "backlog_invalid":
      return { ...view, invalid: invalidOf(event) };
    case "backlog_changed":
    case "committed":
      return takeRows(view, event.rows, event.removed);
    case "warning":
      return { ...view, warnings: [...view.warnings, event.message] };
    case "run_interrupted":
      return interrupted(view, event);
    case "waiting":
      return { ...view, waiting: event };
    case "over_budget":
      return { ...view, beyond: [...view.beyond, event] };
    case "agent_finished": {
      const { unknown } = addUsage(NOTHING_CHARGED, event);
      return unknown === undefined ? view : { ...view, unpriced: unknown };
    }
    case "run_ended":
      return { ...view, ended: endOf(event) };
    default:
      return view;
  }
}

function interrupted(view: View, { by, signal }: Of<"run_interrupted">): View {
  if (by === undefined) return { ...view, interrupts: view.interrupts + 1 };
  const first = view.interrupts === 0 ? { stoppedBy: "looper stop" as const } : {};
  return { ...view, ...first, interrupts: Math.max(view.interrupts, signal === "SIGTERM" ? 2 : 1) };
}

function invalidOf({ what, known }: Of<"backlog_invalid">): NonNullable<View["invalid"]> {
  if (known !== undefined) return "known";
  return what === "broken" ? "broken" : "nothing";
}

type Rows = Of<"backlog_changed">["rows"];

function withRemoved(view: View, rows: Rows, removed: readonly string[]): View {
  const back = new Set<string>(rows.map(({ id }) => id));
  return { ...view, removed: new Set([...view.removed, ...removed].filter((id) => !back.has(id))) };
}

function takeRows(before: View, rows: Rows, removed: readonly string[]): View {
  if (rows.length === 0 && removed.length === 0) return before;
  const view =
    removed.length === 0 && before.removed.size === 0 ? before : withRemoved(before, rows, removed);
  const tasks = rows.filter(({ marker }) => marker !== true).map(({ id, status }) => ({ id, status }));
  const marks = rows.filter(({ marker }) => marker === true).map(({ id }) => id);
  const markers = marks.length === 0 ? view.markers : new Set([...view.markers, ...marks]);
  return { ...view, statuses: view.statuses.with(tasks, removed), markers };
}

function endOf({ ending, signal, message, rejected, totals: all }: Of<"run_ended">): Ended {
  const { done, tasks, iterations, duration_ms: ms, cost_usd: cost } = all;
  const totals = { done, tasks, iterations, ms, tokens: tokensOf(all), cost };
  return { ending, signal, message, rejected, totals };
}

/** How many tasks have this status. */
export function count(view: View, status: string): number {
  let found = 0;
  for (const one of view.statuses.values) if (one.status === status) found++;
  return found;
}

/** Task n of m, counting tasks done before the run and tasks it has worked on. */
export function placeOf(view: View): { n: number; of: number } {
  const { statuses, doneAtStart, finishedTasks, current } = view;
  const isAgain = current?.taskId !== undefined && finishedTasks.has(current.taskId);
  const of = statuses.size;
  return { n: Math.min(of, doneAtStart + finishedTasks.size + (isAgain ? 0 : 1)), of };
}

// Describes where the work of an attempt is that an edit stopped.

type KeptWork = Pick<Extract<RunEvent, { type: "attempt_stopped" }>, "kept" | "rescue">;

/** Not cleaned; a rescue is called as `looper rescue` names it. */
function keptWorkText({ kept, rescue = "" }: KeptWork): string {
  if (kept === "rescue")
    return `its work is kept: looper rescue show ${rescue.replace(/^refs\/looper\/rescue\//u, "")}`;
  return kept === "tree" ? "its work stays in the working tree" : "it had changed nothing";
}

/** The current action of an agent or the runner; `undefined` when the event does not change it. Neither cleaned nor truncated. */
export function doingOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "checkpoint":
      return "checkpoint made";
    case "decided":
      return event.effects.map(({ kind }) => CHECKS[kind]).find((text) => text !== undefined);
    case "agent_started":
      return "started";
    case "message":
      return event.role === "assistant" && event.content.trim() !== "" ? event.content : undefined;
    case "tool_use":
      return [event.name, targetOf(event.input)].filter((part) => part !== "").join(" ");
    case "command":
      return event.exit_code === undefined && event.duration_ms === undefined
        ? `runs ${event.command}`
        : undefined;
    case "error":
      return event.error;
    default:
      return undefined;
  }
}

/** The names of the runner's own longer actions. */
const CHECKS: Readonly<Record<string, string>> = {
  preflight: "checking what passes before the work",
  "run-baseline": "checking what passes before the work",
  "run-gate": "checking the work",
  "save-work": "saving the work",
  restore: "putting the tree back",
};

/** The arguments of tools that describe a call best, the best first. */
const TARGETS = ["file_path", "path", "command", "pattern", "query", "url", "description", "prompt"];

function targetOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  for (const key of TARGETS) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}
