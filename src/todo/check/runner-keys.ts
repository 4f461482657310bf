// The parts of a task file that a run writes itself, in relation to a user's own schema: keys that the schema need not
// know, and changes that it must allow. Pure. user-schema.ts compiles the schema.
import { MARKER } from "../model/marker.js";
import { isRecord } from "../../system/text/json.js";

/** Keys of a task that people do not write. */
const OF_TASK = new Set(["attempts", "result", "created_at", "updated_at", "parent", "progress"]);
/** Keys of the root that `looper init` writes. */
const OF_ROOT = new Set(["$schema"]);

/** The backlog without the keys that only the runner writes; the value itself if it has none of them. */
export function withoutRunnerKeys(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const tasks = value["tasks"];
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !OF_ROOT.has(key)));
  return Array.isArray(tasks) ? { ...own, tasks: tasks.map(ownTask) } : own;
}

function ownTask(task: unknown): unknown {
  if (!isRecord(task)) return task;
  const { meta, ...rest } = task;
  const own = Object.fromEntries(Object.entries(rest).filter(([key]) => !OF_TASK.has(key)));
  if (!isRecord(meta)) return Object.hasOwn(task, "meta") ? { ...own, meta } : own;
  const { verdict: _verdict, accepted: _accepted, ...more } = meta;
  return Object.keys(more).length === 0 ? own : { ...own, meta: more };
}

/** Each change that a run makes to a task, and its name in the error when a schema forbids it. */
const CHANGES: readonly { what: string; change: Readonly<Record<string, unknown>> }[] = [
  { what: 'a task with the status "doing"', change: { status: "doing" } },
  {
    what: 'a task with the status "blocked" and a list of blockers',
    change: { status: "blocked", blockers: ["the reason"] },
  },
  {
    what: 'a task with the status "done" and a list of files',
    change: { status: "done", files: ["README.md"] },
  },
];

/**
 * Finds the first change that a run needs and the schema forbids; `undefined` if it allows all. `breaks`: whether a backlog
 * violates the schema. Contract: the backlog itself meets the schema; otherwise it is repaired first.
 */
export function findForbiddenChange(
  value: unknown,
  breaks: (value: unknown) => boolean,
  { marks }: { marks: boolean },
): string | undefined {
  if (!isRecord(value) || !Array.isArray(value["tasks"]) || breaks(value)) return undefined;
  const tasks: unknown[] = value["tasks"];
  const [first, ...rest] = tasks;
  if (!isRecord(first)) return undefined;
  const forbidden = CHANGES.find(({ change }) =>
    breaks({ ...value, tasks: [{ ...first, ...change }, ...rest] }),
  );
  if (forbidden !== undefined) return forbidden.what;
  const marked = tasks.some((task) => isRecord(task) && task["id"] === MARKER.id);
  return marks && !marked && breaks({ ...value, tasks: [...tasks, MARKER] })
    ? `the task ${MARKER.id} that marks a finished backlog`
    : undefined;
}
