// Words that stand for several files: `checks/*.sh`, `"$DIR/a"`, `{a,b}.sh`, `**/*.check.js`. Pure.
// Leaves which files are run or taken for tests to loads.ts and runner-settings.ts.
import { ANY } from "../../shell/words.js";
import { matchPatterns } from "./files.js";

/** Whether a word stands for several files, or only the shell knows for which. */
export function isWild(word: string): boolean {
  return /[*?[{]/.test(word) || word.includes(ANY);
}

/** The paths that a word may stand for; `undefined` if the word limits them too little: `$FILE`, `*`. */
export function wildPattern(word: string): ((path: string) => boolean) | undefined {
  if (!/[\p{L}\p{N}]/u.test(word.replaceAll(/\[[^\][/]+\]/gu, ""))) return undefined;
  return matchPatterns(withoutBraces(word).map((one) => `/${asGitignore(one)}`));
}

/** With more stars in a name, all between is one star: they could take any time. */
const MOST_STARS = 3;

/** As a pattern of .gitignore. */
function asGitignore(word: string): string {
  const parts = word.replaceAll(`${ANY}/`, "**/").split("/");
  const names = parts.map((part) => {
    const texts = part.replaceAll(ANY, "*").split("*");
    const name = texts.length > MOST_STARS + 1 ? `${texts[0] ?? ""}*${texts.at(-1) ?? ""}` : texts.join("*");
    return part.startsWith(ANY) ? `**/${name}` : name;
  });
  return names.join("/");
}

/** More words than these are not told apart: the braces stand for any text. */
const MOST_WORDS = 64;

/** `{a,b}.x` as `a.x` and `b.x`. */
function withoutBraces(word: string): readonly string[] {
  let found = [""];
  for (const part of word.split(/(\{[^{}]{0,500}\})/)) {
    const isBraces = part.startsWith("{") && part.endsWith("}") && part.includes(",");
    const choices = isBraces ? part.slice(1, -1).split(",") : [part];
    const isMany = found.length * choices.length > MOST_WORDS;
    found = found.flatMap((one) => (isMany ? [`${one}*`] : choices.map((choice) => one + choice)));
  }
  return found;
}
