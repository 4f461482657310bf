// Whether the checks can run in a room, from their results there and in the project.
import { expect, test } from "vitest";
import { findUnfit, guessSetup } from "./room-fitness.js";
import type { Baseline, Ran } from "../verdict.js";

const ran = (code: number, more: Partial<Ran> = {}): Ran => ({
  command: "npm test",
  own: false,
  end: { how: "exited", code },
  duration_ms: 1,
  tail: "",
  ...more,
});
const of = (...commands: Ran[]): Baseline => ({ commands });
const MISSING = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left'\n";

test.each<[string, Ran, Ran, boolean]>([
  ["red there and green here", ran(1), ran(0), true],
  [
    "not found there, red here",
    ran(127, { tail: "sh: 1: vitest: not found\n" }),
    ran(1, { tail: "1 failed\n" }),
    true,
  ],
  ["without cases there, with red ones here", ran(1), ran(1, { tests: { adds: "failed" } }), true],
  [
    "a package is missing there, red here",
    ran(1, { tail: MISSING }),
    ran(1, { tail: "expected 1 to be 2\n" }),
    true,
  ],
  ["red in both", ran(1, { tail: "expected 1\n" }), ran(1, { tail: "expected 1\n" }), false],
  ["a package is missing in both", ran(1, { tail: MISSING }), ran(1, { tail: MISSING }), false],
  [
    "the same case is red in both",
    ran(1, { tests: { a: "failed" } }),
    ran(1, { tests: { a: "failed" } }),
    false,
  ],
  ["green there and red here", ran(0), ran(1), false],
])("a check is compared with the project: %s", (_, inRoom, inProject, isUnfit) => {
  expect(findUnfit(of(inRoom), of(inProject)) !== undefined).toBe(isUnfit);
});

test("the check that does not run is named, with the line that explains it", () => {
  const other = ran(0, { command: "make lint" });
  const tail = "npm notice\nsh: 1: vitest: not found\n";
  expect(findUnfit(of(other, ran(127, { tail })), of(other, ran(0)))).toEqual({
    command: "npm test",
    line: "sh: 1: vitest: not found",
  });
});

test("the setup is guessed by the lock file, before the manifest", () => {
  const guess = (...files: string[]) => guessSetup((path) => files.includes(path));
  expect(guess("package.json", "pnpm-lock.yaml")).toBe("pnpm install --frozen-lockfile");
  expect(guess("package.json")).toBe("npm install");
  expect(guess("Makefile")).toBeUndefined();
});
