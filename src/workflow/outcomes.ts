// The outcomes that a stage can have, and where they lead. Pure; the one place that knows which outcomes are the runner's.
import { never } from "../system/never.js";
import { ENDS, type Name, type Stage, type Target, type Workflow } from "./workflow.js";

/** Outcomes that the runner gives. Any stage may say where they lead; each has a target of its own. */
export const RUNNER_OUTCOMES = [
  "failed",
  "exhausted",
  "blocked",
  "over_limit",
  "skipped",
  "asks",
  "conflict",
  "gate_failed",
] as const;

/** Whether only the runner gives this outcome of a stage; a check's `failed` is its own. */
export function isRunnerOutcome(stage: Stage, outcome: Name): boolean {
  if (stage.kind === "check" && outcome === "failed") return false;
  return RUNNER_OUTCOMES.some((one) => one === outcome);
}

/**
 * The outcomes that an agent or a person can give, in the order of `next`: the first is the good one. Of a check: passed and
 * failed.
 */
export function ownOutcomes(stage: Stage): Name[] {
  if (stage.kind === "check") return ["passed", "failed"];
  return Object.keys(stage.next).filter((outcome) => !isRunnerOutcome(stage, outcome));
}

/** The outcomes that a stage must map, because nothing else says where they lead. */
export function requiredOutcomes({ kind }: Stage): Name[] {
  switch (kind) {
    case "work":
      return ["done"];
    case "check":
      return ["passed"];
    case "analyze":
    case "ask":
      return [];
    default:
      return never(kind);
  }
}

/** A target in its long form. */
export function toTarget(target: Target): { to: Name; discard: boolean } {
  return typeof target === "string"
    ? { to: target, discard: false }
    : { to: target.to, discard: target.discard === true };
}

/** The stage of that name; `undefined` for an end and for an unknown one. */
export function findStage({ stages }: Pick<Workflow, "stages">, name: Name): Stage | undefined {
  return Object.hasOwn(stages, name) ? stages[name] : undefined;
}

export function isEnd(name: Name): name is (typeof ENDS)[number] {
  return ENDS.some((end) => end === name);
}
