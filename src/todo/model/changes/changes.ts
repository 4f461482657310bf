// The patterns in a task's `changes`: files of its checks that a person lets the task change. Pure. The gate applies the
// patterns (as in .gitignore, relative to the project).
import ignore from "ignore";

/** A pattern that does not count, and why. */
export interface WrongPattern {
  pattern: string;
  why: string;
}

/** The patterns that count, and those that do not. */
export function readPatterns(patterns: readonly string[]): { allowed: string[]; wrong: WrongPattern[] } {
  const allowed: string[] = [];
  const wrong: WrongPattern[] = [];
  for (const pattern of patterns) {
    const why = whyWrong(pattern);
    if (why === undefined) allowed.push(pattern);
    else wrong.push({ pattern, why });
  }
  return { allowed, wrong };
}

/** Why a pattern must not be in `changes`; `undefined` if it may. */
export function whyWrong(pattern: string): string | undefined {
  if (pattern.trim() === "") return "it is empty";
  if (/[\u0000-\u001f\u007f\u2028\u2029]/u.test(pattern)) return "it has a control character or a line end";
  if (pattern !== pattern.trim()) return "it begins or ends with white space";
  if (pattern.startsWith("!")) return "it excludes files, and here every pattern allows some";
  if (pattern.startsWith("#")) return "it is a comment in this syntax";
  if (/^(?:[/~]|[a-z]:|\\\\)/iu.test(pattern))
    return "it is absolute, and it must be relative to the project";
  const parts = pattern.split("/");
  if (parts.includes("..")) return "it leaves the project";
  if (/^[*?./]*$/u.test(pattern)) return "it allows every file";
  if (!isBalanced(pattern)) return "it is not valid: a bracket is not closed, or the range is empty";
  if (/\\$/u.test(pattern)) return "it is not valid: it ends with a backslash";
  if (/^(?:\.\/)*to-do\.json$/iu.test(parts.map(plainOf).join("/")))
    return "the task file must not be changed by a task";
  if (parts.some(meansLooper)) return "Looper's own files must not be changed by a task";
  return undefined;
}

/** Whether every class `[…]` is closed, and no range runs backwards. */
function isBalanced(pattern: string): boolean {
  const rest = pattern.replaceAll(/\\./gu, "x").replaceAll(/\[[!^]?\]?[^\]]*\]/gu, (one) => {
    const backwards = [...one.matchAll(/([^[!^\]])-([^\]])/gu)].some(([, from = "", to = ""]) => from > to);
    return backwards ? "[" : "x";
  });
  return !rest.includes("[");
}

const TOKEN = /\\(.)|\[[!^]?\]?[^\]]*\]|\*+|\?|[\s\S]/gu;
/** Names that a pattern of other files could mean. */
const OTHERS = ["vite.config.js", "lib.config.js", "a.js", "ab", "looper.js"];

/** Whether a part of a path, with letters of its own, can be a folder or a settings file of Looper. */
function meansLooper(part: string): boolean {
  const tokens = part.match(TOKEN) ?? [];
  if (tokens.every((one) => /^(?:[*?]+|\[[!^].*\])$/u.test(one))) return false;
  if (/^\.looper|^looper\.config/iu.test(plainOf(part))) return true;
  const pattern = ignore().add(part);
  if (pattern.ignores(".looper")) return true;
  return pattern.ignores("looper.config.js") && !OTHERS.some((one) => pattern.ignores(one));
}

function plainOf(part: string): string {
  return (part.match(TOKEN) ?? []).map(readLiteral).join("");
}

/** A class of one letter, and an escaped one, mean the letter. */
function readLiteral(token: string): string {
  return /^\\(.)$/u.exec(token)?.[1] ?? /^\[([^!^\]])\]$/u.exec(token)?.[1] ?? token;
}
