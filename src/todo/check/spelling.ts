// Finds the known key that a key of a task file means. Pure. understand-task.ts reads its value.
import { nearest } from "../../system/text/nearest.js";

/** Other names of a key; a name with a second meaning is not in the list. */
const TASK_NAMES: Readonly<Record<string, string>> = {
  taskid: "id",
  name: "title",
  desc: "description",
  prio: "priority",
  state: "status",
  dependencies: "depends_on",
  dependency: "depends_on",
  depends: "depends_on",
  deps: "depends_on",
  requires: "depends_on",
  prerequisites: "depends_on",
  step: "steps",
  blocker: "blockers",
  tag: "tags",
  file: "files",
};

/** Keys that change what a run does: their typos are not corrected. */
const WEIGHTY: ReadonlySet<string> = new Set([
  ...["id", "title", "priority", "status", "depends_on", "verify", "changes"],
  ...["tasks", "schema_version"],
]);
/** A shorter word is too often a different word instead of a typo. */
const SHORTEST_TYPO = 5;

/** `key`: the known key that is meant; `unknown`: none; `unsure`: possibly one. */
export type Spelled = { key: string } | "unknown" | "unsure";

/** `taken`: the keys the object has beside this one. */
export function findSpelledKey(key: string, known: readonly string[], taken: ReadonlySet<string>): Spelled {
  const squashed = squash(key);
  const same = known.find((one) => squash(one) === squashed);
  if (same !== undefined) return taken.has(same) ? "unsure" : { key: same };
  const other = Object.hasOwn(TASK_NAMES, squashed) ? TASK_NAMES[squashed] : undefined;
  if (other !== undefined && known.includes(other)) {
    if (!taken.has(other)) return { key: other };
    return squashed === "name" ? "unknown" : "unsure";
  }
  const near = key.length < SHORTEST_TYPO ? undefined : nearest(key, known);
  return near !== undefined && WEIGHTY.has(near) ? "unsure" : "unknown";
}

/** Removes case and separators: `dependsOn`, `Depends-On` and `depends_on` are the same. */
function squash(key: string): string {
  return key.toLowerCase().replaceAll(/[_\-\s]/gu, "");
}
