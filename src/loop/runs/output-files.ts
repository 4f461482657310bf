// The files of an output: its JSON and what a person reads beside it, each with a copy. Also the output as a person changed it, and (L24)
// whether the files of a question still are what was asked about. Leaves the answer that names them to the store.
import { dirname, join } from "node:path";
import { formatOutput } from "../../prompts/output-document.js";
import { errorCode, type UserError, usageError, environmentError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Task } from "../../todo/model/task.js";
import { MOST_OUTPUT_BYTES, type OutputSchema } from "../../workflow/outputs/check-output.js";
import { isOutputName } from "../../workflow/outputs/outputs.js";
import { outputFile, readableFile, copyOfOutput } from "../../workflow/outputs/task-files.js";
import type { Question, StageOutput } from "../../workflow/progress.js";
import { factOf } from "../../workflow/advance.js";
import { noOf } from "../../workflow/question.js";

/** Writes an output and what a person reads beside it, with the copies that tell whether they were changed since. */
export async function writeOutputFiles(
  files: Files,
  tasksDir: string,
  { file, sha256, json, text }: OutputText,
): Promise<void> {
  const { readable, copy } = readableFile(file);
  await files.makeFolder(join(tasksDir, dirname(copy)), 0o700);
  const kept = copyOfOutput({ file, sha256 });
  for (const [name, content] of [
    [kept, json],
    [copy, text],
    [readable, text],
    [file, json],
  ] as const)
    if (content !== undefined) await writeFile(files, join(tasksDir, name), content);
}

interface OutputText extends Pick<StageOutput, "file" | "sha256"> {
  json: string | Uint8Array;
  /** The text for a person; absent: it is not known. */
  text: string | Uint8Array | undefined;
}

/** Writes a file of a task. */
export async function writeFile(files: Files, path: string, content: string | Uint8Array): Promise<void> {
  await orInTheWay(path, () => files.writeAtomic(path, content, { mode: 0o600 }));
}

/** Error codes for a different kind of file in the way: a folder instead of a file, or the other way round. */
const IN_THE_WAY: readonly string[] = ["EISDIR", "ENOTDIR", "EEXIST", "ELOOP", "ENOTEMPTY"];

/** Explains a failure for which another kind of file is in the way. */
export async function orInTheWay(path: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!IN_THE_WAY.includes(errorCode(error) ?? "")) throw error;
    const message = `cannot write ${path}: a different kind of file is in the way`;
    throw environmentError(message, "inspect and move it", { cause: error });
  }
}

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
  throw usageError(`cannot edit what ${question.id} shows: ${why}`, "answer without --edit");
}

/** Writes the changed output below `tasksDir` as one of the question's visit: the old one stays what it showed. `schema`: of its stage. */
export async function writeEdited(
  files: Files,
  { task, question, output }: Editable,
  change: { tasksDir: string; text: string; by: string; at: string; schema?: OutputSchema | undefined },
): Promise<StageOutput> {
  const changed = parseJson(change.text);
  const refuse = (what: string, way = "correct"): UserError =>
    usageError(
      `the changed output of ${output.stage} ${what}`,
      `nothing was answered; ${way} it and answer again`,
    );
  if (typeof changed !== "object" || changed === null || Array.isArray(changed))
    throw refuse("is not a JSON object");
  const bytes = Buffer.byteLength(JSON.stringify(changed));
  if (bytes > MOST_OUTPUT_BYTES)
    throw refuse(`has ${String(bytes)} bytes of JSON; the most is ${String(MOST_OUTPUT_BYTES)}`, "shorten");
  const problems = change.schema?.problemsOf(changed) ?? [];
  if (problems.length > 0) throw refuse(`does not fit its schema: ${problems.join("; ")}`);
  const json = `${JSON.stringify(changed, null, 2)}\n`;
  const sha256 = sha256Hex(Buffer.from(json, "utf8"));
  const visit = Number(question.id.slice(task.id.length + 1));
  const file = outputFile(task.id, { visit, stage: output.stage });
  const form = change.schema?.name ?? output.stage;
  const schema = isOutputName(form) ? form : undefined;
  const text = formatOutput({ stage: output.stage, visit, schema, output: changed }, task);
  // The copy counts where two people change one output, and the second one's file is in the place of the first's.
  await writeOutputFiles(files, change.tasksDir, { file, sha256, json, text });
  const values = new Map<string, unknown>(Object.entries(changed));
  const facts = Object.keys(output.facts ?? {}).flatMap((key) => {
    const value = factOf(values.get(key));
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...{ stage: output.stage, visit, outcome: output.outcome, file, sha256 },
    ...(output.facts === undefined ? {} : { facts: Object.fromEntries(facts) }),
    ...{ agent: change.by, run: output.run, at: change.at },
  };
}

/** A file that is not as it was asked about, and the copy that it can be restored from; both below the folder of tasks. */
export interface UnshownFile {
  file: string;
  missing: boolean;
  copy: string;
}

/** Whether an answer refuses what its question shows, so that it may come whatever the files hold. */
export function refusesShown({ progress }: Pick<Task, "progress">, outcome: string | undefined): boolean {
  const { question } = progress ?? {};
  return outcome === "reject" || (question !== undefined && outcome === noOf(question));
}

/** The output of the task's question, or the text beside it, if it was changed since; `undefined`: it is as it was shown. */
export async function findChangedFile(
  files: Files,
  tasksDir: string,
  { progress }: Pick<Task, "progress">,
): Promise<UnshownFile | undefined> {
  const { question, outputs } = progress ?? {};
  const output = outputs?.[question?.shows?.what ?? ""];
  if (question === undefined || output === undefined || question.source === "tool") return undefined;
  const read = (file: string) => files.read(join(tasksDir, file)).catch(() => undefined);
  const bytes = await read(output.file);
  if (bytes === undefined || sha256Hex(bytes) !== question.shows?.sha256)
    return { file: output.file, missing: bytes === undefined, copy: copyOfOutput(output) };
  const { readable, copy } = readableFile(output.file);
  const [text, before] = [await read(readable), await read(copy)];
  if (text === undefined || before === undefined || Buffer.compare(text, before) === 0) return undefined;
  return { file: readable, missing: false, copy };
}
