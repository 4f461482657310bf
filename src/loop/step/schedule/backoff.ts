// Backoff of agents that are rate limited, overloaded or offline: until when each is not asked. Pure.
// schedule.ts chooses the agent that works meanwhile.

/**
 * The agent is not asked before `until` (epoch ms). `times`: how often in a row it could not work. `soon`: how often in a row
 * it named a time less than SOON_MS away.
 */
export interface Backoff {
  until: number;
  times: number;
  soon: number;
  reason: string;
  /** Why the backoff is longer than the time the agent named. */
  why?: string;
  /** The backoff comes from an earlier run. */
  remembered?: true;
}

/** By agent name. An expired entry keeps its counts until the agent works again. */
export type Backoffs = ReadonlyMap<string, Backoff>;

const FIRST_MS = 60_000;
const MOST_MS = 30 * 60_000;
/** Margin for clock skew: a request a moment too early may be rejected for another day. */
const SLACK_MS = 1_000;
/** A retry time closer than this counts as `soon`. */
const SOON_MS = 5_000;
/** How many soon retry times in a row are trusted. */
const MOST_SOON = 3;

/**
 * L17: backs off until the time the agent named, otherwise 1, 2, 4 … 30 minutes; the next attempt is the probe. An agent that
 * keeps naming a time seconds away is not asked every second.
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
  if (retryAt === undefined || retryAt <= at) return next({ until: at + computeDelay(times) });
  if (soon <= MOST_SOON) return next({ until: retryAt + SLACK_MS });
  const why = `told ${soon} times in a row to come back in less than ${SOON_MS / 1000} s`;
  return next({ until: at + computeDelay(soon - MOST_SOON), why });
}

function computeDelay(times: number): number {
  return Math.min(FIRST_MS * 2 ** (times - 1), MOST_MS);
}

/** The backoff an earlier run recorded. */
export function restoreBackoff({ until, reason }: { until: string; reason: string }): Backoff {
  return { until: Date.parse(until), times: 0, soon: 0, reason, remembered: true };
}

/** The end of the backoff as the log has it, and why it is longer than the time the agent named. */
export function describeBackoff(
  backoffs: Backoffs,
  agent: string,
  at: number,
): { until: string; until_why?: string } {
  const { until = at, why } = backoffs.get(agent) ?? {};
  return { until: new Date(until).toISOString(), until_why: why };
}

/** Clears the backoff of an agent that worked. */
export function endBackoff(backoffs: Backoffs, agent: string): Backoffs {
  if (!backoffs.has(agent)) return backoffs;
  return new Map([...backoffs].filter(([name]) => name !== agent));
}

/** The end of the backoff, or `undefined` if the agent may be asked at `at`. */
export function findBackoffEnd(backoffs: Backoffs, agent: string, at: number): number | undefined {
  const until = backoffs.get(agent)?.until;
  return until === undefined || until <= at ? undefined : until;
}

/** Whether this failure kept the agent from working at all: neither an attempt nor an iteration (docs/limits.md). */
export function causesBackoff(reason: string | undefined): boolean {
  return reason === "rate-limited" || reason === "overloaded" || reason === "network";
}
