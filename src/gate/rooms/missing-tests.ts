// Judges whether the work may have failed only because the attempt's own tests were left out. Output proves nothing, because
// code under test can print it too. So the base's settings must make such a failure possible, and the attempt is unverified
// then. cold-gate.ts runs the passes and reads the base.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import type { Study } from "./cold-study.js";
import type { CommandVerdict } from "../verdict.js";

const SAYS_SO =
  /\bcoverage\b|\bthreshold\b|\bno tests?\b|\bran 0 tests?\b|\bcollected 0\b|^Could not find /im;
/** Settings and options of commands that demand a minimum of coverage. */
const ASKS_FOR_COVERAGE =
  /coverage[_-]?threshold|\bthresholds?\b|fail[-_]under|check-coverage|--test-coverage-|minimum_coverage/i;
const SETTINGS =
  /^(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|\.nycrc.*|\.c8rc.*|(?:jest|vitest|vite|karma)\.conf.*|\.simplecov|Makefile|noxfile\.py)$/;
/** Options that select tests by name; the old tests may have none of that name. */
const PICKS = /\s(?:-k|(?:-t|-g|--grep|--filter|--test-name-pattern|--testNamePattern)[= ])|::/;
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|php|sh|bats|t|exs?|cs|scala|groovy|swift|c|cc|cpp|feature)$/;
const NO_TEST = /^(?:__init__|conftest)\.py$/;

/** Whether the base has tests. */
export function hasTests({ baseFiles, protection }: Pick<Study, "baseFiles" | "protection">): boolean {
  return [...baseFiles.keys()].map(toText).some((path) => {
    const isTest = SOURCE.test(path) && !NO_TEST.test(posix.basename(path));
    return isTest && protection.kindOf(path) === "test";
  });
}

/** Reads the texts of the base with these object ids. */
export type ReadTexts = (oids: readonly string[]) => Promise<readonly string[]>;

/** Whether every failure may be due to missing tests. Calls `readTexts` at most once, and rejects if that does. */
export async function mayBeForWant(
  { baseFiles }: Pick<Study, "baseFiles">,
  { commands, strict }: { commands: readonly CommandVerdict[]; strict: boolean },
  readTexts: ReadTexts,
): Promise<boolean> {
  const failing = commands.filter(({ verdict }) => isFailing(verdict, strict));
  if (failing.length === 0 || !failing.every((one) => saysSo(one, strict))) return false;
  const open = failing.filter(
    ({ command, verdict, own }) =>
      verdict !== "pre-existing" && !(own && PICKS.test(command)) && !ASKS_FOR_COVERAGE.test(command),
  );
  if (open.length === 0) return true;
  const settings = [...baseFiles].filter(([path]) => SETTINGS.test(posix.basename(toText(path))));
  const texts = await readTexts(settings.map(([, { oid }]) => oid));
  return texts.some((text) => ASKS_FOR_COVERAGE.test(text));
}

function isFailing(verdict: CommandVerdict["verdict"], strict: boolean): boolean {
  return verdict === "regressed" || verdict === "new" || (strict && verdict === "pre-existing");
}

function saysSo({ tests, tail }: CommandVerdict, strict: boolean): boolean {
  const failing = [tests?.regressed, tests?.new, strict ? tests?.pre_existing : []];
  return failing.every((names) => names === undefined || names.length === 0) && SAYS_SO.test(tail);
}
