import { expect, test } from "vitest";
import { parseJson, tryParseJson } from "./json.js";

test("a JSON text and its bytes have the same value, with or without a byte order mark", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(parseJson(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
});

test("a text that is not JSON has no value, and the reason is the parser's message", () => {
  expect([parseJson("{a"), parseJson(""), parseJson(undefined)]).toEqual([undefined, undefined, undefined]);
  const broken = tryParseJson("{a");
  expect(broken.ok ? "" : broken.error).toMatch(/JSON/);
  expect(tryParseJson("null")).toEqual({ ok: true, value: null });
});
