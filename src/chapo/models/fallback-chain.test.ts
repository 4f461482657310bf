// Tests retries, fallbacks and skipped providers with a clock that records the waits.
import { expect, test } from "vitest";
import type { Clock } from "../../system/ports.js";
import type { ModelFailure, ModelRequest } from "../model.js";
import { createFallbackChain, type FailedRequest, type Provider } from "./fallback-chain.js";

/** Creates a clock on which time passes only by waits. */
function clockAt(start: number): Clock & { waits: number[]; pass: (ms: number) => void } {
  let now = start;
  const waits: number[] = [];
  const after: Clock["after"] = (ms, wake) => {
    waits.push(ms);
    now += ms;
    void Promise.resolve().then(wake);
    return { cancel: () => undefined };
  };
  const none = () => ({ cancel: () => undefined });
  return {
    ...{ now: () => now, monotonic: () => now, at: none, after, every: none, sleep: () => Promise.resolve() },
    waits,
    pass: (ms) => {
      now += ms;
    },
  };
}

const failed = (reason: ModelFailure["reason"], retryAfterMs?: number): FailedRequest => ({
  failure: { reason, message: reason },
  retryAfterMs,
});

/** Creates a provider that fails with each given failure, then answers. It counts its requests. */
function provider(name: string, ...failures: FailedRequest[]): Provider & { asked: number } {
  const one: Provider & { asked: number } = {
    name,
    asked: 0,
    ask: () => {
      one.asked += 1;
      const next = failures.shift();
      return Promise.resolve(next ?? { reply: { text: name, calls: [], finish: "stop", model: name } });
    },
  };
  return one;
}

const { signal } = new AbortController();
const request: ModelRequest = { who: "looper", turn: 0, system: "", messages: [], tools: [], signal };
/** Always the middle of the random range. */
const random = { hex: () => "7fffffff" };

test("a temporary failure is retried with growing waits, up to the most retries", async () => {
  const clock = clockAt(0);
  const failures = ["network", "overloaded", "rate-limited", "network", "network"] as const;
  const one = provider("a/a", ...failures.map((reason) => failed(reason)));
  const answer = await createFallbackChain([one], { clock, random, maxRetries: 3 })(request);
  expect(answer).toEqual({ failure: { reason: "network", message: "network" } });
  expect([one.asked, clock.waits]).toEqual([4, [1000, 2000, 4000]]);
});

test.each(["bad-request", "context-full", "not-signed-in", "model-unknown", "incomplete"] as const)(
  "a request that fails with %s is not retried",
  async (reason) => {
    const clock = clockAt(0);
    const one = provider("a/a", failed(reason));
    expect(await createFallbackChain([one], { clock, random, maxRetries: 3 })(request)).toMatchObject({
      failure: { reason },
    });
    expect([one.asked, clock.waits]).toEqual([1, []]);
  },
);

test("a retry waits as long as the provider states up to a minute, and a longer wait is returned as a time", async () => {
  const clock = clockAt(5000);
  const one = provider("a/a", failed("rate-limited", 60_000), failed("rate-limited", 60_001));
  expect(await createFallbackChain([one], { clock, random, maxRetries: 3 })(request)).toMatchObject({
    failure: { reason: "rate-limited", retryAt: 5000 + 60_000 + 60_001 },
  });
  expect(clock.waits).toEqual([60_000]);
});

test("a provider that fails twice is skipped for a while and then asked again", async () => {
  const clock = clockAt(0);
  const first = provider("a/a", failed("overloaded"), failed("overloaded"));
  const second = provider("b/b");
  const ask = createFallbackChain([first, second], { clock, random, maxRetries: 0 });
  const asked: (readonly number[])[] = [];
  for (const pause of [0, 0, 1000, 200_000]) {
    clock.pass(pause);
    await ask(request);
    asked.push([first.asked, second.asked]);
  }
  expect(asked).toEqual([
    [1, 1],
    [2, 2],
    [2, 3],
    [3, 3],
  ]);
});

test("a provider is not asked before its limit ends, unless all providers are skipped", async () => {
  const clock = clockAt(0);
  const first = provider("a/a", failed("rate-limited", 3_600_000), failed("rate-limited", 3_500_000));
  const second = provider("b/b", ...Array.from({ length: 3 }, () => failed("not-signed-in")));
  const ask = createFallbackChain([first, second], { clock, random, maxRetries: 0 });
  expect(await ask(request)).toEqual({
    failure: { reason: "rate-limited", message: "rate-limited; not-signed-in", retryAt: 3_600_000 },
  });
  expect(await ask(request)).toMatchObject({ failure: { reason: "not-signed-in" } });
  expect([first.asked, second.asked]).toEqual([1, 2]);
  clock.pass(1000);
  expect(await ask(request)).toMatchObject({ failure: { reason: "rate-limited" } });
  expect([first.asked, second.asked]).toEqual([2, 3]);
});

test("a bad request is not sent to the next provider", async () => {
  const [first, second] = [provider("a/a", failed("context-full")), provider("b/b")];
  const ask = createFallbackChain([first, second], { clock: clockAt(0), random, maxRetries: 3 });
  expect(await ask(request)).toMatchObject({ failure: { reason: "context-full" } });
  expect(second.asked).toBe(0);
});

test("an abort ends a wait, and no further request is sent", async () => {
  const stop = new AbortController();
  const one = provider("a/a", failed("network"), failed("network"));
  const ask = createFallbackChain([one, provider("b/b")], { clock: clockAt(0), random, maxRetries: 3 });
  const answer = await ask({
    ...request,
    signal: stop.signal,
    onWait: () => {
      stop.abort();
    },
  });
  expect(answer).toMatchObject({ failure: { reason: "interrupted" } });
  expect(one.asked).toBe(1);
});
