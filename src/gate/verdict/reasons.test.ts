import { expect, test } from "vitest";
import { describeDoubt, formatDoubt, needsLook, type Doubtful } from "./reasons.js";

const diff = (...lines: string[]): string => ["--- a/x", "+++ b/x", "@@ -1 +1 @@", ...lines].join("\n");
const influence = (more: Partial<Doubtful>): Doubtful => ({
  verdict: "unverified",
  because: "influence",
  ...more,
});

test.each<[Doubtful, boolean]>([
  [{ verdict: "unverified", because: "influence" }, true],
  [{ verdict: "unverified", because: "no-report" }, true],
  [{ verdict: "unverified", because: "no-checks" }, false],
  [{ verdict: "unverified", because: "red-before" }, false],
  [{ verdict: "unverified" }, false],
  [{ verdict: "passed", because: "influence" }, false],
])("%j needs a look: %s", (found, needs) => {
  expect(needsLook(found)).toBe(needs);
  expect(describeDoubt(found) !== undefined).toBe(needs);
});

test("a sentence names the files and the first line that each adds, or else removes", () => {
  const needs = [
    { path: "pyproject.toml", diff: diff(" [pytest]", "-old", '+addopts = "--deselect a"') },
    { path: "test/a.test.js", diff: diff("-  expect(1).toBe(2)", "-}") },
    { path: "logo.png", diff: "Binary files differ" },
  ];
  expect(describeDoubt(influence({ needs }))).toBe(
    'passes only with pyproject.toml (+addopts = "--deselect a"), test/a.test.js (-expect(1).toBe(2)), logo.png',
  );
});

test("a sentence stays on one line, and names at most three files", () => {
  const needs = ["a\nb", "c", "d", "e", "f"].map((path) => ({ path, diff: diff(`+${"x".repeat(500)}`) }));
  const text = describeDoubt(influence({ needs })) ?? "";
  expect(text).toMatch(/^passes only with a b \(\+x{79}…\), c \(.*\), d \(.*\) and 2 more$/);
});

test("a task that needs only checks of earlier tasks names these", () => {
  expect(describeDoubt(influence({ on: ["T3", "T4"] }))).toBe(
    "passes only with the checks that T3 and T4 changed",
  );
});

test("the evidence has every diff", () => {
  const needs = [{ path: "a.js", diff: diff("-1", "+2", "") }];
  expect(formatDoubt(influence({ needs }))).toBe(
    [
      "not verified: passes only with a.js (+2)",
      "",
      "a.js:",
      "--- a/x",
      "+++ b/x",
      "@@ -1 +1 @@",
      "-1",
      "+2",
    ].join("\n"),
  );
});

test("the gate's own sentence is taken where there is one", () => {
  const warnings = [
    "a file was put back",
    "not verified, since it passes only with a.js (+1)",
    "not verified, since b",
  ];
  expect(describeDoubt(influence({ on: ["T3"], warnings }))).toBe("passes only with a.js (+1)");
});
