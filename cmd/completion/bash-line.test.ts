import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteForBash, readBashLine } from "./bash-line.js";

test.each<[string, string, Partial<ReturnType<typeof readBashLine>>]>([
  ["looper ls ", "", { words: ["looper", "ls"], current: "" }],
  ["looper ls --st", "--st", { words: ["looper", "ls"], current: "--st", kept: "" }],
  [
    "looper set T1 status=do",
    "do",
    { words: ["looper", "set", "T1"], current: "status=do", kept: "status=" },
  ],
  ["looper ls --status=", "", { current: "--status=", kept: "--status=" }],
  ['looper why "ns:T', "ns:T", { current: "ns:T", kept: "", quote: '"' }],
  ["looper why 'a b", "a b", { current: "a b", kept: "", quote: "'" }],
  ['looper ls --tag="two w', "two w", { current: "--tag=two w", kept: "--tag=", quote: '"' }],
  ['looper ls "a b":c', "c", { current: "a b:c", kept: "a b:", quote: "" }],
  ["looper ls a\\ b:c", "c", { current: "a b:c", kept: "a b:" }],
  ['looper ls "a\\"b\\n" x', "x", { words: ["looper", "ls", 'a"b\\n'], current: "x" }],
  ["looper ls $(touch x) y", "y", { words: ["looper", "ls", "$(touch", "x)"], current: "y" }],
  ["looper ls > fi", "fi", { words: ["looper", "ls"], current: "fi", redirected: true }],
  ["looper ls 2>/dev/null ", "", { words: ["looper", "ls"], current: "", redirected: false }],
  ["looper ls >", "", { words: ["looper", "ls"], current: "", redirected: true }],
  ["looper ls x\\", "x\\", { current: "x" }],
])("%j", (line, piece, read) => {
  expect(readBashLine(line, piece)).toMatchObject(read);
});

test("a quoted word is read back unchanged inside every kind of quotation mark", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.string({ unit: fc.constantFrom(...Array.from("ab \"'\\$`!(){};&|<>*?[]~#=:")) }),
  );
  fc.assert(
    fc.property(word, fc.constantFrom("" as const, '"' as const, "'" as const), (text, open) => {
      const quoted = quoteForBash(text, open) ?? "";
      fc.pre(!text.includes("\n") && (open !== '"' || !text.includes("!")));
      const read = readBashLine(`looper x ${open}${quoted}${open} `, "");
      expect(read.words.slice(2)).toEqual(text === "" && open === "" ? [] : [text]);
    }),
  );
});

test("in double quotes a ! would be history, whatever stands before it", () => {
  expect(quoteForBash("a!b", '"')).toBeUndefined();
  expect(quoteForBash("a!b", "")).toBe("a\\!b");
});
