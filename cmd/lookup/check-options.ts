// How a task file is checked: by the known agents and the user's schemas. Every command does the same.
import { knownAgents } from "../../src/config/read/agent-settings.js";
import type { Project } from "../../src/config/project/open-project.js";
import { usageError } from "../../src/system/errors.js";
import { tryParseJson } from "../../src/system/text/json.js";
import type { CheckOptions } from "../../src/todo/check/check.js";
import type { UserSchema } from "../../src/todo/check/user-schema.js";
import { openStore, type Store } from "../../src/todo/store/store.js";
import { readNamedFile } from "./project.js";
import type { CommandContext } from "../context/command-context.js";

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
  const schema = tryParseJson(await readNamedFile(context, file, "JSON Schema"));
  if (!schema.ok) throw usageError(`${file} is not JSON`, "correct the schema");
  // Few projects have a schema of their own, and ajv is large.
  const { compileUserSchema } = await import("../../src/todo/check/user-schema.js");
  const compiled = compileUserSchema(schema.value);
  if (compiled.ok) return compiled.value;
  throw usageError(`${file} is not a JSON Schema: ${compiled.error}`, "correct the schema");
}
