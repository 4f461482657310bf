import { shorten } from "../../system/text/cut.js";
/** The rules a task file can break (contract §3.3), by the names `validate --json` shows. */
export type Rule =
  | "syntax"
  | "utf-8"
  | "duplicate-key"
  | "nesting"
  | "number"
  | "missing-key"
  | "unknown-key"
  | "wrong-type"
  | "bad-value"
  | "duplicate-id"
  | "unknown-dependency"
  | "self-dependency"
  | "unknown-parent"
  | "cycle"
  | "unknown-agent"
  | "schema";

/** Something wrong in a task file. Line and column count from 1, columns in UTF-16 code units. */
export interface Problem {
  rule: Rule;
  /** JSON pointer; "" is the whole file. */
  pointer: string;
  line: number;
  column: number;
  message: string;
  suggestion: string | null;
}

/** A problem whose line and column are not known yet. `atKey`: the key is wrong, not its value. */
export interface UnplacedProblem {
  rule: Rule;
  pointer: string;
  atKey?: true;
  message: string;
  suggestion: string | null;
}

/** Returns `did you mean "x"?`, or `otherwise` if no known word is similar. */
export function didYouMean(near: string | undefined, otherwise: string): string {
  return near === undefined ? otherwise : `did you mean ${JSON.stringify(near)}?`;
}

const SHOWN = 60;

/** Shows a value from a file, cut to the length of a message. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(shorten(value, SHOWN));
}
