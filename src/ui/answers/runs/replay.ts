// The answers of `looper replay --json`: a whole run, one decision (`--at`). Pure. Leaves
// replaying to src/loop/replay.
import type { ExplainedDecision, Replayed } from "../../../loop/replay/replay.js";
import type { ReplayAnswer, ReplayAtAnswer } from "../../shapes/runs.js";

/** The comparison of every decision of a run. */
export function replayAnswer(run: string, replayed: Replayed): ReplayAnswer {
  return "decisions" in replayed ? { same: true, run, ...replayed } : { same: false, run, ...replayed };
}

/** One decision. Its maps are objects and its sets are lists, so that it can be printed as JSON. */
export function replayAtAnswer(run: string, { seq, event, next }: ExplainedDecision): ReplayAtAnswer {
  return {
    run,
    seq,
    event,
    because: { ...next.because, ...plainFields(next.because) },
    effects: next.effects.map((effect) => ({ ...effect, ...plainFields(effect) })),
    state: { ...next.state, ...plainFields(next.state) },
  };
}

function plainFields(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, inner]) => [String(key), toPlain(inner)]));
  if (value instanceof Set || Array.isArray(value)) return [...value].map(toPlain);
  return typeof value !== "object" || value === null ? value : plainFields(value);
}
