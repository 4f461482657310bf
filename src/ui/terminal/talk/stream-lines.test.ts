import fc from "fast-check";
import { expect, test } from "vitest";
import { widthOf } from "../../text.js";
import type { TextRow } from "./markdown.js";
import { StreamLines } from "./talk-lines.js";

const textOf = ({ text }: TextRow): string => text;

/** The printed lines of a text that comes in these pieces. */
function stream(pieces: readonly string[], columns: number): string[] {
  const lines = new StreamLines();
  return [...pieces.flatMap((piece) => lines.take(piece, columns)), ...lines.end(columns)].map((row) =>
    row.text.trimEnd(),
  );
}

test("a line is printed once it cannot change, and the last one stays until the end", () => {
  const lines = new StreamLines();
  expect(lines.take("\n\nHello wor", 12).map(textOf)).toEqual([]);
  expect(lines.tail(12).map(textOf)).toEqual(["Hello wor"]);
  expect(lines.take("ld, this is", 12).map(textOf)).toEqual(["Hello world,"]);
  expect(lines.take("\n\n    code\n", 12).map(textOf)).toEqual(["this is", "", "    code"]);
  expect(lines.end(12).map(textOf)).toEqual([]);
});

test("a sequence that steers a terminal is shown, in pieces too", () => {
  expect(stream(["a\u001b", "[2Jb\r\nc"], 80)).toEqual(["a\\u001b[2Jb", "c"]);
});

test("the continuation of a list begins below its text, in pieces too", () => {
  expect(stream(["- one tw", "o three", " - four\n1. x"], 9)).toEqual([
    "- one two",
    "  three -",
    "  four",
    "1. x",
  ]);
});

test("law: the lines do not depend on the pieces, and none is wider than the terminal", () => {
  const text = fc.array(
    fc.constantFrom("word", "a", " ", "\n", "日本", "longer-than-the-line", "- ", "  ", "7. ", "word  "),
    {
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 30 }), (pieces, columns) => {
      const lines = stream(pieces, columns);
      expect(lines).toEqual(stream([pieces.join("")], columns));
      for (const line of lines) expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
    }),
  );
});
