// Compares the test cases that ran at the reference with those that ran in the attempt's rooms: a case that no longer runs is
// never verified, even if every command ends well. Pure. compare.ts judges the ends of commands and the failures of cases.
import { listSome } from "../../system/text/cut.js";
import { cutLine } from "../report/cut.js";
import { matchPlaceholders } from "../report/placeholder.js";
import { BETWEEN } from "../report/test-names.js";
import { isSameCommand } from "./flaky.js";
import type { Because, GateReport, Ran } from "../verdict.js";
import { NOT_VERIFIED } from "./why-unverified.js";

/**
 * The runs to compare. Contract: where a command ran twice, the better of both runs (`settleRuns` in flaky.ts), and no room
 * in which a check fails that did not fail before.
 */
export interface CaseOrder {
  /** At the reference, before any work; `undefined` if that was not measured. */
  before: readonly Ran[] | undefined;
  /** Room 1: the reference with the attempt's source. `undefined` without such a room. */
  source?: readonly Ran[] | undefined;
  /** Room 2, or the project: the whole attempt. `undefined` without such a room. */
  whole?: readonly Ran[] | undefined;
}

/** Why an attempt is not verified although its checks pass; each reason is a clause in plain English. */
export interface CaseDoubts {
  because: Extract<Because, "no-report">;
  reasons: readonly [string, ...string[]];
}

/**
 * Returns the reasons why the reported cases keep an attempt from being verified; `undefined` if they do not. Cases that ran
 * before or in room 1 must run in every room, unless one with the same last title, which did not run before, runs elsewhere. With the
 * source alone no test was moved: one that is skipped there is skipped by the source.
 */
export function compareCases({ before = [], source, whole }: CaseOrder): CaseDoubts | undefined {
  const alone = source === undefined ? [] : reasonsIn([before], source, ALONE);
  const all = whole === undefined ? [] : reasonsIn([before, source ?? []], whole, "");
  const [first, ...others] = [...new Set([...all, ...alone])];
  return first === undefined ? undefined : { because: "no-report", reasons: [first, ...others] };
}

/** Makes a report of checks that pass say that it is not verified, if cases are missing; the warnings give the reasons. */
export function addCaseDoubts(
  report: GateReport,
  order: CaseOrder,
): { report: GateReport; warnings: readonly string[] } {
  const isGreen = report.verdict === "passed" || report.verdict === "unverified";
  const doubts = isGreen ? compareCases(order) : undefined;
  if (doubts === undefined) return { report, warnings: [] };
  return {
    report: { ...report, verdict: "unverified", because: report.because ?? doubts.because },
    warnings: doubts.reasons.map((reason) => NOT_VERIFIED + reason),
  };
}

/** A case that ran before. */
interface Case {
  ran: Ran;
  name: string;
  failed: boolean;
}

/** A case that does not run in a room. `ran`: the command's run there. */
interface Gone {
  ran: Ran;
  name: string;
  skipped: boolean;
}

const ALONE = "with the attempt's source alone, ";
const NAMED = 3;
const MOST_NAME = 160;

/** The reasons of one room. `earlier`: the runs at the reference, and in the room before. */
function reasonsIn(earlier: readonly (readonly Ran[])[], now: readonly Ran[], where: string): string[] {
  const reasons: string[] = [];
  const gone = new Map<string, Gone>();
  const taken = new Set<string>();
  for (const ran of now) {
    const found = new Map(Object.entries(ran.tests ?? {}));
    for (const expected of earlier.map((before) => expectedOf(before, ran))) {
      const lack = lackOf(ran, expected);
      if (lack !== undefined) {
        reasons.push(`${where}"${nameOf(ran.command)}" ${lack}`);
        break;
      }
      const known = new Set(expected.map(({ name }) => name));
      const isReplaced = matchPlaceholders([...found.keys()].filter((name) => !known.has(name)));
      for (const one of expected) {
        const status = found.get(one.name);
        const key = keyOf(ran, one.name);
        if (status !== undefined && status !== "skipped") taken.add(key);
        else if (!isReplaced(one)) gone.set(key, { ran, name: one.name, skipped: status === "skipped" });
      }
    }
  }
  const mayMove = ({ skipped }: Gone): boolean => !(skipped && where === ALONE);
  const all = [...gone.values()];
  const left = [...withoutMoved(all.filter(mayMove), now, taken), ...all.filter((one) => !mayMove(one))];
  return [...reasons, ...tellGone(left, where)];
}

/** The cases of a command that ran before, each once. */
function expectedOf(before: readonly Ran[], ran: Ran): Case[] {
  const cases = new Map<string, Case>();
  for (const one of before.filter((other) => isSameCommand(other, ran))) {
    for (const [name, status] of Object.entries(one.tests ?? {})) {
      if (status !== "skipped") cases.set(name, { ran: one, name, failed: status === "failed" });
    }
  }
  return [...cases.values()];
}

/** Why a command that reported cases before has none to compare; `undefined` if it has some. */
function lackOf({ tests }: Ran, expected: readonly Case[]): string | undefined {
  if (expected.length === 0) return undefined;
  const runner = expected[0]?.ran.runner;
  if (tests === undefined)
    return `wrote no test report${runner === undefined ? "" : ` of ${runner}`} any more`;
  if (Object.values(tests).some((status) => status !== "skipped")) return undefined;
  return `ran no test any more, and ${String(expected.length)} before`;
}

/** Leaves out one missing case for each case of the same last title that runs and did not run before. */
function withoutMoved(gone: readonly Gone[], now: readonly Ran[], taken: ReadonlySet<string>): Gone[] {
  if (gone.length === 0) return [];
  const free = new Map<string, number>();
  for (const ran of now) {
    for (const [name, status] of Object.entries(ran.tests ?? {})) {
      if (status === "skipped" || taken.has(keyOf(ran, name))) continue;
      free.set(titleOf(name), (free.get(titleOf(name)) ?? 0) + 1);
    }
  }
  return gone.filter(({ name }) => {
    const left = free.get(titleOf(name)) ?? 0;
    if (left > 0) free.set(titleOf(name), left - 1);
    return left === 0;
  });
}

function tellGone(gone: readonly Gone[], where: string): string[] {
  const commands = new Set(gone.map(({ ran }) => ran));
  return [...commands].flatMap((ran) =>
    [true, false].flatMap((skipped) => {
      const names = gone.filter((one) => one.ran === ran && one.skipped === skipped);
      if (names.length === 0) return [];
      const isOne = names.length === 1;
      const cases = isOne ? "1 test" : `${String(names.length)} tests`;
      const skips = isOne ? "is skipped" : "are skipped";
      const stops = isOne ? "does not run any more" : "do not run any more";
      const shown = listSome(
        names.map(({ name }) => nameOf(name)),
        NAMED,
      );
      return [
        `${where}${cases} of "${nameOf(ran.command)}" that ran before ${skipped ? skips : stops}: ${shown}`,
      ];
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

function keyOf({ command, own }: Ran, name: string): string {
  return JSON.stringify([command, own, name]);
}

function nameOf(text: string): string {
  return cutLine(text, MOST_NAME);
}
