// Makes exact replacements in texts, and applies them to several files as one operation: all results are computed before the first
// file is written, and files already written are restored when a later one cannot be. files-write.ts defines the tools.
import type { Files } from "../../../system/ports.js";
import { errorMessage } from "../../../system/errors.js";
import { countBytes, findAddedMask, LARGEST_FILE, readText } from "./file-text.js";
import { resolvePath, type ProjectFolder } from "../../paths.js";

/** One replacement and its file. */
interface FileEdit extends TextEdit {
  path: string;
}

/** A file's text before and after its edits. */
interface PlannedEdit {
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
export async function writeEdits(files: Files, planned: readonly PlannedEdit[]): Promise<string | undefined> {
  for (const [at, file] of planned.entries()) {
    try {
      await files.writeAtomic(file.path, file.after);
    } catch (error) {
      const left: string[] = [];
      for (const { path, before, shown } of planned.slice(0, at))
        await files.writeAtomic(path, before).catch(() => left.push(shown));
      const after = left.length === 0 ? "nothing was changed" : `could not be restored: ${left.join(", ")}`;
      return `${file.shown}: ${errorMessage(error)}; ${after}`;
    }
  }
  return undefined;
}

/** A text to replace and its replacement. */
interface TextEdit {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

/**
 * Returns the edited text and the number of replacements, or the reason nothing changed. An old text without CR also
 * matches lines that end in CRLF; the new lines then end in CRLF too. Every other byte stays.
 */
export function editText(
  text: string,
  edit: TextEdit,
): { text: string; count: number } | { problem: string } {
  if (edit.old_string === "") return { problem: "old_string is empty; write the file whole instead" };
  if (edit.old_string === edit.new_string) return { problem: "old_string and new_string are the same" };
  const [from, to] = matchLineEnds(text, edit);
  const count = countOccurrences(text, from);
  const found = `old_string was found ${count} times`;
  if (count === 0)
    return { problem: `${found}; it must match exactly, white space included: read the file again` };
  if (count > 1 && edit.replace_all !== true)
    return { problem: `${found}; add lines around it until it is found once, or set replace_all` };
  // Not `replace`, which would interpret `$&` in the new text.
  const parts = text.split(from);
  return { text: parts.join(to), count: parts.length - 1 };
}

function matchLineEnds(
  text: string,
  { old_string: from, new_string: to }: TextEdit,
): [from: string, to: string] {
  if (!text.includes("\r\n") || from.includes("\r")) return [from, to];
  const mostEndInCrlf = countOccurrences(text, "\r\n") * 2 > countOccurrences(text, "\n");
  if (!from.includes("\n")) return [from, mostEndInCrlf ? toCrlf(to) : to];
  return text.includes(from) ? [from, to] : [toCrlf(from), toCrlf(to)];
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

/** Counts the matches of a part; returns 2 when a second match overlaps the first. */
function countOccurrences(text: string, part: string): number {
  const first = text.indexOf(part);
  if (first < 0) return 0;
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count === 1 && text.includes(part, first + 1) ? 2 : count;
}
