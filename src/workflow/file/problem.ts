// A problem of a workflow, and the words that problems share. Pure.
import { parseDuration } from "../../system/text/duration.js";
import { nearest } from "../../system/text/nearest.js";
import type { SourcePath } from "../../system/text/source-text.js";
import type { Name } from "../workflow.js";

/** Something wrong in a workflow. */
export interface WorkflowProblem {
  /** Keys and indices from the root to what is wrong. */
  path: SourcePath;
  message: string;
  /** A clause that says what to do; absent where the message is enough. */
  suggestion?: string;
}

/** A text that must be a duration. */
export function durationProblems(path: SourcePath, text: string | undefined): WorkflowProblem[] {
  const duration = text === undefined ? 1 : parseDuration(text);
  if (duration !== undefined && duration > 0) return [];
  return [
    {
      path,
      message: `${String(path.at(-1))} is ${JSON.stringify(text)}, which is not a duration`,
      suggestion: "write it as 90s, 30m, 2h, 7d or 1d12h",
    },
  ];
}

const SHOWN = 10;

export function listNames(names: readonly Name[]): string {
  const more = names.length > SHOWN ? ` and ${String(names.length - SHOWN)} more` : "";
  return names.slice(0, SHOWN).join(", ") + more;
}

/** A clause that names a similar word, else the words that are there. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  return known.length === 0 ? "there are none" : `known: ${listNames(known)}`;
}
