// Trying again, falling back, leaving alone: with a clock that only says how long somebody waited.
import { expect, test } from "vitest";
import { given } from "../../system/given.js";
import type { Clock } from "../../system/ports.js";
import type { ModelFailure, ModelRequest } from "../model.js";
import { createFallbackChain } from "./patience.js";
import type { Miss, Provider } from "./provider.js";

/** Time passes only by waiting. */
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

const miss = (reason: ModelFailure["reason"], retryAfterMs?: number): Miss => ({
  failure: { reason, message: reason },
  ...given({ retryAfterMs }),
});

/** A provider that misses so, then answers; counts how often it was asked. */
function provider(name: string, ...misses: Miss[]): Provider & { asked: number } {
  const one: Provider & { asked: number } = {
    name,
    asked: 0,
    ask: () => {
      one.asked += 1;
      const next = misses.shift();
      return Promise.resolve(next ?? { reply: { text: name, calls: [], finish: "stop", model: name } });
    },
  };
  return one;
}

const { signal } = new AbortController();
const request: ModelRequest = { who: "looper", turn: 0, system: "", messages: [], tools: [], signal };
/** Always in the middle of what chance may give. */
const random = { hex: () => "7fffffff" };

test("what may pass is tried again, each time later, and at most so often", async () => {
  const clock = clockAt(0);
  const misses = ["network", "overloaded", "rate-limited", "network", "network"] as const;
  const one = provider("a/a", ...misses.map((reason) => miss(reason)));
  const answer = await createFallbackChain([one], { clock, random, maxRetries: 3 })(request);
  expect(answer).toEqual({ failure: { reason: "network", message: "network" } });
  expect([one.asked, clock.waits]).toEqual([4, [1000, 2000, 4000]]);
});

test.each(["bad-request", "context-full", "not-signed-in", "model-unknown", "incomplete"] as const)(
  "%s does not pass: it is asked once",
  async (reason) => {
    const clock = clockAt(0);
    const one = provider("a/a", miss(reason));
    expect(await createFallbackChain([one], { clock, random, maxRetries: 3 })(request)).toMatchObject({
      failure: { reason },
    });
    expect([one.asked, clock.waits]).toEqual([1, []]);
  },
);

test("it waits as long as it is told, up to a minute; longer it says until when", async () => {
  const clock = clockAt(5000);
  const one = provider("a/a", miss("rate-limited", 60_000), miss("rate-limited", 60_001));
  expect(await createFallbackChain([one], { clock, random, maxRetries: 3 })(request)).toMatchObject({
    failure: { reason: "rate-limited", retryAt: 5000 + 60_000 + 60_001 },
  });
  expect(clock.waits).toEqual([60_000]);
});

test("who fails twice is left alone for a while, and then asked again", async () => {
  const clock = clockAt(0);
  const first = provider("a/a", miss("overloaded"), miss("overloaded"));
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

test("whose limit is over only later is not asked before; where nobody can be asked, all are", async () => {
  const clock = clockAt(0);
  const first = provider("a/a", miss("rate-limited", 3_600_000), miss("rate-limited", 3_500_000));
  const second = provider("b/b", ...Array.from({ length: 3 }, () => miss("not-signed-in")));
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

test("a request that is bad at one is not tried at the next", async () => {
  const [first, second] = [provider("a/a", miss("context-full")), provider("b/b")];
  const ask = createFallbackChain([first, second], { clock: clockAt(0), random, maxRetries: 3 });
  expect(await ask(request)).toMatchObject({ failure: { reason: "context-full" } });
  expect(second.asked).toBe(0);
});

test("an abort ends a wait, and nobody is asked after it", async () => {
  const stop = new AbortController();
  const one = provider("a/a", miss("network"), miss("network"));
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
