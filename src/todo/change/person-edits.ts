// The edits of a person as changes of the newest backlog: insert, set, change the status, block, remove. Pure; throws a
// `UserError` for a task that does not exist or an edit that is not allowed. Leaves making the changes to the store.
import { UserError } from "../../system/errors.js";
import type { Result } from "../../system/result.js";
import { makeIds } from "../model/ids.js";
import { withValues, type PersonChange, type TaskEdit } from "../model/changes/person-change.js";
import { TaskId, type Backlog, type Task } from "../model/task.js";
import { valuesOf, type Assignment, type AssignmentError } from "./assignment.js";
import { hintOnTask } from "./which-task.js";

/** Decides the changes, from the newest backlog. */
export type PersonEdit = (backlog: Pick<Backlog, "tasks">) => PersonChange[];

const BLANK: Task = { id: TaskId.parse("T1"), title: "-", priority: 3, status: "todo" };

/** The task with this id, else a `usage` error with a hint. `unread`: why there may be tasks that cannot be read. */
export function requireTask(tasks: readonly Task[], id: string, unread?: string): Task {
  const found = tasks.find((task) => task.id === id);
  if (found !== undefined) return found;
  throw new UserError("usage", `there is no task ${id}`, hintOnTask(tasks, id, unread));
}

/** Inserts a task per title, all with the same values. */
export function insertTasks(titles: readonly string[], assignments: readonly Assignment[]): PersonEdit {
  const values = valuesOrThrow(BLANK, assignments);
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
  return ({ tasks }) => {
    const task = requireTask(tasks, id);
    return [{ op: "edit", id: task.id, ...valuesOrThrow(task, assignments) }];
  };
}

/** The verify commands among the assignments, as the task stores them. */
export function listVerifyCommands(assignments: readonly Assignment[]): readonly string[] {
  const typed = assignments.filter(({ key, how }) => key === "verify" && how !== "-=");
  const read = valuesOf(BLANK, typed);
  return read.ok ? (read.value.set.verify ?? []) : [];
}

/** Blocks a task. */
export function blockTask(id: string, why: string): PersonEdit {
  if (!/\S/u.test(why))
    throw new UserError("usage", "no reason is given", 'looper block T3 "waits for the key"');
  return ({ tasks }) => [
    {
      op: "edit",
      id: requireTask(tasks, id).id,
      set: { status: "blocked", blockers: [why.trim()] },
      clear: [],
    },
  ];
}

/** Marks tasks as todo or done. */
export function setStatus(ids: readonly string[], status: "todo" | "done"): PersonEdit {
  return ({ tasks }) =>
    [...new Set(ids)].map((id) => ({
      op: "edit",
      id: requireTask(tasks, id).id,
      set: { status },
      clear: ["blockers"],
    }));
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

function valuesOrThrow(task: Task, assignments: readonly Assignment[]): TaskEdit {
  return orThrow(valuesOf(task, assignments));
}

/** The value; an error is thrown as a `usage` error. */
export function orThrow<T>(result: Result<T, AssignmentError>): T {
  if (result.ok) return result.value;
  throw new UserError("usage", result.error.message, result.error.hint);
}
