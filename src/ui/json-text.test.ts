import { expect, test } from "vitest";
import { jsonPieces, jsonText } from "./json-text.js";

test("nothing in it steers a terminal, and every reader gets the same value", () => {
  const value = { "a\u009bkey": "\u001b[2J \u009b31m \u007f \u202etxt.exe\u2069 日本 e\u0301 👩‍👩‍👧 \u200e" };
  for (const indent of [undefined, 2]) {
    const text = jsonText(value, indent);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u202e\u2069]/);
    expect(text).toContain("日本 e\u0301 👩‍👩‍👧");
    expect(JSON.parse(text)).toEqual(value);
  }
});

test.each([0, 1, 499, 500, 501, 1234])(
  "the pieces of a list of %i items are the text of the whole",
  (count) => {
    const items = Array.from({ length: count }, (_, n) => ({
      id: `T${n}`,
      text: "a\n\u202eb",
      list: [],
      more: [n],
    }));
    for (const tail of [{}, { wrong: [{ id: 1 }], gone: undefined }]) {
      const pieces = [...jsonPieces({ file: "/a\u009b", n: 1 }, ["tasks", items], tail)];
      expect(pieces.join("")).toBe(jsonText({ file: "/a\u009b", n: 1, tasks: items, ...tail }, 2));
    }
  },
);
