import { expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import { NOTHING_SPENT } from "./job/spending.js";
import type { Frame } from "./state.js";
import { RULES } from "../testing/world/sim.js";
import { applySignal } from "./decision.js";

type Interrupt = Extract<StepEvent, { type: "run_interrupted" }>;

const FRAME: Frame = { rules: RULES, git: false, stopping: 0, began: 0, spent: NOTHING_SPENT };

const told = (word: string): Interrupt => ({
  type: "run_interrupted",
  signal: word === "INT" || word === "stop" ? "SIGINT" : word === "HUP" ? "SIGHUP" : "SIGTERM",
  terminal: false,
  ...(word === "stop" || word === "now" ? { by: "stop" as const } : {}),
});

test.each([
  ["INT", 1],
  ["INT INT INT INT", 3],
  ["TERM", 2],
  ["TERM TERM", 3],
  ["HUP", 0],
  ["stop", 1],
  ["stop stop stop", 1],
  ["now", 2],
  ["now now stop", 2],
  ["stop now", 2],
  ["stop INT", 2],
  ["INT stop", 1],
  ["INT INT INT now", 3],
])("%s takes a run to %i", (words, stopping) => {
  const events = words.split(" ").map(told);
  expect(events.reduce(applySignal, FRAME).stopping).toBe(stopping);
});

test("a signal that changes nothing returns the identical frame, and the first signal is kept", () => {
  const once = applySignal(FRAME, told("stop"));
  expect(applySignal(once, told("stop"))).toBe(once);
  expect(applySignal(applySignal(once, told("TERM")), told("now")).signal).toBe("SIGINT");
});
