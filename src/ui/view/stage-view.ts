// Where the tasks of a run are in their workflows, and what was asked and answered, folded from its events. Pure. Absent
// under `default`. view.ts folds the rest, job-view.ts a job.
import type { RunEvent } from "../../logging/events/events.js";
import type { Question } from "../../workflow/progress.js";

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Row = Of<"backlog_changed">["rows"][number];

/** Where a task is in its workflow. */
export interface StagePlace {
  workflow: string;
  stage: string;
  visit: number;
  verdict?: "passed" | "unbroken" | "unverified" | "failed";
  /** A question is open. */
  asks?: true;
  /** A question was answered, and the answer is not taken. */
  answered?: true;
  paused?: true;
  /** A person ended the workflow. */
  complete?: true;
}

/** A question of the run. */
export interface AskedHere {
  task: string;
  question: Question;
  /** The stage that asks and its visit, as far as the log has them. */
  stage?: string;
  visit?: number;
}

/** An answer that the run took; its question may be one of an earlier run. */
export interface AnswerHere extends Pick<
  Of<"question_answered">,
  "outcome" | "by" | "via" | "comment" | "question"
> {
  task: string;
  /** RFC 3339, of the line. */
  at: string;
}

export interface StageView {
  /** By task; only tasks in a workflow. */
  places: ReadonlyMap<string, StagePlace>;
  /** The stages that tasks passed through since their rows changed: an answer of a setting leaves its stage in the same change. */
  entered?: ReadonlyMap<string, Pick<StagePlace, "stage" | "visit">>;
  /** In the order they were asked. */
  asked: readonly AskedHere[];
  answers: readonly AnswerHere[];
}

const NO_STAGES: StageView = { places: new Map(), asked: [], answers: [] };

/** The stages after one more event; `undefined` as long as no task is in a workflow. */
export function foldStages(
  before: StageView | undefined,
  event: RunEvent & { timestamp: string },
): StageView | undefined {
  switch (event.type) {
    case "backlog_read":
      return takePlaces(before, event.rows ?? [], []);
    case "backlog_changed":
    case "committed":
      return takePlaces(before, event.rows, event.removed);
    case "stage_entered":
      return takeEntry(before, event);
    case "asked":
      return takeQuestion(before, event);
    case "question_answered":
      return takeAnswer(before, event);
    default:
      return before;
  }
}

function takePlaces(
  before: StageView | undefined,
  rows: readonly Row[],
  removed: readonly string[],
): StageView | undefined {
  const known = before?.places ?? NO_STAGES.places;
  const moved = rows.filter(({ id, progress }) => progress !== undefined || known.has(id));
  const gone = removed.filter((id) => known.has(id));
  if (moved.length === 0 && gone.length === 0) return before;
  const places = new Map(known);
  const entered = new Map(before?.entered);
  for (const id of gone) places.delete(id);
  for (const { id, progress } of moved) {
    entered.delete(id);
    if (progress === undefined) places.delete(id);
    else places.set(id, placeOf(progress));
  }
  return { ...(before ?? NO_STAGES), places, entered };
}

function takeEntry(
  before: StageView = NO_STAGES,
  { task_id: task, to: stage, visit }: Of<"stage_entered">,
): StageView {
  return task === undefined
    ? before
    : { ...before, entered: new Map(before.entered).set(task, { stage, visit }) };
}

function placeOf(progress: NonNullable<Row["progress"]>): StagePlace {
  const { workflow, stage, visit, verdict, asked, answered, paused, complete } = progress;
  return {
    ...{ workflow, stage, visit },
    ...(verdict === undefined ? {} : { verdict }),
    ...(asked === undefined || answered !== undefined ? {} : { asks: true as const }),
    ...(asked === undefined || answered === undefined ? {} : { answered: true as const }),
    paused,
    complete,
  };
}

function takeQuestion(before: StageView = NO_STAGES, event: Of<"asked">): StageView {
  const { task_id: task, question } = event;
  if (task === undefined) return before;
  const place = before.entered?.get(task) ?? before.places.get(task);
  const one = {
    task,
    question,
    stage: event.stage ?? place?.stage,
    visit: event.visit ?? place?.visit,
  };
  return { ...before, asked: [...before.asked, one] };
}

function takeAnswer(
  before: StageView = NO_STAGES,
  event: Of<"question_answered"> & { timestamp: string },
): StageView {
  const { task_id: task, question, outcome, by, via, comment, timestamp: at } = event;
  if (task === undefined) return before;
  return { ...before, answers: [...before.answers, { task, question, outcome, by, via, comment, at }] };
}

/** The open question of a task, as far as this run's log has its text. */
export function questionOf(stages: StageView | undefined, task: string): Question | undefined {
  if (stages?.places.get(task)?.asks !== true) return undefined;
  return stages.asked.findLast((one) => one.task === task)?.question;
}

/**
 * The last answer about a task, as the reason that it was given up: `reject, by ada (cli): too risky`; empty without one after its
 * last job began (epoch ms): an answer that led to more work is not the reason.
 */
export function refusalOf(stages: StageView | undefined, task: string, began = -Infinity): string {
  const answer = stages?.answers.findLast((one) => one.task === task);
  if (answer === undefined || Date.parse(answer.at) < began) return "";
  const remark = answer.comment === undefined ? "" : `: ${answer.comment}`;
  return `${answer.outcome ?? "answered"}, by ${answer.by} (${answer.via})${remark}`;
}

/** How many questions are open. */
export function countOpen(stages: StageView | undefined): number {
  let open = 0;
  for (const { asks } of stages?.places.values() ?? []) if (asks === true) open++;
  return open;
}

/** Whether an answer was given that the run could not take. */
export function hasLeftAnswer(stages: StageView | undefined): boolean {
  return [...(stages?.places.values() ?? [])].some(({ answered }) => answered === true);
}

/** The paused tasks without an open question, which is told first. */
export function listPaused(stages: StageView | undefined): string[] {
  const paused = [...(stages?.places ?? [])].filter(
    ([, place]) => place.paused === true && place.asks !== true,
  );
  return paused.map(([id]) => id);
}

/** Where a job of a stage left its task, once the row has moved on; `undefined` while it has not. */
export function movedBy(
  { taskId, visit }: { taskId?: string; visit?: number },
  rows: readonly Row[],
): string | undefined {
  const progress = rows.find(({ id }) => id === taskId)?.progress;
  return visit === undefined || progress === undefined || progress.visit <= visit
    ? undefined
    : progress.stage;
}
