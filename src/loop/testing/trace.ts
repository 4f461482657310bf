// Finds the effects and events of a simulated run by kind and job, for the laws.
import { fallsShort } from "../../gate/verdict/reasons.js";
import type { Effect } from "../step/effects.js";
import type { Work } from "../step/state.js";
import type { Disk } from "./world/disk.js";
import type { Sim, Taken } from "./world/sim.js";

/** A run that was simulated to its end, or until nothing could happen any more. */
export interface PlayedRun {
  start: Disk;
  trace: readonly Taken[];
  end: Sim;
}

export type Law = (played: PlayedRun) => string[];

export type Kind<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** The effects of a kind, with the call of `step` that asked for each. */
export function effects<K extends Effect["kind"]>(
  trace: readonly Taken[],
  kind: K,
): { at: number; effect: Kind<K> }[] {
  const isKind = (effect: Effect): effect is Kind<K> => effect.kind === kind;
  return trace.flatMap(({ next }, at) => next.effects.filter(isKind).map((effect) => ({ at, effect })));
}

/** The first event of this type that a job has. */
export function eventOf(trace: readonly Taken[], type: string, job: number): Taken["event"] | undefined {
  return trace.find(({ event }) => event.type === type && "job" in event && event.job === job)?.event;
}

/** The state with a backlog that follows. */
export function workOf({ next }: Taken): Work | undefined {
  return next.state.phase === "working" ? next.state.work : undefined;
}

/** Whether the gate left the job's task to a person: its work passes, with less than the rules want. */
export function mustLook({ trace, end }: Pick<PlayedRun, "trace" | "end">, event: Taken["event"]): boolean {
  if (!("job" in event) || event.job === undefined) return false;
  const gate = eventOf(trace, "gate_finished", event.job);
  return gate?.type === "gate_finished" && fallsShort(end.rules.accept, gate);
}
