// Whether a text names a file: by its name, by the whole of its folder, or by the ending that it shares with others. Pure.
// Leaves which texts are asked, and what follows from it, to classify.ts.
import { posix } from "node:path";
import type { Family } from "./families.js";
import { folderOf } from "./project-paths.js";

/** How texts may name a file. */
export interface Naming {
  /** A text that names the file has one of these. */
  words: readonly string[];
  /** In any way. */
  isNamedIn: (text: string) => boolean;
  /** In code, and not only in a comment; `family`: the language of the text. */
  isUsedIn: (text: string, family: Family | undefined) => boolean;
}

/** How texts may name a file. `isOwnFolder`: its folder holds the program, so that naming the folder says nothing of the file. */
export function namingOf(path: string, isOwnFolder: boolean): Naming {
  const name = posix.basename(path);
  const inside = posix.basename(folderOf(path));
  const ending = posix.extname(path) === "" ? undefined : `*${posix.extname(path)}`;
  const exact = new RegExp(`(?<![\\w.-])${escapeRegExp(name)}(?![\\w-])`);
  const whole = new RegExp(`(?<![\\w.-])${escapeRegExp(inside)}/?(?:["'\`*$]|/[*$])`);
  const names = (text: string): boolean => exact.test(text) || (!isOwnFolder && whole.test(text));
  return {
    words: [name, ...(isOwnFolder ? [] : [inside]), ...(ending === undefined ? [] : [ending])],
    isNamedIn: (text) =>
      names(text) || (ending !== undefined && new RegExp(`${escapeRegExp(ending)}(?![\\w-])`).test(text)),
    isUsedIn: (text, family) => names(text) && names(withoutComments(text, family)),
  };
}

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
};

/** A text of the program, or a comment that a compiler obeys: `//go:embed FILE`. */
const STAYS = /^(?:["'`](?!""|'')|\/\/go:)/;

/** A text without its comments. Read by patterns: what is taken for a text stays. */
function withoutComments(text: string, family: Family | undefined): string {
  if (family === undefined) return text;
  return text.replace(COMMENTS[family], (found) => (STAYS.test(found) ? found : ""));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
