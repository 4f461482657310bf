// The verdict on a task's work as people are told it, from the gate's line in the log. Pure. job-view.ts has it of the jobs of a
// run, read-doubts.ts of the last gate in the logs.
import {
  describeDoubt,
  describeProof,
  describeRed,
  needsLook,
  whyNotVerified,
} from "../../gate/verdict/reasons.js";
import type { Because, GateVerdict } from "../../gate/verdict.js";
import type { RunEvent } from "../../logging/events/events.js";
import type { Verdict } from "../../todo/model/verified.js";
import { plural } from "./words/amounts.js";
import { quoteIfNeeded } from "../../shell/quote.js";
import { clean } from "../text.js";

export type GateFinished = Extract<RunEvent, { type: "gate_finished" }>;

export interface Judged {
  verdict: Verdict;
  because?: Because;
  /** The evidence of verified work, or why it is not verified, in one clause; not cleaned. Absent: not known. */
  text?: string;
  /** Set if a person must look at it: the earlier tasks whose changed checks it needs, if it needs no others. */
  look?: readonly string[];
  /** The checks that fail as they did before the work, if that keeps it from being verified. */
  red?: readonly string[];
}

/** The verdict of a done task by the verdict of the gate that let its work pass; `undefined`: it did not. */
export function verdictOfGate(verdict: GateVerdict | undefined): Verdict | undefined {
  switch (verdict) {
    case "passed":
      return "verified";
    case "unbroken":
    case "unverified":
      return verdict;
    default:
      return undefined;
  }
}

/** The verdict with its reason; `undefined` where the checks fail. */
export function judge(gate: GateFinished): Judged | undefined {
  const verdict = verdictOfGate(gate.verdict);
  if (verdict === undefined) return undefined;
  const { because, on = [] } = gate;
  const failing = gate.commands.filter((one) => one.verdict === "pre-existing").map(({ command }) => command);
  const red = because === "red-before" && failing.length > 0 ? failing : undefined;
  return {
    verdict,
    because,
    text: textOf(gate),
    red,
    ...(needsLook(gate) ? { look: on } : {}),
  };
}

function textOf(gate: GateFinished): string | undefined {
  if (gate.verdict === "unverified") return describeDoubt(gate) ?? whyNotVerified(gate, [])[0];
  const text = gate.verdict === "passed" ? describeProof(gate) : describeDoubt(gate);
  const { on = [] } = gate;
  if (text === undefined || on.length === 0) return text;
  return `${text}, on top of ${on.join(", ")}, which ${on.length === 1 ? "is" : "are"} unverified`;
}

/** Tasks that are done, by verdict. */
export type VerdictCounts = Record<Exclude<Verdict, "none">, number>;

export function countVerdicts(judged: readonly Pick<Judged, "verdict">[]): VerdictCounts {
  const counts: VerdictCounts = { verified: 0, unbroken: 0, unverified: 0 };
  for (const { verdict } of judged) if (verdict !== "none") counts[verdict]++;
  return counts;
}

/** "5 tasks: 1 verified, 4 unbroken"; empty if all are verified. `why`: why they are unbroken. */
export function verdictLine(counts: VerdictCounts, why = ""): string {
  const { verified, unbroken, unverified } = counts;
  if (unbroken + unverified === 0) return "";
  const parts = [
    verified === 0 ? "" : `${String(verified)} verified`,
    unbroken === 0 ? "" : `${String(unbroken)} unbroken${why === "" ? "" : ` (${why})`}`,
    unverified === 0 ? "" : `${String(unverified)} unverified`,
  ];
  return `${plural(verified + unbroken + unverified, "task")}: ${parts.filter((part) => part !== "").join(", ")}`;
}

/** "`npm test` fails as before", with the number of tasks where it is not all of the unbroken ones; empty if no check does. */
export function redBefore(judged: readonly Judged[]): string {
  const unbroken = judged.filter(({ verdict }) => verdict === "unbroken");
  const red = unbroken.filter(({ red: commands }) => commands !== undefined);
  if (red.length === 0) return "";
  const text = describeRed([...new Set(red.flatMap(({ red: commands = [] }) => commands))]);
  return red.length === unbroken.length ? text : `${String(red.length)}: ${text}`;
}

/** How many tasks the line names. */
const NAMED = 20;

/**
 * The tasks to accept: a task that only waits for others is left out, and these are named once. `look`: the tasks whose changed
 * checks it needs, if it needs no others; `undefined`: no person need look.
 */
export function listLooks(found: Iterable<{ id: string; look: readonly string[] | undefined }>): string[] {
  const ids = new Set<string>();
  for (const { id, look } of found) {
    if (look === undefined) continue;
    for (const one of look.length === 0 ? [id] : look) ids.add(one);
  }
  return [...ids];
}

/** "2 tasks need a look: looper accept T3 T7"; empty without tasks. */
export function lookLine(ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const named = ids.slice(0, NAMED).map((id) => quoteIfNeeded(clean(id)));
  const more = ids.length > NAMED ? " …" : "";
  return `${plural(ids.length, "task")} ${ids.length === 1 ? "needs" : "need"} a look: looper accept ${named.join(" ")}${more}`;
}
