// Takes the comments out of a text of a program. Pure. Read by patterns: what is taken for a text stays.
import type { Family } from "./families.js";
import { FURTHER_COMMENTS } from "./further-languages.js";

const TEXTS = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|${"`"}(?:\\[\s\S]|[^${"`"}\\])*${"`"}`;
const SLASHES = new RegExp(String.raw`${TEXTS}|\/\/[^\n]*|\/\*[\s\S]*?\*\/`, "g");
const HASH = new RegExp(
  String.raw`^[ \t]*(?:"""[\s\S]*?"""|'''[\s\S]*?''')|${TEXTS}|(?<![^\s;])#[^\n]*|^=\w+[\s\S]*?^=(?:cut|end)\b[^\n]*`,
  "gm",
);
const DASHES = new RegExp(String.raw`${TEXTS}|--[^\n]*`, "g");
const COMMENTS: Readonly<Record<Family, RegExp>> = {
  ...{ js: SLASHES, c: SLASHES, java: SLASHES, go: SLASHES, rust: SLASHES, csharp: SLASHES, swift: SLASHES },
  ...{ php: SLASHES, python: HASH, perl: HASH, ruby: HASH, shell: HASH, elixir: HASH, lua: DASHES },
  ...FURTHER_COMMENTS,
};

/** A text of the program, or a comment that a compiler obeys: `//go:embed FILE`. */
const STAYS = /^(?:["'`](?!""|'')|\/\/go:)/;

/** A text without its comments. */
export function withoutComments(text: string, family: Family | undefined): string {
  if (family === undefined) return text;
  return text.replace(COMMENTS[family], (found) => (STAYS.test(found) ? found : ""));
}
