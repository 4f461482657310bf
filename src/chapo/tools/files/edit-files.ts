// Applies edits to several files as one operation: all results are computed before the first file is written, and files
// already written are restored when a later one cannot be. edit-text.ts makes one replacement; files-write.ts defines the tools.
import type { Files } from "../../../system/ports.js";
import { errorMessage } from "../../../system/errors.js";
import { editText, type TextEdit } from "./edit-text.js";
import { countBytes, findAddedMask, LARGEST_FILE, readText } from "./file-text.js";
import { resolvePath, type ProjectFolder } from "../../paths.js";

/** One replacement and its file. */
export interface FileEdit extends TextEdit {
  path: string;
}

/** A file's text before and after its edits. */
export interface PlannedEdit {
  /** Absolute. */
  path: string;
  shown: string;
  before: string;
  after: string;
  /** The number of replacements in this file. */
  count: number;
}

/** Computes the edited files, in the order in which the edits first name them. A problem carries the index of its edit. */
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
      return { problem: `${opened.shown}: the file would exceed ${LARGEST_FILE} bytes`, at };
    const masked = findAddedMask(opened.shown, opened.before, edited.text);
    if (masked !== undefined) return { problem: masked, at };
    planned.set(opened.path, { ...opened, after: edited.text, count: opened.count + edited.count });
  }
  return { planned: [...planned.values()] };
}

/** Returns the file as earlier edits left it, otherwise as it is on disk. */
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

/** Writes all files. After a failure it restores the files already written, then returns the problem. */
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
      const after = left.length === 0 ? "nothing was changed" : `could not be restored: ${left.join(", ")}`;
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
