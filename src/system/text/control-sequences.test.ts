import { expect, test } from "vitest";
import { stripControlSequences } from "./control-sequences.js";

test("control sequences are removed, and text stays", () => {
  const texts = {
    "\u001b[31mred\u001b[0m": "red",
    "\u001b[38;5;1;4mx\u001b[?25lx\u001b[2 qx\u001b[K": "xxx",
    "\u009b1mx": "x",
    "\u001b]0;a title\u0007x": "x",
    "\u001b]8;;http://a/\u001b\\link\u001b]8;;\u001b\\.": "link.",
    "\u001bPq#0\u001b\\x\u001b_a\u001b\\\u001b^b\u0007\u001bXc\u0007": "x",
    "\u001b(Bx\u001bcx\u001b7": "xx",
    "\u001b]0;no end\nx\u0007": "0;no end\nx\u0007",
    "\u001b[31\u001b[1mx": "31x",
    "\u001b": "\u001b",
    "a[31mb\tc\n": "a[31mb\tc\n",
  };
  for (const [text, plain] of Object.entries(texts)) expect(stripControlSequences(text)).toBe(plain);
});

test("a megabyte of any text takes no time", () => {
  const half = 512 * 1024;
  for (const [start, rest] of [
    ["\u009b", "?;"],
    ["\u001b[", "1;"],
    ["\u001b]", "a;"],
    ["\u001b", " "],
    ["", "\u009b?;"],
    ["", "\u001b;a="],
    ["", "\u001b]"],
  ] as const) {
    const long = start + rest.repeat(half);
    expect(stripControlSequences(`${long}\u001b[m`).length).toBeLessThanOrEqual(long.length);
  }
});
