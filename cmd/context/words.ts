// Words that both a command and its definition need, and what is said of a mistyped one.
import { usageError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";

/** The hint on an unknown word: the known one that was probably meant. */
export function hintOn(word: string, known: readonly string[], otherwise: string): string {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

/** The number that an option says; `example` is a line with a right one. */
export function readCount(option: string, typed: string | undefined, example: string): number | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,9}$/.test(typed)) return Number(typed);
  const allowed = `${option} is ${typed}; allowed: a whole number, at least 0`;
  throw usageError(allowed, `e.g. ${example}`);
}
