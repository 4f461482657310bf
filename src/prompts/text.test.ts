import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJsonList } from "./compose.js";
import { quoteCode, cutEnd, cutStart, fenceBlock } from "./text.js";

test("nothing inside a fence ends it", () => {
  const line = fc.oneof(fc.string(), fc.stringMatching(/^ {0,3}`{1,12}[a-z]*$/));
  fc.assert(
    fc.property(fc.array(line), (texts) => {
      const [opening = "", ...rest] = fenceBlock(texts.join("\n"), "json").split("\n");
      const ticks = /^`{3,}/.exec(opening)?.[0] ?? "";
      const closes = (inner: string) => new RegExp(`^ {0,3}\`{${String(ticks.length)},}\\s*$`).test(inner);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(rest.findIndex(closes)).toBe(rest.length - 1);
    }),
  );
});

test("a fence copes with more backticks than a call has room for arguments", () => {
  expect(fenceBlock("` ".repeat(300_000)).startsWith("```text\n")).toBe(true);
});

test("inline code stays inline", () => {
  expect(quoteCode("a/b.json")).toBe("`a/b.json`");
  expect(quoteCode("a`b``c\nd")).toBe("``` a`b``c d ```");
});

test("cuts say how much is gone, and split no character", () => {
  expect(cutEnd("abcdef", 6)).toBe("abcdef");
  expect(cutEnd("abcdef", 4)).toBe("abcd\n[… cut: 2 characters]");
  expect(cutStart("abcdef", 4)).toBe("[… cut: 2 characters]\ncdef");
  expect(cutEnd("a😀b", 2)).toBe("a\n[… cut: 3 characters]");
  expect(cutStart("a😀b", 2)).toBe("[… cut: 3 characters]\nb");
});

test("a list that is too long is shortened first, then loses its oldest", () => {
  const records = (text: string) => ["T1", "T2", "T3"].map((id) => ({ id, result: text }));
  expect(formatJsonList([], 100)).toBe("");
  expect(formatJsonList(records("short"), 1000)).toContain('{"id":"T1","result":"short"},');
  const shortened = formatJsonList(records("x".repeat(900)), 1500);
  expect(shortened).toContain('"T1"');
  expect(shortened).toContain("[… cut: 700 characters]");
  const fewer = formatJsonList(records("x".repeat(900)), 400);
  expect(fewer).not.toContain('"T1"');
  expect(fewer).toContain("2 earlier ones are left out.");
  expect(fewer).toContain('"T3"');
});
