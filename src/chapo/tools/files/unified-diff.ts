// What a change of files would look like: unified diffs, for the person who is asked. Pure.
import { createTwoFilesPatch } from "diff";

/** A file before and after; `undefined`: it is not there. */
export interface FileChange {
  /** As it is shown. */
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** Finding the smallest diff of two large unlike texts takes very long; nobody reads it. */
const LONGEST_MS = 1000;

/** The diffs of the changes, one after the other. */
export function createUnifiedDiff(changes: readonly FileChange[]): string {
  return changes.map(diffFile).join("\n");
}

function diffFile({ path, before, after }: FileChange): string {
  const from = before === undefined ? "/dev/null" : `a/${path}`;
  const to = after === undefined ? "/dev/null" : `b/${path}`;
  const options = { context: 3, timeout: LONGEST_MS };
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options);
  if (patch === undefined)
    return `--- ${from}\n+++ ${to}\n(replaced whole: ${countLines(before)} lines before, ${countLines(after)} after)\n`;
  return patch.replace(/^=+\n/, "");
}

function countLines(text: string | undefined): number {
  return text === undefined || text === "" ? 0 : text.split("\n").length;
}
