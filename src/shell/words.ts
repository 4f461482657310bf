// A word of a shell text as plain text: quotes taken off, what only the shell knows left open. Pure.
import type { Redirection, Word, WordPart } from "unbash";

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
function formatParts(parts: readonly WordPart[], valueOf: ValueOf = UNKNOWN): string {
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

/** The text of a here-document or a here-string; `undefined` for other redirections. */
export function inlineText(redirect: Redirection, valueOf: ValueOf = UNKNOWN): string | undefined {
  if (redirect.type === "HereString")
    return redirect.target === undefined ? ANY : formatWord(redirect.target, valueOf);
  if (redirect.type !== "HereDoc") return undefined;
  const { parts, text } = redirect.body;
  return parts === undefined ? text : formatParts(parts, valueOf);
}

const MOST_CHOICES = 64;

/** The words that a word with braces becomes: `{a,b}c` is `ac` and `bc`. Any other word is itself. */
export function expandWord(word: Word): string[] {
  const parts = word.parts ?? [];
  if (!parts.some(({ type }) => type === "BraceExpansion")) return [formatWord(word)];
  let made = [""];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion" ? listChoices(part.text) : [partOf(part, UNKNOWN)];
    made = made.flatMap((before) => choices.map((choice) => before + choice));
    if (made.length > MOST_CHOICES) return [formatWord(word)];
  }
  return made.filter((one) => one !== "");
}

/** The choices of `{a,{b,c}}`. A range, and what only the shell can resolve, is left open. */
function listChoices(text: string): string[] {
  const plain = text.replaceAll(/\$(?:\w+|\{\w+\})/g, ANY).replaceAll(/["']/g, "");
  if (/[\\$`]/.test(plain)) return [ANY];
  const done: string[] = [];
  const waiting = [plain];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const [whole, inside = ""] = /\{([^{}]*)\}/.exec(one) ?? [];
    if (done.length + waiting.length > MOST_CHOICES) return [ANY];
    if (whole === undefined) done.push(one);
    else if (!inside.includes(",")) waiting.push(one.replace(whole, () => ANY));
    else for (const choice of inside.split(",").toReversed()) waiting.push(one.replace(whole, () => choice));
  }
  return done;
}
