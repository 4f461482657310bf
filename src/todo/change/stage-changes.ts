// The runner's changes to a task's progress through its workflow: enter, advance, and the ends. Pure. update.ts applies them
// to the backlog; loop/step decides them.
import { given } from "../../system/given.js";
import type { Answer, Progress, Question, Spent, By, GivenAnswer, Grant } from "../../workflow/progress.js";
import {
  completeAnswer,
  describeAnswer,
  describeBy,
  isAnswered,
  questionId,
  questionIdBefore,
  whyNotAnswered,
} from "../../workflow/question.js";
import { ENDS } from "../../workflow/workflow.js";
import type { Advance, AskedQuestion, Change } from "../model/changes/change.js";
import type { Task } from "../model/task.js";
import { DEFAULT_WORKFLOW } from "../../workflow/words.js";
import type { PersonChange } from "../model/changes/person-change.js";

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
  const grant = ({ by, via, at }: Answer): Grant => ({ what: progress.stage, by, via, at });
  const { work: saved, ...rest } = kept;
  return {
    ...rest,
    stage: to,
    visit: progress.visit + 1,
    since: now,
    ...given({
      visits: isEnd(to) ? undefined : { ...progress.visits, [to]: (progress.visits?.[to] ?? 0) + 1 },
      outputs: output && { ...progress.outputs, [output.stage]: output },
      work: work === null ? undefined : (work ?? saved),
      // The next prompt has the question beside its answer, and the commit names the stage.
      answers: taken && [
        ...(progress.answers ?? []),
        {
          ...taken,
          stage: progress.stage,
          ...given({ asked: progress.question?.text, call: progress.question?.call }),
        },
      ],
      spent: addSpent(progress, change.spent),
      grants: change.grant && taken && [...(progress.grants ?? []), grant(taken)],
      reasons: change.reasons && [...change.reasons],
    }),
  };
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
  const costs = [before.cost_usd, more.cost_usd].filter((one) => one !== undefined);
  return {
    tokens: before.tokens + more.tokens,
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((a, b) => a + b) }),
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

// A person's changes to a task's progress. Each makes the changed task, or says why it is refused; `now` is RFC 3339.

type Of<Op extends PersonChange["op"]> = Extract<PersonChange, { op: Op }>;

/** The first answer to an open question counts. The task is free for the next run at once. */
export function answer(task: Task, change: Of<"answer">, now: string): Task | string {
  const { question, outcome, text, comment, edited, arguments: args, shown_sha256, by, via } = change;
  const { progress } = task;
  const why = whyNotAnswered(progress, change);
  if (why !== undefined) return why;
  if (progress?.question === undefined) return `the question ${question} is not open`;
  const answered: Answer = {
    question,
    ...byOf({ by, via }, now),
    ...given({
      shown_sha256: shown_sha256 ?? progress.question.shows?.sha256,
      outcome,
      text,
      comment,
      edited,
      arguments: args,
    }),
  };
  return withAnswer(task, answered);
}

/** The task with an answer to its question: it does not wait for a person any more. */
export function withAnswer(task: Task, answer: GivenAnswer): Task {
  if (task.progress === undefined) return task;
  const freed = withoutQuestion(task, task.progress.question);
  const status = freed.status === "blocked" ? "todo" : freed.status;
  return { ...freed, status, progress: { ...task.progress, answer } };
}

export function pause(task: Task, { why, ...change }: Of<"pause">, now: string): Task | string {
  if (task.status === "done") return "it is done";
  const before = task.progress?.paused;
  if (before !== undefined) return `it is paused already, by ${describeBy(before)}`;
  return withProgress(task, now, { paused: { ...byOf(change, now), ...given({ why }) } });
}

export function resume(task: Task): Task | string {
  if (task.progress?.paused === undefined) return "it is not paused";
  const { paused: _paused, ...progress } = task.progress;
  return withoutEmpty({ ...task, progress });
}

/** A message reaches the agent with its next prompt. */
export function note(task: Task, { text, ...change }: Of<"note">, now: string): Task | string {
  if (task.status === "done") return "it is done";
  const notes = task.progress?.notes ?? [];
  return withProgress(task, now, {
    notes: [...notes, { text, ...byOf(change, now), delivery: "next-prompt" as const }],
  });
}

/** Lifts a pause too, because the task is not to wait any longer. */
export function complete(task: Task, change: Of<"complete">, now: string): Task | string {
  const why = whyComplete(task);
  if (why !== undefined) return why;
  const { paused: _paused, ...rest } = task.progress ?? notStarted(now);
  return { ...task, progress: { ...rest, complete: byOf(change, now) } };
}

/** Why a task's workflow is already complete; `undefined` if it is not. */
export function whyComplete({ status, progress }: Task): string | undefined {
  if (status === "done") return "it is done";
  if (progress?.complete !== undefined) return `it is complete already, by ${describeBy(progress.complete)}`;
  return progress?.stage === "finish" ? "it is at finish" : undefined;
}

/** Outputs and answers stay; the work stays only for a restart at a stage. */
export function restart(task: Task, { stage }: Of<"restart">, now: string): Task | string {
  if (task.status === "done") return `it is done; \`looper todo ${task.id}\` makes it a task again`;
  const { question, outputs, answers, notes, work, workflow, digest, visit, first } =
    task.progress ?? notStarted(now);
  const progress: Progress = {
    workflow,
    digest,
    stage: "block",
    visit,
    since: now,
    ...given({
      first,
      outputs,
      answers,
      notes,
      restart: stage,
      work: stage === undefined ? undefined : work,
    }),
  };
  return withoutEmpty({ ...withoutQuestion(task, question), status: "todo", progress });
}

/** The task without its place in the workflow, for a status that a person sets. */
export function withoutProgress(task: Task): Task {
  if (task.progress === undefined) return task;
  const { progress: _progress, ...rest } = withoutQuestion(task, task.progress.question);
  return rest;
}

function withProgress(task: Task, now: string, more: Pick<Progress, "paused" | "notes">): Task {
  return { ...task, progress: { ...(task.progress ?? notStarted(now)), ...more } };
}

/** The progress of a task in no stage yet; the run chooses its workflow when it enters. */
function notStarted(now: string): Progress {
  return { workflow: DEFAULT_WORKFLOW, digest: "", stage: "block", visit: 1, since: now };
}

/** Without a progress that holds nothing: the task has not entered a stage. */
function withoutEmpty(task: Task): Task {
  const { progress, ...rest } = task;
  if (progress === undefined || progress.digest !== "") return task;
  return Object.keys(progress).length > Object.keys(notStarted("")).length ? task : rest;
}

function byOf({ by, via }: Pick<By, "by" | "via">, at: string): By {
  return { by, via, at };
}
