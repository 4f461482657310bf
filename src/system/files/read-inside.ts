// Reads a small file that a project brings: never a link that leads out of it, nor one that could fill the memory.
import { errorCode, errorMessage } from "../errors.js";
import { err, ok, type Result } from "../result.js";
import { leadsInside } from "./leads-inside.js";
import type { Files } from "../ports.js";

/** The most bytes of a workflow, a schema or a prompt. */
const LARGEST = 1024 * 1024;

/** The bytes, or why they cannot be read; `inside`: the folder that holds the file, its symlinks resolved or not. */
export async function readInside(
  files: Files,
  file: string,
  inside: string | undefined,
): Promise<Result<Uint8Array, string>> {
  try {
    const stat = await files.stat(file);
    if (stat === undefined) return err("it is a link that leads nowhere");
    if (stat.kind === "folder") return err("it is a folder, not a file");
    if (stat.kind !== "file") return err("it is a pipe or a device, not a file");
    if (stat.size > LARGEST)
      return err(`it has ${String(stat.size)} bytes, and at most ${String(LARGEST)} are read`);
    if (inside !== undefined && !(await leadsInside(files, file, inside)))
      return err(`it is a link that leads out of ${inside}`);
    const bytes = await files.read(file);
    return bytes === undefined ? err("it is not there any more") : ok(bytes);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return err(errorMessage(error));
  }
}
