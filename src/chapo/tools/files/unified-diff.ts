// Formats file changes as unified diffs, for the person who must approve them. Pure.
import { createTwoFilesPatch } from "diff";

/** A file's text before and after; `undefined` if the file does not exist. */
export interface FileChange {
  /** As shown to the person. */
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** The smallest diff of two large, different texts takes too long to find and is not worth reading. */
const LONGEST_MS = 1000;

/** Creates the diffs of all changes, one after the other. */
export function createUnifiedDiff(changes: readonly FileChange[]): string {
  return changes.map(diffFile).join("\n");
}

/** A longer diff is truncated, and that of larger files is not made. */
const LONGEST_SHOWN = 30_000;
const LARGEST_DIFFED = 2_000_000;

/** Creates the diff of an edit that was made, for its result. */
export function describeChange(changes: readonly FileChange[]): string {
  const size = changes.reduce((sum, { before = "", after = "" }) => sum + before.length + after.length, 0);
  if (size > LARGEST_DIFFED) return "";
  const diff = createUnifiedDiff(changes);
  const more = diff.length - LONGEST_SHOWN;
  return more <= 0 ? diff : `${diff.slice(0, LONGEST_SHOWN)}\n[${more} more characters are not shown]`;
}

function diffFile({ path, before, after }: FileChange): string {
  const from = before === undefined ? "/dev/null" : quoteName(`a/${path}`);
  const to = after === undefined ? "/dev/null" : quoteName(`b/${path}`);
  const options = { context: 3, timeout: LONGEST_MS };
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options);
  if (patch === undefined)
    return `--- ${from}\n+++ ${to}\n(replaced whole: ${countLines(before)} lines before, ${countLines(after)} after)\n`;
  return patch.replace(/^=+\n/, "");
}

/** Quotes a name that would not fit on one line. */
function quoteName(name: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;
}

function countLines(text: string | undefined): number {
  return text === undefined || text === "" ? 0 : text.split("\n").length;
}
