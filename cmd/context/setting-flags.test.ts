import { expect, test } from "vitest";
import { ROWS } from "../../src/config/settings/settings.js";
import { writtenAs } from "../../src/config/settings/types.js";
import { takesValue } from "./definition.js";
import { SETTING_FLAGS, settingFlag } from "./setting-flags.js";

test("a flag takes its help, default and value from the table of settings", () => {
  expect(settingFlag("--max-iterations")).toEqual({
    spelled: "--max-iterations <n>",
    help: "attempts and review passes of one run (default: 50)",
  });
  expect(settingFlag("--max-cost")).toEqual({
    spelled: "--max-cost <dollars>",
    help: "the most a run may cost",
  });
  expect(settingFlag("--rr-agents")).toMatchObject({
    help: "round-robin: the agents (default: claude,codex)",
    completes: "agents",
  });
  expect(settingFlag("--verify")).toMatchObject({ repeatable: true });
  expect(settingFlag("--prompt-file")).toMatchObject({ completes: "file" });
});

test("a switch of a setting has an opposite and shows no default", () => {
  expect(settingFlag("--no-review")).toEqual({
    spelled: "--no-review",
    opposite: "--review",
    help: "skip the review when no task is ready",
  });
  expect(settingFlag("--strict").opposite).toBe("--no-strict");
});

test("a flag takes a value unless its setting is true or false", () => {
  const flags = [...ROWS.values()].filter(({ flag }) => flag !== undefined);
  expect(SETTING_FLAGS.map(takesValue)).toEqual(flags.map(({ type }) => writtenAs(type) !== "truth"));
});

test("a flag that no setting has is an internal error", () => {
  expect(() => settingFlag("--nothing")).toThrow("no setting has the flag --nothing");
});
