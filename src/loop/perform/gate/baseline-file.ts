// Reads the results of the checks before a task from the file that a run keeps them in.
import { Baseline } from "../../../gate/verdict.js";
import type { Ports } from "../../../system/ports.js";
import { parseJson } from "../../../system/text/json.js";

/** The results; `undefined` if the file is gone or is not valid. */
export async function readBaseline(
  { files }: Pick<Ports, "files">,
  file: string,
): Promise<Baseline | undefined> {
  const bytes = await files.read(file);
  return bytes === undefined ? undefined : Baseline.safeParse(parseJson(bytes)).data;
}
