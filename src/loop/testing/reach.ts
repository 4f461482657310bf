// Brings a simulated run to the moment that a test is about.
import type { StepEvent } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import type { IndexRow } from "../../todo/model/task.js";
import type { Effect } from "../step/effects.js";
import type { Next } from "../step/decision.js";
import { answer, type WorldReply } from "./answers.js";
import { advance } from "./operations.js";
import { feed, createSim, startRun, type Fed, type OpenEffect, type Sim } from "./world/sim.js";

/** A run that has started on these tasks. */
export function beginRun(rows: readonly IndexRow[], rules: Partial<Rules> = {}): Sim {
  return startRun(createSim({ rows, commits: [], checkpoints: [] }, rules)).sim;
}

/** Answers open effects, oldest first, until one of this kind is open. */
export function advanceTo(from: Sim, kind: Effect["kind"], reply: WorldReply = {}): Sim {
  let sim = from;
  while (!sim.open.some(({ effect }) => effect.kind === kind)) sim = answerFirst(sim, findFirst(sim), reply);
  return sim;
}

/** Continues until the effect of this kind was answered. */
export function advancePast(from: Sim, kind: Effect["kind"], reply: WorldReply = {}): Sim {
  const sim = advanceTo(from, kind, reply);
  return answerFirst(sim, findFirst(sim, kind), reply);
}

function answerFirst(sim: Sim, open: OpenEffect, reply: WorldReply): Sim {
  let now = sim;
  const at = sim.open.indexOf(open);
  for (;;) {
    const current = now.open[at];
    if (current === undefined) throw new Error("an effect disappeared");
    if (current.ops.length === 0) return answer(now, current, reply).sim;
    now = advance(now, current);
  }
}

function findFirst({ open }: Sim, kind?: Effect["kind"]): OpenEffect {
  const found = open.find(({ effect }) => kind === undefined || effect.kind === kind);
  if (found === undefined) throw new Error(`nothing waits for ${kind ?? "an answer"}`);
  return found;
}

/** Finds an open effect of this kind. */
export function openEffect<K extends Effect["kind"]>(sim: Sim, kind: K): Extract<Effect, { kind: K }> {
  const { effect } = findFirst(sim, kind);
  if (!isKind(effect, kind)) throw new Error(`${effect.kind} is not ${kind}`);
  return effect;
}

function isKind<K extends Effect["kind"]>(effect: Effect, kind: K): effect is Extract<Effect, { kind: K }> {
  return effect.kind === kind;
}

/** Ends the effect of this kind with this event. */
export function tell(sim: Sim, kind: Effect["kind"], event: StepEvent): Fed {
  const over = findFirst(sim, kind);
  return feed({ ...sim, open: sim.open.filter((one) => one !== over) }, event);
}

/** Calls `step` with an event, whichever effects are open. */
export function told(sim: Sim, event: StepEvent): Next {
  return feed(sim, event).taken.next;
}
