// The whole of a warm gate: runs the commands in the project, once more what may be flaky, and judges.
// Leaves the verdict to compare.ts; the gate of a cold room is cold-gate.ts.
import { judge, mustRepeat } from "../verdict/compare.js";
import { runCommands, runOne, type GatePlan, type GatePorts, type Room } from "./run-commands.js";
import { betterOf, isSameCommand } from "../verdict/flaky.js";
import type { Baseline, GateReport, Ran } from "../verdict.js";

/** A plan, and what its outcome is held against. */
export interface GateRules extends GatePlan {
  /** What was red before and still is fails too. */
  strict: boolean;
  /** `undefined` where nobody could measure one: then everything that fails counts as new. */
  baseline: Baseline | undefined;
}

/** Every command's run, and the second runs of those that would have failed the attempt. */
export interface Runs {
  ran: Ran[];
  again: Ran[];
}

/**
 * What passes and fails before a task: the project's commands only, since its own have no before. What fails is run once more:
 * red by chance would excuse all that the task breaks.
 */
export async function measureBaseline(
  ports: GatePorts,
  room: Room,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<Baseline | "interrupted"> {
  const rules = { ...plan, own: [], strict: false, baseline: undefined };
  const runs = await runRepeating(ports, room, rules, stop);
  return runs === "interrupted" ? runs : baselineAfter(runs);
}

/** Runs every command, and once more each that would fail the attempt. */
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
 * The gate in the project itself. `now` is the baseline of the task after this one, if this one is committed; it is
 * empty where the gate was interrupted.
 */
export async function runGate(
  ports: GatePorts,
  room: Room,
  rules: GateRules,
  stop: AbortSignal,
): Promise<{ report: GateReport; now: Baseline }> {
  const runs = await runRepeating(ports, room, rules, stop);
  if (runs === "interrupted") return { report: interruptedGate(false), now: { commands: [] } };
  const { baseline, strict } = rules;
  return {
    report: judge({ ...runs, baseline, strict, cold: false, tampered: [] }),
    now: baselineAfter(runs),
  };
}

/** The report of a gate that was told to end. */
export function interruptedGate(cold: boolean): GateReport {
  return { verdict: "interrupted", cold, commands: [], tampered: [], evidence: "" };
}

/** What these runs are to the next task: the project's commands, of two runs the better. */
export function baselineAfter({ ran, again }: Runs): Baseline {
  const project = ran.filter(({ own }) => !own);
  return {
    commands: project.map((one) =>
      betterOf(
        one,
        again.find((second) => isSameCommand(one, second)),
      ),
    ),
  };
}
