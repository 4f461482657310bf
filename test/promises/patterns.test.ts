// Regular expressions take time that is linear in the text: each one of the program is in a list of scripts/patterns.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { withoutAddedSuppressions } from "../../src/gate/influence/suppressions.js";
import { readItem } from "../../src/todo/exchange/import/item-line.js";
import { ROOT } from "../rig/documents.js";

test("every regular expression was checked as linear, or its list says why its text is short or our own", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["scripts/recheck.mjs", "--listed"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stdout + stderr).toBe("");
});

// Patterns that took exponential or more than quadratic time: with them none of these texts would be read within hours.
const REPEATED = 40_000;

test.each([
  [
    "a text before a suppression",
    () => withoutAddedSuppressions("a.js", "", `"${"\\\\!".repeat(REPEATED)}\\ @ts-ignore`),
  ],
  ["words of a list of tasks", () => readItem(`${"~~(".repeat(REPEATED)}~`)],
])("%s are read in time", (_, read) => {
  expect(read).not.toThrow();
});
