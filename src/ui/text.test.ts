import fc from "fast-check";
import { expect, test } from "vitest";
import { clean, cut, hang, hangBlock, pad, widthOf, wrap } from "./text.js";

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["a\u001b]0;title\u0007b", "ab"],
  ["one\r\ntwo\tthree", "one two three"],
  ["\u202eevil\u202c", "evil"],
  ["a\u009b31mb", "ab"],
  ["  \n ", ""],
  ["tab\u0000null\u007f", "tab null"],
])("%j is cleaned to %j", (text, cleaned) => {
  expect(clean(text)).toBe(cleaned);
});

test.each([
  ["plain", 5],
  ["日本語", 6],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["❤️", 2],
  ["한국", 4],
  ["ﾊﾝ", 2],
  ["–…✓", 3],
])("%s takes %d columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdef", 5, "abcd…"],
  ["abc", 1, "…"],
  ["abc", 0, ""],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["a日", 2, "a…"],
  ["👩‍👩‍👧x", 2, "…"],
  ["👩‍👩‍👧xyz", 4, "👩‍👩‍👧x…"],
])("%s in %d columns is %s", (text, width, shown) => {
  expect(cut(text, width)).toBe(shown);
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom("\u001b[", "31m", "日", "\u0301", "👩‍👧", "\n", "\u009b", "x", "\u202e"))
    .map((parts) => parts.join("")),
);

test("a cleaned text cannot control a terminal, and cleaning twice changes nothing", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const cleaned = clean(text);
      expect(cleaned).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(clean(cleaned)).toBe(cleaned);
    }),
  );
});

test("a cut text is never wider than asked, and whole where it fits", () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 30 }), (text, width) => {
      const cleaned = clean(text);
      const shown = cut(cleaned, width);
      expect(widthOf(shown)).toBeLessThanOrEqual(width);
      if (widthOf(cleaned) <= width) expect(shown).toBe(cleaned);
    }),
  );
});

test("padding counts columns, not letters", () => {
  expect([pad("日", 4), pad("abcde", 4)]).toEqual(["日  ", "abcde"]);
});

test("a wrapped text keeps its words in order, none of its lines is wider than asked", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 30 }), (text, width) => {
      const cleaned = clean(text);
      const lines = wrap(cleaned, width);
      expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
      expect(lines.join("").replaceAll(" ", "")).toBe(cleaned.replaceAll(" ", ""));
    }),
  );
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("one two three")).toEqual(["one two three"]);
  expect(wrap("  one two three", 9)).toEqual(["  one two", "three"]);
  expect(wrap("  seventeen", 9)).toEqual(["seventeen"]);
});

test("continuation lines are indented; our own colours are kept and take no columns", () => {
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
  expect(hang(`${red("!")} one two three`, 9)).toEqual([`${red("!")} one`, "  two", "  three"]);
  expect(hang(`${red("one")} two`, 7)).toEqual([`${red("one")} two`]);
  expect(hang("日本語の本", 6)).toEqual(["日本", "  語の", "  本"]);
});

test("a continuation begins below the text of its line: after spaces, the mark of a list, or a label", () => {
  expect(hangBlock("- one two three", 9)).toEqual(["- one two", "  three"]);
  expect(hangBlock("  12. one two x", 13)).toEqual(["  12. one two", "      x"]);
  expect(hangBlock("    a b c d", 9)).toEqual(["    a b c", "    d"]);
  expect(hangBlock("plan  makes a plan", 13)).toEqual(["plan  makes a", "      plan"]);
  expect(hangBlock("  - one", 4, true)).toEqual(["  -", "  on", "  e"]);
  expect(hangBlock("a-very-long-label  x y z", 20)).toEqual(["a-very-long-label  x", "y z"]);
  expect(hangBlock("one two", 20)).toEqual(["one two"]);
});
