// L24: whether the files of a question still are what was asked about. Used before an answer is taken, by commands and by runs: the person
// may have read something else.
import { join } from "node:path";
import type { Files } from "../../system/ports.js";
import { sha256Hex } from "../../system/text/sha256.js";
import type { Task } from "../../todo/model/task.js";
import { copyOfOutput, readableFile } from "../../workflow/outputs/task-files.js";
import { noOf } from "../../workflow/yes-and-no.js";

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
