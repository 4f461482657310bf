// Reads whole files as text, up to a size limit and without loss, so that unchanged text is written back byte for byte.
import type { Files } from "../../../system/ports.js";
import { REDACTED } from "../../../system/text/secrets/redact.js";

/** The largest file that is read or written whole, in bytes. */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** Returns a file's text including any byte order mark, or one sentence that says why it cannot be read. */
export async function readText(
  files: Files,
  { path, shown }: { path: string; shown: string },
): Promise<{ text: string } | { problem: string }> {
  const stat = await files.stat(path);
  if (stat === undefined) return { problem: `${shown}: no such file` };
  if (stat.kind === "folder") return { problem: `${shown} is a folder, not a file` };
  if (stat.kind !== "file") return { problem: `${shown} is not a regular file` };
  if (stat.size > LARGEST_FILE)
    return { problem: `${shown} has ${stat.size} bytes; at most ${LARGEST_FILE} are handled` };
  const bytes = await files.readRange(path, 0, stat.size);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: `${shown} is not UTF-8 text` };
  }
}

/** Counts the bytes a text takes on disk. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Returns why a change is refused that would write the mark of a removed secret into a file; `undefined` if it adds none. */
export function findAddedMask(shown: string, before: string, after: string): string | undefined {
  if (after.split(REDACTED).length <= before.split(REDACTED).length) return undefined;
  return `${shown}: the new text contains ${REDACTED}, which stands for a secret that was removed; the real value is not known here. Leave that part of the file as it is, or read the value from the environment`;
}
