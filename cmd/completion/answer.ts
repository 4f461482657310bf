// The answer that the shells' scripts read: a line with what else to complete (`files`, `folders`, and so on), then a line for each
// word. Pure. Contract: every word and text is cleaned here: no line breaks, tabs or terminal control characters.
import { clean, cut } from "../../src/ui/text.js";
import { quoteForBash, type BashLine } from "./bash-line.js";
import type { Completion } from "./point.js";

/** The candidates at the cursor. */
export interface Offer {
  candidates: readonly Completion[];
  /** The part of the last word that is kept in front of each candidate. */
  lead: string;
  /** The part of the last word to complete. */
  typed: string;
  /** Candidates that the shell finds itself. */
  files?: "files" | "folders";
  /** No space follows the word. */
  more: boolean;
}

/** The most columns of a title. */
const COLUMNS = 60;
/** Longer words are not offered. */
const LONGEST = 200;

/** The candidates that match the typed text and are safe to show and to type. */
function fitting({ candidates }: Offer, fits: (value: string) => boolean): Completion[] {
  return candidates
    .filter(({ value }) => fits(value) && value.length <= LONGEST && clean(value) === value)
    .map(({ value, says = "" }) => ({ value, says: cut(clean(says), COLUMNS) }));
}

/** For shells that match whole words themselves: a word, a tab, its description. */
export function answerInWords(offer: Offer): string {
  const folded = offer.typed.toLowerCase();
  const lines = fitting(offer, (value) => value.toLowerCase().startsWith(folded)).map(
    ({ value, says = "" }) => `${offer.lead}${value}\t${says}`,
  );
  return [headOf(offer), ...lines, ""].join("\n");
}

/** For bash: the quoted text that replaces its part of the word. */
export function answerForBash(offer: Offer, { kept, quote }: BashLine): string {
  const lines = fitting(offer, (value) => value.startsWith(offer.typed))
    .map(({ value }) => offer.lead + value)
    .filter((word) => word.startsWith(kept))
    .flatMap((word) => quoteForBash(word.slice(kept.length), quote) ?? []);
  return [headOf(offer), ...lines, ""].join("\n");
}

/** `after`: the file name follows an equals sign. */
function headOf({ files, more, lead }: Offer): string {
  const after = files !== undefined && lead.includes("=") ? ["after"] : [];
  return [files ?? "words", ...after, ...(more ? ["more"] : [])].join(" ");
}
