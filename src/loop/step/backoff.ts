// Agents that a limit, an overload or the network keeps from working: until when each is left alone. Pure.
// Leaves who works meanwhile to schedule.ts.
import { given } from "../../system/given.js";

/**
 * Epoch ms until which an agent is not asked; `times`: how often in a row it could not work, `soon`: how often in a row it said
 * "in a moment".
 */
export interface Backoff {
  until: number;
  times: number;
  soon: number;
  reason: string;
  /** Why it is left alone for longer than it said. */
  why?: string;
  /** An earlier run was told. */
  remembered?: true;
}

/** By the agents' names. One that is over still counts its times, until the agent works again. */
export type Backoffs = ReadonlyMap<string, Backoff>;

const FIRST_MS = 60_000;
const MOST_MS = 30 * 60_000;
/** A server's clock is not quite ours: whoever comes a moment early is turned away for another day. */
const SLACK_MS = 1_000;
/** Less than this is "in a moment". */
const SOON_MS = 5_000;
/** So often in a row it is believed. */
const MOST_SOON = 3;

/**
 * L17: until the reset time if one is told, else 1, 2, 4 … 30 minutes; the attempt that follows is the probe. Who is turned
 * away again and again with "in a second" is not asked every second.
 */
export function backOff(
  backoffs: Backoffs,
  agent: string,
  { reason, retryAt, at }: { reason: string; retryAt?: number; at: number },
): Backoffs {
  const before = backoffs.get(agent);
  const times = (before?.times ?? 0) + 1;
  const soon = retryAt !== undefined && retryAt - at < SOON_MS ? (before?.soon ?? 0) + 1 : 0;
  const counted = { times, soon, reason };
  const next = (more: Pick<Backoff, "until" | "why">): Backoffs =>
    new Map(backoffs).set(agent, { ...counted, ...more });
  if (retryAt === undefined || retryAt <= at) return next({ until: at + delayAfter(times) });
  if (soon <= MOST_SOON) return next({ until: retryAt + SLACK_MS });
  const why = `told ${soon} times in a row to come back in less than ${SOON_MS / 1000} s`;
  return next({ until: at + delayAfter(soon - MOST_SOON), why });
}

function delayAfter(times: number): number {
  return Math.min(FIRST_MS * 2 ** (times - 1), MOST_MS);
}

/** What an earlier run was told of an agent. */
export function restoreBackoff({ until, reason }: { until: string; reason: string }): Backoff {
  return { until: Date.parse(until), times: 0, soon: 0, reason, remembered: true };
}

/** Until when it is left alone, as the log says it, and why that is longer than it said. */
export function describeBackoff(
  backoffs: Backoffs,
  agent: string,
  at: number,
): { until: string; until_why?: string } {
  const { until = at, why } = backoffs.get(agent) ?? {};
  return { until: new Date(until).toISOString(), ...given({ until_why: why }) };
}

/** The same without the pause of an agent that worked. */
export function endBackoff(backoffs: Backoffs, agent: string): Backoffs {
  if (!backoffs.has(agent)) return backoffs;
  return new Map([...backoffs].filter(([name]) => name !== agent));
}

/** Until when it is left alone; `undefined` where it may be asked at `at`. */
export function findBackoffEnd(backoffs: Backoffs, agent: string, at: number): number | undefined {
  const until = backoffs.get(agent)?.until;
  return until === undefined || until <= at ? undefined : until;
}

/** Whether an agent that ended like this could not work at all: neither an attempt nor an iteration (contract §4). */
export function causesBackoff(reason: string | undefined): boolean {
  return reason === "rate-limited" || reason === "overloaded" || reason === "network";
}
