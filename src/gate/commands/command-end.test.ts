// The ends of a command. The schema is imported inside the tests, because zod refuses ambiguous ends when the schema is
// made, and that must fail a test.
import { expect, test } from "vitest";

test.each([
  { how: "exited", code: 0 },
  { how: "killed", signal: "SIGKILL" },
  { how: "timed-out" },
  { how: "not-found", message: "no such folder" },
])("the end of a command is read whole: $how", async (end) => {
  const { CommandEnd } = await import("../verdict.js");
  expect(CommandEnd.parse(end)).toEqual(end);
});

test.each([
  ["exited without a code", { how: "exited" }],
  ["half a code", { how: "exited", code: 1.5 }],
  ["a signal by its number", { how: "killed", signal: 9 }],
  ["not found, without a message", { how: "not-found" }],
  ["an unknown end", { how: "crashed" }],
])("an invalid end of a command is refused: %s", async (_, end) => {
  const { CommandEnd } = await import("../verdict.js");
  expect(CommandEnd.safeParse(end).success).toBe(false);
});
