// Whole files as text, bounded and exact: what is written back has the bytes it had. Leaves parts of large files to read-lines.ts.
import type { Files } from "../../../system/ports.js";

/** Bytes of a file that is read or written whole. */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** The text of a file, a mark at its start kept, or one sentence why there is none. */
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

/** How many bytes a text takes on disk. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
