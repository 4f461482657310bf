// Checks that the user's own schema allows a run. A schema that forbids what the runner writes would make the backlog invalid at
// the first change, and each repair costs money.
import { UserError } from "../../../system/errors.js";
import { parseJson } from "../../../system/text/json.js";
import { findForbiddenChange } from "../../../todo/check/runner-keys.js";
import type { UserSchema } from "../../../todo/check/user-schema.js";
import type { RunRequest } from "../../runs/run-request.js";

/** Throws a `usage` error that names what the schema forbids. */
export async function requireSchemaAllowsRun(
  { ports, project }: RunRequest,
  schemaFile: string,
  schema: UserSchema,
): Promise<void> {
  const { completion_marker: marks, review } = project.resolved.settings.loop;
  const value = parseJson(await ports.files.read(project.todoFile));
  const breaks = (backlog: unknown): boolean => schema(backlog).length > 0;
  const forbidden = findForbiddenChange(value, breaks, { marks: marks && review });
  if (forbidden === undefined) return;
  const isMarker = forbidden.includes("marks a finished backlog");
  throw new UserError(
    "usage",
    `cannot run with ${schemaFile}: it does not allow ${forbidden}, which a run writes`,
    isMarker ? "allow it in the schema, or set `loop.completion_marker` to false" : "allow it in the schema",
  );
}
