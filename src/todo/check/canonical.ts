// The canonical form of a task file (contract §3.5): what `fmt` makes of any file whose root is an object with `tasks`. Pure.
import { err, ok, type Result } from "../../system/result.js";
import { checkBacklog } from "./check.js";
import { compareIds } from "../model/order.js";
import type { Problem, Rule } from "../model/problem.js";
import { Backlog, Task } from "../model/task.js";
import { isRecord } from "../../system/text/json.js";

type Members = Readonly<Record<string, unknown>>;

/** Problems of a text that its canonical form could not keep. */
const UNKEEPABLE: ReadonlySet<Rule> = new Set(["syntax", "utf-8", "duplicate-key", "nesting", "number"]);

const ROOT_KEYS = orderOf(Object.keys(Backlog.shape));
const TASK_KEYS = orderOf(Object.keys(Task.shape));
const PROJECT_KEYS = orderOf(["name", "root"]);
/** Keys of a task that are left out when their value is empty. The content of `meta` is never changed. */
const OPTIONAL: ReadonlySet<string> = new Set(
  Object.entries(Task.shape).flatMap(([key, shape]) =>
    key !== "meta" && shape.safeParse(undefined).success ? [key] : [],
  ),
);

/**
 * The text in canonical form, or why there is none. Loses nothing but white space and optional texts and lists that are
 * empty. `keepOrder` leaves the tasks in their order.
 */
export function formatBacklog(bytes: Uint8Array, { keepOrder = false } = {}): Result<string, Problem[]> {
  const checked = checkBacklog(bytes);
  const problems = checked.kind === "ok" ? [] : checked.problems.filter(({ rule }) => UNKEEPABLE.has(rule));
  if (problems.length > 0) return err(problems);
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isRecord(value) || !Array.isArray(value["tasks"])) {
    const message = "this is not a task file: its root is not an object with a list of tasks";
    return err([{ rule: "wrong-type", pointer: "", line: 1, column: 1, message, suggestion: null }]);
  }
  const tasks: unknown[] = value["tasks"];
  const formatted = tasks.map(formatTask);
  const inOrder = keepOrder ? formatted : formatted.sort(compareTasks);
  const root = ordered({ ...value, tasks: inOrder }, ROOT_KEYS);
  return ok(`${JSON.stringify(root, null, 2)}\n`);
}

function formatTask(task: unknown): unknown {
  if (!isRecord(task)) return task;
  const told = Object.entries(task).filter(([key, value]) => !(OPTIONAL.has(key) && saysNothing(value)));
  return ordered(Object.fromEntries(told), TASK_KEYS);
}

function saysNothing(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** `meta` comes last of those that are known. */
function orderOf(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...keys.filter((key) => key !== "meta"), "meta"].map((key, at) => [key, at]));
}

/** Keys in their order, those that are not known behind them as they were. */
function ordered(members: Members, order: ReadonlyMap<string, number>): Members {
  const place = (key: string): number => order.get(key) ?? order.size;
  const entries = Object.entries(members).sort(([a], [b]) => place(a) - place(b));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      order === ROOT_KEYS && key === "project" && isRecord(value) ? ordered(value, PROJECT_KEYS) : value,
    ]),
  );
}

/** By priority, then id; what has none of a kind that can be compared comes last. */
function compareTasks(a: unknown, b: unknown): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  return first.priority - second.priority || compareIds(first.id, second.id);
}

function rankOf(task: unknown): { priority: number; id: string } {
  const { priority, id } = isRecord(task) ? task : {};
  return {
    priority: typeof priority === "number" ? priority : Number.MAX_VALUE,
    id: typeof id === "string" ? id : "",
  };
}
