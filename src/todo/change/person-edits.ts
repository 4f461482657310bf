// The edits of a person as changes of the newest backlog: insert, set, change the status, block, remove. Pure; throws a
// `UserError` for a task that does not exist or an edit that is not allowed. Leaves making the changes to the store.
import { usageError, UserError } from "../../system/errors.js";
import { makeIds } from "../model/add-tasks.js";
import {
  withValues,
  type PersonChange,
  type TaskEdit,
  type OptionalKey,
  type TaskValues,
} from "../model/changes/person-change.js";
import { TaskId, type Backlog, Task, Status } from "../model/task.js";
import { isMarker, withoutMarker } from "../model/select.js";
import { acceptanceOf, isVerified, verdictOf } from "../model/verified.js";
import { nearest, nearestId } from "../../system/text/nearest.js";
import { never } from "../../system/never.js";
import { readPatterns } from "../model/changes/changes.js";
import { didYouMean } from "../model/problem.js";
import { STATUSES } from "../model/status.js";
import { listSome, shorten } from "../../system/text/cut.js";

/** Decides the changes, from the newest backlog. */
export type PersonEdit = (backlog: Pick<Backlog, "tasks">) => PersonChange[];

const BLANK: Task = { id: TaskId.parse("T1"), title: "-", priority: 3, status: "todo" };

/** The task with this id, else a `usage` error with a hint. `unread`: why there may be tasks that cannot be read. */
export function requireTask(tasks: readonly Task[], id: string, unread?: string): Task {
  const found = tasks.find((task) => task.id === id);
  if (found !== undefined) return found;
  throw usageError(`there is no task ${id}`, hintOnTask(tasks, id, unread));
}

/** Inserts a task per title, all with the same values. */
export function insertTasks(titles: readonly string[], assignments: readonly Assignment[]): PersonEdit {
  const values = valuesOf(BLANK, assignments);
  return ({ tasks }) => {
    const next = makeIds(tasks.map(({ id }) => id));
    return titles.map((title) => ({
      op: "insert",
      task: { ...withValues(BLANK, values), id: next(), title },
    }));
  };
}

/** Sets and clears values of a task. */
export function setValues(id: string, assignments: readonly Assignment[]): PersonEdit {
  return ({ tasks }) => [editOf(tasks, id, valuesOf(requireTask(tasks, id), assignments))];
}

/** The verify commands among the assignments, as the task stores them. */
export function listVerifyCommands(assignments: readonly Assignment[]): readonly string[] {
  const typed = assignments.filter(({ key, how }) => key === "verify" && how !== "-=");
  return valuesOf(BLANK, typed).set.verify ?? [];
}

/** Blocks a task. */
export function blockTask(id: string, why: string): PersonEdit {
  if (!/\S/u.test(why)) throw usageError("no reason is given", 'looper block T3 "waits for the key"');
  return ({ tasks }) => [
    editOf(tasks, id, { set: { status: "blocked", blockers: [why.trim()] }, clear: [] }),
  ];
}

function editOf(tasks: readonly Task[], id: string, edit: TaskEdit): PersonChange {
  return { op: "edit", id: requireTask(tasks, id).id, ...edit };
}

/** Marks tasks as todo or done. */
export function setStatus(ids: readonly string[], status: "todo" | "done"): PersonEdit {
  return ({ tasks }) =>
    [...new Set(ids)].map((id) => editOf(tasks, id, { set: { status }, clear: ["blockers"] }));
}

/** Removes tasks. `force`: also tasks that others depend on. */
export function removeTasks(ids: readonly string[], { force }: { force: boolean }): PersonEdit {
  const named = [...new Set(ids)];
  return ({ tasks }) => {
    const gone = named.map((id) => requireTask(tasks, id));
    const dependents = tasks.filter(
      (task) =>
        !gone.includes(task) && task.depends_on?.some((id) => gone.some((one) => one.id === id)) === true,
    );
    if (dependents.length > 0 && !force) throw neededBy(named, dependents);
    return gone.map(({ id }) => ({ op: "remove", id }));
  };
}

function neededBy(ids: readonly string[], dependents: readonly Task[]): UserError {
  const needing = dependents.map(({ id }) => id).join(", ");
  const verb = dependents.length === 1 ? "depends" : "depend";
  const [what, it] = ids.length === 1 ? [ids.join(""), "it"] : [ids.join(", "), "them"];
  return new UserError("no", `${needing} ${verb} on ${what}`, `--force removes ${it} and these dependencies`);
}

// A person's word that done tasks count as verified. Reading which tasks wait for others is left to the command.

/** The earlier tasks whose changed checks a done task needs; empty for one that needs none, or others too. */
export type WaitsOn = (id: TaskId) => readonly string[];

/** Accepts these tasks, and every task that only waited for them. */
export function acceptTasks(
  ids: readonly string[],
  { by, waitsOn }: { by: string; waitsOn: WaitsOn },
): PersonEdit {
  return ({ tasks }) => {
    const named = [...new Set(ids)].map((id) => requireTask(tasks, id));
    const followers = findFollowers(tasks, named, waitsOn);
    for (const task of named) requireAcceptable(task, followers, waitsOn);
    const fresh = named.filter((task) => acceptanceOf(task) === undefined);
    const all = new Set([...fresh, ...followers]);
    return [...all].map(({ id }) => ({ op: "accept", id, by }));
  };
}

/** The unverified tasks that need only what is accepted now. A follower may have followers of its own. */
function findFollowers(tasks: readonly Task[], named: readonly Task[], waitsOn: WaitsOn): Task[] {
  const accepted = new Set<string>(
    [...named, ...tasks.filter((task) => acceptanceOf(task) !== undefined)].map(({ id }) => id),
  );
  const waiting = new Set(tasks.filter((task) => isOpen(task) && waitsOn(task.id).length > 0));
  const found: Task[] = [];
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const task of waiting) {
      if (!waitsOn(task.id).every((id) => accepted.has(id))) continue;
      waiting.delete(task);
      accepted.add(task.id);
      found.push(task);
    }
  }
  return found;
}

function isOpen(task: Task): boolean {
  return task.status === "done" && !isVerified(task) && verdictOf(task) !== "none" && !isMarker(task);
}

/** A verified task can be accepted only if others wait for it. */
function requireAcceptable(task: Task, followers: readonly Task[], waitsOn: WaitsOn): void {
  const cannot = `cannot accept ${task.id}`;
  if (isMarker(task)) throw new UserError("no", `${cannot}: it is the completion marker`);
  if (task.status !== "done") {
    const hint =
      task.status === "blocked"
        ? `let it change its checks with \`looper set ${task.id} changes+=PATTERN\`, then run again`
        : "a run works on it first";
    throw new UserError("no", `${cannot}: it is ${task.status}, not done`, hint);
  }
  if (!isVerified(task) || followers.some(({ id }) => waitsOn(id).includes(task.id))) return;
  const word = acceptanceOf(task);
  throw new UserError(
    "no",
    word === undefined
      ? `${cannot}: it is verified already`
      : `${cannot}: it was accepted already, by ${word.by} at ${word.at}`,
  );
}

// Reads `key=value` words of a command line as new values of a task's keys (contract §1, `set`). check.ts validates the values.

/** How the value of each key is written: one text, or a list of short words (commas) or of lines. */
export const KEYS = {
  title: "text",
  description: "text",
  reference: "text",
  priority: "number",
  status: "status",
  details: "text",
  steps: "lines",
  blockers: "lines",
  tags: "words",
  files: "words",
  depends_on: "words",
  verify: "lines",
  changes: "words",
  agent: "text",
  workflow: "text",
  result: "text",
} as const satisfies Record<keyof TaskValues, "text" | "number" | "status" | "words" | "lines">;

type Key = keyof typeof KEYS;

/** An edit of one key: `=` sets its value, `+=` adds to its list, `-=` takes from it. */
export interface Assignment {
  key: Key;
  how: "=" | "+=" | "-=";
  value: string;
}

/** `priority=1`, `tags+=urgent`, `depends-on=T1,T2`; another word is a `usage` error. */
export function readAssignment(word: string): Assignment {
  const [, name = "", sign = "", value = ""] = /^([\w-]+?)([+-]?=)(.*)$/su.exec(word) ?? [];
  const how = sign === "=" || sign === "+=" || sign === "-=" ? sign : undefined;
  if (how === undefined)
    throw usageError(
      `${JSON.stringify(word)} is not of the form key=value`,
      "e.g. priority=1, or tags+=urgent",
    );
  const key = name.replaceAll("-", "_");
  if (!isKey(key)) throw unknownKey(key);
  if (how !== "=" && KEYS[key] !== "words" && KEYS[key] !== "lines")
    throw usageError(`${key} is not a list`, `${key}=… sets it`);
  return { key, how, value };
}

function isKey(name: string): name is Key {
  return Object.hasOwn(KEYS, name);
}

function unknownKey(key: string): UserError {
  if (Object.hasOwn(Task.shape, key))
    return usageError(`${key} is not set by hand`, `these are: ${Object.keys(KEYS).join(", ")}`);
  const hint = didYouMean(nearest(key, Object.keys(KEYS)), `there are: ${Object.keys(KEYS).join(", ")}`);
  return usageError(`a task has no key ${key}`, hint);
}

/** Returns the new values of a task's keys, and the keys to remove: an empty value removes an optional key. Throws `usage` errors. */
export function valuesOf(task: Task, assignments: readonly Assignment[]): TaskEdit {
  const set: TaskValues = {};
  const clear = new Set<OptionalKey>();
  for (const assignment of assignments) {
    const value = valueOf(withValues(task, { set, clear: [...clear] }), assignment);
    const { key } = assignment;
    const empty = value === "" || (Array.isArray(value) && value.length === 0);
    if (empty && isOptional(key)) {
      clear.add(key);
      Reflect.deleteProperty(set, key);
    } else {
      if (isOptional(key)) clear.delete(key);
      Object.assign(set, { [key]: value });
    }
  }
  return { set, clear: [...clear] };
}

function isOptional(key: Key): key is OptionalKey {
  return key !== "title" && key !== "priority" && key !== "status";
}

function valueOf(task: Task, assignment: Assignment): string | number | string[] {
  const { key, value } = assignment;
  const shape = KEYS[key];
  switch (shape) {
    case "text":
      return value;
    case "number": {
      if (/^[1-5]$/.test(value)) return Number(value);
      const message = `${key} is a number from 1 to 5, not ${JSON.stringify(value)}`;
      throw usageError(message, "1 comes first");
    }
    case "status": {
      const status = Status.safeParse(value);
      if (status.success) return status.data;
      const hint = didYouMean(nearest(value, STATUSES), `statuses: ${STATUSES.join(", ")}`);
      throw usageError(`${JSON.stringify(value)} is not a status`, hint);
    }
    case "words":
    case "lines":
      return listOf(task, assignment);
    default:
      return never(shape);
  }
}

function listOf(task: Task, { key, how, value }: Assignment): string[] {
  const named = value
    .split(KEYS[key] === "words" ? "," : "\n")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const bad = key === "depends_on" ? named.find((id) => !TaskId.safeParse(id).success) : undefined;
  if (bad !== undefined)
    throw usageError(
      `${JSON.stringify(bad)} is not an id`,
      "ids have no white space; a comma stands between two",
    );
  const wrong = key === "changes" && how !== "-=" ? readPatterns(named).wrong[0] : undefined;
  if (wrong !== undefined)
    throw usageError(
      `changes: ${JSON.stringify(wrong.pattern)} is refused: ${wrong.why}`,
      "name files or folders of the project, e.g. changes+=test/dates.test.js",
    );
  if (key === "changes" && how === "+=" && named.length === 0)
    throw usageError("changes+= names no pattern", "changes= removes those of the task");
  const old: unknown = task[key];
  const before = Array.isArray(old) ? old.map(String) : [];
  if (how === "=") return named;
  if (how === "-=") return before.filter((part) => !named.includes(part));
  return [...before, ...named.filter((part) => !before.includes(part))];
}

/** The id that is one character away from the typed word. */
export function findNearTask(
  tasks: readonly Pick<Task, "id" | "status" | "tags">[],
  typed: string,
): string | undefined {
  return nearestId(
    typed,
    withoutMarker(tasks).map(({ id }) => id),
  );
}

/** A hint with that id, else with the tasks whose title contains the typed words, else `otherwise`. */
export function hintOnTask(
  tasks: readonly Pick<Task, "id" | "status" | "tags" | "title">[],
  typed: string,
  otherwise = "looper ls lists them",
): string {
  const known = withoutMarker(tasks);
  const asked = known.find(({ id }) => typed.startsWith(`${id}.`));
  if (asked !== undefined) return `${typed} may be a question of ${asked.id}: looper questions ${asked.id}`;
  const near = findNearTask(tasks, typed);
  if (near !== undefined) return didYouMean(near, otherwise);
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const titled = known.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  if (words.length === 0 || titled.length === 0 || !/\p{L}{2}/u.test(typed)) return otherwise;
  const shown = titled.map(({ id, title }) => `${id} (${shorten(title, LONGEST_TITLE)})`);
  return `that is in the title of ${listSome(shown, MOST_TITLED)}`;
}

const MOST_TITLED = 3;
const LONGEST_TITLE = 40;
