import { TaskId, type Status, type Backlog, type IndexRow, type Task } from "../model/task.js";

/** The fields of a task that a test gives: ids as plain strings, the others optional. */
type Said = Partial<Omit<Task, "id" | "depends_on">> & { depends_on?: string[] };

/** A branded id from a plain string. */
export function id(text: string): TaskId {
  return TaskId.parse(text);
}

/** A task with this id: todo, priority 3, titled after its id unless said otherwise. */
export function task(name: string, said: Said = {}): Task {
  const { depends_on, ...rest } = said;
  const edges = depends_on === undefined ? {} : { depends_on: depends_on.map(id) };
  return { id: id(name), title: `Title of ${name}`, priority: 3, status: "todo", ...rest, ...edges };
}

/** A backlog of these tasks. */
export function backlog(...tasks: Task[]): Backlog {
  return { schema_version: 1, source_files: [], tasks };
}

/** A row of the index. */
export function row(
  name: string,
  said: { status?: Status; priority?: number; depends_on?: string[] } = {},
): IndexRow {
  return {
    id: id(name),
    status: said.status ?? "todo",
    priority: said.priority ?? 3,
    depends_on: (said.depends_on ?? []).map(id),
  };
}
