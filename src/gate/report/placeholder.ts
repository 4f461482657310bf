// Test cases that stand for a whole file: runners report a file that cannot be loaded as one failing test of its name,
// which goes when the file loads. Such a case was not taken away. Pure.
import { BETWEEN } from "./test-names.js";

/** What runners say in place of a test: the path of a file (node, vitest, jest), or words of their own (go, JUnit). */
const FOR_A_FILE =
  /^(?:\S+\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|exs?|lua|p[lm]|t|sh|bats|dart)|\[\w+ failed\]|initializationError)$/;

/** Tells, of a case that is gone, whether the tests it stood for are there now; `added`: the names that were not there before. */
export function standsFor(added: readonly string[]): (gone: { name: string; failed: boolean }) => boolean {
  let groups: Set<string> | undefined;
  return ({ name, failed }) => {
    if (added.length === 0) return false;
    if (failed && FOR_A_FILE.test(ownPart(name))) return true;
    groups ??= new Set(added.flatMap((one) => [...groupsOf(one)]));
    return groups.has(name);
  };
}

/** Everything a name lies in: `a > b.C > d` in `a`, `a > b` (pytest's module of a class) and `a > b.C`. */
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
