// Placeholders: runners report a file that cannot be loaded as one failing test named after it. That test disappears when
// the file loads, and this is not tampering. Pure.
import { BETWEEN } from "./test-names.js";

/** Names of placeholders: the path of a file (node, vitest, jest), or the runner's own words (go, JUnit). */
const FOR_A_FILE =
  /^(?:\S+\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|exs?|lua|p[lm]|t|sh|bats|dart)|\[\w+ failed\]|initializationError)$/;

/** Whether a missing case was a placeholder whose tests are there now; `added` are the names that are new. */
export function matchPlaceholders(
  added: readonly string[],
): (gone: { name: string; failed: boolean }) => boolean {
  let groups: Set<string> | undefined;
  return ({ name, failed }) => {
    if (added.length === 0) return false;
    if (failed && FOR_A_FILE.test(ownPart(name))) return true;
    groups ??= new Set(added.flatMap((one) => [...groupsOf(one)]));
    return groups.has(name);
  };
}

/** All groups that contain a test: `a > b.C > d` is in `a`, `a > b` (pytest's module of a class) and `a > b.C`. */
function* groupsOf(name: string): Generator<string> {
  for (let at = name.indexOf(BETWEEN); at !== -1; at = name.indexOf(BETWEEN, at + 1)) {
    const group = name.slice(0, at);
    const start = at - ownPart(group).length;
    for (let end = at; end > start; end = group.lastIndexOf(".", end - 1)) yield group.slice(0, end);
  }
}

function ownPart(name: string): string {
  return name.split(BETWEEN).at(-1) ?? "";
}
