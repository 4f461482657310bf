// Rescues on a terminal: the list, and a diff in colour. Pure.
import { showDateTime } from "../view/words/amounts.js";
import type { RescueShape, RescueListAnswer } from "../shapes/work.js";
import type { Colours } from "../colours.js";
import { right, shrinks, tableLines } from "./columns.js";
import { diffColour } from "./talk/diff-lines.js";
import { clean } from "../text.js";

/** Lines of a list, newest first as given. */
export function rescueLines(
  rescues: readonly RescueShape[],
  look: { colours: Colours; columns?: number },
): string[] {
  const rows = rescues.map(({ id, at, task, why, files }) => [
    clean(id),
    showDateTime(Date.parse(at)),
    clean(task ?? ""),
    String(files),
    PUT_ASIDE[why],
  ]);
  return tableLines(["id", "when", "task", right("files"), shrinks("what")], rows, look);
}

/** The saved work of tasks in workflows, and how to see it. */
export function savedWorkLines(saved: NonNullable<RescueListAnswer["saved"]>): string[] {
  if (saved.length === 0) return [];
  const lines = saved.map(
    ({ task, stage, visit, at, ref }) =>
      `  ${clean(task)}  ${clean(stage)}, visit ${String(visit)}  ${showDateTime(Date.parse(at))}  git show ${clean(ref)}`,
  );
  return ["saved work of tasks, which their next stage continues from:", ...lines];
}

/** Why something was put aside, in words. */
export const PUT_ASIDE: Readonly<Record<RescueShape["why"], string>> = {
  "given-up": "work of a task that was given up",
  dropped: "changes of a stage that were dropped",
  review: "what a review changed",
  draft: "what a failed draft or repair left",
  "put-back": "changes that were put back",
  commits: "commits taken off a branch",
  before: "files as an attempt found them",
};

/** A diff of git's as lines that cannot steer the terminal. */
export function diffLines(diff: string, colours: Colours): string[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const text = spellOut(line);
      const isHead = /^(?:diff |index |new file|deleted file|old mode|new mode)/.test(line);
      return (isHead ? colours.bold : diffColour(line, colours))(text);
    });
}

/** Tabs and all that shows stay; the rest is spelled as git spells it in names. */
function spellOut(line: string): string {
  return line.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (one) => (one === "\r" ? "" : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
