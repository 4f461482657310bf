// A person's word that done tasks count as verified, as changes of the backlog. Pure; throws a `UserError` for a task that
// cannot be accepted. Leaves reading which tasks wait for others to the command.
import { UserError } from "../../system/errors.js";
import { isMarker } from "../model/select.js";
import type { Task, TaskId } from "../model/task.js";
import { acceptanceOf, isVerified, verdictOf } from "../model/verified.js";
import { requireTask, type PersonEdit } from "./person-edits.js";

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
