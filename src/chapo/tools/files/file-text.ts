// Reads and writes whole files as text, up to a size limit and without loss, so that unchanged text is written back byte for byte.
import path from "node:path";
import { errorMessage } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import { decodeUtf8 } from "../../../system/text/decode-utf8.js";
import { REDACTED } from "../../../system/text/secrets/redact.js";
import { done, fail, type PlannedCall } from "../../tool.js";
import type { KnownFiles } from "./known-files.js";
import { createUnifiedDiff, describeChange } from "./unified-diff.js";

/** The largest file that is read or written whole, in bytes. */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** Returns a file's text including any byte order mark, or one sentence that says why it cannot be read. */
export async function readText(
  files: Files,
  { path: file, shown }: { path: string; shown: string },
): Promise<{ text: string } | { problem: string }> {
  const stat = await files.stat(file);
  if (stat === undefined) return { problem: `${shown}: no such file` };
  if (stat.kind === "folder") return { problem: `${shown} is a folder, not a file` };
  if (stat.kind !== "file") return { problem: `${shown} is not a regular file` };
  if (stat.size > LARGEST_FILE)
    return { problem: `${shown} has ${stat.size} bytes; at most ${LARGEST_FILE} are handled` };
  const text = decodeUtf8(await files.readRange(file, 0, stat.size));
  return text.ok ? { text: text.value } : { problem: `${shown} is not UTF-8 text` };
}

/** A file's text before and after a call. */
export interface TextChange {
  /** Absolute. */
  path: string;
  shown: string;
  /** `undefined`: there is no such file, or it is not text. */
  before: string | undefined;
  after: string;
}

/** Ends the call of a tool that would write a file that is too large, or the mark of a removed secret. */
export function checkText({ shown, before = "", after }: TextChange): void {
  const bytes = Buffer.byteLength(after, "utf8");
  if (bytes > LARGEST_FILE) fail(`${shown}: ${bytes} bytes; at most ${LARGEST_FILE} are written`);
  if (after.split(REDACTED).length > before.split(REDACTED).length)
    fail(
      `${shown}: the new text contains ${REDACTED}, which stands for a secret that was removed; the real value is not known here. Leave that part of the file as it is, or read the value from the environment`,
    );
}

/** The files, as far as texts are written to them. */
export interface KnownPlace {
  files: Files;
  /** The files as the session knows them; absent: nothing is compared. */
  known?: KnownFiles;
}

/** Plans to write these texts: all or none. `told`: the result. */
export function planTexts(
  { files, known }: KnownPlace,
  texts: readonly TextChange[],
  told: string,
): PlannedCall {
  texts.forEach(checkText);
  const changes = texts.map(({ shown, before, after }) => ({ path: shown, before, after }));
  return {
    preview: () => createUnifiedDiff(changes),
    apply: async () => {
      await writeTexts(files, texts);
      for (const { path: file } of texts) await known?.note(file);
      return done(told, describeChange(changes));
    },
  };
}

/** After a failure it restores the files already written. */
async function writeTexts(files: Files, texts: readonly TextChange[]): Promise<void> {
  for (const [at, file] of texts.entries()) {
    try {
      await files.makeFolder(path.dirname(file.path));
      await files.writeAtomic(file.path, file.after);
    } catch (error) {
      const left: string[] = [];
      for (const { path: written, before = "", shown } of texts.slice(0, at))
        await files.writeAtomic(written, before).catch(() => left.push(shown));
      const after = left.length === 0 ? "nothing was changed" : `could not be restored: ${left.join(", ")}`;
      fail(`${file.shown}: ${errorMessage(error)}; ${after}`);
    }
  }
}
