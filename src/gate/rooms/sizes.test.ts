import { expect, test } from "vitest";
import { judge } from "../verdict/compare.js";
import { readReport } from "../report/report.js";
import { nameCases, cleanParts, type TestCase } from "../report/test-names.js";
import { order, run, type Tests } from "../testing/testing.js";
import type { TestStatus } from "../verdict.js";

const clean = cleanParts((text) => text, []);

test("a hundred thousand cases are judged in time", () => {
  const cases = (status: TestStatus): Tests =>
    Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`suite ${n % 1000} > test ${n}`, status]));
  const report = judge(order(run(cases("failed")), run(cases("passed"))));
  expect(report.commands[0]?.tests?.fixed.length).toBe(100);
  expect(report.commands[0]?.tests?.total).toBe(100_000);
});

test("100,000 cases with the same name get names of their own in time", () => {
  const cases = Array.from({ length: 100_000 }, (): TestCase => ({ name: "a", status: "passed" }));
  const names = nameCases([
    ...cases,
    ...cases.slice(1000).map((_, n) => ({ name: `a (${n})`, status: "failed" as const })),
  ]);
  expect(names.size).toBe(199_000);
});

test("200,000 nested suites neither overflow the stack nor make endless names", () => {
  const depth = 200_000;
  const report = readReport(
    Buffer.from(
      `${'<testsuite name="deep">'.repeat(depth)}<testcase name="a"/>${"</testsuite>".repeat(depth)}`,
    ),
    clean,
  );
  expect(report.how).toBe("read");
  if (report.how === "read") expect(report.cases[0]?.name.length).toBeLessThan(450);
});
