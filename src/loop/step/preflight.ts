// Warns of checks that fail before any work, and decides whether the run refuses to start because of them. Pure.
// perform-gate.ts runs the checks; src/gate/verdict/red-check.ts describes one check.
import type { CheckedCommand } from "../../logging/events/event-parts.js";
import type { EventOf } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import type { JobFacts } from "./effects.js";
import type { Decision } from "./decision.js";

/** The checks before the run belong to no job: job numbers start at 1. */
export const PREFLIGHT_JOB: JobFacts = { job: 0, iteration: 0, phase: "iteration", agent: "", attempt: 0 };

/** Warns of each failing check once in a run; returns all that were reported. */
export function reportRedChecks(
  { commands }: Pick<EventOf<"baseline_finished">, "commands">,
  named: ReadonlySet<string>,
  decision: Decision,
): ReadonlySet<string> {
  const fresh = commands.filter(({ command, red }) => red !== undefined && !named.has(command));
  if (fresh.length === 0) return named;
  for (const one of fresh) decision.warn(`${describeCheck(one)}; ${describeConsequence(one)}`);
  return new Set([...named, ...fresh.map(({ command }) => command)]);
}

/** Why the run must not start: under strict rules, a check that cannot run. */
export function explainRefusal(
  { preflight, rooms }: Rules,
  { commands, unprepared }: Pick<EventOf<"baseline_finished">, "commands" | "unprepared">,
): string | undefined {
  if (rooms === "required" && unprepared !== undefined)
    return `${unprepared}; set verify.setup to what installs the dependencies, or verify.cold to auto`;
  if (preflight !== "refuse") return undefined;
  const hint = "correct it, or run without verify.strict (--strict)";
  if (unprepared !== undefined) return `cannot prepare the cold room: ${unprepared}; ${hint}`;
  const broken = commands.filter(({ red }) => red?.cannot_run === true);
  return broken.length === 0 ? undefined : `${broken.map(describeCheck).join("; ")}; ${hint}`;
}

function describeConsequence({ red, tests }: CheckedCommand): string {
  if (red?.cannot_run === true)
    return "it verifies no task until it can run: correct it, or refuse such runs with --strict";
  return tests === undefined
    ? "it is red before any work, so it verifies no task until it passes"
    : "failures that were there before do not count, new ones do";
}

function describeCheck({ command, red }: CheckedCommand): string {
  const line = red === undefined || red.line === "" ? "" : `: ${red.line}`;
  const what = red?.cannot_run === true ? "cannot run the check" : "failing check";
  return `${what} "${command}" (${red?.how ?? ""})${line}`;
}
