import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, keepEnd } from "./bounds.js";
import { splitLines } from "./lines.js";

function split(chunks: readonly Uint8Array[], maxBytes?: number): string[] {
  const splitter = splitLines(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\r\n", "\r", "{") });

test("law: lines do not hang on where the stream is cut into chunks", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 40 })), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const expected = whole.split("\n").map((line) => line.replace(/\r$/, ""));
      if (whole === "" || whole.endsWith("\n")) expected.pop();
      expect(split(chunks)).toEqual(expected);
    }),
  );
});

test("a chunk may be reused after it was pushed", () => {
  const splitter = splitLines();
  const chunk = Buffer.from("first half ");
  splitter.push(chunk);
  chunk.fill("x");
  expect(splitter.push(Buffer.from("second\n"))).toEqual(["first half second"]);
});

test("what does not fit in a line is dropped with a mark, on whole characters, and the next line is whole", () => {
  const bytes = Buffer.from("😀😀😀\nnext\nlast line");
  for (const size of [1, 3, 100]) {
    const chunks = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    expect(split(chunks, 6)).toEqual([
      "😀 [… 8 more bytes of this line were dropped]",
      "next",
      "last l [… 3 more bytes of this line were dropped]",
    ]);
  }
});

test("a line of 64 MB in small chunks is held in bounded memory and linear time", () => {
  const splitter = splitLines();
  const chunk = Buffer.alloc(1000, "x");
  const before = process.memoryUsage();
  let most = 0;
  for (let pushed = 0; pushed < 80_000_000; pushed += chunk.length) {
    splitter.push(chunk);
    if (pushed % 8_000_000 === 0)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before.arrayBuffers);
  }
  const [line] = splitter.push(Buffer.from("\n"));
  expect(line).toMatch(/ \[… 12891136 more bytes of this line were dropped\]$/);
  expect(most).toBeLessThan(130_000_000);
});

test("500,000 lines are 500,000 lines", () => {
  const chunk = Buffer.from('{"type":"message","n":123456}\n'.repeat(2_000));
  const splitter = splitLines();
  let lines = 0;
  for (let count = 0; count < 250; count += 1) lines += splitter.push(chunk).length;
  expect(lines).toBe(500_000);
});

test("law: a cut text is at most as long as its limit, begins the text, and says how much is missing", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "é", "€", "😀"), maxLength: 300 }), (whole) => {
      const cut = cutText(whole, 200);
      if (Buffer.byteLength(whole) <= 200) {
        expect(cut).toBe(whole);
        return;
      }
      const [, head = "", missing] = /^(.*)\n\[… (\d+) more bytes\]$/.exec(cut) ?? [];
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(200);
      expect(whole.startsWith(head)).toBe(true);
      expect(Buffer.byteLength(head) + Number(missing)).toBe(Buffer.byteLength(whole));
    }),
  );
});

test("the end of a long final message is kept, on whole characters", () => {
  const whole = `${"€".repeat(600_000)}end`;
  const kept = keepEnd(whole);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1024 * 1024);
  expect(Buffer.byteLength(kept)).toBeGreaterThan(1024 * 1024 - 4);
  expect(whole.endsWith(kept)).toBe(true);
  expect(keepEnd("short")).toBe("short");
});
