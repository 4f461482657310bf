import fc from "fast-check";
import { expect, test } from "vitest";
import { matchPlaceholders } from "../verdict/runs.js";
import { nameCases, cleanParts, joinName, type TestCase } from "./test-names.js";
import type { TestStatus } from "../verdict.js";

test("a name is one line, without control sequences, secrets and the room's own path", () => {
  const clean = cleanParts(
    (text) => text.replaceAll("hunter2", "[redacted]"),
    ["/rooms/1", "/private/rooms/1"],
  );
  expect(clean("  a\n\u001b[31mb\u001b[0m\t\u0007c ")).toBe("a b c");
  expect(clean("hun\u001b[1mter2 x")).toBe("[redacted] x");
  expect(clean("/rooms/1/test/a.js and /private/rooms/1/b.js")).toBe("test/a.js and b.js");
  expect(clean("/rooms/12/a.js")).toBe("/rooms/12/a.js");
  expect(clean("a/rooms/1/b")).toBe("ab");
  expect(clean("__proto__")).toBe("(__proto__)");
  expect(clean(" __proto__ x")).toBe("__proto__ x");
});

test("a long name is cut and stays different from names with the same beginning", () => {
  const long = "x".repeat(1_000_000);
  const one = joinName("", long);
  expect(one.length).toBeLessThan(420);
  expect(joinName("", `${long}y`)).not.toBe(one);
  expect(joinName("", long)).toBe(one);
  expect(joinName("", "x".repeat(400))).toBe("x".repeat(400));
  expect(joinName("", `${"x".repeat(379)}${"😀".repeat(20)}`)).toMatch(/^x{379}… [0-9a-f]{16}$/);
  // Only the character at the cut is left out, none before it.
  expect(joinName("", `😀${"x".repeat(400)}`)).toMatch(/^😀x{378}… [0-9a-f]{16}$/);
  expect(joinName("", `${"x".repeat(378)}${"😀".repeat(20)}`)).toMatch(/^x{378}😀… [0-9a-f]{16}$/);
  expect(joinName("s", "a")).toBe("s > a");
  expect(joinName("s", "")).toBe("s > (no name)");
  expect(joinName("", "")).toBe("(no name)");
  // The suite's part counts as well.
  expect(joinName("s", "x".repeat(396))).toBe(`s > ${"x".repeat(396)}`);
  expect(joinName("s", "x".repeat(397))).toMatch(/^s > x{376}… [0-9a-f]{16}$/);
});

test("among cases with the same name the failed ones come first, in any order of running", () => {
  const cases: TestCase[] = [
    { name: "a", status: "skipped" },
    { name: "a", status: "passed" },
    { name: "a (2)", status: "passed" },
    { name: "a", status: "failed" },
    { name: "a", status: "passed" },
  ];
  const names = { a: "failed", "a (2)": "passed", "a (3)": "passed", "a (4)": "passed", "a (5)": "skipped" };
  expect(Object.fromEntries(nameCases(cases))).toEqual(names);
  expect(Object.fromEntries(nameCases([...cases].reverse()))).toEqual(names);
});

test("law: every case is kept under a name of its own, independent of the order", () => {
  const one = fc.record<TestCase>({
    name: fc.constantFrom("a", "a (2)", "a (3)", "b", "a (2) (2)"),
    status: fc.constantFrom<TestStatus[]>("passed", "failed", "skipped"),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (cases) => {
      const names = nameCases(cases);
      expect([...names.values()].sort()).toEqual(cases.map(({ status }) => status).sort());
      expect(Object.fromEntries(nameCases([...cases].reverse()))).toEqual(Object.fromEntries(names));
      for (const { name } of cases) expect(names.has(name)).toBe(true);
    }),
  );
});

test("the placeholder of a file is replaced by the tests in it", () => {
  const failed = (name: string, ...added: string[]): boolean =>
    matchPlaceholders(added)({ name, failed: true });
  const passed = (name: string, ...added: string[]): boolean =>
    matchPlaceholders(added)({ name, failed: false });
  for (const name of [
    "test/b.test.mjs",
    "s > b.spec.tsx",
    "pkg > [build failed]",
    "C > initializationError",
    "a.py",
  ]) {
    expect([name, failed(name, "anything")]).toEqual([name, true]);
    expect([name, failed(name)]).toEqual([name, false]);
    expect([name, passed(name, "anything")]).toEqual([name, false]);
  }
  for (const name of [
    "adds",
    "Math.adds",
    "x > returns a.js",
    "[x] failed",
    "b.js > adds",
    ".js",
    "the initializationError",
  ]) {
    expect([name, failed(name, "anything")]).toEqual([name, false]);
  }
  // pytest's modules, and classes in them.
  expect(failed("pytest > tests.test_b", "pytest > tests.test_b > test_x")).toBe(true);
  expect(failed("pytest > tests.test_b", "pytest > tests.test_b.TestX > test_x")).toBe(true);
  expect(passed("pytest > tests.test_b", "pytest > tests.test_b.A.B > test_x > 1")).toBe(true);
  expect(failed("pytest > tests.test_b", "pytest > tests.test_bc > test_x")).toBe(false);
  expect(failed("pytest > tests.test_b", "pytest > tests.test_b")).toBe(false);
  expect(failed("tests", "other", "tests.a > b")).toBe(true);
  expect(failed("a", "b > a.c > d")).toBe(false);
});
