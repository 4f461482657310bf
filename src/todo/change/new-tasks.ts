// Prepares the tasks that an agent reports (contract §4, `new_tasks[]`): gives them ids and edges, and drops invalid ones.
// update.ts appends them.
import { filled, linkTasks, quoted, settleIds } from "../model/add-tasks.js";
import { isMarker } from "../model/select.js";
import type { NewTask } from "../model/summary.js";
import { TaskId, type Task } from "../model/task.js";

export interface Planned {
  tasks: Task[];
  /** Each part that was dropped, with the reason. */
  warnings: string[];
}

/** Turns reported tasks into tasks. `existing`: all tasks without the completion marker. `now`: RFC 3339. */
export function planNewTasks(
  existing: readonly Task[],
  reported: readonly NewTask[],
  options: { now: string; keepVerify: boolean },
): Planned {
  const warnings: string[] = [];
  const open = new Map<string, TaskId>();
  for (const task of existing) if (task.status !== "done") open.set(folded(task.title), task.id);
  const reportedOnce = withoutTwins(new Set(open.keys()), reported, warnings);
  const ids = settleIds(
    reportedOnce.map(({ id }) => id),
    existing.map(({ id }) => id),
  );
  const accepted = reportedOnce.flatMap((from, at) => {
    const id = ids[at];
    return id === undefined ? [] : [{ from, id, names: from.depends_on ?? [] }];
  });
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
  const edges = linkTasks(
    accepted,
    (name, { from }) => {
      // If its own given id was taken, a reference to it means the task that has the id.
      const target = TaskId.safeParse(name === from.id ? name : (renamed.get(name) ?? name)).data;
      return target !== undefined && known.has(target) ? target : undefined;
    },
    (id, words) => warnings.push(`new task ${id}: ${words}`),
  );
  const tasks = accepted.map(({ from, id }) =>
    toTask(from, { ...options, id, edges: edges.get(id) ?? [], warnings }),
  );
  return { tasks, warnings };
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

interface Accepted {
  id: TaskId;
  edges: readonly TaskId[];
  now: string;
  keepVerify: boolean;
  warnings: string[];
}

function toTask(from: NewTask, { id, edges, now, keepVerify, warnings }: Accepted): Task {
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
    ...filled({ details, steps, tags, files, depends_on: [...edges] }),
    ...(keepVerify ? filled({ verify, agent }) : {}),
    created_at: now,
    updated_at: now,
  };
}
