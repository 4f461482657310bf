import { expect, test } from "vitest";
import { narrowPermissions } from "./agent-stage.js";

test.each([
  ["full", "work", undefined, "full"],
  ["workspace", "work", "full", "workspace"],
  ["full", "work", "read-only", "read-only"],
  ["full", "analyze", undefined, "read-only"],
  ["full", "analyze", "workspace", "workspace"],
  ["read-only", "analyze", "workspace", "read-only"],
] as const)("an agent with %s in a stage of kind %s that says %s has %s", (own, kind, says, has) => {
  expect(narrowPermissions(own, { kind, ...(says === undefined ? {} : { permissions: says }) })).toBe(has);
});
