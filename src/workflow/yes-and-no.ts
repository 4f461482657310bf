// Which outcomes of a question are its yes and its no: `looper approve`, `looper reject`, and y and n at a prompt. Pure.
import type { Question } from "./progress.js";

/** The names of an outcome that refuses. */
const REFUSALS: readonly string[] = ["reject", "no"];

/** The outcome that agrees: the first that is declared; `undefined` where any text is an answer. */
export function yesOf({ outcomes }: Pick<Question, "outcomes">): string | undefined {
  return outcomes[0];
}

/** The outcome that refuses: the declared one of that name, else the last; `undefined` where it has only one. */
export function noOf({ outcomes }: Pick<Question, "outcomes">): string | undefined {
  return (
    outcomes.find((one) => REFUSALS.includes(one)) ?? (outcomes.length > 1 ? outcomes.at(-1) : undefined)
  );
}
