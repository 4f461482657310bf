// The answer of `looper ls --json`: which tasks are listed, in which order. Pure. Leaves reading doubts to the caller.
import type { WrongTask } from "../../../todo/check/shape.js";
import { statusFor } from "../../../todo/check/words.js";
import { isSetMarker, orderForListing, statusesOf, waitsFor } from "../../../todo/model/select.js";
import type { Status, Task } from "../../../todo/model/task.js";
import { acceptanceOf, isVerified } from "../../../todo/model/verified.js";
import { jsonPieces } from "../../json-text.js";
import type { ListAnswer } from "../../shapes/backlog.js";
import type { Look } from "../../view/words/looks.js";
import { isHeld, workflowAnswer } from "./stages.js";

/** The tasks to list, in order, and what each waits for. */
export interface Listed {
  tasks: readonly Task[];
  /** Tasks with a wrong value. */
  wrong: readonly WrongTask[];
  waitsFor: (task: Task) => readonly string[];
  /** The completion marker is listed, and no task is left to do. */
  complete: boolean;
  /** Why a done task is unverified, as far as the logs show. */
  doubts: (task: Task) => readonly string[];
  /** Why a person must look at a done task, as far as the logs show. */
  looks: (task: Task) => Look | undefined;
}

/** Filters of a list; an absent one lets every task through. */
export interface WantedTasks {
  status: Status | undefined;
  tag: string | undefined;
  /** Only tasks that a run could take now. */
  ready: boolean;
}

/** Selects and orders the tasks; `doubts` are empty until the caller adds them. */
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
  const listed = { tasks: orderForListing(wanted), waitsFor: waits, ...NOTHING_KNOWN, wrong, complete };
  return ready ? { ...listed, tasks: listed.tasks.filter(isReadyIn(listed)) } : listed;
}

const NOTHING_KNOWN: Pick<Listed, "doubts" | "looks"> = { doubts: () => [], looks: () => undefined };

/** The list as JSON. */
export function listAnswer(file: string, listed: Listed): ListAnswer {
  return { file, tasks: [...taskAnswers(listed)], ...wrongAnswer(listed) };
}

/** The same as text in pieces, whole lines at the end: of a large backlog it is larger than the file. */
export function* listPieces(file: string, listed: Listed): Generator<string> {
  yield* jsonPieces({ file }, ["tasks", taskAnswers(listed)], wrongAnswer(listed));
  yield "\n";
}

function* taskAnswers(listed: Listed): Generator<ListAnswer["tasks"][number]> {
  const isReady = isReadyIn(listed);
  for (const task of listed.tasks) {
    const verified = task.status === "done" && isVerified(task);
    const state = { ready: isReady(task), waits_for: [...listed.waitsFor(task)], verified };
    const accepted = acceptanceOf(task);
    const doubts = {
      unverified_because: [...listed.doubts(task)],
      ...(listed.looks(task) === undefined ? {} : { needs_look: true as const }),
      ...(accepted === undefined ? {} : { accepted }),
      ...workflowAnswer(task),
    };
    // V8 takes twenty times as long to spread an object that JSON.parse made.
    yield isSetMarker(task)
      ? Object.assign({}, task, state, { marker: true as const }, doubts)
      : Object.assign({}, task, state, doubts);
  }
}

function wrongAnswer({ wrong }: Listed): Pick<ListAnswer, "wrong"> {
  return wrong.length === 0 ? {} : { wrong: [...wrong] };
}

function isReadyIn({ waitsFor: waits }: Listed): (task: Task) => boolean {
  return (task) => task.status !== "done" && waits(task).length === 0 && !isHeld(task);
}
