// Finds the task that a word means when it is not exactly a task's id. Pure.
import { listSome, shorten } from "../../system/text/cut.js";
import { nearestId } from "../../system/text/nearest.js";
import { didYouMean } from "../model/problem.js";
import { withoutMarker } from "../model/select.js";
import type { Task } from "../model/task.js";

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
