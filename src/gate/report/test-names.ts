// The full names of test cases: one line each, of bounded length, the same in every run and in every folder.
// junit.ts and tap.ts read them from reports.
import { stripControlSequences } from "../../system/text/control-sequences.js";
import { digest } from "../../system/text/digest.js";
import type { TestStatus } from "../verdict.js";

/** A test case of a report; `name` is its full name, which may occur more than once. */
export interface TestCase {
  name: string;
  status: TestStatus;
}

/** The report in a text; `none`: it is not a report, `broken`: a report that cannot be read, and why. */
export type TestReport =
  | { how: "read"; cases: TestCase[] }
  | { how: "none" }
  | { how: "broken"; why: string };

/** Makes one part of a name (a suite's or a test's) suitable for display and comparison. */
export type CleanPart = (part: string) => string;

const MOST_NAME = 400;
/** The separator between a suite and its tests. */
export const BETWEEN = " > ";
const NAMELESS = "(no name)";

/**
 * Cleans parts of names: no control sequences, one line, no secrets, and no path of the room (`roots`, absolute), because
 * every cold room has another one.
 */
export function cleanParts(redact: (text: string) => string, roots: readonly string[]): CleanPart {
  // Longest first: one root may be the end of another, and removing it first would leave a part of the other.
  const longestFirst = [...roots].sort((a, b) => b.length - a.length);
  return (part) => {
    const plain = redact(stripControlSequences(part));
    const local = longestFirst.reduce((text, root) => text.replaceAll(`${root}/`, ""), plain);
    const line = local.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
    // The log has names as keys, and objects do not keep the key `__proto__`.
    return line === "__proto__" ? "(__proto__)" : line;
  };
}

/** The full name of a suite or test in `suite` ("" = in none). A long one is cut, with a digest. */
export function joinName(suite: string, part: string): string {
  const own = part === "" ? NAMELESS : part;
  const name = suite === "" ? own : suite + BETWEEN + own;
  if (name.length <= MOST_NAME) return name;
  // Never cut a surrogate pair in half.
  const start = name.slice(0, MOST_NAME - 20).replace(/[\ud800-\udbff]$/, "");
  return `${start}… ${digest([name])}`;
}

const ORDER: readonly TestStatus[] = ["failed", "passed", "skipped"];

/**
 * Returns the cases by name. Further cases with the same name are called `name (2)` and so on, failed ones first, so that
 * their names do not depend on the order in which the tests ran.
 */
export function nameCases(cases: readonly TestCase[]): Map<string, TestStatus> {
  const names = new Map<string, TestStatus>();
  const ordered = ORDER.flatMap((status) => cases.filter((one) => one.status === status));
  const repeated = ordered.filter(({ name, status }) => {
    const isTaken = names.has(name);
    if (!isTaken) names.set(name, status);
    return isTaken;
  });
  const next = new Map<string, number>();
  for (const { name, status } of repeated) {
    let number = next.get(name) ?? 2;
    while (names.has(`${name} (${number})`)) number += 1;
    names.set(`${name} (${number})`, status);
    next.set(name, number + 1);
  }
  return names;
}
