// The output of a stage as a person changed it: a file of its own beside the old one, so that the old one stays what an
// earlier question showed. Leaves the answer that names it to the store.
import path from "node:path";
import { formatOutput } from "../../prompts/output-document.js";
import { UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Task } from "../../todo/model/task.js";
import { MOST_OUTPUT_BYTES, type OutputSchema } from "../../workflow/outputs/check-output.js";
import { isOutputName } from "../../workflow/outputs/outputs.js";
import { COPIES, outputFile, readableFile } from "../../workflow/outputs/task-files.js";
import type { Question, StageOutput } from "../../workflow/progress.js";
import type { Scalar } from "../../workflow/workflow.js";

/** The output that the question of a task lets a person change. */
export interface Editable {
  task: Task;
  question: Question;
  output: StageOutput;
}

/** The output that an answer to the question may change; a `usage` error where there is none. */
export function findEditable(task: Task, question: Question): Editable {
  const { edits } = question;
  const output = edits === undefined ? undefined : task.progress?.outputs?.[edits];
  if (output !== undefined) return { task, question, output };
  const why = edits === undefined ? "it does not let you change an output" : `${edits} has no output`;
  throw new UserError("usage", `cannot edit what ${question.id} shows: ${why}`, "answer without --edit");
}

/** Writes the changed output below `tasksDir` as one of the question's visit, and what a person reads beside it. `schema`: of its stage. */
export async function writeEdited(
  files: Files,
  { task, question, output }: Editable,
  change: { tasksDir: string; text: string; by: string; at: string; schema?: OutputSchema | undefined },
): Promise<StageOutput> {
  const changed = parseJson(change.text);
  if (typeof changed !== "object" || changed === null || Array.isArray(changed))
    throw new UserError(
      "usage",
      `the changed output of ${output.stage} is not a JSON object`,
      "nothing was answered; correct it and answer again",
    );
  const bytes = Buffer.byteLength(JSON.stringify(changed));
  if (bytes > MOST_OUTPUT_BYTES)
    throw new UserError(
      "usage",
      `the changed output of ${output.stage} has ${String(bytes)} bytes of JSON; the most is ${String(MOST_OUTPUT_BYTES)}`,
      "nothing was answered; shorten it and answer again",
    );
  const problems = change.schema?.problemsOf(changed) ?? [];
  if (problems.length > 0)
    throw new UserError(
      "usage",
      `the changed output of ${output.stage} does not fit its schema: ${problems.join("; ")}`,
      "nothing was answered; correct it and answer again",
    );
  const text = `${JSON.stringify(changed, null, 2)}\n`;
  const sha256 = sha256Hex(Buffer.from(text, "utf8"));
  const visit = Number(question.id.slice(task.id.length + 1));
  const file = outputFile(task.id, { visit, stage: output.stage });
  const target = path.join(change.tasksDir, file);
  const copies = path.join(path.dirname(target), COPIES);
  await files.makeFolder(copies, 0o700);
  // The copy counts where two people change one output, and the second one's file is in the place of the first's.
  await files.writeAtomic(path.join(copies, `${sha256}.json`), text, { mode: 0o600 });
  await files.writeAtomic(target, text, { mode: 0o600 });
  const form = change.schema?.name ?? output.stage;
  const schema = isOutputName(form) ? { schema: form } : {};
  const shown = { stage: output.stage, visit, ...schema, output: changed };
  const { readable, copy } = readableFile(file);
  for (const name of [copy, readable])
    await files.writeAtomic(path.join(change.tasksDir, name), formatOutput(shown, task), { mode: 0o600 });
  const facts = factsOf(output.facts, changed);
  return {
    ...{ stage: output.stage, visit, outcome: output.outcome, file, sha256 },
    ...(facts === undefined ? {} : { facts }),
    ...{ agent: change.by, run: output.run, at: change.at },
  };
}

/** The facts by their new values. */
function factsOf(before: StageOutput["facts"], changed: object): StageOutput["facts"] {
  if (before === undefined) return undefined;
  const values = new Map<string, unknown>(Object.entries(changed));
  const found = Object.keys(before).flatMap((key): [string, Scalar][] => {
    const value = values.get(key);
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isScalar ? [[key, value]] : [];
  });
  return Object.fromEntries(found);
}
