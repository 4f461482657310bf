import { expect, test } from "vitest";
import { cannotWork, describeSkipped } from "./failure-words.js";

test("why an agent cannot work is said behind its name; a failed attempt is not such a reason", () => {
  expect(cannotWork("claude", "network")).toBe("claude cannot reach its API");
  expect(cannotWork("claude", "rate-limited")).toBe("claude has reached its usage limit");
  for (const other of ["gate", "exited", "toString", undefined])
    expect(cannotWork("claude", other)).toBeUndefined();
});

test("an agent that is skipped is named with the reason, and with what it said", () => {
  expect(describeSkipped("claude", { reason: "not-signed-in", evidence: "" })).toBe(
    "claude is not signed in; skipping it for the rest of this run",
  );
  expect(describeSkipped("codex", { evidence: "odd" })).toBe(
    "codex cannot be used; skipping it for the rest of this run: odd",
  );
});
