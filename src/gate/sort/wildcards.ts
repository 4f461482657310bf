// Words that stand for several files: `checks/*.sh`, `"$DIR/a"`, `{a,b}.sh`, `**/*.check.js`. Pure. Takes time in proportion to the
// length of the word and of the path: both may come from a project that is hostile.
// Leaves which files are run or taken for tests to loads.ts and runner-settings.ts.
import { ANY } from "../../shell/words.js";

/** Whether a word stands for several files, or only the shell knows for which. */
export function isWild(word: string): boolean {
  return /[*?[{]/.test(word) || word.includes(ANY);
}

/** The paths that a word may stand for; `undefined` if the word limits them too little: `$FILE`, `*`. */
export function wildPattern(word: string): ((path: string) => boolean) | undefined {
  if (!/[\p{L}\p{N}]/u.test(word.replaceAll(SET, ""))) return undefined;
  const patterns = withoutBraces(word).map((one) => one.match(PARTS) ?? []);
  return (path) => patterns.some((parts) => stands(parts, path));
}

const SET = /\[[^\][/]+\]/gu;
const PARTS = new RegExp(String.raw`\*\*\/?|${ANY}\/?|\[[^\][/]+\]|[\s\S]`, "gu");

/** More words than these are not told apart: the braces stand for any text. */
const MOST_WORDS = 64;

/** `{a,b}.x` as `a.x` and `b.x`. */
function withoutBraces(word: string): readonly string[] {
  let found = [""];
  for (const part of word.split(/(\{[^{}]{0,500}\})/)) {
    const isBraces = part.startsWith("{") && part.endsWith("}") && part.includes(",");
    const choices = isBraces ? part.slice(1, -1).split(",") : [part];
    const isMany = found.length * choices.length > MOST_WORDS;
    found = found.flatMap((one) => (isMany ? [one + ANY] : choices.map((choice) => one + choice)));
  }
  return found;
}

/** Follows all places in the path at once that the parts so far may lead to. */
function stands(parts: readonly string[], path: string): boolean {
  let at = new Set([0]);
  for (const [index, part] of parts.entries()) {
    const next = new Set<number>();
    for (const from of reached(part, path, at, index === 0)) next.add(from);
    if (next.size === 0) return false;
    at = next;
  }
  return at.has(path.length);
}

function reached(part: string, path: string, from: ReadonlySet<number>, isFirst: boolean): number[] {
  const one = (matches: (character: string) => boolean): number[] =>
    [...from].filter((at) => at < path.length && matches(path.charAt(at))).map((at) => at + 1);
  const first = Math.min(...from);
  const rest = Array.from({ length: path.length + 1 - first }, (_, index) => first + index);
  const behindSlash = rest.filter((at) => at > first && path.charAt(at - 1) === "/");
  if (part === "**/" || (part === `${ANY}/` && isFirst)) return [...from, ...behindSlash];
  if (part === `${ANY}/`) return behindSlash;
  if (part === "**" || part === ANY) return rest;
  if (part === "*") {
    const found: number[] = [];
    let isOpen = false;
    for (const at of rest) {
      isOpen = from.has(at) || (isOpen && path.charAt(at - 1) !== "/");
      if (isOpen) found.push(at);
    }
    return found;
  }
  if (part === "?" || part.length > 1) return one((character) => character !== "/");
  return one((character) => character === part);
}
