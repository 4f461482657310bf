// Finds the tasks that a repair of a broken task file would lose or mark as done. Pure. The loop refuses the repair.
import { isDeepStrictEqual } from "node:util";
import { Progress } from "../../workflow/progress.js";
import { isRecord, parseJson } from "../../system/text/json.js";
import { checkBacklog } from "../check/check.js";
import type { Backlog, Task } from "../model/task.js";
import { toJson, renameKeys, understandTask, type Members } from "./understand.js";

/** A title in a text that is not valid JSON as a whole. */
const TITLE = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/gu;

/** A task of a broken file; any of its fields may be wrong. */
interface Remnant {
  id?: unknown;
  title?: unknown;
  status?: unknown;
  progress?: unknown;
}

/** Why a repaired backlog must not replace the broken one, as clauses after "the repair would …"; empty when it may. */
export function findObjections(broken: Uint8Array, mended: Backlog): string[] {
  const { old, isTorn, text } = tasksOf(broken);
  const torn = isTorn ? titlesIn(text, old) : [];
  const kept = titlesOf(mended);
  const gone = torn.filter((title) => !kept.has(title.trim())).map((title) => JSON.stringify(title));
  const lost = [...lostTasks(old, mended), ...gone];
  const finished = finishedTasks(old, mended);
  return [
    ...(lost.length === 0 ? [] : [`lose ${lost.join(", ")}`]),
    ...(finished.length === 0
      ? []
      : [`mark ${finished.join(", ")} as done, which only a finished attempt may`]),
  ];
}

/**
 * The backlog that an agent wrote, each task with the progress of the old file, if that is valid, or none: an agent neither
 * answers questions nor moves tasks through their workflow. The backlog itself if nothing differs.
 */
export function withOldProgress(written: Backlog, before: Uint8Array | undefined): Backlog {
  const old = before === undefined ? [] : tasksOf(before).old;
  const byId = new Map(old.map(({ id, progress }) => [id, Progress.safeParse(progress).data]));
  const tasks = written.tasks.map((task) => {
    const { progress, ...rest } = task;
    const known = byId.get(task.id);
    if (isDeepStrictEqual(progress, known)) return task;
    return known === undefined ? rest : { ...rest, progress: known };
  });
  return tasks.every((task, at) => task === written.tasks[at]) ? written : { ...written, tasks };
}

function tasksOf(bytes: Uint8Array): { old: readonly Remnant[]; isTorn: boolean; text: string } {
  const text = new TextDecoder().decode(bytes);
  const whole = remnantsOf(text);
  const checked = whole === undefined ? checkBacklog(bytes) : undefined;
  const old = whole ?? (checked?.kind === "invalid" ? checked.readable : []);
  return { old, isTorn: whole === undefined, text };
}

/** The tasks that a text clearly means if it is JSON except for comments and commas; `undefined` otherwise. */
function remnantsOf(text: string): Remnant[] | undefined {
  const json = toJson(text.replace(/^\ufeff/u, ""));
  if (json === undefined) return undefined;
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) return straysIn(value);
  const { tasks, meta: _meta, project: _project, ...rest } = renameKeys(value, ["tasks"], []).members;
  if (!Array.isArray(tasks)) return straysIn({ tasks, ...rest });
  const listed = tasks.filter(isRecord).map((task) => understandTask(task).members);
  return [...listed, ...straysIn(rest)];
}

/** Objects that look like tasks, outside the list where they belong: in the root's array, under another key, or under their id. */
function straysIn(value: unknown): Remnant[] {
  const found: Remnant[] = [];
  const waiting = [value];
  for (const one of waiting) {
    if (typeof one !== "object" || one === null) continue;
    for (const [key, child] of Object.entries(one)) {
      if (!looksLikeTask(child)) waiting.push(child);
      else found.push({ ...(Array.isArray(one) ? {} : { id: key }), ...understandTask(child).members });
    }
  }
  return found;
}

function looksLikeTask(value: unknown): value is Members {
  if (!isRecord(value)) return false;
  const { members } = renameKeys(value, ["id", "title", "status", "priority"], []);
  return typeof members["title"] === "string" && ["id", "status", "priority"].some((key) => key in members);
}

/** Tasks that are kept neither by id nor by title; or their number, if they are not known one by one. */
function lostTasks(old: readonly Remnant[], mended: Backlog): string[] {
  const ids = new Set<unknown>(mended.tasks.map(({ id }) => id));
  const titles = titlesOf(mended);
  const isKept = ({ id, title }: Remnant): boolean =>
    ids.has(id) || (typeof title === "string" && titles.has(title.trim()));
  const lost = old.filter((task) => !isKept(task)).map(({ id, title }) => nameOf(id, title));
  if (lost.length > 0 || mended.tasks.length >= old.length) return lost;
  return [`${old.length - mended.tasks.length} of its ${old.length} tasks`];
}

function nameOf(id: unknown, title: unknown): string {
  if (typeof id === "string") return id;
  return typeof title === "string" ? JSON.stringify(title) : "a task without a name";
}

/** The titles of tasks that are too broken to be read, for instance because the file was cut off. */
function titlesIn(text: string, readable: readonly Remnant[]): string[] {
  const known = new Set<unknown>(readable.map(({ title }) => title));
  const found: string[] = [];
  for (const [, spelled = '""'] of text.matchAll(TITLE)) {
    const title = parseJson(spelled);
    if (typeof title === "string" && !known.has(title)) found.push(title);
  }
  return found;
}

function titlesOf({ tasks }: Backlog): Set<string> {
  return new Set(tasks.map(({ title }) => title.trim()));
}

/** Done tasks that the old file knows by id, else by title, and does not call done. */
function finishedTasks(old: readonly Remnant[], mended: Backlog): string[] {
  const ids = new Map<unknown, boolean>();
  const titles = new Map<unknown, boolean>();
  for (const { id, title, status } of old) {
    const isDone = status === "done";
    ids.set(id, isDone || ids.get(id) === true);
    if (typeof title === "string") titles.set(title.trim(), isDone || titles.get(title.trim()) === true);
  }
  const isOpen = ({ id, title }: Task): boolean => (ids.get(id) ?? titles.get(title.trim())) === false;
  return mended.tasks.filter((task) => task.status === "done" && isOpen(task)).map(({ id }) => id);
}
