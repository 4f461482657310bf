// Words that both a command and its definition need, and what is said of a mistyped one.
import { quoteWord } from "../../src/shell/quote.js";
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The verb of a command that was typed; `undefined` where none was. */
export function readVerb<V extends string>(
  command: string,
  typed: string | undefined,
  verbs: readonly V[],
): V | undefined {
  const verb = verbs.find((one) => one === typed);
  if (typed === undefined || verb !== undefined) return verb;
  const hint = hintOn(typed, verbs, `see \`looper help ${command}\``);
  throw usageError(`looper ${command} has no verb ${typed}`, hint);
}

/** The number that an option says; `example` is a line with a right one. */
export function readCount(option: string, typed: string | undefined, example: string): number | undefined {
  if (typed === undefined) return undefined;
  if (/^\d{1,9}$/.test(typed)) return Number(typed);
  const allowed = `${option} is ${typed}; allowed: a whole number, at least 0`;
  throw usageError(allowed, `e.g. ${example}`);
}

/** The hint on a sentence where a command or a file is wanted; `undefined` for a single word. */
export function hintOnSentence(word: string): string | undefined {
  if (!/\s/.test(word.trim()) || /[/\\]/.test(word)) return undefined;
  return `a task: looper add ${quoteWord(word)}; a whole backlog: looper run --prompt ${quoteWord(word)}`;
}
