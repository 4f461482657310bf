// Source files that hold tests, with the tests of the reference in the attempt's text.
import { expect, test } from "vitest";
import { withTestsOf } from "./tests-in-source.js";

const rust = (body: string, assertion: string): string =>
  `pub fn one() -> i32 { ${body} }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn it() { assert!(${assertion}, "} {{"); }\n}\n`;

test("Rust: the tests are those of the reference, the program is the attempt's", () => {
  const texts = { path: "src/lib.rs", before: rust("0", "one() == 1"), after: rust("1", "true") };
  expect(withTestsOf(texts, false)).toEqual({ text: rust("1", "one() == 1") });
});

test("Rust: tests that were removed come back, and tests that stayed need nothing", () => {
  const before = rust("0", "one() == 1");
  expect(withTestsOf({ path: "a.rs", before, after: "pub fn one() -> i32 { 1 }\n" }, false)).toEqual({
    text: rust("1", "one() == 1"),
  });
  expect(withTestsOf({ path: "a.rs", before, after: rust("1", "one() == 1") }, false)).toBeUndefined();
});

test("Rust: tests whose end cannot be found make the file a check", () => {
  expect(
    withTestsOf(
      { path: "a.rs", before: rust("0", "x"), after: "#[cfg(test)]\nmod tests { fn it() {" },
      false,
    ),
  ).toBe("check");
});

test("vitest: the block of tests is that of the reference", () => {
  const text = (value: string, expected: string): string =>
    `export const a = ${value};\n\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it("}", () => { expect(a).toBe(${expected}); });\n}\n`;
  const texts = { path: "src/a.ts", before: text("1", "2"), after: text("2", "a") };
  expect(withTestsOf(texts, false)).toEqual({ text: text("2", "2") });
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
  ["a.ex", "  iex> f()\n  1\n", "  iex> f()\n  2\n"],
])("%s: changed examples make the file a check where a command runs them", (path, before, after) => {
  expect(withTestsOf({ path, before, after }, true)).toBe("check");
  expect(withTestsOf({ path, before, after }, false)).toBeUndefined();
  expect(withTestsOf({ path, before, after: `${before}\n\n` }, true)).toBeUndefined();
});

test("Rust: tests that a file got are left out, and tests beside each other are put back in their places", () => {
  const added = "fn a() {}\n#[cfg(test)]\nmod tests;\n#[test]\nfn b() { std::process::exit(0) }\n";
  expect(withTestsOf({ path: "a.rs", before: "fn a() {}\n", after: added }, false)).toEqual({
    text: "fn a() {}\n\n\n",
  });
  const two = (value: string, first: string): string =>
    `mod a {\n    #[cfg(test)]\n    mod tests { ${first} }\n}\nfn f() { ${value} }\n#[tokio::test]\nasync fn g() { g2() }\n`;
  const texts = { path: "a.rs", before: two("1", "x"), after: two("2", "y") };
  expect(withTestsOf(texts, false)).toEqual({ text: two("2", "x") });
  expect(withTestsOf({ ...texts, after: "fn f() { 2 }\n" }, false)).toBe("check");
});

test("Rust: a module of tests in a file of its own stays declared", () => {
  const before = "fn a() { 0 }\n\n#[cfg(test)]\nmod tests;\n";
  expect(withTestsOf({ path: "a.rs", before, after: "fn a() { 1 }\n" }, false)).toEqual({
    text: "fn a() { 1 }\n\n#[cfg(test)]\nmod tests;\n",
  });
});

test("vitest: tests without a block of their own make the file a check", () => {
  const before = "export const a = 1;\nimport.meta.vitest?.test('x', () => {});\n";
  expect(withTestsOf({ path: "a.ts", before, after: before.replace("1", "2") }, false)).toBe("check");
});

test("added examples are left out where a command runs them, and other words of the documentation may change", () => {
  const before = 'def f():\n    """It.\n\n    >>> f()\n    1\n    """\n';
  const after =
    before.replace("It.", "It is.") + 'def g():\n    """\n    >>> import os; os._exit(0)\n    """\n';
  const kept = after.replace(">>> import os; os._exit(0)", "");
  expect(withTestsOf({ path: "a.py", before, after }, true)).toEqual({ text: kept });
  const rust = "/// One.\n/// ```\n/// f();\n/// ```\nfn f() {}";
  expect(
    withTestsOf({ path: "a.rs", before: rust, after: rust.replace("One", "Two") }, true),
  ).toBeUndefined();
});
