// Reads the tasks of a task file, valid or not, for commands that only show them; and how a task file is
// checked: by the known agents and the user's schemas.
import { knownAgents } from "../../src/config/read/agent-settings.js";
import type { Project } from "../../src/config/project/open-project.js";
import { whyNotRoot } from "../../src/config/project/project.js";
import { usageError } from "../../src/system/errors.js";
import { isRecord, parseJson } from "../../src/system/text/json.js";
import { checkBacklog, readBacklog, type CheckOptions } from "../../src/todo/check/check.js";
import type { WrongTask } from "../../src/todo/check/shape.js";
import type { UserSchema } from "../../src/todo/check/user-schema.js";
import type { Problem } from "../../src/todo/model/problem.js";
import type { Task } from "../../src/todo/model/task.js";
import { openStore, type Store } from "../../src/todo/store/store.js";
import { clean } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import type { CommandContext } from "../context/command-context.js";
import { readNamedFile, shownPath } from "./project.js";

export interface TasksRead {
  tasks: readonly Task[];
  problems: readonly Problem[];
  /** Tasks with wrong values, only for display. */
  wrong: readonly WrongTask[];
  root?: string | undefined;
}

/** Reads the project's task file, which must be there. */
export async function readTasks(context: CommandContext, project: Project): Promise<TasksRead> {
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const options = await checkOptionsOf(context, project);
  const valid = readBacklog(bytes, options);
  const checked = valid === undefined ? checkBacklog(bytes, options) : undefined;
  if (checked?.kind === "invalid")
    return { tasks: checked.readable, problems: checked.problems, wrong: checked.wrong };
  const backlog = valid ?? checked?.backlog;
  const problems = checked?.kind === "empty" ? checked.problems : [];
  return { tasks: backlog?.tasks ?? [], problems, wrong: [], root: backlog?.project?.root };
}

/** The tasks of a file that can be read, valid or not, without a check of what it names. */
export function tasksIn(bytes: Uint8Array = new Uint8Array()): readonly Task[] {
  const checked = checkBacklog(bytes);
  return checked.kind === "invalid" ? checked.readable : (checked.backlog?.tasks ?? []);
}

/** The folder for work that a task file names, if it is JSON, and what is wrong with it. */
export async function readRoot(
  { ports }: CommandContext,
  project: Project,
  bytes: Uint8Array,
): Promise<{ root: string | undefined; wrong: Awaited<ReturnType<typeof whyNotRoot>> }> {
  const file = parseJson(bytes);
  const named = isRecord(file) && isRecord(file["project"]) ? file["project"]["root"] : undefined;
  const root = typeof named === "string" ? named : undefined;
  return { root, wrong: await whyNotRoot(ports.files, project, root) };
}

/** The tasks of a valid file; else a `usage` error. */
export async function readValidTasks(context: CommandContext, project: Project): Promise<readonly Task[]> {
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const checked = checkBacklog(bytes, await checkOptionsOf(context, project));
  if (checked.kind !== "invalid") return checked.backlog?.tasks ?? [];
  const shown = shownPath(context, project.todoFile);
  throw usageError(`${shown} is not a valid backlog`, "list the problems with `looper validate`");
}

/** The sentence on a file's problems; `undefined` when it has none. `typed`: the file as typed. */
export function problemsText(
  context: CommandContext,
  { todoFile }: Pick<Project, "todoFile">,
  problems: readonly Problem[],
  typed?: string,
): string | undefined {
  if (problems.length === 0) return undefined;
  const shown = clean(shownPath(context, todoFile));
  const named = typed === undefined ? "" : ` ${clean(typed)}`;
  return `${shown} has ${plural(problems.length, "problem")}: looper validate${named} shows them`;
}

/** `more`: absolute paths of further schemas. A schema that cannot be used is a `usage` error. */
export async function checkOptionsOf(
  context: CommandContext,
  { paths, resolved }: Project,
  more: readonly string[] = [],
): Promise<CheckOptions> {
  const files = [...(paths.schemaFile === undefined ? [] : [paths.schemaFile]), ...more];
  const schemas = await Promise.all([...new Set(files)].map((file) => readSchema(context, file)));
  return {
    agentNames: knownAgents(resolved.settings),
    ...(schemas.length === 0 ? {} : { schema: (value) => schemas.flatMap((schema) => schema(value)) }),
  };
}

/** The store of the project's task file, which checks it in the same way. */
export async function storeOf(context: CommandContext, project: Project): Promise<Store> {
  const check = await checkOptionsOf(context, project);
  return openStore(context.ports, project.todoFile, { lockFolder: project.lockDir, check });
}

async function readSchema(context: CommandContext, file: string): Promise<UserSchema> {
  const bytes = await readNamedFile(context, file, "JSON Schema");
  // Few projects have a schema of their own, and ajv is large.
  return (await import("../../src/todo/check/user-schema.js")).readUserSchema(bytes, file);
}
