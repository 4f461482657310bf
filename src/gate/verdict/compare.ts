// Reaches the gate's verdict on an attempt: compares each command, and each of its cases, with those before
// the task. Pure. runs.ts combines two runs of a command, compare-cases.ts looks for cases that no longer
// run, and evidence.ts words the result.
import { given } from "../../system/given.js";
import { tellEvidence, type CommandJudgement, type Names } from "./evidence.js";
import { combineRuns, compareTests, endsWell, hasRunCases, isRun, isSameCommand } from "./runs.js";
import type {
  Baseline,
  CommandVerdict,
  Finding,
  GateReport,
  GateVerdict,
  Ran,
  Tampering,
  TestStatus,
} from "../verdict.js";

const MOST_NAMES = 100;

/** The runs of the gate's commands, and the baseline they are compared with. */
export interface GateOrder {
  /** The results of the project's commands before the task; `undefined` if they could not be measured. */
  baseline: Baseline | undefined;
  ran: readonly Ran[];
  /** Second runs of the commands that `mustRepeat` selected. */
  again: readonly Ran[];
  /** A check that failed before and still fails also fails the attempt. */
  strict: boolean;
  cold: boolean;
  /** Tampering that the comparison of files found. */
  tampered: readonly Tampering[];
}

/** Whether the command must run once more: it would fail the attempt and may be flaky. */
export function mustRepeat(baseline: Baseline | undefined, ran: Ran, strict: boolean): boolean {
  if (ran.end.how === "timed-out") return false;
  const judged = judgeCommand(baseline, ran, undefined);
  return isFailing(judged, strict) || judged.losesCases;
}

/** The verdict without evidence of the work. It does not depend on the order of commands or cases. */
export function judge({ baseline, ran, again, strict, cold, tampered }: GateOrder): GateReport {
  const secondOf = (one: Ran): Ran | undefined => again.find((second) => isSameCommand(one, second));
  const judged = ran.map((one) => judgeCommand(baseline, one, secondOf(one)));
  const failing = judged.filter((one) => isFailing(one, strict));
  const verdict: GateVerdict =
    tampered.length > 0
      ? "tampered"
      : failing.length > 0
        ? "failed"
        : judged.length > 0
          ? "passed"
          : "unverified";
  const evidence = tellEvidence(failing, tampered, baseline !== undefined);
  return { verdict, tampered: [...tampered], cold, commands: judged.map(shownOf), evidence };
}

/** Whether no check fails that did not fail before. */
export function isGreen({ verdict }: Pick<GateReport, "verdict">): boolean {
  return verdict === "passed" || verdict === "unbroken" || verdict === "unverified";
}

function isFailing({ verdict }: CommandJudgement, strict: boolean): boolean {
  return verdict === "regressed" || verdict === "new" || (strict && verdict === "pre-existing");
}

/** Judges a command by its run, and by its second run if there was one. */
function judgeCommand(baseline: Baseline | undefined, ran: Ran, second: Ran | undefined): CommandJudgement {
  const base = ran.own ? undefined : baseline?.commands.find((one) => isSameCommand(one, ran));
  const { ends, tests, flaky } = combineRuns(ran, second);
  const changes = tests === undefined ? [] : compareTests(base?.tests, tests);
  const names: Names = { regressed: [], fixed: [], pre_existing: [], new: [], flaky: [] };
  // Without a report before, the exit code counts for all tests.
  const forAll =
    base === undefined || base.tests !== undefined ? undefined : endsWell(base.end) ? "passed" : "failed";
  for (const { name, was, is } of changes) {
    if (flaky.has(name)) names.flaky.push(name);
    else if (is === "failed") names[failureAfter(was ?? forAll)].push(name);
    else if (is === "passed" && was === "failed") names.fixed.push(name);
  }
  // A run that ends before any of the cases that it had does not compile, or its runner cannot start.
  const endsEarlier = hasRunCases(base?.tests) && !hasRunCases(tests);
  const hasExplained = ran.end.how === "exited" && Object.values(tests ?? {}).includes("failed");
  const after = base === undefined ? "new" : endsWell(base.end) || endsEarlier ? "regressed" : "pre-existing";
  const ending = ends !== "badly" || hasExplained ? undefined : after;
  // A run that was cut short reports fewer tests than exist: the missing ones failed, they were not removed.
  const broke = ran.end.how !== "exited" || ["regressed", "new"].includes(worstOf(names, [ending]));
  // A missing report fails nothing here: compare-cases.ts looks for the cases.
  let losesCases = base?.tests !== undefined && tests === undefined;
  for (const { name, was, is, isReplaced } of changes) {
    // One that was skipped before may stay skipped, or be deleted.
    if (!isRun(was) || isRun(is)) continue;
    if (broke) names[failureAfter(was)].push(name);
    else if (isReplaced) names.fixed.push(name);
    else losesCases = true;
  }
  for (const list of Object.values(names)) list.sort();
  // A command is repeated if it would fail the attempt; if it does not fail after that, it is flaky.
  const repeated = second === undefined ? undefined : "flaky";
  const mended = base !== undefined && !endsWell(base.end) && ends === "well" ? "fixed" : undefined;
  const verdict = worstOf(names, [ending, repeated, mended]);
  const total = tests === undefined ? undefined : Object.keys(tests).length;
  return { ran, verdict, names, total, losesCases };
}

function failureAfter(then: TestStatus | undefined): keyof Names {
  if (then === "passed") return "regressed";
  return then === "failed" ? "pre_existing" : "new";
}

const WORST_FIRST = ["regressed", "new", "pre-existing", "flaky", "fixed"] as const;

function worstOf(names: Names, others: readonly (Finding | undefined)[]): Finding {
  const listed = (finding: (typeof WORST_FIRST)[number]): readonly string[] =>
    names[finding === "pre-existing" ? "pre_existing" : finding];
  return WORST_FIRST.find((one) => others.includes(one) || listed(one).length > 0) ?? "passed";
}

function shownOf({ ran, verdict, names, total }: CommandJudgement): CommandVerdict {
  const { command, own, end, duration_ms, tail } = ran;
  const first = ([kind, all]: [string, string[]]): [string, string[]] => [kind, all.slice(0, MOST_NAMES)];
  return {
    ...{ command, own, verdict, end: end.how },
    ...given({ exit_code: end.how === "exited" ? end.code : undefined }),
    ...{ duration_ms, tail },
    ...(total === undefined
      ? { by_exit_code: true }
      : { tests: { total, ...(Object.fromEntries(Object.entries(names).map(first)) as Names) } }),
  };
}
