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
  expect(withTestsOf({ path: "a.rs", before: "fn a() {}", after: before }, false)).toBeUndefined();
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
