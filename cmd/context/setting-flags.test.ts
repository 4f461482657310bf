import { expect, test } from "vitest";
import { ROWS } from "../../src/config/settings/settings.js";
import { writtenAs } from "../../src/config/settings/types.js";
import { SETTING_OPTIONS, settingOption } from "./setting-flags.js";

test("a flag takes its help, default and value from the table of settings", () => {
  expect(settingOption("--max-iterations")).toMatchObject({
    flags: "--max-iterations <n>",
    description: "attempts and review passes of one run (default: 50)",
  });
  expect(settingOption("--max-cost")).toMatchObject({
    flags: "--max-cost <dollars>",
    description: "the most a run may cost",
  });
  expect(settingOption("--rr-agents").description).toBe("round-robin: the agents (default: claude,codex)");
  expect(settingOption("--verify").parseArg?.("b", ["a"])).toEqual(["a", "b"]);
  expect(settingOption("--verify", "must pass").description).toBe("must pass; repeatable");
});

test("a switch of a setting has a hidden opposite and shows no default", () => {
  expect(settingOption("--no-review")).toMatchObject({
    flags: "--no-review",
    description: "skip the review when no task is ready",
    hidden: false,
  });
  for (const opposite of ["--review", "--no-strict"])
    expect(SETTING_OPTIONS.find(({ long }) => long === opposite)).toMatchObject({ hidden: true });
});

test("a flag takes a value unless its setting is true or false", () => {
  for (const { flag, type } of ROWS.values())
    if (flag !== undefined)
      expect(settingOption(flag.name).required, flag.name).toBe(writtenAs(type) !== "truth");
});

test("a flag that no setting has is an internal error", () => {
  expect(() => settingOption("--nothing")).toThrow("no setting has the flag --nothing");
});
