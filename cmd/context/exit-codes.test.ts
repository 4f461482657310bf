import { expect, test } from "vitest";
import { ENDINGS } from "../../src/logging/events/events.js";
import { BUG, EXIT_CODES, exitCodeOf, exitCodeOfError, exitCodeOfSignal } from "./exit-codes.js";

test("each ending has the exit code the contract gives it", () => {
  expect(ENDINGS.map((ending) => [ending, exitCodeOf({ ending })])).toEqual([
    ["complete", 0],
    ["blocked", 1],
    ["limit", 1],
    ["budget", 1],
    ["waiting", 1],
    ["unusable-backlog", 2],
    ["environment", 3],
    ["interrupted", 130],
  ]);
});

test("a signal is 128 and its number", () => {
  expect(["SIGHUP", "SIGINT", "SIGTERM"].map(exitCodeOfSignal)).toEqual([129, 130, 143]);
  expect(exitCodeOf({ ending: "interrupted", signal: "SIGTERM" })).toBe(143);
});

test("answers, errors of the user, and a child's own code", () => {
  expect([exitCodeOf("ok"), exitCodeOf("no"), exitCodeOf({ exitCode: 7 })]).toEqual([0, 1, 7]);
  expect([exitCodeOfError("no"), exitCodeOfError("usage"), exitCodeOfError("environment")]).toEqual([
    1, 2, 3,
  ]);
});

test("every code there is has its meaning written down, and no other has", () => {
  const codes = [
    exitCodeOf("ok"),
    exitCodeOf("no"),
    ...ENDINGS.map((ending) => exitCodeOf({ ending })),
    ...(["no", "usage", "environment"] as const).map(exitCodeOfError),
    ...["SIGHUP", "SIGINT", "SIGTERM"].map(exitCodeOfSignal),
    BUG,
  ];
  expect(EXIT_CODES.flatMap((row) => row.codes)).toEqual([...new Set(codes)].sort((a, b) => a - b));
});
