// Merges a file that others saved with the backlog that the runner knows (contract §4, *Edits during a run*). Both are
// valid backlogs. store.ts handles a broken file.
import { isDeepStrictEqual } from "node:util";
import type { Edits } from "../model/changes/change.js";
import { isMarker } from "../model/select.js";
import type { Backlog, Task, TaskId } from "../model/task.js";
import { keepMark } from "../model/verified.js";
import type { GivenAnswer, Progress } from "../../workflow/progress.js";
import { whyNotAnswered } from "../../workflow/question.js";
import { withAnswer } from "./stage-changes.js";

/** How many deleted tasks are named; the rest is counted. */
const NAMED = 20;

export interface MergeRules {
  /** Whether an agent was at work, one that may change nothing (`reader`), or only people could have saved. */
  while: "agent" | "reader" | "idle";
  /** Tasks this run finished: they stay done. */
  finished: ReadonlySet<TaskId>;
  /** Agents edit the file themselves, so a save is never a person's word on `changes`. */
  byAgents?: true;
}

export interface Merged {
  /** `found` itself if no change is reverted. Tasks stay in the order of `found`. */
  backlog: Backlog;
  /** Absent if both have the same content. */
  edits?: Edits;
}

/** Accepts the allowed changes of `found`, and reverts the others to `known`. */
export function mergeEdits(known: Backlog, found: Backlog, rules: MergeRules): Merged {
  if (known === found) return { backlog: found };
  if (rules.while === "reader") return putBackAll(known, found);
  const before = new Map(known.tasks.map((task) => [task.id, task]));
  const edits: Edits = { added: [], changed: [], removed: [], putBack: [] };
  const tasks = found.tasks.flatMap((task) => {
    const was = before.get(task.id);
    if (was !== undefined && isDeepStrictEqual(was, task)) return [task];
    if (rules.while === "agent" && was === undefined && isMarker(task)) {
      edits.putBack.push(`the completion marker ${task.id}`);
      return [];
    }
    (was === undefined ? edits.added : edits.changed).push(task.id);
    if (rules.while === "idle") {
      const taken =
        rules.byAgents === true
          ? keepProgress(was, keepChanges(was, task, edits), edits.putBack)
          : takeProgress(was, task, edits.putBack);
      return [keepDone(was, taken, { rules, edits })];
    }
    return [was === undefined ? asNew(task, edits) : takeTexts(was, task, edits)];
  });
  const taken = { ...found, tasks };
  const there = new Set(found.tasks.map(({ id }) => id));
  if (rules.while === "idle")
    edits.removed.push(...known.tasks.flatMap(({ id }) => (there.has(id) ? [] : [id])));
  const backlog = rules.while === "idle" ? taken : putBackRest(known, taken, edits);
  // An accepted edit may be completed: a person's answer frees its task.
  const isCompleted =
    tasks.length === found.tasks.length && tasks.some((task, at) => task !== found.tasks[at]);
  if (edits.putBack.length > 0 || isCompleted) return { backlog, edits };
  return isDeepStrictEqual(known, found) ? { backlog: found } : { backlog: found, edits };
}

/** Reverts everything: the agent at work was to change nothing. The changes of commands are in `known` already. */
function putBackAll(known: Backlog, found: Backlog): Merged {
  if (isDeepStrictEqual(known, found)) return { backlog: found };
  const edits: Edits = { added: [], changed: [], removed: [], putBack: [] };
  const before = new Map(known.tasks.map((task) => [task.id, task]));
  edits.putBack.push(...differences({ ...known, tasks: [] }, { ...found, tasks: [] }));
  for (const task of found.tasks) {
    const was = before.get(task.id);
    const names = was === undefined ? [] : nameKeys(was, task, differences(was, task));
    if (was === undefined) edits.putBack.push(`${task.id}, which was added`);
    else if (names.length > 0) edits.putBack.push(`${names.join(", ")} of ${task.id}`);
  }
  withDeleted(known.tasks, found.tasks, edits);
  if (edits.putBack.length === 0) edits.putBack.push("the order of the tasks");
  return { backlog: known, edits };
}

/** An editor with an old version of the file must not undo tasks that this run finished. */
function keepDone(
  was: Task | undefined,
  is: Task,
  { rules, edits }: { rules: MergeRules; edits: Edits },
): Task {
  if (was?.status !== "done" || is.status === "done" || !rules.finished.has(is.id)) return is;
  edits.putBack.push(`the status of ${is.id}, which this run finished`);
  const { status, files, result, attempts, blockers } = was;
  return compact(keepMark(was, { ...is, status, files, result, attempts, blockers }));
}

function keepChanges(was: Task | undefined, is: Task, edits: Edits): Task {
  if (isDeepStrictEqual(was?.changes, is.changes)) return is;
  edits.putBack.push(`changes of ${is.id}`);
  return compact({ ...is, changes: was?.changes });
}

const NOT_FOR_NEW = ["verify", "changes", "agent", "workflow", "parent", "progress"] as const;

/** A task that was added while an agent worked becomes todo, without commands, leave to change checks, an agent or a workflow of its own. */
function asNew(task: Task, edits: Edits): Task {
  const unmarked = keepMark(undefined, task);
  const gone = [
    ...(task.status === "todo" ? [] : ["status"]),
    ...NOT_FOR_NEW.filter((key) => task[key] !== undefined),
    ...(unmarked === task ? [] : ["meta.verdict"]),
  ];
  if (gone.length === 0) return task;
  edits.putBack.push(`${gone.join(", ")} of ${task.id}, which is new`);
  const taken: Task = { ...unmarked, status: "todo" };
  for (const key of NOT_FOR_NEW) Reflect.deleteProperty(taken, key);
  return taken;
}

function takeTexts(was: Task, is: Task, edits: Edits): Task {
  const { title, description, details, steps, blockers, tags, files, meta, updated_at } = is;
  const texts = { title, description, details, steps, blockers, tags, files, meta, updated_at };
  const taken = compact(keepMark(was, { ...was, ...texts }));
  // Only the runner may mark the project as done.
  if (isMarker(taken) && !isMarker(was)) taken.tags = was.tags;
  const merged = compact(taken);
  const back = differences(merged, is);
  if (back.length === 0) return is;
  edits.putBack.push(`${nameKeys(was, is, back).join(", ")} of ${is.id}`);
  return merged;
}

function nameKeys(was: Task, is: Task, keys: readonly string[]): string[] {
  return keys.flatMap((key) => (key === "progress" ? nameProgress(was.progress, is.progress) : [key]));
}

/** Restores the root's own keys and deleted tasks, and removes edges to a marker that was not accepted. */
function putBackRest(known: Backlog, taken: Backlog, edits: Edits): Backlog {
  edits.putBack.push(...differences({ ...known, tasks: taken.tasks }, taken));
  const all = withDeleted(known.tasks, taken.tasks, edits);
  const ids = new Set(all.map((task) => task.id));
  const tasks = all.map((task) => {
    if (task.depends_on?.every((id) => ids.has(id)) !== false) return task;
    return { ...task, depends_on: task.depends_on.filter((id) => ids.has(id)) };
  });
  return { ...known, tasks };
}

/** Restores each deleted task behind the task that it followed. */
function withDeleted(known: readonly Task[], found: readonly Task[], edits: Edits): Task[] {
  const there = new Set(found.map((task) => task.id));
  const first: Task[] = [];
  const behind = new Map<TaskId, Task[]>();
  let deleted = first;
  let count = 0;
  for (const task of known) {
    if (there.has(task.id)) {
      deleted = [];
      behind.set(task.id, deleted);
    } else {
      deleted.push(task);
      if (++count <= NAMED) edits.putBack.push(`${task.id}, which was deleted`);
    }
  }
  if (count > NAMED) edits.putBack.push(`${count - NAMED} more tasks, which were deleted`);
  return [...first, ...found.flatMap((task) => [task, ...(behind.get(task.id) ?? [])])];
}

/** Keys whose values differ, in alphabetical order. */
function differences(a: object, b: object): string[] {
  const [left, right] = [
    new Map<string, unknown>(Object.entries(a)),
    new Map<string, unknown>(Object.entries(b)),
  ];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => !isDeepStrictEqual(left.get(key), right.get(key))).sort();
}

/** Removes keys whose value is undefined, as in a parsed file. */
function compact<T extends object>(value: T): T {
  const copy = { ...value };
  for (const key in copy) if (copy[key] === undefined) Reflect.deleteProperty(copy, key);
  return copy;
}

// Merges a task's progress from a save by others: people may answer its open question and pause it, while no agent is
// at work; everything else is put back and named.

/** The keys of progress that differ, as messages name them: `progress.stage`. */
function nameProgress(was: Progress | undefined, is: Progress | undefined): string[] {
  if (was === undefined || is === undefined) return ["progress"];
  return differences(was, is).map((key) => `progress.${key}`);
}

/** The task with the progress of `was`. `putBack` is told what differed. */
function keepProgress(was: Task | undefined, is: Task, putBack: string[]): Task {
  if (isDeepStrictEqual(was?.progress, is.progress)) return is;
  putBack.push(`${nameProgress(was?.progress, is.progress).join(", ")} of ${is.id}`);
  return compact({ ...is, progress: was?.progress });
}

const FOR_PEOPLE = new Set(["progress.answer", "progress.paused"]);

/** The task that people saved: a new answer that fits the open question and the pause are theirs. */
function takeProgress(was: Task | undefined, is: Task, putBack: string[]): Task {
  if (is.status === "done" && was?.status !== "done" && is.progress !== undefined)
    return compact({ ...is, progress: undefined });
  if (isDeepStrictEqual(was?.progress, is.progress)) return is;
  if (was?.progress === undefined || is.progress === undefined) return keepProgress(was, is, putBack);
  const back = nameProgress(was.progress, is.progress).filter((name) => !FOR_PEOPLE.has(name));
  if (back.length > 0) putBack.push(`${back.join(", ")} of ${is.id}`);
  const { paused } = is.progress;
  const isNew = !isDeepStrictEqual(paused, was.progress.paused);
  const via = paused && isNew ? { ...paused, via: "file" as const } : paused;
  const kept = { ...is, progress: compact({ ...was.progress, paused: via }) };
  return takeAnswer(was.progress, { task: kept, answer: is.progress.answer }, putBack);
}

/** The first answer counts; another one, and one that does not fit, is put back with the reason. */
function takeAnswer(
  was: Progress,
  { task, answer }: { task: Task; answer: GivenAnswer | undefined },
  putBack: string[],
): Task {
  if (isDeepStrictEqual(answer, was.answer)) return task;
  const why = answer === undefined ? "it was taken away" : whyNotAnswered(was, answer);
  if (answer === undefined || why !== undefined) {
    putBack.push(`progress.answer of ${task.id}: ${why ?? ""}`);
    return task;
  }
  return withAnswer(task, { ...answer, via: "file" });
}
