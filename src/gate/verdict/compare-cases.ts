// Compares the test cases that ran at the reference with those that ran in the attempt's rooms: a case that
// no longer runs is never verified, even if every command ends well. Pure. compare.ts judges the ends of
// commands and the failures of cases.
import { listSome } from "../../system/text/cut.js";
import { cutName } from "../report/cut.js";
import { BETWEEN } from "../report/test-names.js";
import { compareTests, hasRunCases, isRun, isSameCommand } from "./runs.js";
import type { Ran } from "../verdict.js";

/**
 * The runs to compare. Contract: where a command ran twice, the better of both runs (`settleRuns` in
 * runs.ts), and no room in which a check fails that did not fail before.
 */
export interface CaseOrder {
  /** At the reference, before any work; `undefined` if that was not measured. */
  before: readonly Ran[] | undefined;
  /** Room 1: the reference with the attempt's source. `undefined` without such a room. */
  source?: readonly Ran[] | undefined;
  /** Room 2, or the project: the whole attempt. `undefined` without such a room. */
  whole?: readonly Ran[] | undefined;
}

/**
 * Returns the reasons why the reported cases keep an attempt from being verified, as clauses in plain
 * English. Cases that ran before or in room 1 must run in every room, unless one with the same last title,
 * which did not run before, runs elsewhere.
 */
export function findMissingCases({ before = [], source, whole }: CaseOrder): string[] {
  const alone = source === undefined ? [] : reasonsIn([before], source, ALONE);
  const all = whole === undefined ? [] : reasonsIn([before, source ?? []], whole, "");
  return [...new Set([...all, ...alone])];
}

/** A case that does not run in a room. `ran`: the command's run there. */
interface Gone {
  ran: Ran;
  name: string;
  skipped: boolean;
}

const ALONE = "with the attempt's source alone, ";
const NAMED = 3;

/** The reasons of one room. `earlier`: the runs at the reference, and in the room before. */
function reasonsIn(earlier: readonly (readonly Ran[])[], now: readonly Ran[], where: string): string[] {
  const reasons: string[] = [];
  const gone: Gone[] = [];
  /** The last titles of cases that run and did not run before. */
  const free: string[] = [];
  for (const ran of now) {
    const missing = new Map<string, Gone>();
    const known = new Set<string>();
    for (const base of earlier.flatMap((runs) => runs.filter((one) => isSameCommand(one, ran)))) {
      const lack = lackOf(ran, base);
      if (lack !== undefined) {
        reasons.push(`${where}"${cutName(ran.command)}" ${lack}`);
        break;
      }
      for (const { name, was, is, isReplaced } of compareTests(base.tests, ran.tests)) {
        if (!isRun(was)) continue;
        known.add(name);
        if (!isRun(is) && !isReplaced) missing.set(name, { ran, name, skipped: is === "skipped" });
      }
    }
    gone.push(...missing.values());
    for (const [name, status] of Object.entries(ran.tests ?? {}))
      if (isRun(status) && !known.has(name)) free.push(titleOf(name));
  }
  const left = gone.filter(({ name, skipped }) => {
    // With the source alone no test was moved: one that is skipped there is skipped by the source.
    const at = skipped && where === ALONE ? -1 : free.indexOf(titleOf(name));
    if (at >= 0) free.splice(at, 1);
    return at < 0;
  });
  return [...reasons, ...tellGone(left, where)];
}

/** Why a command that ran cases before has none to compare; `undefined` if it has some. */
function lackOf({ tests }: Ran, before: Ran): string | undefined {
  if (!hasRunCases(before.tests)) return undefined;
  const runner = before.runner === undefined ? "" : ` of ${before.runner}`;
  if (tests === undefined) return `wrote no test report${runner} any more`;
  if (hasRunCases(tests)) return undefined;
  const count = Object.values(before.tests ?? {}).filter(isRun).length;
  return `ran no test any more, and ${String(count)} before`;
}

function tellGone(gone: readonly Gone[], where: string): string[] {
  return [...new Set(gone.map(({ ran }) => ran))].flatMap((ran) =>
    [true, false].flatMap((skipped) => {
      const names = gone.filter((one) => one.ran === ran && one.skipped === skipped).map(({ name }) => name);
      if (names.length === 0) return [];
      const isOne = names.length === 1;
      const cases = isOne ? "1 test" : `${String(names.length)} tests`;
      const fate = skipped ? `${isOne ? "is" : "are"} skipped` : `${isOne ? "does" : "do"} not run any more`;
      const shown = listSome(names.map(cutName), NAMED);
      return [`${where}${cases} of "${cutName(ran.command)}" that ran before ${fate}: ${shown}`];
    }),
  );
}

/** Parts of titles that differ from run to run: times, durations, addresses, ids and temporary paths. */
const UNSTABLE =
  /\/tmp\/[^\s"']+|\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\b\d+(?:\.\d+)?\s?(?:ms|µs|s)\b|\b(?=[a-f\d-]{0,99}\d)[a-f\d]{8}[a-f\d-]*\b|0x[a-f\d]+|\d{5,}/gi;
/** The number that further cases of one name get. */
const NUMBERED = / \(\d+\)$/;

function titleOf(name: string): string {
  const title = name.split(BETWEEN).at(-1) ?? "";
  return title.replace(NUMBERED, "").replaceAll(UNSTABLE, "#");
}
