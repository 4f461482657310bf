// The gate in the project itself: runs the commands, repeats those that may be flaky, and judges.
// compare.ts reaches the verdict; judge-work.ts is the gate in a cold room.
import { isGreen, judge, mustRepeat } from "../verdict/compare.js";
import { runCommands, runOne, type GatePlan, type GatePorts, type Room } from "./run-commands.js";
import { findMissingCases } from "../verdict/compare-cases.js";
import { settleRuns } from "../verdict/runs.js";
import { countPassing, findTurnedGreen, isProven, makeProof, whyNotProven } from "../verdict/proof.js";
import type { Baseline, GateReport, Ran } from "../verdict.js";
import { NOT_VERIFIED } from "../verdict/reasons.js";

/** A plan, and the baseline that its results are compared with. */
export interface GateRules extends GatePlan {
  /** A check that failed before and still fails also fails the attempt. */
  strict: boolean;
  /** `undefined` if it could not be measured: then every failure counts as new. */
  baseline: Baseline | undefined;
}

/** Every command's run, and the second runs of those that would have failed the attempt. */
export interface Runs {
  ran: Ran[];
  again: Ran[];
}

/**
 * Measures what passes and fails before a task, by the project's commands only; the task's own have no baseline. A failing
 * command runs once more, because a flaky failure here would excuse everything that the task breaks.
 */
export async function measureBaseline(
  ports: GatePorts,
  room: Room,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<Baseline | "interrupted"> {
  const rules = { ...plan, own: [], strict: false, baseline: undefined };
  const runs = await runRepeating(ports, room, rules, stop);
  return runs === "interrupted" ? runs : makeBaseline(settleRuns(runs));
}

/** Runs every command, and each one that would fail the attempt once more. */
export async function runRepeating(
  ports: GatePorts,
  room: Room,
  rules: GateRules,
  stop: AbortSignal,
): Promise<Runs | "interrupted"> {
  const ran = await runCommands(ports, room, rules, stop);
  if (ran === "interrupted") return ran;
  const again: Ran[] = [];
  for (const one of ran) {
    if (!mustRepeat(rules.baseline, one, rules.strict)) continue;
    const second = await runOne(ports, room, { ...rules, command: one.command, own: one.own }, stop);
    if (second === "interrupted") return second;
    again.push(second);
  }
  return { ran, again };
}

/**
 * Runs the gate in the project itself. `now` is the next task's baseline if this task is committed; it is
 * empty if the gate was interrupted.
 */
export async function runGate(
  ports: GatePorts,
  room: Room,
  rules: GateRules,
  stop: AbortSignal,
): Promise<{ report: GateReport; now: Baseline; warnings: readonly string[] }> {
  const runs = await runRepeating(ports, room, rules, stop);
  if (runs === "interrupted")
    return { report: reportInterrupted(false), now: { commands: [] }, warnings: [] };
  const { baseline, strict } = rules;
  const report = judge({ ...runs, baseline, strict, cold: false, tampered: [] });
  const now = settleRuns(runs);
  const missing = isGreen(report) ? findMissingCases({ before: baseline?.commands, whole: now }) : [];
  return {
    report:
      missing.length > 0
        ? { ...report, verdict: "unverified", because: "no-report" }
        : isGreen(report)
          ? addProof(report, baseline, now)
          : report,
    warnings: missing.map((reason) => NOT_VERIFIED + reason),
    now: makeBaseline(now),
  };
}

/** The report of checks that pass, with what turned green since the baseline. */
function addProof(report: GateReport, baseline: Baseline | undefined, now: readonly Ran[]): GateReport {
  if (now.length === 0) return { ...report, verdict: "unverified", because: "no-checks" };
  const before = [...(baseline?.commands ?? []), ...(baseline?.own ?? [])];
  const proof = makeProof(findTurnedGreen(before, now), [], countPassing(before, now));
  if (isProven(proof)) return { ...report, verdict: "passed", proof };
  return { ...report, verdict: "unbroken", because: whyNotProven(report), proof };
}

/** The report of a gate that was stopped. */
export function reportInterrupted(cold: boolean): GateReport {
  return { verdict: "interrupted", cold, commands: [], tampered: [], evidence: "" };
}

/** The next task's baseline: the project's commands, each with the better of its two runs. */
export function makeBaseline(now: readonly Ran[]): Baseline {
  return { commands: now.filter(({ own }) => !own) };
}
