// The full names of test cases: one line each, of bounded length, the same in every run and wherever the project lies.
// Leaves reading them out of reports to junit.ts and tap.ts.
import { stripControlSequences } from "../../system/text/control-sequences.js";
import { digest } from "../../system/text/digest.js";
import type { TestStatus } from "../verdict.js";

/** A test case as a report tells it; `name` is its full name, which others may have too. */
export interface TestCase {
  name: string;
  status: TestStatus;
}

/** What a text reports; `none`: it is no report, `broken`: one that cannot be read, and why. */
export type Report = { how: "read"; cases: TestCase[] } | { how: "none" } | { how: "broken"; why: string };

/** Makes one part of a name (a suite's, a test's) fit to be shown and compared. */
export type CleanPart = (part: string) => string;

const MOST_NAME = 400;
/** Stands between a suite and what lies in it. */
export const BETWEEN = " > ";
const NAMELESS = "(no name)";

/**
 * Cleans parts of names: no control sequences, one line, no secrets, and no path of the room (`roots`, absolute), which
 * is another one in a cold room.
 */
export function cleanParts(redact: (text: string) => string, roots: readonly string[]): CleanPart {
  // One may end in another: what is left of it would be different in every room.
  const longestFirst = [...roots].sort((a, b) => b.length - a.length);
  return (part) => {
    const plain = redact(stripControlSequences(part));
    const local = longestFirst.reduce((text, root) => text.replaceAll(`${root}/`, ""), plain);
    const line = local.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
    // No object can be trusted to keep that key, and the log keeps names as keys.
    return line === "__proto__" ? "(__proto__)" : line;
  };
}

/** The name of what lies in `suite` ("" = in none). A long one is cut, and a digest tells it from others cut alike. */
export function nameIn(suite: string, part: string): string {
  const own = part === "" ? NAMELESS : part;
  const name = suite === "" ? own : suite + BETWEEN + own;
  if (name.length <= MOST_NAME) return name;
  // Never half of a character that takes two units.
  const start = name.slice(0, MOST_NAME - 20).replace(/[\ud800-\udbff]$/, "");
  return `${start}… ${digest([name])}`;
}

const ORDER: readonly TestStatus[] = ["failed", "passed", "skipped"];

/**
 * The cases by their names. Of cases with one name the second is `name (2)` and so on, those that failed first: so the
 * order in which tests ran, which may change, does not tell which is which.
 */
export function byName(cases: readonly TestCase[]): Map<string, TestStatus> {
  const names = new Map<string, TestStatus>();
  const repeated: TestCase[] = [];
  for (const status of ORDER) {
    for (const one of cases) {
      if (one.status !== status) continue;
      if (names.has(one.name)) repeated.push(one);
      else names.set(one.name, status);
    }
  }
  const next = new Map<string, number>();
  for (const { name, status } of repeated) {
    let number = next.get(name) ?? 2;
    while (names.has(`${name} (${number})`)) number += 1;
    names.set(`${name} (${number})`, status);
    next.set(name, number + 1);
  }
  return names;
}
