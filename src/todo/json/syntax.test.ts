// The messages about a text that is not JSON.
import fc from "fast-check";
import { expect, test } from "vitest";
import { readText } from "./file-text.js";

/** The problems of a text: offset, words, advice. */
function said(text: string): string[] {
  return readText(text)
    .problems.filter(({ rule }) => rule === "syntax")
    .map((one) => `${one.offset} ${one.message} | ${one.suggestion ?? ""}`);
}

test.each([
  ["", "0 the text ends here, but there is no value | expected a value"],
  [
    "[",
    "1 the text ends here, but it is cut off: 1 bracket is still open | expected a comma or the closing bracket",
  ],
  ["[1,", "3 the text ends here, but it is cut off: 1 bracket is still open | expected a value"],
  [
    "[[1",
    "3 the text ends here, but it is cut off: 2 brackets are still open | expected a comma or the closing bracket",
  ],
  [
    "{",
    "1 the text ends here, but it is cut off: 1 bracket is still open | expected a comma or the closing bracket",
  ],
  [
    '{"a"',
    "4 the text ends here, but it is cut off: 1 bracket is still open | expected a colon after the key",
  ],
  ['{"a":', "5 the text ends here, but it is cut off: 1 bracket is still open | expected a value"],
  [
    '{"a":1,',
    "7 the text ends here, but it is cut off: 1 bracket is still open | expected a key in double quotes",
  ],
  ['{"a" 1}', '5 unexpected "1" | expected a colon after the key'],
  ['{"a":]}', '5 unexpected "]" | expected a value'],
  ["]", '0 unexpected "]" | expected a value'],
  ["}", '0 unexpected "}" | expected a value'],
  ["[}", '1 unexpected "}" | expected a value'],
  ["[1 2]", '3 unexpected "2" | expected a comma or the closing bracket'],
  ["[1}", '2 unexpected "}" | expected a comma or the closing bracket'],
  ['{"a":1]', '6 unexpected "]" | expected a comma or the closing bracket'],
  ['{"a":1} {"b":2}', '8 unexpected "{" | expected nothing more: the first value was complete'],
  ["{a:1}", '1 unexpected "a" | expected a value, or a key in double quotes'],
  ["{'a': 1}", "1 unexpected \"'a'\" | expected a value, or a key in double quotes; JSON uses double quotes"],
  ["{a': 1}", '1 unexpected "a\'" | expected a value, or a key in double quotes'],
  ["<<<<<<< HEAD\n{}", '0 unexpected "<<<<<<<" | expected a value, or a key in double quotes'],
  [`[${"x".repeat(50)}]`, `1 unexpected "${"x".repeat(40)}" | expected a value, or a key in double quotes`],
  ['["a', '1 a string that is not closed | close it with " on the same line; write a line break as \\n'],
  ['{"a', '1 a string that is not closed | close it with " on the same line; write a line break as \\n'],
])("the walk stops where the meaning is unclear: %j", (text, problem) => {
  expect(said(text)).toEqual([problem]);
});

test.each([
  ["[1,]", "2 a comma before the closing bracket | remove it; looper fmt --fix does"],
  ['{"a":1,}', "6 a comma before the closing bracket | remove it; looper fmt --fix does"],
  ["// x\n{}", "0 a comment | remove it: JSON has no comments; looper fmt --fix does"],
  ["[/* x */]", "1 a comment | remove it: JSON has no comments; looper fmt --fix does"],
  ['[1 "a"]', "3 a comma is missing before this | put a comma between them"],
  ["[1 {}]", "3 a comma is missing before this | put a comma between them"],
  ["[[] []]", "4 a comma is missing before this | put a comma between them"],
  ['{"a":1 "b":2}', "7 a comma is missing before this | put a comma between them"],
  ["[True]", "1 True is not a JSON value | write true"],
  ["[False]", "1 False is not a JSON value | write false"],
  ["[None]", "1 None is not a JSON value | write null"],
  ["[undefined]", "1 undefined is not a JSON value | write null"],
  ["[NaN]", "1 NaN is not a JSON value | write null"],
  ["[nil]", "1 nil is not a JSON value | write null"],
  ["[1.]", "1 a number that is not complete | write it as 1, 1.5 or 1e3"],
  ['["\\u12"]', "1 a \\u escape without four hexadecimal digits | write it as \\u00e9"],
  ['["\\x"]', '1 an escape that JSON does not know | known are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
  ['["x\ty"]', "1 a control character in a string | write it as an escape, such as \\t"],
  ['{"x\ty":1}', "1 a control character in a string | write it as an escape, such as \\t"],
])("the walk continues where the meaning is clear: %j", (text, problem) => {
  expect(said(text)).toEqual([problem]);
});

test("the text is JSON for us exactly when it is for JSON.parse", () => {
  const pieces = fc.constantFrom(
    ...'{}[],:"\\ \n1-.eE0+'.split(""),
    '"a"',
    "true",
    "nul",
    "\\u00",
    "\u0001",
    "\ufeff",
    "//",
    "1.5e3",
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.tuple(fc.json(), fc.nat(), pieces).map(([json, at, piece]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + piece + json.slice(place + (at % 2));
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(said(text).length === 0).toBe(isJson(text));
    }),
    { numRuns: 3000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
