// Prepares the tasks that an agent reports (contract §4, `new_tasks[]`): gives them ids and edges, and drops invalid ones.
// update.ts appends them.
import { shorten } from "../../system/text/cut.js";
import { dropCycles, type Linked } from "../model/edges.js";
import { makeIds } from "../model/ids.js";
import { isMarker } from "../model/select.js";
import type { NewTask } from "../model/summary.js";
import { TaskId, type Task } from "../model/task.js";

export interface Planned {
  tasks: Task[];
  /** Each part that was dropped, with the reason. */
  warnings: string[];
}

/** A reported task that is accepted, and its id. */
interface Accepted {
  from: NewTask;
  id: TaskId;
}

type LinkedTask = Accepted & Linked;

/** Turns reported tasks into tasks. `existing`: all tasks without the completion marker. `now`: RFC 3339. */
export function planNewTasks(
  existing: readonly Task[],
  reported: readonly NewTask[],
  options: { now: string; keepVerify: boolean },
): Planned {
  const warnings: string[] = [];
  const open = new Map<string, TaskId>();
  for (const task of existing) if (task.status !== "done") open.set(folded(task.title), task.id);
  const accepted = withIds(existing, withoutTwins(new Set(open.keys()), reported, warnings));
  for (const { from, id } of accepted) open.set(folded(from.title), id);
  // A reference to a reported task's own id leads to that task, or to the existing task with its title.
  const renamed = new Map<string, TaskId>();
  for (const { from, id } of accepted)
    if (from.id !== undefined && !renamed.has(from.id)) renamed.set(from.id, id);
  for (const { id, title } of reported) {
    const twin = open.get(folded(title));
    if (id !== undefined && twin !== undefined && !renamed.has(id)) renamed.set(id, twin);
  }
  const known = new Set<string>([...existing, ...accepted].map((task) => task.id));
  const linked = accepted.map((task) => ({ ...task, edges: edgesOf(task, { known, renamed, warnings }) }));
  dropCycles(linked, (id, target) =>
    warnings.push(`new task ${id}: dependency on ${target} dropped: it would close a cycle`),
  );
  return { tasks: linked.map((task) => toTask(task, { ...options, warnings })), warnings };
}

/** Leaves out duplicates: tasks with the title of an unfinished task, or of an earlier one in the list. */
function withoutTwins(titles: Set<string>, reported: readonly NewTask[], warnings: string[]): NewTask[] {
  return reported.filter((task) => {
    const title = folded(task.title);
    const why = isMarker({ id: task.id ?? "", tags: task.tags })
      ? "it is the completion marker"
      : title === ""
        ? "it has no title"
        : titles.has(title)
          ? "a task with this title is open"
          : undefined;
    if (why !== undefined) warnings.push(`new task ${quoted(task.title)} dropped: ${why}`);
    titles.add(title);
    return why === undefined;
  });
}

function folded(title: string): string {
  return title.trim().toLowerCase();
}

/** Keeps a valid and free id, else takes the next in the file's style; given ids come first, so that none is used twice. */
function withIds(existing: readonly Task[], fresh: readonly NewTask[]): Accepted[] {
  const taken = new Set<string>(existing.map((task) => task.id));
  const given = fresh.map((task) => {
    const id = TaskId.safeParse(task.id).data;
    if (id === undefined || taken.has(id)) return undefined;
    taken.add(id);
    return id;
  });
  const next = makeIds(
    existing.map((task) => task.id),
    given.filter((id) => id !== undefined),
  );
  return fresh.map((from, at) => ({ from, id: given[at] ?? next() }));
}

function edgesOf(
  { from, id }: Accepted,
  {
    known,
    renamed,
    warnings,
  }: { known: ReadonlySet<string>; renamed: Map<string, TaskId>; warnings: string[] },
): TaskId[] {
  const edges = new Set<TaskId>();
  for (const named of from.depends_on ?? []) {
    // If its own given id was taken, a reference to it means the task that has the id.
    const to = named === from.id ? named : (renamed.get(named) ?? named);
    const target = TaskId.safeParse(to).data;
    if (target === undefined || !known.has(target))
      warnings.push(`new task ${id}: dependency on ${quoted(named)} dropped: no such task`);
    else if (target === id) warnings.push(`new task ${id}: dependency on itself dropped`);
    else edges.add(target);
  }
  return [...edges];
}

function toTask(
  { from, id, edges: depends_on }: LinkedTask,
  { now, keepVerify, warnings }: { now: string; keepVerify: boolean; warnings: string[] },
): Task {
  const { title, description, reference, priority, details, steps, tags, files, verify, agent } = from;
  if (!keepVerify && verify !== undefined && verify.length > 0)
    warnings.push(`new task ${id}: its verify commands dropped: an agent may not choose its own checks`);
  if (!keepVerify && agent !== undefined)
    warnings.push(`new task ${id}: its agent ${quoted(agent)} dropped: an agent may not choose who works`);
  return {
    id,
    title,
    ...filled({ description, reference }),
    priority: priority ?? 3,
    status: "todo",
    ...filled({ details, steps, tags, files, depends_on }),
    ...(keepVerify ? filled({ verify, agent }) : {}),
    created_at: now,
    updated_at: now,
  };
}

/** Leaves out absent and empty values. */
function filled<T extends Record<string, string | readonly string[] | undefined>>(part: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const key in part) if (part[key] !== undefined && part[key].length > 0) kept[key] = part[key];
  return kept;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
