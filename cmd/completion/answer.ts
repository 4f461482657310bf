// What the scripts of the shells read: a line that says what else is wanted (`files`, `folders`, and so on), then a line for each
// word. Pure. Contract: every word and text is cleaned here; none holds a line break, a tab, or what steers a terminal.
import { clean, cut } from "../../src/ui/text.js";
import { quoteForBash, type BashLine } from "./bash-line.js";
import type { Candidate } from "./point.js";

/** What can be typed at the cursor. */
export interface Offer {
  candidates: readonly Candidate[];
  /** The part of the last word that stays: each candidate comes behind it. */
  lead: string;
  /** The rest of the last word. */
  typed: string;
  /** What the shell finds by itself. */
  files?: "files" | "folders";
  /** Something follows each word at once, without a space. */
  more: boolean;
}

/** So many columns of a title are shown. */
const COLUMNS = 60;
/** No person completes longer words. */
const LONGEST = 200;

/** The words safe to be shown and typed that fit what is typed. */
function fitting({ candidates }: Offer, fits: (value: string) => boolean): Candidate[] {
  return candidates
    .filter(({ value }) => fits(value) && value.length <= LONGEST && clean(value) === value)
    .map(({ value, says = "" }) => ({ value, says: cut(clean(says), COLUMNS) }));
}

/** For shells that take whole words, and look themselves which fit: a word, a tab, what it is. */
export function answerInWords(offer: Offer): string {
  const folded = offer.typed.toLowerCase();
  const lines = fitting(offer, (value) => value.toLowerCase().startsWith(folded)).map(
    ({ value, says = "" }) => `${offer.lead}${value}\t${says}`,
  );
  return [headOf(offer), ...lines, ""].join("\n");
}

/** For bash: what takes the place of the part that is replaced, quoted. */
export function answerForBash(offer: Offer, { kept, quote }: BashLine): string {
  const lines = fitting(offer, (value) => value.startsWith(offer.typed))
    .map(({ value }) => offer.lead + value)
    .filter((word) => word.startsWith(kept))
    .flatMap((word) => quoteForBash(word.slice(kept.length), quote) ?? []);
  return [headOf(offer), ...lines, ""].join("\n");
}

/** `after`: the files come behind an equals sign. */
function headOf({ files, more, lead }: Offer): string {
  const after = files !== undefined && lead.includes("=") ? ["after"] : [];
  return [files ?? "words", ...after, ...(more ? ["more"] : [])].join(" ");
}
