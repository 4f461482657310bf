// One pattern of `verify.protected`. Pure.
import ignore from "ignore";

/** A pattern, and whether it begins with `!`: what it matches is source. */
export interface UserRule {
  takesOut: boolean;
  /** Whether it names a path, as it is written from the project's folder. */
  matches: (path: string) => boolean;
}

/** Each pattern has its own matcher: in one list, a file below a protected folder could not be excluded again. */
export function userRule(pattern: string): UserRule {
  const takesOut = pattern.startsWith("!");
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add([
    takesOut ? pattern.slice(1) : pattern,
  ]);
  return {
    takesOut,
    matches: (path) => path !== "" && rules.ignores(path.replaceAll(/[\n\r\u2028\u2029]/gu, "_")),
  };
}
