// Makes a model out of several providers: retries temporary failures, falls back to the next provider, and skips a provider
// that keeps failing for a while. sdk.ts and scripted.ts send a single request.
import { MENDED_BY_TIME } from "../../agents/limits/explain-failure.js";
import { pause } from "../../system/pause.js";
import type { Clock, Random } from "../../system/ports.js";
import type { ModelAnswer, ModelFailure, ModelRequest, ModelReply } from "../model.js";

interface RetryOptions {
  clock: Clock;
  random: Random;
  /** The most retries of each provider. */
  maxRetries: number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** The number of failed requests in a row after which a provider is skipped. */
const MOST_FAILURES = 2;
const SKIPPED_MS = 120_000;

/** Reasons for which another provider is asked. A bad request would fail there too. */
const FALLS_BACK: ReadonlySet<ModelFailure["reason"]> = new Set([
  "rate-limited",
  "overloaded",
  "network",
  "not-signed-in",
  "no-credit",
  "model-unknown",
]);

/** The failures of each provider, and the time in epoch ms until which it is skipped. */
type Failures = Map<Provider, { count: number; until: number }>;

/** Returns a function that asks the first available provider and never throws. It remembers failures between requests. */
export function createFallbackChain(
  providers: readonly Provider[],
  options: RetryOptions,
): (request: ModelRequest) => Promise<ModelAnswer> {
  const failuresOf: Failures = new Map();
  return async (request) => {
    const failures: ModelFailure[] = [];
    for (const provider of selectAskable(providers, failuresOf, options.clock.now())) {
      const last = failures.at(-1);
      if (last !== undefined)
        request.onWait?.({ ms: 0, why: `${last.message}; falling back to ${provider.name}` });
      const answer = await askWithRetries(provider, request, options);
      if ("reply" in answer) {
        failuresOf.delete(provider);
        return answer;
      }
      if (!FALLS_BACK.has(answer.failure.reason)) return answer;
      failures.push(answer.failure);
      // One that keeps failing is skipped.
      const count = (failuresOf.get(provider)?.count ?? 0) + 1;
      const skipped = count >= MOST_FAILURES ? options.clock.now() + SKIPPED_MS : 0;
      failuresOf.set(provider, { count, until: Math.max(answer.failure.retryAt ?? 0, skipped) });
    }
    return { failure: mergeFailures(failures) };
  };
}

/** Returns the providers that are not skipped, or all of them if all are skipped. */
function selectAskable(providers: readonly Provider[], failuresOf: Failures, now: number) {
  const ready = providers.filter((provider) => (failuresOf.get(provider)?.until ?? 0) <= now);
  return ready.length > 0 ? ready : providers;
}

/** Merges several failures. The temporary one that ends first takes precedence over those that need a person. */
function mergeFailures(failures: readonly ModelFailure[]): ModelFailure {
  const passing = failures.filter(({ reason }) => MENDED_BY_TIME.has(reason));
  const [first] = passing.toSorted((a, b) => (a.retryAt ?? 0) - (b.retryAt ?? 0));
  const merged = first ?? failures[0] ?? { reason: "bad-request", message: "no model is configured" };
  return {
    ...merged,
    message: [...new Set(failures.map(({ message }) => message))].join("; ") || merged.message,
  };
}

/** Asks one provider, with retries while the failure may be temporary. */
async function askWithRetries(
  provider: Provider,
  request: ModelRequest,
  { clock, random, maxRetries }: RetryOptions,
): Promise<ModelAnswer> {
  for (let before = 0; ; before += 1) {
    if (isAborted(request)) return createInterrupted(provider);
    const answer = await provider.ask(request, before);
    if ("reply" in answer) return answer;
    if (isAborted(request)) return createInterrupted(provider);
    const { failure, retryAfterMs } = answer;
    if (!MENDED_BY_TIME.has(failure.reason)) return { failure };
    const ms = retryAfterMs ?? computeBackoff(before, random);
    // A wait longer than a minute is left to the caller: the failure carries the time to retry at.
    const retry = retryAfterMs === undefined ? {} : { retryAt: clock.now() + retryAfterMs };
    if (before >= maxRetries || ms > LONGEST_WAIT_MS) return { failure: { ...failure, ...retry } };
    request.onWait?.({ ms, why: failure.message });
    await pause(clock, ms, request.signal);
  }
}

/** Whether a request was ended. It can change while one waits. */
export function isAborted({ signal }: ModelRequest): boolean {
  return signal.aborted;
}

/** The failure of a request that was ended. */
export function createInterrupted({ name }: Pick<Provider, "name">): { failure: ModelFailure } {
  return { failure: { reason: "interrupted", message: `${name}: interrupted` } };
}

/** Returns the wait, doubled with each try and varied by a quarter, so that parallel sessions do not retry together. */
function computeBackoff(before: number, random: Random): number {
  const share = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(Math.min(FIRST_WAIT_MS * 2 ** before, LONGEST_WAIT_MS / 2) * (0.75 + share / 2));
}

/** A failed request, with the time after which to retry it. */
export interface FailedRequest {
  failure: ModelFailure;
  /** The wait in ms before a retry, if the provider stated it. */
  retryAfterMs?: number;
}

/** Contract: `ask` never throws and never rejects. */
export interface Provider {
  /** `provider/model`. */
  readonly name: string;
  /** Sends the request once. `before`: how often it was sent already. */
  ask(request: ModelRequest, before: number): Promise<{ reply: ModelReply } | FailedRequest>;
}
