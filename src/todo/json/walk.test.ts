import fc from "fast-check";
import { expect, test } from "vitest";
import { walkJson, type Visitor } from "./walk.js";

/** Every event of a walk in a line: what, where, and the text it is about. */
function told(text: string, from?: number): string[] {
  const lines: string[] = [];
  const visitor: Visitor = {
    key: (path, start, end) => lines.push(`key /${path.join("/")} ${text.slice(start, end)}`),
    open: (path, start) => lines.push(`open /${path.join("/")} ${text.slice(start, start + 1)}`),
    value: (path, start, end, kind) => lines.push(`${kind} /${path.join("/")} ${text.slice(start, end)}`),
  };
  expect(walkJson(text, visitor, from)).toEqual({ complete: true, problems: [], removable: [] });
  return lines;
}

/** The problems of a text: offset, words, advice. */
function said(text: string): string[] {
  return walkJson(text, {}).problems.map((one) => `${one.offset} ${one.message} | ${one.suggestion ?? ""}`);
}

test("every value is told with its path, its range and its kind; an object or array when it opens, too", () => {
  expect(told('\t{"a": [1, "b", null, {}, []],\r\n"c" :true}')).toEqual([
    "open / {",
    'key /a "a"',
    "open /a [",
    "number /a/0 1",
    'string /a/1 "b"',
    "literal /a/2 null",
    "open /a/3 {",
    "object /a/3 {}",
    "open /a/4 [",
    "array /a/4 []",
    'array /a [1, "b", null, {}, []]',
    'key /c "c"',
    "literal /c true",
    'object / {"a": [1, "b", null, {}, []],\r\n"c" :true}',
  ]);
  expect(told("false")).toEqual(["literal / false"]);
});

test("a walk from within a text ends with the value that begins there", () => {
  expect(told('[ {"a":1} x', 2)).toEqual(["open / {", 'key /a "a"', "number /a 1", 'object / {"a":1}']);
  expect(walkJson("[1 x", {}, 0).complete).toBe(false);
});

test.each([
  ["", "0 the text ends here, but there is no value | expected a value"],
  ["[", "1 the text ends here, but it is cut off: 1 bracket is still open | expected a value or ]"],
  ["[1,", "3 the text ends here, but it is cut off: 1 bracket is still open | expected a value"],
  [
    "[[1",
    "3 the text ends here, but it is cut off: 2 brackets are still open | expected a comma or the closing bracket",
  ],
  [
    "{",
    "1 the text ends here, but it is cut off: 1 bracket is still open | expected a key in double quotes or }",
  ],
  [
    '{"a"',
    "4 the text ends here, but it is cut off: 1 bracket is still open | expected a colon after the key",
  ],
  [
    '{"a":',
    "5 the text ends here, but it is cut off: 1 bracket is still open | expected a value after the colon",
  ],
  [
    '{"a":1,',
    "7 the text ends here, but it is cut off: 1 bracket is still open | expected a key in double quotes",
  ],
  ['{"a" 1}', '5 unexpected "1" | expected a colon after the key'],
  ['{"a":]}', '5 unexpected "]" | expected a value after the colon'],
  ["]", '0 unexpected "]" | expected a value'],
  ["}", '0 unexpected "}" | expected a value'],
  ["[}", '1 unexpected "}" | expected a value or ]'],
  ["[1 2]", '3 unexpected "2" | expected a comma or the closing bracket'],
  ["[1}", '2 unexpected "}" | expected a comma or the closing bracket'],
  ['{"a":1]', '6 unexpected "]" | expected a comma or the closing bracket'],
  ['{"a":1 [2]}', '7 unexpected "[" | expected a comma or the closing bracket'],
  ['{"a":1} {"b":2}', '8 unexpected "{" | expected nothing more: the first value was complete'],
  ["{a:1}", '1 unexpected "a" | expected a key in double quotes or }'],
  ["{'a': 1}", "1 unexpected \"'a'\" | expected a key in double quotes or }; JSON uses double quotes"],
  ["{a': 1}", '1 unexpected "a\'" | expected a key in double quotes or }'],
  ["<<<<<<< HEAD\n{}", '0 unexpected "<<<<<<<" | expected a value'],
  [`[${"x".repeat(50)}]`, `1 unexpected "${"x".repeat(40)}" | expected a value or ]`],
  ['["a', '1 a string that is not closed | close it with " on the same line; write a line break as \\n'],
  ['{"a', '1 a string that is not closed | close it with " on the same line; write a line break as \\n'],
])("the walk stops where the meaning is unclear: %j", (text, problem) => {
  expect(said(text)).toEqual([problem]);
  expect(walkJson(text, {}).complete).toBe(false);
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
  expect(walkJson(text, {}).complete).toBe(true);
});

test("a word of another language is a value of its own", () => {
  const kinds: string[] = [];
  walkJson("[None]", { value: (_path, _start, _end, kind) => kinds.push(kind) });
  expect(kinds).toEqual(["literal", "array"]);
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
      const { complete, problems } = walkJson(text, {});
      expect(complete && problems.length === 0).toBe(isJson(text));
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
