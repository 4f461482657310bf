// tasks.json of eyaltoledano/claude-task-master (its docs/task-structure.md), plain or with tags. Each subtask is a task of its
// own, `1.2`; the task above it waits for it, and it for what that one waits for.
import type { Status } from "../../model/task.js";
import type { Drafted, TaskDraft } from "./draft.js";
import {
  fieldsIn,
  isFields,
  leftOver,
  lineOf,
  priorityOf,
  sections,
  textOf,
  textsOf,
  type Fields,
} from "../../json/fields.js";

const TASK = [
  ...["id", "title", "description", "details", "testStrategy", "acceptanceCriteria"],
  ...["status", "priority", "dependencies", "subtasks"],
];
/** The default tag of Task Master, which every file has. */
const MAIN = "master";

/** A list of tasks; `tag` is set if its ids must stay apart from those of the main list. */
interface Group {
  tag?: string;
  tasks: Fields[];
}

/** Whether it is the shape with tags. */
export function isTagged(whole: Fields): boolean {
  return Object.values(whole).some((group) => isFields(group) && Array.isArray(group["tasks"]));
}

export function readTaskMaster(whole: Fields): Drafted {
  const groups = groupsOf(whole);
  const drafts = groups.flatMap(({ tag, tasks }) => tasks.flatMap((task) => draftsOf(task, tag)));
  const cancelled = drafts.filter(({ tags }) => tags?.includes(CANCELLED)).length;
  const tags = groups.flatMap(({ tag }) => tag ?? []);
  const names = groups.length === 1 && Array.isArray(whole["tasks"]) ? ["tasks"] : Object.keys(whole);
  return {
    format: "a tasks.json of task-master",
    drafts,
    notes: [
      ...(cancelled === 0 ? [] : [`cancelled tasks are done, and tagged so: ${cancelled}`]),
      ...tags.map((tag) => `tasks of the tag ${tag} are called ${tag}-1, ${tag}-2 …`),
    ],
    ...leftOver(whole, names),
  };
}

function groupsOf(whole: Fields): Group[] {
  if (Array.isArray(whole["tasks"])) return [{ tasks: fieldsIn(whole["tasks"]) }];
  const tagged = Object.entries(whole).flatMap(([tag, group]) =>
    isFields(group) && Array.isArray(group["tasks"]) ? [{ tag, tasks: fieldsIn(group["tasks"]) }] : [],
  );
  const main = tagged.find(({ tag }) => tag === MAIN) ?? tagged[0];
  return tagged.map((group) => (group === main ? { tasks: group.tasks } : group));
}

function draftsOf(task: Fields, tag: string | undefined): TaskDraft[] {
  const id = textOf(task["id"]);
  const named = (name: string): string => (tag === undefined ? name : `${tag}-${name}`);
  const subtasks = id === undefined ? [] : fieldsIn(task["subtasks"]);
  const own = textsOf(task["dependencies"]);
  const idOfSub = (sub: Fields): string | undefined => {
    const text = textOf(sub["id"]);
    return text === undefined || text.includes(".") ? text : `${id ?? ""}.${text}`;
  };
  const siblings = new Set(subtasks.map(idOfSub));
  const below = subtasks.map((sub): TaskDraft => {
    const subId = idOfSub(sub);
    const waits = textsOf(sub["dependencies"]).map((name) => {
      const sibling = `${id ?? ""}.${name}`;
      return siblings.has(sibling) ? sibling : name;
    });
    const inherited = own.filter((name) => !siblings.has(name));
    return {
      ...draftOf(sub, tag, [...waits, ...inherited].map(named)),
      ...(subId === undefined ? {} : { id: named(subId) }),
      reference: `subtask of ${id ?? ""}: ${lineOf(task["title"])}`,
      ...(Object.hasOwn(sub, "priority") ? {} : priorityIn(task)),
    };
  });
  const waits = [...own, ...[...siblings].filter((name) => name !== undefined)];
  const rest = id === undefined ? fieldsIn(task["subtasks"]) : [];
  const draft = draftOf(task, tag, waits.map(named));
  const kept = rest.length === 0 ? draft.kept : { ...draft.kept, subtasks: rest };
  return [...below, { ...draft, ...(id === undefined ? {} : { id: named(id) }), ...(kept ? { kept } : {}) }];
}

const CANCELLED = "cancelled";

/** Translates a status; a task that waits for a person is blocked, with the reason. */
const STATUSES: ReadonlyMap<string, { status: Status; blockers?: string[]; tags?: string[] }> = new Map([
  ["pending", { status: "todo" }],
  ["in-progress", { status: "doing" }],
  ["done", { status: "done" }],
  ["completed", { status: "done" }],
  ["review", { status: "blocked", blockers: ["waits for a review"] }],
  ["deferred", { status: "blocked", blockers: ["deferred"] }],
  ["blocked", { status: "blocked", blockers: ["blocked in task-master"] }],
  [CANCELLED, { status: "done", tags: [CANCELLED] }],
]);

function draftOf(task: Fields, tag: string | undefined, dependsOn: readonly string[]): TaskDraft {
  const spelled = textOf(task["status"]);
  const status = STATUSES.get(spelled?.toLowerCase().replace("_", "-") ?? "pending");
  const { kept } = leftOver(task, TASK);
  const tags = [...(status?.tags ?? []), ...(tag === undefined ? [] : [tag])];
  const unread = {
    ...(status === undefined ? { status: spelled } : {}),
    ...(Object.keys(priorityIn(task)).length === 0 && textOf(task["priority"]) !== undefined
      ? { priority: task["priority"] }
      : {}),
  };
  return {
    title: lineOf(task["title"]),
    description: textOf(task["description"]),
    ...priorityIn(task),
    status: status?.status ?? "todo",
    details: sections([
      ["", task["details"]],
      ["Acceptance criteria", task["acceptanceCriteria"]],
      ["Test strategy", task["testStrategy"]],
    ]),
    blockers: status?.blockers ?? [],
    tags,
    dependsOn,
    kept: { ...kept, ...unread },
  };
}

function priorityIn(task: Fields): { priority?: number } {
  const priority = priorityOf(textOf(task["priority"]) ?? "");
  return priority === undefined ? {} : { priority };
}
