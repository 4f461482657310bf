// A person's changes to a task's progress: answer, pause, resume, note, complete, restart. Pure. Each is refused in words where
// it does not fit. update.ts applies them to the backlog.
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import type { Answer, By, GivenAnswer, Progress } from "../../workflow/progress.js";
import { describeBy, whyNotAnswered } from "../../workflow/question.js";
import { DEFAULT_WORKFLOW } from "../../workflow/words.js";
import type { PersonChange } from "../model/changes/person-change.js";
import type { Task } from "../model/task.js";
import { withoutQuestion } from "./stage-changes.js";

type Of<Op extends PersonChange["op"]> = Extract<PersonChange, { op: Op }>;

/** A change to the progress of one task. */
export type ProgressChange = Of<"answer" | "pause" | "resume" | "note" | "complete" | "restart">;

/** The task as the person changed it, or why the change is refused. `now`: RFC 3339. */
export function changeProgress(task: Task, change: ProgressChange, now: string): Task | string {
  switch (change.op) {
    case "answer":
      return answer(task, change, now);
    case "pause":
      return pause(task, change, now);
    case "resume":
      return resume(task);
    case "note":
      return note(task, change, now);
    case "complete":
      return complete(task, change, now);
    case "restart":
      return restart(task, change, now);
    default:
      return never(change);
  }
}

/** The first answer to an open question counts. The task is free for the next run at once. */
function answer(task: Task, change: Of<"answer">, now: string): Task | string {
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

function pause(task: Task, { why, ...change }: Of<"pause">, now: string): Task | string {
  if (task.status === "done") return "it is done";
  const before = task.progress?.paused;
  if (before !== undefined) return `it is paused already, by ${describeBy(before)}`;
  return withProgress(task, now, { paused: { ...byOf(change, now), ...given({ why }) } });
}

function resume(task: Task): Task | string {
  if (task.progress?.paused === undefined) return "it is not paused";
  const { paused: _paused, ...progress } = task.progress;
  return withoutEmpty({ ...task, progress });
}

/** A message reaches the agent with its next prompt. */
function note(task: Task, { text, ...change }: Of<"note">, now: string): Task | string {
  if (task.status === "done") return "it is done";
  const notes = task.progress?.notes ?? [];
  return withProgress(task, now, {
    notes: [...notes, { text, ...byOf(change, now), delivery: "next-prompt" as const }],
  });
}

/** Lifts a pause too, because the task is not to wait any longer. */
function complete(task: Task, change: Of<"complete">, now: string): Task | string {
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
function restart(task: Task, { stage }: Of<"restart">, now: string): Task | string {
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
