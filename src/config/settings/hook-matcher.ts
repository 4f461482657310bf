// Checks the matchers of Chapo's hooks. Pure. src/chapo/hooks/hook-answer.ts compares them with names.

/** Returns whether a matcher can match: exact names with `|`, `*`, or a valid regular expression. */
export function isValidMatcher(matcher: string): boolean {
  if (matcher === "*") return true;
  try {
    new RegExp(matcher);
    return true;
  } catch {
    return false;
  }
}
