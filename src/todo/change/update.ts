// Applies a list of changes to a backlog. Pure: the time is an argument. edit.ts changes the text, and merge.ts merges
// changes that others made meanwhile.
import { never } from "../../system/never.js";
import type { Applied, Change } from "../model/changes/change.js";
import { MARKER, isMarker, isSetMarker, placeIn } from "../model/select.js";
import {
  answer,
  complete,
  note,
  pause,
  restart,
  resume,
  withoutProgress,
  advanceStage,
  enterStage,
  giveUp,
  whyNotClaimed,
} from "./stage-changes.js";
import { withValues, type PersonChange } from "../model/changes/person-change.js";
import { TaskId, Task, type Backlog } from "../model/task.js";
import { markAccepted, markVerdict } from "../model/verified.js";
import { filled, linkTasks, quoted, settleIds, folded } from "../model/add-tasks.js";
import type { NewTask } from "../model/summary.js";

interface Draft {
  /** As it was before the first change. */
  base: Backlog;
  tasks: Task[];
  now: string;
  applied: Applied;
  /** The positions of the tasks, made when a change first needs them; gone once a task is taken out. */
  places?: Map<TaskId, number> | undefined;
  /** Whether it is known that no task is the set marker, so that it is not looked for again after each of many changes. */
  unmarked?: boolean;
}

/** Applies the changes one after the other; a change that no longer holds is refused alone. `now`: RFC 3339. */
export function applyChanges(
  backlog: Backlog,
  changes: readonly (Change | PersonChange)[],
  now: string,
): { backlog: Backlog; applied: Applied } {
  const applied: Applied = { updated: [], refused: [], warnings: [] };
  const draft: Draft = { base: backlog, tasks: [...backlog.tasks], now, applied };
  for (const change of changes) {
    const why = apply(draft, change);
    if (why !== undefined) applied.refused.push({ change, why });
  }
  if (applied.updated.length === 0) return { backlog, applied };
  return { backlog: { ...backlog, tasks: draft.tasks }, applied };
}

/** The reason to refuse a change, or `undefined`. */
function apply(draft: Draft, change: Change | PersonChange): string | undefined {
  switch (change.op) {
    case "claim":
      return claim(draft, change);
    case "uncount":
      return set(draft, change.id, (task) =>
        (task.attempts ?? 0) === 0 ? "it was never tried" : { ...task, attempts: (task.attempts ?? 0) - 1 },
      );
    case "finish":
      return set(draft, change.id, (task) => {
        if (task.status !== "doing") return `it is ${task.status}, not doing`;
        return finished(task, change);
      });
    case "block":
      return set(draft, change.id, (task) => {
        if (task.status === "done") return "it is done";
        // The reasons that led to `block` may come from an earlier run.
        const blockers = union(task.progress?.reasons, change.blockers);
        const given = giveUp(task, blockers);
        return { ...given, status: "blocked", blockers: union(given.blockers, blockers) };
      });
    case "return":
      return set(draft, change.id, (task) => {
        if (task.status === "done") return "it is done";
        return { ...task, status: change.to };
      });
    case "reopen":
      return reopen(draft, change);
    case "add":
      add(draft, change);
      return undefined;
    case "mark-complete":
      return mark(draft);
    case "edit":
      return edit(draft, change);
    case "insert":
      return insert(draft, change);
    case "accept":
      return set(draft, change.id, (task) => {
        if (task.status !== "done") return `it is ${task.status}, not done`;
        if (isMarker(task)) return "it is the completion marker";
        return markAccepted(task, { at: draft.now, by: change.by });
      });
    case "enter":
      return set(draft, change.id, (task) => enterStage(task, change, draft.now));
    case "advance":
      return set(draft, change.id, (task) => advanceStage(task, change, draft.now));
    case "answer":
      return set(draft, change.id, (task) => answer(task, change, draft.now));
    case "pause":
      return set(draft, change.id, (task) => pause(task, change, draft.now));
    case "resume":
      return set(draft, change.id, resume);
    case "note":
      return set(draft, change.id, (task) => note(task, change, draft.now));
    case "complete":
      return set(draft, change.id, (task) => complete(task, change, draft.now));
    case "restart":
      return set(draft, change.id, (task) => restart(task, change, draft.now));
    case "adopt":
      return set(draft, change.id, (task) =>
        task.status === "done" ? "it is done" : { ...task, status: change.status, progress: change.progress },
      );
    case "remove":
      return remove(draft, change);
    default:
      return never(change);
  }
}

function claim(draft: Draft, { id, expect }: Extract<Change, { op: "claim" }>): string | undefined {
  // A person's new task does not remove the marker; work on it does.
  return open(draft, id, (task) => {
    if (task.status !== expect) return `it is ${task.status}, not ${expect}`;
    return whyNotClaimed(task) ?? { ...task, status: "doing", attempts: (task.attempts ?? 0) + 1 };
  });
}

function reopen(draft: Draft, change: Extract<Change, { op: "reopen" }>): string | undefined {
  return open(draft, change.id, (task) => {
    if (task.status !== "done") return `it is ${task.status}, not done`;
    if (isMarker(task)) return "it is the completion marker";
    const { blockers, ...rest } = markVerdict(withoutProgress(task), undefined);
    const reasons = change.blockers.length === 0 ? {} : { blockers: [...change.blockers] };
    return { ...rest, status: change.to, ...reasons };
  });
}

/** Changes a task that is open then: the markers go. */
function open(draft: Draft, id: TaskId, change: (task: Task) => Task | string): string | undefined {
  const why = set(draft, id, change);
  if (why === undefined) takeMarkersAway(draft);
  return why;
}

function set(draft: Draft, id: TaskId, change: (task: Task) => Task | string): string | undefined {
  const at = placeOf(draft, id);
  const task = draft.tasks[at];
  if (task === undefined) return "no such task";
  const changed = change(task);
  if (typeof changed === "string") return changed;
  draft.tasks[at] = { ...changed, updated_at: draft.now };
  if (isSetMarker(changed)) draft.unmarked = false;
  draft.applied.updated.push({ id, from: task.status, to: changed.status });
  return undefined;
}

/** The position of a task, or -1. Most changes leave every task in its place. */
function placeOf(draft: Draft, id: TaskId): number {
  const { base, tasks } = draft;
  const place = placeIn(base, id);
  if (place !== undefined && tasks[place]?.id === id) return place;
  draft.places ??= new Map(tasks.map((task, at) => [task.id, at]));
  return draft.places.get(id) ?? -1;
}

function push(draft: Draft, tasks: readonly Task[]): void {
  for (const task of tasks) {
    draft.places?.set(task.id, draft.tasks.length);
    draft.tasks.push(task);
    draft.applied.updated.push({ id: task.id, to: task.status });
    if (isSetMarker(task)) draft.unmarked = false;
  }
}

/** Adds reported `files` to those before, and keeps `result` if the agent reported none. Never adds an empty key. */
function finished(task: Task, change: Extract<Change, { op: "finish" }>): Task {
  const { result, files, verdict } = change;
  const done: Task = {
    ...withoutProgress(task),
    status: "done",
    ...(task.blockers === undefined ? {} : { blockers: [] }),
    ...(files.length === 0 ? {} : { files: union(task.files, files) }),
    ...(result === "" && task.result === undefined ? {} : { result }),
  };
  return markVerdict(done, verdict);
}

/** Joins two lists, each item once, with those of `before` first. */
function union(before: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...before, ...more])];
}

function add(draft: Draft, { tasks: reported, keepVerify }: Extract<Change, { op: "add" }>): void {
  const { now, applied } = draft;
  const existing = draft.tasks.filter((task) => !isSetMarker(task));
  const planned = planNewTasks(existing, reported, { now, keepVerify });
  applied.warnings.push(...planned.warnings);
  if (planned.tasks.length === 0) return;
  takeMarkersAway(draft);
  push(draft, planned.tasks);
}

function takeMarkersAway(draft: Draft): void {
  if (draft.unmarked === true) return;
  const markers = draft.tasks.filter(isSetMarker);
  if (markers.length > 0) takeOut(draft, markers);
  draft.unmarked = true;
}

function takeOut(draft: Draft, tasks: readonly Task[]): void {
  const gone = new Set(tasks.map(({ id }) => id));
  draft.places = undefined;
  draft.tasks = draft.tasks
    .filter(({ id }) => !gone.has(id))
    .map((task) => withoutEdgesTo(task, gone, draft.now));
  for (const { id, status } of tasks) draft.applied.updated.push({ id, from: status });
}

/** Removes edges to a removed task or marker. */
function withoutEdgesTo(whole: Task, gone: ReadonlySet<TaskId>, now: string): Task {
  const { parent, ...orphan } = whole;
  const task = parent !== undefined && gone.has(parent) ? { ...orphan, updated_at: now } : whole;
  if (task.depends_on?.some((id) => gone.has(id)) !== true) return task;
  return { ...task, depends_on: task.depends_on.filter((id) => !gone.has(id)), updated_at: now };
}

function mark(draft: Draft): string | undefined {
  if (draft.tasks.some((task) => task.status !== "done")) return "not every task is done";
  if (draft.tasks.some(isMarker)) return "it is marked already";
  push(draft, [MARKER]);
  return undefined;
}

function edit(
  draft: Draft,
  { id, set: values, clear }: Extract<PersonChange, { op: "edit" }>,
): string | undefined {
  const opens = values.status !== undefined && values.status !== "done";
  return (opens ? open : set)(draft, id, (task) => {
    if (opens && isSetMarker(task)) return "it is the completion marker";
    const starts = values.status === "todo" || values.status === "done";
    const edited = withValues(starts ? withoutProgress(task) : task, { set: values, clear });
    return opens ? markVerdict(edited, undefined) : edited;
  });
}

function insert(draft: Draft, { task }: Extract<PersonChange, { op: "insert" }>): string | undefined {
  if (placeOf(draft, task.id) !== -1) return "there is a task with this id";
  takeMarkersAway(draft);
  // In the order of the schema's keys.
  push(draft, [Task.parse({ ...task, created_at: draft.now, updated_at: draft.now })]);
  return undefined;
}

function remove(draft: Draft, { id }: Extract<PersonChange, { op: "remove" }>): string | undefined {
  const gone = draft.tasks.find((task) => task.id === id);
  if (gone === undefined) return "no such task";
  takeOut(draft, [gone]);
  return undefined;
}

// The tasks that an agent reports (contract §4, `new_tasks[]`) get ids and edges; invalid ones are dropped.

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
