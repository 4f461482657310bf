// Source files that hold tests, with the tests of the reference in the attempt's text.
import { expect, test } from "vitest";
import { testTexts, withTestsOf } from "./tests-in-source.js";

const rust = (body: string, assertion: string): string =>
  `pub fn one() -> i32 { ${body} }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn it() { assert!(${assertion}, "} {{"); }\n}\n`;

test("Rust: the tests are those of the reference, the program is the attempt's", () => {
  const texts = { path: "src/lib.rs", before: rust("0", "one() == 1"), after: rust("1", "true") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: rust("1", "one() == 1") });
});

test("Rust: tests that were removed come back, and tests that stayed need nothing", () => {
  const before = rust("0", "one() == 1");
  expect(
    withTestsOf({ path: "a.rs", before, after: "pub fn one() -> i32 { 1 }\n" }, { runsExamples: false }),
  ).toEqual({
    text: rust("1", "one() == 1"),
  });
  expect(
    withTestsOf({ path: "a.rs", before, after: rust("1", "one() == 1") }, { runsExamples: false }),
  ).toBeUndefined();
});

test("Rust: tests whose end cannot be found make the file a check", () => {
  expect(
    withTestsOf(
      { path: "a.rs", before: rust("0", "x"), after: "#[cfg(test)]\nmod tests { fn it() {" },
      { runsExamples: false },
    ),
  ).toBe("check");
});

test("vitest: the block of tests is that of the reference", () => {
  const text = (value: string, expected: string): string =>
    `export const a = ${value};\n\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it("}", () => { expect(a).toBe(${expected}); });\n}\n`;
  const texts = { path: "src/a.ts", before: text("1", "2"), after: text("2", "a") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: text("2", "2") });
});

test.each([
  [
    "a.py",
    'def f():\n    """\n    >>> f()\n    1\n    """\n',
    'def f():\n    """\n    >>> f()\n    2\n    """\n',
  ],
  [
    "a.rs",
    "/// ```\n/// assert_eq!(f(), 1);\n/// ```\nfn f() {}",
    "/// ```\n/// assert!(true);\n/// ```\nfn f() {}",
  ],
])("%s: changed examples are those of the reference where checks run them", (path, before, after) => {
  expect(withTestsOf({ path, before, after }, { runsExamples: true })).toEqual({ text: before });
  const program = "\n".repeat(3);
  expect(withTestsOf({ path, before, after: program }, { runsExamples: true })).toBe("check");
  expect(withTestsOf({ path, before, after }, { runsExamples: false })).toBeUndefined();
  expect(withTestsOf({ path, before, after: `${before}\n\n` }, { runsExamples: true })).toBeUndefined();
});

test("Rust: tests that a file got are left out, and tests beside each other are put back in their places", () => {
  const added = "fn a() {}\n#[cfg(test)]\nmod tests;\n#[test]\nfn b() { std::process::exit(0) }\n";
  expect(withTestsOf({ path: "a.rs", before: "fn a() {}\n", after: added }, { runsExamples: false })).toEqual(
    {
      text: "fn a() {}\n\n\n",
    },
  );
  const two = (value: string, first: string): string =>
    `mod a {\n    #[cfg(test)]\n    mod tests { ${first} }\n}\nfn f() { ${value} }\n#[tokio::test]\nasync fn g() { g2() }\n`;
  const texts = { path: "a.rs", before: two("1", "x"), after: two("2", "y") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: two("2", "x") });
  expect(withTestsOf({ ...texts, after: "fn f() { 2 }\n" }, { runsExamples: false })).toBe("check");
});

test("Rust: a module of tests in a file of its own stays declared", () => {
  const before = "fn a() { 0 }\n\n#[cfg(test)]\nmod tests;\n";
  expect(withTestsOf({ path: "a.rs", before, after: "fn a() { 1 }\n" }, { runsExamples: false })).toEqual({
    text: "fn a() { 1 }\n\n#[cfg(test)]\nmod tests;\n",
  });
});

test("added examples are left out where a command runs them, and other words of the documentation may change", () => {
  const before = 'def f():\n    """It.\n\n    >>> f()\n    1\n    """\n';
  const after =
    before.replace("It.", "It is.") + 'def g():\n    """\n    >>> import os; os._exit(0)\n    """\n';
  const kept = after.replace("    >>> import os; os._exit(0)", "");
  expect(withTestsOf({ path: "a.py", before, after }, { runsExamples: true })).toEqual({ text: kept });
  const rust = "/// One.\n/// ```\n/// f();\n/// ```\nfn f() {}";
  expect(
    withTestsOf({ path: "a.rs", before: rust, after: rust.replace("One", "Two") }, { runsExamples: true }),
  ).toBeUndefined();
});

const UNITTEST = (value: string, expected: string): string =>
  `import unittest\n\n\ndef one():\n    return ${value}\n\n\nclass OneTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one(), ${expected})\n\n\nTWO = 2\n`;

test("Python: a class of test cases is that of the reference", () => {
  const texts = { path: "box/one.py", before: UNITTEST("0", "1"), after: UNITTEST("0", "0") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: UNITTEST("0", "1") });
});

test.each([
  [
    "box/one.py",
    (expected: string) =>
      `def one():\n    return 0\n\n\n@mark\ndef test_one(\n    two,\n):\n    assert one() == ${expected}\n\n\ndef two():\n    return 2\n`,
  ],
  [
    "src/one.js",
    (expected: string) =>
      `import { test } from "node:test";\nexport const one = () => 0;\nif (process.env.NODE_TEST_CONTEXT) test("one )", () => { equal(one(), ${expected}); });\nexport const two = 2;\n`,
  ],
])(
  "%s: tests beside the program are those of the reference where a runner is given the file",
  (path, text) => {
    const texts = { path, before: text("1"), after: text("0") };
    expect(withTestsOf(texts, { runsExamples: false, isRun: true })).toEqual({ text: text("1") });
    expect(withTestsOf(texts, { runsExamples: false })).toBeUndefined();
  },
);

test("C: what is compiled for tests alone is that of the reference", () => {
  const text = (value: string, expected: string): string =>
    `#ifdef LATEST\nint later;\n#endif\nint one(void) { return ${value}; }\n#ifdef UNIT_TEST\n#if 1\nint main(void) { return one() != ${expected}; }\n#endif\n#endif\nint two;\n`;
  const texts = { path: "src/one.c", before: text("0", "1"), after: text("2", "2") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: text("2", "1") });
});

test("a new file keeps the tests that were moved there, and no others", () => {
  const texts = { path: "src/new.rs", before: "", after: rust("1", "one() == 1") };
  const moved = new Set(testTexts({ path: "src/old.rs", text: rust("0", "one() == 1") }, false));
  expect(withTestsOf(texts, { runsExamples: false, moved })).toBeUndefined();
  expect(withTestsOf({ ...texts, after: rust("0", "true") }, { runsExamples: false, moved })).toEqual({
    text: "pub fn one() -> i32 { 0 }\n\n\n",
  });
});
