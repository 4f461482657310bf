// A word of a shell text as plain text: quotes taken off, what only the shell knows left open. Pure.
import type { Word, WordPart } from "unbash";

/** In a text: what only the shell will know, any characters, none included. */
export const ANY = "\uffff";

/** Values that the text itself gives to names; `undefined`: only the shell knows. */
export type ValueOf = (name: string) => string | undefined;

const UNKNOWN: ValueOf = () => undefined;

/** The word as the program gets it. */
export function formatWord(word: Word, valueOf: ValueOf = UNKNOWN): string {
  return word.parts === undefined ? word.value : formatParts(word.parts, valueOf);
}

/** Several parts as one text: of a word, or of a here-document. */
export function formatParts(parts: readonly WordPart[], valueOf: ValueOf = UNKNOWN): string {
  return parts.map((part) => partOf(part, valueOf)).join("");
}

function partOf(part: WordPart, valueOf: ValueOf): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return formatParts(part.parts, valueOf);
    case "SimpleExpansion":
      return valueOf(part.text.slice(1)) ?? ANY;
    case "ParameterExpansion":
      return (/^\$\{\w+\}$/.test(part.text) ? valueOf(part.text.slice(2, -1)) : undefined) ?? ANY;
    default:
      return ANY;
  }
}
