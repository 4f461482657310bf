import { expect, test } from "vitest";
import { judge } from "../verdict/compare.js";
import { readReport } from "../report/report.js";
import { nameCases, cleanParts, type TestCase } from "../report/test-names.js";
import { order, run, type Tests } from "../testing/testing.js";
import type { TestStatus } from "../verdict.js";

const clean = cleanParts((text) => text, []);

/** In make proof five times as many. */
const MANY = process.env["EXHAUSTIVE"] === undefined ? 20_000 : 100_000;

test("many cases are judged in time", () => {
  const cases = (status: TestStatus): Tests =>
    Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`suite ${n % 1000} > test ${n}`, status]));
  const report = judge(order(run(cases("failed")), run(cases("passed"))));
  expect(report.commands[0]?.tests?.fixed.length).toBe(100);
  expect(report.commands[0]?.tests?.total).toBe(MANY);
});

test("many cases with the same name get names of their own in time", () => {
  const cases = Array.from({ length: MANY }, (): TestCase => ({ name: "a", status: "passed" }));
  const names = nameCases([
    ...cases,
    ...cases.slice(1000).map((_, n) => ({ name: `a (${n})`, status: "failed" as const })),
  ]);
  expect(names.size).toBe(2 * MANY - 1000);
});

test("many nested suites neither overflow the stack nor make endless names", () => {
  const depth = 2 * MANY;
  const report = readReport(
    Buffer.from(
      `${'<testsuite name="deep">'.repeat(depth)}<testcase name="a"/>${"</testsuite>".repeat(depth)}`,
    ),
    clean,
  );
  expect(report.how).toBe("read");
  if (report.how === "read") expect(report.cases[0]?.name.length).toBeLessThan(450);
});
