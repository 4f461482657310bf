// The summary as a CLI's schema flag asks for it. What comes back is checked here all the same: no CLI can be relied on.
import path from "node:path";
import type { Ports } from "../../system/ports.js";
import { summaryStrictJsonSchema } from "../../todo/check/schema.js";
import type { AgentRequest } from "../agent.js";

/**
 * The schema as JSON; `undefined` in phases that need no summary, in a stage whose report has no strict schema, and where
 * `args`, the user's, have the flag already.
 */
export function summarySchema(
  { phase, stage }: Pick<AgentRequest, "phase" | "stage">,
  { flag, args }: { flag: string; args: readonly string[] },
): string | undefined {
  if (phase !== "iteration" && phase !== "review") return undefined;
  if (args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))) return undefined;
  if (stage === undefined) return JSON.stringify(summaryStrictJsonSchema());
  return stage.strict === undefined ? undefined : JSON.stringify(stage.strict);
}

/** Writes it beside the request's prompt; the absolute path. */
export async function writeSchema(
  schema: string,
  { promptFile }: Pick<AgentRequest, "promptFile">,
  { files }: Pick<Ports, "files">,
): Promise<string> {
  const file = path.join(path.dirname(promptFile), "summary.schema.json");
  await files.writeAtomic(file, schema, { mode: 0o600 });
  return file;
}
