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
  let reached = new Set([0]);
  for (const [index, part] of parts.entries()) {
    if (reached.size === 0) return false;
    reached = after(part, path, reached, index === 0);
  }
  return reached.has(path.length);
}

/** The places behind a part that begins at one of these. */
function after(part: string, path: string, from: ReadonlySet<number>, isFirst: boolean): Set<number> {
  const found = new Set<number>();
  const isWide = part === "*" || part.startsWith("**") || part.startsWith(ANY);
  const isFolders = part === "**/" || part === `${ANY}/`;
  let isOpen = false;
  for (let at = 0; at <= path.length; at++) {
    const last = path.charAt(at - 1);
    const starts = from.has(at);
    const continues: boolean = isOpen && !(part === "*" && last === "/");
    isOpen = starts || continues;
    if (isFolders) {
      if ((continues && last === "/") || (starts && (part === "**/" || isFirst))) found.add(at);
    } else if (isWide) {
      if (isOpen) found.add(at);
    } else if (starts && at < path.length) {
      const next = path.charAt(at);
      if (part === "?" || part.length > 1 ? next !== "/" : next === part) found.add(at + 1);
    }
  }
  return found;
}
