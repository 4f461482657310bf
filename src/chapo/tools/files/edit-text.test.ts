import { expect, test } from "vitest";
import { editText } from "./files-write.js";

function edit(text: string, oldString: string, newString: string, replaceAll = false) {
  return editText(text, { old_string: oldString, new_string: newString, replace_all: replaceAll });
}

test("a single match is replaced and the rest of the text stays", () => {
  expect(edit("a b c\n", "b", "x")).toEqual({ text: "a x c\n", count: 1 });
  expect(edit("a b c", "c", "")).toEqual({ text: "a b ", count: 1 });
});

test("replacement patterns such as $& are inserted literally", () => {
  expect(edit("price", "price", "$& $1 $$ $`")).toEqual({ text: "$& $1 $$ $`", count: 1 });
});

test("no match or several matches change nothing and report the count", () => {
  expect(edit("a b", "x", "y")).toEqual({ problem: expect.stringContaining("0 times") as string });
  expect(edit("a a a", "a", "y")).toEqual({ problem: expect.stringContaining("3 times") as string });
  expect(edit("aaa", "aa", "y")).toEqual({ problem: expect.stringContaining("2 times") as string });
  expect(edit("a a a", "a", "y", true)).toEqual({ text: "y y y", count: 3 });
});

test("an empty old text and an unchanged text are refused", () => {
  expect(edit("a", "", "b")).toHaveProperty("problem");
  expect(edit("a", "a", "a")).toHaveProperty("problem");
});

test("a text with LF matches CRLF lines and the new lines end in CRLF", () => {
  expect(edit("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n")).toEqual({ text: "x\r\ny\r\nz\r\nc\r\n", count: 1 });
  expect(edit("a\r\nb\r\n", "b", "b\nc")).toEqual({ text: "a\r\nb\r\nc\r\n", count: 1 });
  expect(edit("a\r\nb\r\n", "a\r\nb", "x")).toEqual({ text: "x\r\n", count: 1 });
  expect(edit("a\r\nb\nc\nd\n", "b\nc", "x\ny")).toEqual({ text: "a\r\nx\ny\nd\n", count: 1 });
  expect(edit("a\nb\n", "a\nb", "a\r\nb")).toEqual({ text: "a\r\nb\n", count: 1 });
});
