// A backlog as a list: grouped by status, each group in the order of selection. Pure.
import { STATUSES } from "../../todo/model/status.js";
import { show } from "../../todo/model/problem.js";
import type { WrongTask } from "../../todo/check/shape.js";
import type { Task } from "../../todo/model/task.js";
import { acceptanceOf, verdictOf } from "../../todo/model/verified.js";
import { openQuestion } from "../../workflow/question.js";
import type { Found } from "../view/read-doubts.js";
import { pausedText } from "../view/open-questions.js";
import type { Colours } from "../colours.js";
import { clean, cut, pad, widthOf } from "../text.js";

/** In columns: reasons may hold what a command printed. */
const LONGEST_REASON = 200;

export interface ListLook {
  /** Tells what a task waits for. */
  waitsFor: (task: Task) => readonly string[];
  /** Tells why a task that is done is not verified, as far as it is known. Those that a person must look at come first. */
  found?: (task: Task) => Pick<Found, "reasons" | "look"> | undefined;
  colours: Colours;
  columns?: number;
}

/**
 * The lines of tasks that are in the order of a listing, each made when it is wanted: of 100,000 none need be kept. `columns`
 * cuts titles and notes, without it nothing is cut.
 */
export function* taskListLines(
  tasks: readonly Task[],
  { waitsFor, found = () => undefined, colours, columns }: ListLook,
): Generator<string, void> {
  const idWidth = tasks.reduce((width, { id }) => Math.max(width, widthOf(clean(id))), 0);
  const look = { colours, idWidth, columns };
  const asking = tasks.filter(isAsking);
  if (asking.length > 0) yield colours.yellow(`waits for you (${asking.length})`);
  for (const task of asking) yield taskLine(task, questionNote(task, waitsFor(task)), look);
  const others = asking.length === 0 ? tasks : tasks.filter((task) => !asking.includes(task));
  for (const status of STATUSES) {
    const group = others.filter((task) => task.status === status);
    if (group.length === 0) continue;
    yield colours[COLOURS[status]](`${status} (${countText(group)})`);
    const isLook = (task: Task): boolean => found(task)?.look !== undefined;
    const first = group.filter(isLook);
    const ordered = first.length === 0 ? group : [...first, ...group.filter((task) => !isLook(task))];
    for (const task of ordered)
      yield taskLine(task, noteOf(task, waitsFor(task), found(task)?.reasons ?? []), look);
  }
}

/** How many they are; unbroken ones are counted apart. */
function countText(group: readonly Task[]): string {
  const unbroken = group.filter((task) => task.status === "done" && verdictOf(task) === "unbroken").length;
  return unbroken === 0 ? String(group.length) : `${String(group.length)}, ${String(unbroken)} unbroken`;
}

/** Tasks with a wrong value, each with what is wrong with it. */
export function wrongTaskLines(tasks: readonly WrongTask[], colours: Colours): string[] {
  if (tasks.length === 0) return [];
  const lines = tasks.map((task) => {
    const wrong = task.wrong.map((key) => {
      const value = task[key];
      return value === undefined ? `${key} is missing` : `${key} ${show(value)} is not valid`;
    });
    const named = [task.id ?? "?", task.title ?? "?"].map((value) =>
      typeof value === "string" ? value : show(value),
    );
    const [id = "", title = ""] = named.map((text) => cut(clean(text), LONGEST_REASON));
    const priority = typeof task.priority === "number" ? `p${String(task.priority)}` : "p?";
    return `  ${id}  ${priority}  ${title}  ${colours.red(`! ${clean(wrong.join("; "))}`)}`;
  });
  return [colours.red(`not valid (${String(tasks.length)})`), ...lines];
}

function taskLine(
  task: Task,
  note: string,
  { colours, idWidth, columns }: { colours: Colours; idWidth: number; columns?: number },
): string {
  const head = `  ${pad(clean(task.id), idWidth)}  p${task.priority}  `;
  const title = clean(task.title);
  if (columns === undefined) return note === "" ? head + title : head + title + colours.dim(note);
  const room = Math.max(0, columns - widthOf(head));
  const shownNote = cut(note, Math.floor(room / 2));
  const shownTitle = cut(title, room - widthOf(shownNote));
  return head + shownTitle + (shownNote === "" ? "" : colours.dim(shownNote));
}

/** Its dependencies, why it is blocked or was reopened, or that it is not verified. */
function noteOf(task: Task, waitsFor: readonly string[], reasons: readonly string[]): string {
  if (task.status === "done") return doneNote(task, reasons);
  if (waitsFor.length === 0 && task.blockers === undefined && task.progress === undefined) return "";
  const waits = waitsFor.length === 0 ? [] : [`waits for ${waitsFor.map(clean).join(", ")}`];
  const blockers = task.blockers ?? [];
  const notes = [
    ...stageNotes(task),
    ...waits,
    ...blockers.map((reason) => cut(clean(reason), LONGEST_REASON)),
  ];
  return notes.length === 0 ? "" : `  ${notes.join("; ")}`;
}

/** The stage of a task in a workflow, and who paused it. */
function stageNotes({ progress }: Task): string[] {
  if (progress === undefined) return [];
  const { stage, paused } = progress;
  const at = stage === "block" ? [] : [`at ${clean(stage)}`];
  return paused === undefined ? at : [...at, clean(pausedText(paused))];
}

function isAsking({ progress }: Task): boolean {
  return progress !== undefined && openQuestion(progress) !== undefined;
}

/** The stage that asks, and the question. */
function questionNote(task: Task, waitsFor: readonly string[]): string {
  const text = cut(clean(openQuestion(task.progress)?.text ?? ""), LONGEST_REASON);
  const { paused: pause } = task.progress ?? {};
  const paused = pause === undefined ? [] : [clean(pausedText(pause))];
  const waits = waitsFor.length === 0 ? [] : [`waits for ${waitsFor.map(clean).join(", ")}`];
  return `  ${[`${clean(task.progress?.stage ?? "")}: ${text}`, ...paused, ...waits].join("; ")}`;
}

/** The person who accepted it, or that it is not verified, and why. */
function doneNote(task: Task, reasons: readonly string[]): string {
  const [verdict, word] = [verdictOf(task), acceptanceOf(task)];
  if (verdict === "none") return "";
  if (verdict === "verified") return word === undefined ? "" : `  accepted by ${clean(word.by)}`;
  const shown = reasons.map((reason) => cut(clean(reason), LONGEST_REASON));
  return shown.length === 0 ? `  ${verdict}` : `  ${verdict}: ${shown.join("; ")}`;
}

const COLOURS = { done: "green", doing: "cyan", blocked: "red", todo: "bold" } as const;
