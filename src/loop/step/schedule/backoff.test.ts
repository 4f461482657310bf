import { expect, test } from "vitest";
import { backOff, findBackoffEnd, endBackoff, type Backoffs } from "./backoff.js";

const MINUTE = 60_000;

/** The length of each backoff in ms, one after the other. */
function waits(toldMs: readonly (number | undefined)[]): number[] {
  let backoffs: Backoffs = new Map();
  let at = 1_000_000;
  return toldMs.map((told) => {
    const retryAt = told === undefined ? {} : { retryAt: at + told };
    backoffs = backOff(backoffs, "a", { reason: "overloaded", at, ...retryAt });
    const until = findBackoffEnd(backoffs, "a", at) ?? at;
    const waited = until - at;
    at = until;
    return waited;
  });
}

test("an agent that names no time backs off 1, 2, 4 … 30 minutes", () => {
  const minutes = [1, 2, 4, 8, 16, 30, 30];
  expect(waits(minutes.map(() => undefined))).toEqual(minutes.map((n) => n * MINUTE));
});

test("a named time is kept with a second more, unless it is in the past", () => {
  expect(waits([5_000])).toEqual([6_000]);
  expect(waits([-5_000])).toEqual([MINUTE]);
  expect(waits([undefined, 300 * MINUTE])).toEqual([MINUTE, 300 * MINUTE + 1000]);
});

test("a named time is kept however often it comes in a row", () => {
  expect(waits([10_000, 10_000, 10_000, 10_000, 10_000])).toEqual(Array(5).fill(11_000));
  expect(waits([undefined, undefined, 10_000])).toEqual([MINUTE, 2 * MINUTE, 11_000]);
});

test("an agent that keeps naming a time seconds away is not asked every second, and the reason is given", () => {
  expect(waits([1000, 1000, 1000, 1000, 4999, 1000])).toEqual([
    ...[2000, 2000, 2000],
    ...[MINUTE, 2 * MINUTE, 4 * MINUTE],
  ]);
  expect(waits([1000, 1000, 1000, 5000, 1000])).toEqual([2000, 2000, 2000, 6000, 2000]);
  const told = (before: Backoffs) => backOff(before, "a", { reason: "overloaded", at: 0, retryAt: 1000 });
  const thrice = told(told(told(new Map())));
  expect(thrice.get("a")?.why).toBeUndefined();
  expect(told(thrice).get("a")?.why).toBe("told 4 times in a row to come back in less than 5 s");
});

test("a backoff ends at its time, and its count starts anew once the agent has worked", () => {
  const paused = backOff(new Map(), "a", { reason: "network", at: 0 });
  expect([findBackoffEnd(paused, "a", MINUTE - 1), findBackoffEnd(paused, "a", MINUTE)]).toEqual([
    MINUTE,
    undefined,
  ]);
  expect(findBackoffEnd(paused, "b", 0)).toBeUndefined();
  const again = backOff(endBackoff(paused, "a"), "a", { reason: "network", at: 0 });
  expect(findBackoffEnd(again, "a", 0)).toBe(MINUTE);
  expect(endBackoff(paused, "b")).toBe(paused);
});
