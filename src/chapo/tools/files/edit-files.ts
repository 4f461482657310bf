// Edits of several files as one: all are worked out before the first is written, and what was written is put back when a
// later one cannot be. Leaves one replacement to edit-text.ts, and what the model is told to files-write.ts.
import type { Files } from "../../../system/ports.js";
import { errorMessage } from "../../../system/errors.js";
import { editText, type TextEdit } from "./edit-text.js";
import { countBytes, LARGEST_FILE, readText } from "./file-text.js";
import { resolvePath, type ProjectFolder } from "../../paths.js";

/** One replacement, and where. */
export interface FileEdit extends TextEdit {
  path: string;
}

/** A file as it is and as it will be. */
export interface PlannedEdit {
  /** Absolute. */
  path: string;
  shown: string;
  before: string;
  after: string;
  /** Replacements made in it. */
  count: number;
}

/** What the edits come to, file by file in the order they were first named, or which of them cannot be made (from 0). */
export async function planEdits(
  place: ProjectFolder,
  edits: readonly FileEdit[],
): Promise<{ planned: PlannedEdit[] } | { problem: string; at: number }> {
  const planned = new Map<string, PlannedEdit>();
  for (const [at, edit] of edits.entries()) {
    const opened = await openFile(place, planned, edit.path);
    if ("problem" in opened) return { problem: opened.problem, at };
    const edited = editText(opened.after, edit);
    if ("problem" in edited) return { problem: `${opened.shown}: ${edited.problem}`, at };
    if (countBytes(edited.text) > LARGEST_FILE)
      return { problem: `${opened.shown}: it would grow beyond ${LARGEST_FILE} bytes`, at };
    planned.set(opened.path, { ...opened, after: edited.text, count: opened.count + edited.count });
  }
  return { planned: [...planned.values()] };
}

/** As earlier edits left it, else as it is on disk. */
async function openFile(
  place: ProjectFolder,
  planned: ReadonlyMap<string, PlannedEdit>,
  spelled: string,
): Promise<PlannedEdit | { problem: string }> {
  const resolved = await resolvePath(place, spelled, "write");
  if ("refusal" in resolved) return { problem: resolved.refusal };
  const earlier = planned.get(resolved.path);
  if (earlier !== undefined) return earlier;
  const read = await readText(place.files, resolved);
  if ("problem" in read) return read;
  return { ...resolved, before: read.text, after: read.text, count: 0 };
}

/** Writes them all; what goes wrong is told once everything is as it was. */
export async function writeEdits(
  files: Files,
  planned: readonly PlannedEdit[],
): Promise<{ problem: string } | undefined> {
  const written: PlannedEdit[] = [];
  for (const file of planned) {
    try {
      await files.writeAtomic(file.path, file.after);
      written.push(file);
    } catch (error) {
      const left = await restoreFiles(files, written);
      const after = left.length === 0 ? "nothing was changed" : `could not be put back: ${left.join(", ")}`;
      return { problem: `${file.shown}: ${errorMessage(error)}; ${after}` };
    }
  }
  return undefined;
}

async function restoreFiles(files: Files, written: readonly PlannedEdit[]): Promise<string[]> {
  const left: string[] = [];
  for (const file of written) {
    try {
      await files.writeAtomic(file.path, file.before);
    } catch {
      left.push(file.shown);
    }
  }
  return left;
}
