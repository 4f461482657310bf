import fc from "fast-check";
import { expect, test } from "vitest";
import { lineCounter } from "../../system/text/line-counter.js";
import { joinText, locator, pointerOf, readText } from "./file-text.js";
import { readObject } from "./edit.js";

function said(text: string): string[] {
  return readText(text).problems.map(
    (one) => `${one.rule} ${one.pointer}: ${one.message} | ${one.suggestion ?? ""}`,
  );
}

test("a text is taken apart into its rows and what is around them", () => {
  const text = ' {"a" : [1], "tasks": [ {"id": "T1"} , {"x": {"tasks": [{}]}}, 7], "b": {"tasks": 2} } ';
  const { file, problems } = readText(text);
  expect(problems).toEqual([]);
  expect(file).toEqual({
    head: ' {"a" : [1], "tasks": [',
    rows: ['{"id": "T1"}', '{"x": {"tasks": [{}]}}', "7"],
    gaps: [" ", " , ", ", ", ""],
    tail: '], "b": {"tasks": 2} } ',
  });
  expect(joinText(file)).toBe(text);
  for (const other of ["[[1]]", '{"tasks": {"a": {}}}', '{"a": {"tasks": [1]}}'])
    expect(readText(other).file).toEqual({ head: other, rows: [], gaps: [""], tail: "" });
  expect(
    readObject(file.head + file.tail).members.map(({ key, text, value }) => [key, text, text.slice(value)]),
  ).toEqual([
    ["a", '"a" : [1]', "[1]"],
    ["tasks", '"tasks": []', "[]"],
    ["b", '"b": {"tasks": 2}', '{"tasks": 2}'],
  ]);
});

test("the problems of a text have messages", () => {
  expect(said('{"a": 1, "b": {"a": 1}, "a": [], "b": {"a": 2}}')).toEqual([
    'duplicate-key /a: the key "a" is here a second time | keep one of them',
    'duplicate-key /b: the key "b" is here a second time | keep one of them',
  ]);
  expect(said(`${"[".repeat(200)}1e999${"]".repeat(200)}`)).toEqual([
    `number ${"/0".repeat(200)}: the number 1e999 would come back as Infinity | write it as a string`,
  ]);
  expect(said(`${"[".repeat(201)}1e999${"]".repeat(201)}`)).toEqual([
    `nesting ${"/0".repeat(200)}: nested more than 200 levels deep | flatten it`,
  ]);
  expect(said(`[[${"[".repeat(200)}${"]".repeat(200)}],{}]`).length).toBe(1);
  expect(said(`[${"1".repeat(40)},${"1".repeat(41)}]`)).toEqual([
    `number /0: the number ${"1".repeat(40)} would come back as 1.1111111111111112e+39 | write it as a string`,
    `number /1: the number ${"1".repeat(39)}… would come back as 1.111111111111111e+40 | write it as a string`,
  ]);
});

/** A decimal number as a whole number of the smallest step that doubles know. */
function exactly(written: string): bigint {
  const [mantissa = "", power = "0"] = written.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(power) - fraction.length);
}

test("a number is a problem exactly if it does not round-trip", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,20}$/);
  const some = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.oneof(digits, fc.constant("0"), fc.constant("10000000000000000000000")),
      fc.option(fc.stringMatching(/^0{0,3}[0-9]{1,18}0{0,3}$/)),
      fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.nat(330))),
    )
    .map(([sign, whole, fraction, power]) => {
      return (
        sign + whole + (fraction === null ? "" : `.${fraction}`) + (power === null ? "" : power.join(""))
      );
    });
  fc.assert(
    fc.property(some, (written) => {
      const back = String(Number(written));
      const same = Number.isFinite(Number(written)) && exactly(written) === exactly(back);
      expect(said(written).length).toBe(same ? 0 : 1);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["1.250e3", true],
  ["0.00012345678901234567", true],
  ["12345678901234567000", true],
  ["0.000e999", true],
  ["123456789012345", true],
  ["1234567890123456", true],
  ["9007199254740993", false],
  ["1.2345678901234567891", false],
  ["1.0000000000000000000001e2", false],
  ["2e-324", false],
])("%s comes back as it is: %j", (written, same) => {
  expect(said(`[${written}]`).length).toBe(same ? 0 : 1);
});

test("a pointer has the offsets of its key and value, or none without a target", () => {
  const text =
    '{"a/b": [1, {"~": [[]]}], "tasks": [ {"id": 1}, {"x": {"y": 2}} ], "": true, "a": {"b": 1}, "a": {"b": 2}}';
  const placeOf = locator(readText(text).file);
  const cut = (pointer: string): [string, string] | undefined => {
    const place = placeOf(pointer);
    return place && [text.slice(place.key, place.key + 5), text.slice(place.value, place.value + 3)];
  };
  expect(cut("")).toEqual(['{"a/b', '{"a']);
  expect(cut("/a~1b")).toEqual(['"a/b"', "[1,"]);
  expect(cut("/a~1b/1/~0")).toEqual(['"~": ', "[[]"]);
  expect(cut("/a~1b/1/~0/0")).toEqual(["[]]}]", "[]]"]);
  expect(cut("/tasks")).toEqual(['"task', "[ {"]);
  expect(cut("/tasks/0")).toEqual(['{"id"', '{"i']);
  expect(cut("/tasks/1/x/y")).toEqual(['"y": ', "2}}"]);
  expect(cut("/")).toEqual(['"": t', "tru"]);
  expect(cut("/a/b")).toEqual(['"b": ', "2}}"]);
  for (const nowhere of ["/c", "/a~1b/7", "/a/b/c", "/tasks/2", "/tasks/0/x"])
    expect(cut(nowhere)).toBeUndefined();
  expect(pointerOf(["a/b", 1, "~"])).toBe("/a~1b/1/~0");
});

test("every offset has its line and column", () => {
  const text = "ab\n\r\n😀c\n";
  const position = lineCounter(text);
  const expected = [...text.split("\n").entries()].flatMap(([at, line]) =>
    Array.from({ length: line.length + 1 }, (_, column) => ({ line: at + 1, column: column + 1 })),
  );
  expect(expected.map((_, offset) => position(offset))).toEqual(expected);
});
