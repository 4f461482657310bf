// Judges one command: compares its result, and that of each test case, with those before the task. Pure.
// flaky.ts combines two runs of a command.
import { matchPlaceholders } from "../report/placeholder.js";
import { combineRuns, endsWell, isSameCommand, type Both, type CaseOutcome } from "./flaky.js";
import type { Baseline, Finding, Ran, TestStatus } from "../verdict.js";

/** Names of test cases by finding; those that passed are not listed. */
export type Names = Record<"regressed" | "new" | "preExisting" | "flaky" | "fixed", string[]>;

/** The judgement of one command. */
export interface CommandJudgement {
  ran: Ran;
  verdict: Finding;
  names: Names;
  /** The number of test cases; `undefined` without a report. */
  total: number | undefined;
  /** Cases no longer run, although the command was not cut short. They may run when it is repeated. */
  losesCases: boolean;
}

/** Judges a command by its run, and by its second run if there was one. */
export function judgeCommand(
  baseline: Baseline | undefined,
  ran: Ran,
  second: Ran | undefined,
): CommandJudgement {
  const base = ran.own ? undefined : baseline?.commands.find((one) => isSameCommand(one, ran));
  const both = combineRuns(ran, second);
  const names = nameTests(base, both);
  // A run that ends before any of the cases that it had does not compile, or its runner cannot start.
  const endsEarlier =
    both.ends === "badly" && hasCases(base?.tests) && !has(both.tests, ["passed", "failed", "flaky"]);
  const ending = endsEarlier ? "regressed" : judgeEnd(base, both, ran);
  // A run that was cut short reports fewer tests than exist: the missing ones failed, they were not removed.
  const broke = ran.end.how !== "exited" || ["regressed", "new"].includes(worstOf(names, [ending]));
  let losesCases = false;
  for (const one of both.tests === undefined ? [] : goneTests(base, both)) {
    if (broke) names[failureAfter(one.then)].push(one.name);
    else if (one.replaced) names.fixed.push(one.name);
    else losesCases = true;
  }
  for (const list of Object.values(names)) list.sort();
  // A command is repeated if it would fail the attempt; if it does not fail after that, it is flaky.
  const repeated = second === undefined ? undefined : "flaky";
  const mended = base !== undefined && !endsWell(base.end) && both.ends === "well" ? "fixed" : undefined;
  const verdict = worstOf(names, [ending, repeated, mended]);
  return {
    ran,
    verdict,
    names,
    total: both.tests?.size,
    // A missing report fails nothing here: compare-cases.ts looks for the cases.
    losesCases: losesCases || (base?.tests !== undefined && both.tests === undefined),
  };
}

/** Judges the end of a command alone: no finding if it ended well once, or if failing test cases explain its end. */
function judgeEnd(base: Ran | undefined, { ends, tests }: Both, ran: Ran): Finding | undefined {
  if (ends !== "badly") return undefined;
  if (ran.end.how === "exited" && has(tests, ["failed"])) return undefined;
  if (base === undefined) return "new";
  return endsWell(base.end) ? "regressed" : "pre-existing";
}

function nameTests(base: Ran | undefined, { tests }: Both): Names {
  const names: Names = { regressed: [], new: [], preExisting: [], flaky: [], fixed: [] };
  const before = base?.tests === undefined ? undefined : new Map(Object.entries(base.tests));
  // Without a report before, the exit code counts for all tests.
  const forAll =
    base === undefined || before !== undefined ? undefined : endsWell(base.end) ? "passed" : "failed";
  for (const [name, outcome] of tests ?? []) {
    const then = before?.get(name) ?? forAll;
    if (outcome === "flaky") names.flaky.push(name);
    else if (outcome === "failed") names[failureAfter(then)].push(name);
    else if (outcome === "passed" && before?.get(name) === "failed") names.fixed.push(name);
  }
  return names;
}

function failureAfter(then: TestStatus | undefined): keyof Names {
  if (then === "passed") return "regressed";
  return then === "failed" ? "preExisting" : "new";
}

interface Gone {
  name: string;
  then: TestStatus;
  /** It was the placeholder of a file that could not be loaded, and that file's tests are there now. */
  replaced: boolean;
}

/** Tests that ran before and do not run now. One that was skipped before may stay skipped, or be deleted. */
function goneTests(base: Ran | undefined, { tests }: Both): Gone[] {
  const before = base?.tests ?? {};
  const known = new Set(Object.keys(before));
  const stands = matchPlaceholders([...(tests?.keys() ?? [])].filter((name) => !known.has(name)));
  const gone: Gone[] = [];
  for (const [name, then] of Object.entries(before)) {
    const now = tests?.get(name);
    if (then === "skipped" || (now !== undefined && now !== "skipped")) continue;
    gone.push({
      name,
      then,
      replaced: now === undefined && stands({ name, failed: then === "failed" }),
    });
  }
  return gone;
}

const WORST_FIRST = ["regressed", "new", "pre-existing", "flaky", "fixed"] as const;

function worstOf(names: Names, others: readonly (Finding | undefined)[]): Finding {
  const found = new Set(others);
  if (names.regressed.length > 0) found.add("regressed");
  if (names.new.length > 0) found.add("new");
  if (names.preExisting.length > 0) found.add("pre-existing");
  if (names.fixed.length > 0) found.add("fixed");
  return WORST_FIRST.find((finding) => found.has(finding)) ?? "passed";
}

function hasCases(tests: Ran["tests"]): boolean {
  return Object.values(tests ?? {}).some((status) => status !== "skipped");
}

function has(tests: Both["tests"], outcomes: readonly CaseOutcome[]): boolean {
  for (const outcome of tests?.values() ?? []) if (outcomes.includes(outcome)) return true;
  return false;
}
