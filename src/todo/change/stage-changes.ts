// The runner's changes to a task's progress through its workflow: enter, advance, and the ends. Pure. update.ts applies them
// to the backlog; loop/step decides them.
import { given } from "../../system/given.js";
import type { Answer, Grant, Progress, Question, Spent } from "../../workflow/progress.js";
import {
  completeAnswer,
  describeAnswer,
  describeBy,
  isAnswered,
  questionId,
  questionIdBefore,
} from "../../workflow/question.js";
import { ENDS } from "../../workflow/workflow.js";
import type { Advance, AskedQuestion, Change } from "../model/changes/change.js";
import type { Task } from "../model/task.js";

type Enter = Extract<Change, { op: "enter" }>;

/** Begins a pass through the workflow. The outputs of an earlier pass stay; its work stays for a restart at a stage. */
export function enterStage(task: Task, change: Enter, now: string): Task | string {
  const { workflow, digest, to, ask } = change;
  const before = task.progress;
  if (task.status === "done") return "it is done";
  if (before !== undefined && before.stage !== "block") {
    const isUnasked = before.stage === to && ask !== undefined && before.question === undefined;
    if (!isUnasked) return `it is in the stage ${before.stage}`;
  }
  const progress: Progress = {
    workflow,
    digest,
    stage: to,
    visit: 1,
    since: now,
    ...(isEnd(to) ? {} : { visits: { [to]: 1 } }),
    ...given({
      first: nextFirst(task),
      outputs: before?.outputs,
      work: before?.restart === undefined ? undefined : before.work,
      answers: before?.answers,
      notes: before?.notes,
      paused: before?.paused,
      complete: before?.complete,
    }),
  };
  if (ask === undefined) return { ...task, progress };
  const question = makeQuestion(task, { progress, ask, now });
  return asBlocked({ ...task, progress: { ...progress, question } }, question);
}

/**
 * The number added to the visit in the ids of this pass's questions: the ids of earlier passes are not used again. Where the row of an
 * earlier pass is gone (the task was done, or `todo` cleared it), its attempts are the only trace.
 */
function nextFirst({ progress, attempts = 0 }: Task): number | undefined {
  if (progress !== undefined && progress.digest !== "") return (progress.first ?? 0) + progress.visit;
  if (progress?.first !== undefined) return progress.first + progress.visit;
  return attempts === 0 ? undefined : attempts * MOST_QUESTIONS;
}

/** More questions than anybody is asked for one attempt. */
const MOST_QUESTIONS = 1000;

/** Ends a visit (L19): refused unless the task is in that stage and visit. */
export function advanceStage(task: Task, change: Advance, now: string): Task | string {
  const { progress } = task;
  if (task.status === "done") return "it is done";
  if (progress === undefined) return "it is not in a workflow";
  const { stage, visit } = change.expect;
  if (progress.stage !== stage || progress.visit !== visit)
    return `it is in the visit ${String(progress.visit)}, at ${progress.stage}; not in the visit ${String(visit)}, at ${stage}`;
  const taken = takeAnswer(progress, change, now);
  if (typeof taken === "string") return taken;
  const next = moveOn(progress, change, { taken: taken.answer, now });
  const unblocked = withoutQuestion(task, progress.question);
  const moved: Task = { ...unblocked, status: change.status, progress: next };
  if (change.ask === undefined) return moved;
  const question = makeQuestion(task, { progress: next, ask: change.ask, now });
  return asBlocked({ ...moved, progress: { ...next, question } }, question, change.status);
}

/** The answer that this advance takes, if any; or why the advance is refused. */
function takeAnswer(progress: Progress, change: Advance, now: string): { answer?: Answer } | string {
  const { question, answer } = progress;
  const { takes, outcome, to } = change;
  if (takes === undefined) {
    const isEnd = progress.complete !== undefined || to === "block";
    return question === undefined || isEnd ? {} : `its question ${question.id} is not taken`;
  }
  if (question === undefined) return "it has no question";
  if (takes.automatic !== undefined) {
    if (isAnswered(progress) && answer !== undefined)
      return `${question.id} was answered meanwhile: ${describeAnswer(answer)}, by ${describeBy(answer)}`;
    return { answer: completeAnswer(question, takes.automatic, now) };
  }
  if (answer === undefined || !isAnswered(progress)) return `its question ${question.id} is not answered`;
  if (answer.outcome !== undefined && answer.outcome !== outcome)
    return `the answer to ${question.id} is ${answer.outcome}, not ${outcome}`;
  return { answer: completeAnswer(question, answer, now) };
}

/** The progress in the next stage, without a question. */
function moveOn(
  progress: Progress,
  change: Advance,
  { taken, now }: { taken: Answer | undefined; now: string },
): Progress {
  const { to, output = taken?.edited, work } = change;
  const { question: _question, answer: _answer, reasons: _reasons, ...kept } = progress;
  const { work: saved, ...rest } = kept;
  return {
    ...rest,
    stage: to,
    visit: progress.visit + 1,
    since: now,
    ...(isEnd(to) ? {} : { visits: { ...progress.visits, [to]: (progress.visits?.[to] ?? 0) + 1 } }),
    ...(output === undefined ? {} : { outputs: { ...progress.outputs, [output.stage]: output } }),
    ...given({ work: work === null ? undefined : (work ?? saved) }),
    // The next prompt has the question beside its answer, and the commit names the stage.
    ...(taken === undefined
      ? {}
      : {
          answers: [
            ...(progress.answers ?? []),
            {
              ...taken,
              stage: progress.stage,
              ...given({ asked: progress.question?.text, call: progress.question?.call }),
            },
          ],
        }),
    ...given({ spent: addSpent(progress, change.spent) }),
    ...(change.grant === undefined || taken === undefined
      ? {}
      : { grants: [...(progress.grants ?? []), grantOf(progress.stage, taken)] }),
    ...(change.reasons === undefined ? {} : { reasons: [...change.reasons] }),
  };
}

function grantOf(what: string, { by, via, at }: Answer): Grant {
  return { what, by, via, at };
}

function isEnd(stage: string): boolean {
  return ENDS.some((end) => end === stage);
}

/** The usage of the stage and the task so far, with more added to both. */
function addSpent({ spent, stage }: Progress, more: Spent | undefined): Progress["spent"] {
  if (more === undefined) return spent;
  return { ...spent, [stage]: sum(spent?.[stage], more), "*": sum(spent?.["*"], more) };
}

function sum(before: Spent | undefined, more: Spent): Spent {
  if (before === undefined) return more;
  const cost =
    before.cost_usd === undefined && more.cost_usd === undefined
      ? {}
      : { cost_usd: (before.cost_usd ?? 0) + (more.cost_usd ?? 0) };
  return {
    tokens: before.tokens + more.tokens,
    ...cost,
    duration_ms: before.duration_ms + more.duration_ms,
  };
}

/** The question of the stage that is entered, with its id, its time, and the digest of what it shows. */
function makeQuestion(
  { id }: Task,
  { progress, ask, now }: { progress: Progress; ask: AskedQuestion; now: string },
): Question {
  const { shows: what, ...rest } = ask;
  const sha256 =
    what === undefined
      ? undefined
      : ask.call !== undefined
        ? ask.call.sha256
        : what === "diff" || what === "work"
          ? progress.work?.commit
          : progress.outputs?.[what]?.sha256;
  return {
    id: questionId(id, progress),
    ...rest,
    ...(what === undefined || sha256 === undefined ? {} : { shows: { what, sha256 } }),
    asked_at: now,
  };
}

/** The task with the question's text as a blocker, so that every listing shows it. */
function asBlocked(task: Task, { text }: Question, status: Task["status"] = "blocked"): Task {
  return { ...task, status, blockers: [...(task.blockers ?? []).filter((one) => one !== text), text] };
}

/** The task without its question's text among the blockers. */
export function withoutQuestion(task: Task, question: Question | undefined): Task {
  if (question === undefined || task.blockers?.includes(question.text) !== true) return task;
  const { blockers, ...rest } = task;
  const left = blockers.filter((one) => one !== question.text);
  return left.length === 0 ? rest : { ...rest, blockers: left };
}

/**
 * The task that is given up, at `block`: its outputs, answers and notes stay. A person's answer that led here pauses it, or the next
 * run would ask the same again.
 */
export function giveUp(task: Task, reasons: readonly string[]): Task {
  const { progress } = task;
  if (progress === undefined) return task;
  const { work: _work, question, answer: _answer, grants: _grants, ...kept } = progress;
  const last = progress.stage === "block" ? progress.answers?.at(-1) : undefined;
  const isLast = last?.question === questionIdBefore(task.id, progress);
  // A timeout blocks only the task: no person said no to it.
  const isRejected = isLast && last.via !== "timeout";
  const why = [last?.outcome ?? "answered", last?.comment].filter((one) => one !== undefined).join(": ");
  const paused =
    isRejected && progress.paused === undefined
      ? { by: last.by, via: last.via, at: last.at, why }
      : undefined;
  const given: Progress = { ...kept, stage: "block", reasons: [...reasons], ...(paused && { paused }) };
  return { ...withoutQuestion(task, question), progress: given };
}

/** Why a task may not be claimed (L22). */
export function whyNotClaimed({ progress }: Task): string | undefined {
  if (progress?.paused !== undefined) return `it is paused, by ${describeBy(progress.paused)}`;
  if (progress?.question === undefined) return undefined;
  return isAnswered(progress)
    ? `the answer to ${progress.question.id} is not taken yet`
    : `it waits for an answer to ${progress.question.id}`;
}
