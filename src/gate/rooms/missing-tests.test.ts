// Failures that may be due to the missing tests of the attempt, by the output and by the settings of the base.
import { expect, test } from "vitest";
import { toBytes } from "../../git/base/bytes.js";
import { hasTests, mayBeForWant } from "./missing-tests.js";
import { protect } from "../influence/protected.js";
import { findNamedFiles } from "../influence/protected-commands.js";
import type { CommandVerdict } from "../verdict.js";

const protection = protect({
  patterns: [],
  project: "",
  work: "",
  named: findNamedFiles({ project: [], own: [] }, "", { has: () => false, text: () => undefined }),
});
const filesOf = (paths: readonly string[]): Map<string, { mode: string; oid: string }> =>
  new Map(paths.map((path) => [toBytes(path), { mode: "100644", oid: `oid of ${path}` }]));

test.each([
  [true, "test/a.js"],
  [true, "tests/test_a.py"],
  [true, "src/a.test.tsx"],
  [true, "lib/a_spec.rb"],
  [true, "a_test.go"],
  [true, "tests/a.rs"],
  [true, "src/test/java/ATest.java"],
  [true, "src/ATest.kt"],
  [true, "tests/a.kts"],
  [true, "tests/ATest.php"],
  [true, "t/basic.sh"],
  [true, "test/add.bats"],
  [true, "t/basic.t"],
  [true, "test/a_test.ex"],
  [true, "test/a_test.exs"],
  [true, "src/ATest.cs"],
  [true, "ASpec.scala"],
  [true, "ASpec.groovy"],
  [true, "ATests.swift"],
  [true, "tests/a.c"],
  [true, "tests/a.cc"],
  [true, "tests/a.cpp"],
  [true, "features/login.feature"],
  [true, "test/a.mts"],
  [true, "test/a.cjs"],
  [false, "src/a.js"],
  [false, "tests/data.json"],
  [false, "test/a.js.snap"],
  [false, "tests/__init__.py"],
  [false, "tests/conftest.py"],
  [false, "test/README.md"],
])("%s: %s is an old test", (isTest, path) => {
  expect(hasTests({ baseFiles: filesOf(["src/main.js", path]), protection })).toBe(isTest);
});

const failed = (tail: string, more: Partial<CommandVerdict> = {}): CommandVerdict => ({
  command: "npm test",
  own: false,
  verdict: "regressed",
  end: "exited",
  exit_code: 1,
  duration_ms: 1,
  tail,
  ...more,
});
const some = { total: 3, regressed: [], fixed: [], pre_existing: [], new: [], flaky: [] };

/** Judges with these settings in the base: a file's name and its text. */
async function ask(
  commands: readonly CommandVerdict[],
  settings: Readonly<Record<string, string>> = {},
  strict = false,
): Promise<boolean> {
  const study = { baseFiles: filesOf(["src/main.js", ...Object.keys(settings)]) };
  return mayBeForWant(study, { commands, strict }, (oids) =>
    Promise.resolve(oids.map((oid) => settings[oid.replace("oid of ", "")] ?? "coverage_threshold")),
  );
}
const ASKS = { "package.json": '{"jest":{"coverageThreshold":{"global":{}}}}' };

test.each([
  [true, "ERROR: Coverage for lines (60%) does not meet global threshold (80%)"],
  [true, "Required test coverage of 90% not reached."],
  [true, "branches below the threshold"],
  [true, "No tests found, exiting with code 1"],
  [true, "no test ran"],
  [true, "Ran 0 tests in 0.000s"],
  [true, "Ran 0 test"],
  [true, "collected 0 items"],
  [true, "x\nCould not find 'test/**/*.test.js'"],
  [false, "AssertionError: 3 is not 4"],
  [false, "Ran 10 tests: 1 failed"],
  [false, "collected 10 items"],
  [false, "error: Could not find module"],
  [false, "discoverages"],
])("%s: the output %j may mean missing tests", async (isSaid, tail) => {
  expect(await ask([failed(tail)], ASKS)).toBe(isSaid);
});

test.each<[boolean, string, string]>([
  [true, "package.json", "coverageThreshold: 80"],
  [true, "jest.config.js", "coverage_threshold"],
  [true, "vitest.config.ts", "thresholds: { lines: 90 }"],
  [true, "vite.config.ts", "threshold: 90"],
  [true, "karma.conf.js", "thresholds"],
  [true, "pyproject.toml", "fail_under = 90"],
  [true, "setup.cfg", "fail-under = 90"],
  [true, "tox.ini", "fail_under"],
  [true, "pytest.ini", "addopts = --cov-fail-under=80"],
  [true, ".coveragerc", "fail_under = 1"],
  [true, ".nycrc.json", '{"check-coverage": true}'],
  [true, ".c8rc.json", '{"check-coverage": true}'],
  [true, ".simplecov", "minimum_coverage 90"],
  [true, "Makefile", "node --test --test-coverage-lines=90"],
  [true, "noxfile.py", "--cov-fail-under=100"],
  [true, "packages/a/package.json", "check-coverage"],
  [false, "package.json", '{"scripts":{"test":"vitest --coverage"}}'],
  [false, "docs/coverage.md", "fail_under"],
  [false, "package.json.bak", "fail_under"],
  [false, "my-package.json", "fail_under"],
  [false, "jest.js", "fail_under"],
])("%s: coverage is demanded in %s by %j", async (isAsked, name, text) => {
  expect(await ask([failed("coverage is too low")], { [name]: text })).toBe(isAsked);
});

test.each<[boolean, string, Partial<CommandVerdict>]>([
  [true, "its own option asks", { command: "pytest --cov-fail-under=90" }],
  [true, "what failed before fails for whatever reason it did", { verdict: "pre-existing" }],
  [false, "no reason to", {}],
  [true, "picks tests by their name: -k", { own: true, command: "pytest -k added" }],
  [true, "-t", { own: true, command: "jest -t added" }],
  [true, "-g", { own: true, command: "mocha -g added" }],
  [true, "--grep", { own: true, command: "playwright test --grep added" }],
  [true, "--filter", { own: true, command: "phpunit --filter added" }],
  [true, "--test-name-pattern=", { own: true, command: "node --test --test-name-pattern=added" }],
  [true, "--testNamePattern", { own: true, command: "jest --testNamePattern added" }],
  [true, "a test of pytest by its name", { own: true, command: "pytest tests/test_a.py::test_b" }],
  [false, "a word that only looks so", { own: true, command: "run-k added --filters -timeout 3 -grow" }],
  [false, "the project's command picks for all tasks", { command: "pytest -k added" }],
])("%s: a failure without such settings: %s", async (may, _what, more) => {
  const settled = failed("no tests ran: 0 % coverage", more);
  const strict = more.verdict === "pre-existing";
  expect(await ask([settled], { "package.json": "{}" }, strict)).toBe(may);
});

test("every new failure must be due to missing tests, and other results do not count", async () => {
  const wanting = failed("no tests found");
  const broken = failed("1 is not 2");
  expect(await ask([wanting, failed("1 is not 2", { verdict: "passed" })], ASKS)).toBe(true);
  expect(await ask([wanting, broken], ASKS)).toBe(false);
  expect(await ask([wanting, { ...broken, verdict: "new" }], ASKS)).toBe(false);
  expect(await ask([wanting, { ...broken, verdict: "pre-existing" }], ASKS)).toBe(true);
  expect(await ask([wanting, { ...broken, verdict: "pre-existing" }], ASKS, true)).toBe(false);
  expect(await ask([{ ...wanting, verdict: "flaky" }], ASKS)).toBe(false);
  expect(await ask([], ASKS)).toBe(false);
});

test("a failing test case with a name is not due to missing tests", async () => {
  expect(await ask([failed("coverage", { tests: some })], ASKS)).toBe(true);
  expect(await ask([failed("coverage", { tests: { ...some, regressed: ["a"] } })], ASKS)).toBe(false);
  expect(await ask([failed("coverage", { tests: { ...some, new: ["a"] } })], ASKS)).toBe(false);
  const before = failed("coverage", { tests: { ...some, pre_existing: ["a"] } });
  expect(await ask([before], ASKS)).toBe(true);
  expect(await ask([before], ASKS, true)).toBe(false);
});
