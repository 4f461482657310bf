// How a command ended. Loaded in the tests: ends that cannot be told apart are refused when the shape is made, and that is to
// fail a test.
import { expect, test } from "vitest";

test.each([
  { how: "exited", code: 0 },
  { how: "killed", signal: "SIGKILL" },
  { how: "timed-out" },
  { how: "not-found", message: "no such folder" },
])("an end of a command is told whole: $how", async (end) => {
  const { CommandEnd } = await import("../verdict.js");
  expect(CommandEnd.parse(end)).toEqual(end);
});

test.each([
  ["exited without a code", { how: "exited" }],
  ["half a code", { how: "exited", code: 1.5 }],
  ["a signal by its number", { how: "killed", signal: 9 }],
  ["not found, and no word of what", { how: "not-found" }],
  ["no way to end", { how: "crashed" }],
])("no end of a command: %s", async (_, end) => {
  const { CommandEnd } = await import("../verdict.js");
  expect(CommandEnd.safeParse(end).success).toBe(false);
});
