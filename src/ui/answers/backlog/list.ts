// The answer of `looper ls --json`: which tasks are listed, in which order. Pure. Leaves reading the logs to the caller.
import type { WrongTask } from "../../../todo/check/shape.js";
import { statusFor } from "../../../todo/check/words.js";
import { isSetMarker, orderForListing, statusesOf, waitsFor } from "../../../todo/model/select.js";
import type { Status, Task } from "../../../todo/model/task.js";
import { jsonPieces } from "../../json-text.js";
import type { LsAnswer } from "../../shapes/backlog.js";
import type { Found } from "../../view/read-doubts.js";
import { isHeld, workflowAnswer } from "./stages.js";
import { verdictAnswer } from "./verdict.js";

/** The tasks to list, in order, and what each waits for. */
export interface Listed {
  tasks: readonly Task[];
  /** Tasks with a wrong value. */
  wrong: readonly WrongTask[];
  waitsFor: (task: Task) => readonly string[];
  /** The completion marker is listed, and no task is left to do. */
  complete: boolean;
  /** The findings of the last gate of a done task, as far as the logs show. */
  found: (task: Task) => Found | undefined;
}

/** Filters of a list; an absent one lets every task through. */
export interface WantedTasks {
  status: Status | undefined;
  tag: string | undefined;
  /** Only tasks that a run could take now. */
  ready: boolean;
}

/** Selects and orders the tasks; `found` has nothing until the caller adds it. */
export function selectTasks(
  { tasks, wrong: all }: { tasks: readonly Task[]; wrong: readonly WrongTask[] },
  { status, tag, ready }: WantedTasks,
): Listed {
  const statuses = statusesOf(tasks);
  const wanted = tasks.filter(
    (task) =>
      (status === undefined || task.status === status) &&
      (tag === undefined || task.tags?.includes(tag) === true),
  );
  const waits = (task: Task): readonly string[] => (task.status === "done" ? [] : waitsFor(task, statuses));
  // A task with wrong values is neither ready nor tagged.
  const isOpen = tag === undefined && !ready;
  const wrong = isOpen ? all.filter((task) => status === undefined || statusFor(task.status) === status) : [];
  const isOver = all.length === 0 && tasks.every((task) => task.status === "done");
  const complete = isOver && wanted.some(isSetMarker);
  const listed = { tasks: orderForListing(wanted), waitsFor: waits, found: () => undefined, wrong, complete };
  return ready ? { ...listed, tasks: listed.tasks.filter(isReadyIn(listed)) } : listed;
}

/** The list as JSON. */
export function listAnswer(file: string, listed: Listed): LsAnswer {
  return { file, tasks: [...taskAnswers(listed)], ...wrongAnswer(listed) };
}

/** The same as text in pieces, whole lines at the end: of a large backlog it is larger than the file. */
export function* listPieces(file: string, listed: Listed): Generator<string> {
  yield* jsonPieces({ file }, ["tasks", taskAnswers(listed)], wrongAnswer(listed));
  yield "\n";
}

function* taskAnswers(listed: Listed): Generator<LsAnswer["tasks"][number]> {
  const isReady = isReadyIn(listed);
  for (const task of listed.tasks) {
    const found = listed.found(task);
    const state = { ready: isReady(task), waits_for: [...listed.waitsFor(task)] };
    const verdict = verdictAnswer(task, found);
    const needsLook = verdict.verdict === "unverified" && found?.look !== undefined;
    const more = {
      ...verdict,
      ...(needsLook ? { needs_look: true as const } : {}),
      ...workflowAnswer(task),
    };
    // V8 takes twenty times as long to spread an object that JSON.parse made.
    yield isSetMarker(task)
      ? Object.assign({}, task, state, { marker: true as const }, more)
      : Object.assign({}, task, state, more);
  }
}

function wrongAnswer({ wrong }: Listed): Pick<LsAnswer, "wrong"> {
  return wrong.length === 0 ? {} : { wrong: [...wrong] };
}

function isReadyIn({ waitsFor: waits }: Listed): (task: Task) => boolean {
  return (task) => task.status !== "done" && waits(task).length === 0 && !isHeld(task);
}
