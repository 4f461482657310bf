import { expect, test } from "vitest";
import { containmentNote } from "./containment.js";

test("it is said where a level cannot be held, and only there", () => {
  const noteOf = (
    kind: "codex" | "claude" | "command" | "module" | "scripted",
    permissions: "read-only" | "workspace" | "full",
  ) => containmentNote({ kind, permissions });
  expect(noteOf("codex", "workspace")).toBeUndefined();
  expect(noteOf("claude", "read-only")).toBeUndefined();
  expect(noteOf("claude", "workspace")).toMatch(/shell/);
  expect(noteOf("command", "read-only")).toMatch(/command/);
  for (const kind of ["module", "scripted"] as const)
    expect(noteOf(kind, "workspace")).toMatch(/your own rights/);
  for (const kind of ["codex", "claude", "command"] as const) expect(noteOf(kind, "full")).toBeUndefined();
});
