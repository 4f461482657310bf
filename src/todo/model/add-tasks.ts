// Tasks that are about to be added, by an agent or from a file: their ids, and their edges without a cycle. Pure.
import { shorten } from "../../system/text/cut.js";
import { findBackEdges } from "./cycles.js";
import { TaskId } from "./task.js";

/** Valid and free ids stay; others become the next in the style of the file. `existing`: the ids that are there. */
export function settleIds(asked: readonly (string | undefined)[], existing: readonly string[]): TaskId[] {
  const taken = new Set<string>(existing);
  const kept = asked.map((id) => {
    const valid = TaskId.safeParse(id).data;
    if (valid === undefined || taken.has(valid)) return undefined;
    taken.add(valid);
    return valid;
  });
  // Those that are asked for come first, so that none is used twice.
  const given = kept.filter((id) => id !== undefined);
  const next = existing.length > 0 ? makeIds(existing, given) : makeIds(given);
  return kept.map((id) => id ?? next());
}

/** A task with its dependencies as they are named. */
interface Named {
  id: TaskId;
  names: readonly string[];
}

/**
 * The edges of each task, by id. `find` knows the task that a name means. An edge without a target, to itself, or that closes
 * a cycle is dropped, and `say` is told. Contract: only these tasks can be in a cycle.
 */
export function linkTasks<T extends Named>(
  tasks: readonly T[],
  find: (name: string, task: T) => TaskId | undefined,
  say: (id: TaskId, words: string) => void,
): ReadonlyMap<TaskId, readonly TaskId[]> {
  const linked = tasks.map((task) => {
    const edges = new Set<TaskId>();
    for (const name of task.names) {
      const target = find(name, task);
      if (target === undefined) say(task.id, `dependency on ${quoted(name)} dropped: no such task`);
      else if (target === task.id) say(task.id, "dependency on itself dropped");
      else edges.add(target);
    }
    return { id: task.id, edges };
  });
  const places = new Map(linked.map(({ id }, place) => [id, place]));
  const graph = linked.map(({ edges }) => [...edges].flatMap((id) => places.get(id) ?? []));
  findBackEdges(graph, (path, at) => {
    const [from, to] = [linked[path.at(-1) ?? 0], linked[path[at] ?? 0]];
    if (from === undefined || to === undefined) return;
    from.edges.delete(to.id);
    say(from.id, `dependency on ${to.id} dropped: it would close a cycle`);
  });
  return new Map(linked.map(({ id, edges }) => [id, [...edges]]));
}

/** Leaves out absent and empty values. */
export function filled<T extends Record<string, string | readonly string[] | undefined>>(
  part: T,
): Partial<T> {
  const kept: Partial<T> = {};
  for (const key in part) if (part[key] !== undefined && part[key].length > 0) kept[key] = part[key];
  return kept;
}

/** A title as it is compared. */
export function folded(title: string): string {
  return title.trim().toLowerCase();
}

/** A text for a message. */
export function quoted(text: string): string {
  return JSON.stringify(shorten(text, 60));
}

/** The style of ids: the text before the number, and how the number is written. */
interface Style {
  before: string;
  count: number;
  highest: number;
  /** The most digits of a number; shorter numbers are padded with zeros. */
  width: number;
}

/** A longer number would not be exact. */
const MOST_DIGITS = 15;

/**
 * Returns a function that makes new ids in the most frequent style of `ids`, the latest style in a tie (T001 … T009 →
 * T010, TASK-12 → TASK-13); without numbers T1, T2 … The ids in `taken` are not given again and do not affect the style.
 */
export function makeIds(ids: readonly string[], taken: readonly string[] = []): () => TaskId {
  let usual: Style = { before: "T", count: 0, highest: 0, width: 0 };
  const styles = new Map([[usual.before, usual]]);
  for (const [at, id] of [...ids, ...taken].entries()) {
    const digits = /(?<!\d)\d+$/.exec(id)?.[0];
    if (digits === undefined || digits.length > MOST_DIGITS) continue;
    const before = id.slice(0, -digits.length);
    const style = styles.get(before) ?? { before, count: 0, highest: 0, width: 0 };
    styles.set(before, style);
    style.highest = Math.max(style.highest, Number(digits));
    style.width = Math.max(style.width, digits.length);
    if (at >= ids.length) continue;
    style.count++;
    if (style.count >= usual.count) usual = style;
  }
  const { before, width } = usual;
  let last = usual.highest;
  return () => TaskId.parse(before + String(++last).padStart(width, "0"));
}
