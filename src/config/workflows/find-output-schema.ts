// Finds the schema of a stage's output: the project's own, then the user's, then one that Looper brings.
import path from "node:path";
import { err, ok, type Result } from "../../system/result.js";
import type { Files } from "../../system/ports.js";
import { decodeUtf8 } from "../../system/text/decode-utf8.js";
import { hintOn } from "../../system/text/nearest.js";
import { readJsonSource } from "../../system/text/source-text.js";
import {
  compileOutputSchema,
  shippedOutputSchema,
  type OutputSchema,
} from "../../workflow/outputs/check-output.js";
import { OUTPUT_NAMES } from "../../workflow/outputs/outputs.js";
import { readInside } from "../../system/files/read-inside.js";
import type { WorkflowPlaces } from "./find-workflows.js";

/** The folder of a project's own schemas, NAME.schema.json. */
export const OWN_OUTPUTS = path.join(".looper", "outputs");

/** Why the schema was not found, and what to do. */
export interface NoSchema {
  message: string;
  hint: string;
}

export async function findOutputSchema(
  files: Files,
  { project, user }: Pick<WorkflowPlaces, "project" | "user">,
  name: string,
): Promise<Result<OutputSchema, NoSchema>> {
  const own = path.join(OWN_OUTPUTS, `${name}.schema.json`);
  const users = path.join(user, "outputs", `${name}.schema.json`);
  for (const { file, shown, inside } of [
    { file: path.join(project, own), shown: own, inside: project },
    { file: users, shown: users, inside: undefined },
  ]) {
    if ((await files.stat(file, { link: true })) === undefined) continue;
    const read = await readInside(files, file, inside);
    const compiled = read.ok ? compile(name, read.value) : err(`cannot read it: ${read.error}`);
    return compiled.ok
      ? compiled
      : err({ message: `${shown}: ${compiled.error}`, hint: "correct the schema" });
  }
  const shipped = shippedOutputSchema(name);
  if (shipped !== undefined) return ok(shipped);
  const otherwise = `write ${own}, or name one of ${OUTPUT_NAMES.join(", ")}`;
  return err({
    message: `there is no output ${JSON.stringify(name)}`,
    hint: hintOn(name, OUTPUT_NAMES, otherwise),
  });
}

function compile(name: string, bytes: Uint8Array): Result<OutputSchema, string> {
  const text = decodeUtf8(bytes);
  if (!text.ok) return err(`it is not UTF-8: ${text.error.found}`);
  const source = readJsonSource(text.value, { comments: false });
  if (!source.ok) return err(`line ${String(source.error.line)}: ${source.error.message}`);
  return compileOutputSchema(name, source.value.value);
}
