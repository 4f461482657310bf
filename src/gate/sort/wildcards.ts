// Words of commands that stand for several files: `checks/*.sh`, `"$DIR/a"`, `{a,b}.sh`. Pure.
// Leaves which files are run to loads.ts.
import { ANY } from "../../shell/words.js";
import { escapeRegExp } from "../../system/text/escape-reg-exp.js";

/** Whether a word stands for several files, or only the shell knows for which. */
export function isWild(word: string): boolean {
  return /[*?[{]/.test(word) || word.includes(ANY);
}

/** The paths that a word may stand for, as a pattern; `undefined` if the word limits them too little: `$FILE`, `*`. */
export function wildPattern(word: string): ((path: string) => boolean) | undefined {
  if (!/[\p{L}\p{N}]/u.test(word.replaceAll(/\[[^\]]*\]/g, ""))) return undefined;
  let pattern = "";
  for (let at = 0; at < word.length; at++) {
    const rest = word.slice(at);
    const [set] = /^\[[^\]/]+\]/.exec(rest) ?? [];
    const [braces] = /^\{[^{}/]*,[^{}/]*\}/.exec(rest) ?? [];
    if (rest.startsWith("**/")) pattern += "(?:.*/)?";
    else if (rest.startsWith(`${ANY}/`)) pattern += at === 0 ? "(?:.*/)?" : ".*/";
    else if (set !== undefined) pattern += "[^/]";
    else if (braces !== undefined)
      pattern += `(?:${braces.slice(1, -1).split(",").map(escapeRegExp).join("|")})`;
    else pattern += oneOf(word.charAt(at));
    at += rest.startsWith("**/") ? 2 : rest.startsWith(`${ANY}/`) ? 1 : (set ?? braces ?? "x").length - 1;
  }
  const whole = new RegExp(`^${pattern}$`, "su");
  return (path) => whole.test(path);
}

/** Whether a word says more than the kind of its files: `*.json` does not. */
export function isTelling(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word.replaceAll(/\[[^\]]*\]|\.\w+$/gu, ""));
}

function oneOf(character: string): string {
  if (character === ANY) return ".*";
  if (character === "*") return "[^/]*";
  return character === "?" ? "[^/]" : escapeRegExp(character);
}
