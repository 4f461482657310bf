// A model out of providers: tries again what may pass, falls back to the next, and leaves alone for a while who keeps failing.
// Leaves asking once to sdk.ts and scripted.ts.
import { MENDED_BY_TIME } from "../../agents/limits/limits.js";
import type { Clock, Random } from "../../system/ports.js";
import type { ModelAnswer, ModelFailure, ModelRequest } from "../model.js";
import { pause } from "./pause.js";
import type { Provider } from "./provider.js";

export interface Patience {
  clock: Clock;
  random: Random;
  /** Tries after the first, of each provider. */
  maxRetries: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** From so many requests in a row on that it failed, a provider is left alone. */
const MOST_MISSES = 2;
const LEFT_ALONE_MS = 120_000;

/** Another provider may do what this one does not; a bad request is bad everywhere. */
const FALLS_BACK: ReadonlySet<ModelFailure["reason"]> = new Set([
  "rate-limited",
  "overloaded",
  "network",
  "not-signed-in",
  "no-credit",
  "model-unknown",
]);

/** How a provider has fared. */
interface Standing {
  misses: number;
  /** Epoch ms until when it is left alone. */
  until: number;
}

/** Asks the first of the providers that can be asked; never throws. The standings are kept from request to request. */
export function createFallbackChain(
  providers: readonly Provider[],
  patience: Patience,
): (request: ModelRequest) => Promise<ModelAnswer> {
  const standings = new Map<Provider, Standing>();
  return async (request) => {
    const failures: ModelFailure[] = [];
    for (const provider of selectAskable(providers, standings, patience.clock.now())) {
      const last = failures.at(-1);
      if (last !== undefined)
        request.onWait?.({ ms: 0, why: `${last.message}; now ${provider.name} is asked` });
      const answer = await askWithRetries(provider, request, patience);
      if ("reply" in answer) {
        standings.delete(provider);
        return answer;
      }
      if (!FALLS_BACK.has(answer.failure.reason)) return answer;
      failures.push(answer.failure);
      recordFailure(standings, provider, answer.failure, patience.clock.now());
    }
    return { failure: mergeFailures(failures) };
  };
}

/** Those that are not left alone; all of them where none is left. */
function selectAskable(
  providers: readonly Provider[],
  standings: ReadonlyMap<Provider, Standing>,
  now: number,
): readonly Provider[] {
  const ready = providers.filter((provider) => (standings.get(provider)?.until ?? 0) <= now);
  return ready.length > 0 ? ready : providers;
}

function recordFailure(
  standings: Map<Provider, Standing>,
  provider: Provider,
  { retryAt }: ModelFailure,
  now: number,
): void {
  const misses = (standings.get(provider)?.misses ?? 0) + 1;
  const until = Math.max(retryAt ?? 0, misses >= MOST_MISSES ? now + LEFT_ALONE_MS : 0);
  standings.set(provider, { misses, until });
}

/** What is told of several failures: the one that is over first goes before those that need a person. */
function mergeFailures(failures: readonly ModelFailure[]): ModelFailure {
  const passing = failures.filter(({ reason }) => MENDED_BY_TIME.has(reason));
  const [first] = passing.toSorted((a, b) => (a.retryAt ?? 0) - (b.retryAt ?? 0));
  const told = first ?? failures[0] ?? { reason: "bad-request", message: "there is no model to ask" };
  return {
    ...told,
    message: [...new Set(failures.map(({ message }) => message))].join("; ") || told.message,
  };
}

/** One provider, tried again while it may pass. */
async function askWithRetries(
  provider: Provider,
  request: ModelRequest,
  { clock, random, maxRetries }: Patience,
): Promise<ModelAnswer> {
  for (let before = 0; ; before += 1) {
    if (isAborted(request)) return createInterrupted(provider);
    const answer = await provider.ask(request, before);
    if ("reply" in answer) return answer;
    if (isAborted(request)) return createInterrupted(provider);
    const { failure, retryAfterMs } = answer;
    if (!MENDED_BY_TIME.has(failure.reason)) return { failure };
    const ms = retryAfterMs ?? computeBackoff(before, random);
    // Whoever asks a minute later than told is not asked to wait here.
    const told = retryAfterMs === undefined ? {} : { retryAt: clock.now() + retryAfterMs };
    if (before >= maxRetries || ms > LONGEST_WAIT_MS) return { failure: { ...failure, ...told } };
    request.onWait?.({ ms, why: failure.message });
    await pause(clock, ms, request.signal);
  }
}

function isAborted({ signal }: ModelRequest): boolean {
  return signal.aborted;
}

function createInterrupted({ name }: Provider): ModelAnswer {
  return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
}

/** Doubles from try to try, a quarter more or less, so that many who failed at once do not come back at once. */
function computeBackoff(before: number, random: Random): number {
  const share = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(Math.min(FIRST_WAIT_MS * 2 ** before, LONGEST_WAIT_MS / 2) * (0.75 + share / 2));
}
