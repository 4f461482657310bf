// Open questions when nothing else can be done: the person at the terminal is asked, or the run sleeps until a deadline, or ends
// and lists them. Pure. advance.ts takes the answers.
import type { EventOf } from "../../../logging/events/events.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { AN_ANSWER } from "../../../logging/events/told-events.js";
import type { IndexRow, TaskId } from "../../../todo/model/task.js";
import type { ProgressRow } from "../../../workflow/progress.js";
import { completeNote } from "./advance.js";
import type { Decision } from "../decision.js";
import { beginVisit } from "./settle.js";
import { findStage } from "./stage.js";
import type { RunState, Work } from "../state.js";
import { doneBy } from "../../../workflow/stage-kinds.js";

/** The rows with a question without an answer. */
export function listOpenQuestions(work: Work, only: ReadonlySet<TaskId> | undefined): IndexRow[] {
  return work.index.values.filter(
    ({ id, status, progress }) =>
      status !== "done" &&
      progress?.asked !== undefined &&
      progress.complete === undefined &&
      !work.final.has(id) &&
      only?.has(id) !== false,
  );
}

/** L13: what follows while only people can move the work on; a text: the run ends with it. */
export function waitForPeople(work: Work, open: readonly IndexRow[], decision: Decision): RunState | string {
  if (work.askingAbout !== undefined) return { phase: "working", work };
  const next = open.find(
    ({ id, progress }) => progress?.answered === undefined && work.leftOpen?.has(id) !== true,
  );
  if (work.rules.asks_person === true && next !== undefined) {
    decision.because = { rule: "ask-person", picked: next.id };
    decision.effects.push({ kind: "ask-person", task_id: next.id });
    return { phase: "working", work: { ...work, askingAbout: next.id } };
  }
  return sleep(work, open, decision) ?? describeOpen(work, open);
}

/**
 * Sleeps until the first deadline, if the run may wait that long. With `--wait` until the run's time is over: listen.ts notices each
 * edit of the task file, and the time limit of waits is for limits and deadlines alone.
 */
function sleep(work: Work, open: readonly IndexRow[], decision: Decision): RunState | undefined {
  const deadlines = open.flatMap(({ progress }) => {
    const { deadline, on_timeout, answered } = progress ?? {};
    return deadline === undefined || on_timeout === undefined || answered !== undefined
      ? []
      : Date.parse(deadline);
  });
  // A deadline that is over and led nowhere, as of a paused task, leads nowhere at the next look either.
  const until = Math.min(...deadlines.filter((one) => one > decision.at));
  const { max_wait_ms = Infinity, budget } = work.rules;
  const end = work.began + (budget.max_duration_ms ?? Infinity);
  const waits = work.rules.waits === true && decision.at < end;
  if (!waits && (!Number.isFinite(until) || until - decision.at > max_wait_ms || until >= end))
    return undefined;
  const wakeAt = Math.min(until, end);
  decision.because = { rule: "wait", why: "answers" };
  const isBounded = Number.isFinite(wakeAt);
  if (isBounded) decision.wakeAt = wakeAt;
  const bound = isBounded ? new Date(wakeAt).toISOString() : undefined;
  decision.notes.push({ type: "waiting", reason: AN_ANSWER, until: bound });
  return { phase: "working", work };
}

/** The last line of a run that waits for answers, with the command that gives them. */
function describeOpen(work: Work, open: readonly IndexRow[]): string {
  const questions = open.map((row) => describeQuestion(work, row));
  const count = `${String(open.length)} ${open.length === 1 ? "question waits" : "questions wait"} for an answer`;
  return `${count}: ${questions.join("; ")}; see \`looper questions\`, answer with \`looper answer ID OUTCOME\``;
}

function describeQuestion({ rules }: Work, { id, progress }: IndexRow): string {
  const found = findStage(rules, { progress });
  const at = `${id} at ${progress?.stage ?? ""}`;
  if (progress?.asked === "stage" && doneBy(found?.stage.kind) !== "person") {
    const asks = findAskingStage(rules, progress);
    if (asks === undefined || rules.workflows?.[progress.workflow]?.digest !== progress.digest)
      return `${at}, whose question is not in its workflow any more; \`looper todo ${quoteIfNeeded(id)} --restart --stage ${progress.stage}\` begins that stage as it is now`;
    return `${at}, moved there by hand past its question; \`looper todo ${quoteIfNeeded(id)} --restart --stage ${asks}\` asks again`;
  }
  const outcomes = found !== undefined && progress?.asked === "stage" ? Object.keys(found.stage.next) : [];
  const said = progress?.answered?.outcome;
  const again = `looper todo ${quoteIfNeeded(id)} --restart --stage ${progress?.stage ?? ""}`;
  const wrong =
    said === undefined
      ? ""
      : `; the answer "${said}" is not an outcome of this stage any more, \`${again}\` asks again`;
  return `${at}${outcomes.length === 0 ? "" : ` (${outcomes.join(", ")})`}${wrong}`;
}

/** The stage of a question that the row is not at any more: the last ask stage that the task entered. */
function findAskingStage(
  rules: Work["rules"],
  { workflow: name, visits = {} }: ProgressRow,
): string | undefined {
  const stages = Object.entries(rules.workflows?.[name]?.workflow.stages ?? {});
  return stages.findLast(
    ([stage, { kind }]) => doneBy(kind) === "person" && visits[stage] !== undefined,
  )?.[0];
}

/** The person answered, which arrives as an edit, or left the question open: then it is not asked again in this run. */
export function onPersonAsked(
  work: Work,
  { task_id: id, outcome }: EventOf<"person_asked">,
  decision: Decision,
): Work {
  decision.because = { rule: "person-asked", picked: id, why: outcome };
  return outcome === "left" ? leaveQuestion(work) : { ...work, askingAbout: undefined };
}

/** A question that could not be asked stays open. */
export function leaveQuestion(work: Work): Work {
  const { askingAbout, ...rest } = work;
  const leftOpen = new Set([...(work.leftOpen ?? []), ...(askingAbout === undefined ? [] : [askingAbout])]);
  return { ...rest, leftOpen };
}

/** Logs the moves of rows that no job made. L22: one that the store refuses is not tried again and again. */
export function takeMovedRows(
  work: Work,
  refused: EventOf<"backlog_changed">["refused"],
  decision: Decision,
): Work {
  const { moving = [], ...rest } = work;
  const wrong = new Set(
    refused.flatMap(({ op, id }) => (op === "advance" || op === "enter" ? (id ?? []) : [])),
  );
  let next: Work = rest;
  for (const { id, notes, row } of moving) {
    if (wrong.has(id)) {
      if (work.index.get(id) === row) next = { ...next, final: next.final.with(id, true) };
      continue;
    }
    const progress = work.index.get(id)?.progress;
    decision.notes.push(...notes.map((note) => completeNote(note, progress)));
    next = beginVisit(next, id, []);
  }
  return next;
}
