// Redacts a file that a command printed, piece by piece, because it may be large. src/system/text/secrets/redact.ts finds secrets.
import type { Files } from "../system/ports.js";
import { redactPieces } from "../system/text/secrets/redact-pieces.js";
import type { Redact } from "../system/text/secrets/redact.js";

const PIECE = 1024 * 1024;

/** Replaces the file with a redacted copy if it contains secrets. No process may still write to it. */
export async function redactFile(files: Files, file: string, redact: Redact): Promise<void> {
  const stat = await files.stat(file, { link: true });
  if (stat?.kind !== "file") return;
  const beside = `${file}.clean`;
  await files.remove(beside);
  const out = await files.openAppend(beside, { mode: 0o600 });
  // Until something is redacted, what is written is what was read: `waiting` is the part that is not written yet.
  const read = { isClean: true, waiting: "" };
  const write = async (text: string): Promise<void> => {
    read.isClean &&= read.waiting.startsWith(text);
    read.waiting = read.isClean ? read.waiting.slice(text.length) : "";
    await out.append(text);
  };
  try {
    const decoder = new TextDecoder();
    const pieces = redactPieces(redact);
    for (let at = 0; at < stat.size; at += PIECE) {
      const bytes = await files.readRange(file, at, Math.min(PIECE, stat.size - at));
      const text = decoder.decode(bytes, { stream: at + PIECE < stat.size });
      if (read.isClean) read.waiting += text;
      await write(pieces.take(text));
    }
    await write(pieces.end());
  } finally {
    await out.close();
  }
  // A file without secrets stays as it is: its bytes need not be text.
  if (read.isClean) await files.remove(beside);
  else await files.rename(beside, file);
}
