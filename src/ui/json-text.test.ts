import { expect, test } from "vitest";
import { jsonText } from "./json-text.js";

test("nothing in it steers a terminal, and every reader gets the same value", () => {
  const value = { "a\u009bkey": "\u001b[2J \u009b31m \u007f \u202etxt.exe\u2069 日本 e\u0301 👩‍👩‍👧 \u200e" };
  for (const indent of [undefined, 2]) {
    const text = jsonText(value, indent);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u202e\u2069]/);
    expect(text).toContain("日本 e\u0301 👩‍👩‍👧");
    expect(JSON.parse(text)).toEqual(value);
  }
});
