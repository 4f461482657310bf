import { expect, test } from "vitest";
import type { AgentKind } from "../../config/settings/setting-row.js";
import { settingsOf } from "../testing/rig.js";
import { exceededBy } from "./registry.js";

test("it is said where a level cannot be held, and only there", () => {
  const noteOf = (kind: AgentKind, permissions: "read-only" | "workspace" | "full") =>
    exceededBy({ ...settingsOf(kind), permissions });
  expect(noteOf("codex", "workspace")).toBeUndefined();
  for (const kind of ["claude", "opencode"] as const) {
    expect(noteOf(kind, "read-only")).toBeUndefined();
    expect(noteOf(kind, "workspace")).toMatch(/shell/);
  }
  expect(noteOf("gemini", "read-only")).toBeUndefined();
  expect(noteOf("gemini", "workspace")).toMatch(/anything/);
  expect(noteOf("command", "read-only")).toMatch(/command/);
  for (const kind of ["module", "scripted"] as const)
    expect(noteOf(kind, "workspace")).toMatch(/your own rights/);
  for (const kind of ["codex", "claude", "gemini", "opencode", "command"] as const)
    expect(noteOf(kind, "full")).toBeUndefined();
});
