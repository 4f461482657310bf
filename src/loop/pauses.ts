// Agents that a limit, an overload or the network keeps from working: until when each is left alone. Pure.
// Leaves who works meanwhile to schedule.ts.

/** Epoch ms until which an agent is not asked; `times`: how often in a row it could not work. */
export interface Pause {
  until: number;
  times: number;
  reason: string;
}

/** By the agents' names. One that is over still counts its times, until the agent works again. */
export type Pauses = ReadonlyMap<string, Pause>;

const FIRST_MS = 60_000;
const MOST_MS = 30 * 60_000;
/** A server's clock is not quite ours: whoever comes a moment early is turned away for another day. */
const SLACK_MS = 1_000;

/**
 * L17: until the reset time if one is told, else 1, 2, 4 … 30 minutes; the attempt that follows is the probe. Who is turned
 * away again and again with "in a second" is not asked every second.
 */
export function pause(
  pauses: Pauses,
  agent: string,
  { reason, retryAt, at }: { reason: string; retryAt?: number; at: number },
): Pauses {
  const times = (pauses.get(agent)?.times ?? 0) + 1;
  const backoff = at + Math.min(FIRST_MS * 2 ** (times - 1), MOST_MS);
  const told = retryAt === undefined || retryAt <= at ? undefined : retryAt + SLACK_MS;
  const until = told === undefined ? backoff : times === 1 ? told : Math.max(told, backoff);
  return new Map(pauses).set(agent, { until, times, reason });
}

/** The same without the pause of an agent that worked. */
export function unpause(pauses: Pauses, agent: string): Pauses {
  if (!pauses.has(agent)) return pauses;
  return new Map([...pauses].filter(([name]) => name !== agent));
}

/** Until when it is left alone; `undefined` where it may be asked at `at`. */
export function pausedUntil(pauses: Pauses, agent: string, at: number): number | undefined {
  const until = pauses.get(agent)?.until;
  return until === undefined || until <= at ? undefined : until;
}

/** Whether an agent that ended like this could not work at all: neither an attempt nor an iteration (contract §4). */
export function isPause(reason: string | undefined): boolean {
  return reason === "rate-limited" || reason === "overloaded" || reason === "network";
}
