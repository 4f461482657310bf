import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, cutLine, cutToLastLines } from "./cut.js";
import { FirstBytes, LastBytes } from "./output.js";
import { createRedact } from "../../system/text/secrets/redact.js";

const KIB = 1024;
const MARK = "[… the beginning is left out]\n";
const same = (text: string): string => text;

function heard(...chunks: (string | Uint8Array)[]): LastBytes {
  const output = new LastBytes();
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  return output;
}

test("short output is returned unchanged, with an end of line", () => {
  expect(heard().tail(same, [])).toBe("");
  expect(heard("a\n", "b").tail(same, [])).toBe("a\nb\n");
  expect(heard("a\n").tail(same, ["note", "another"])).toBe("a\n[note]\n[another]\n");
  expect(heard().tail(same, ["note"])).toBe("[note]\n");
});

test("control sequences are removed, and each state of a progress bar becomes a line", () => {
  expect(heard("\u001b[31mred\u001b[0m\ta\r\n1%\r2%\u0007\u0000\u009b1mx\n").tail(same, [])).toBe(
    "red\ta\n1%\n2%x\n",
  );
  expect(heard(new Uint8Array([0xc3, 0x28, 0xff, 10])).tail(same, [])).toBe("\ufffd(\ufffd\n");
});

test("long output is cut to whole lines of its last 8 KiB", () => {
  const lines = Array.from({ length: 2000 }, (_, n) => `line ${n}\n`);
  const tail = heard(...lines).tail(same, []);
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8 * KIB);
  expect(Buffer.byteLength(tail)).toBeGreaterThan(8 * KIB - 20);
  expect(tail.startsWith(`${MARK}line `)).toBe(true);
  expect(tail.endsWith("line 1998\nline 1999\n")).toBe(true);
  const noted = heard(...lines).tail(same, ["n".repeat(100)]);
  expect(Buffer.byteLength(noted)).toBeLessThanOrEqual(8 * KIB);
  expect(noted.endsWith(`line 1999\n[${"n".repeat(100)}]\n`)).toBe(true);
});

test("a line of more than 8 KiB is cut at a whole character", () => {
  const tail = heard("é".repeat(10 * KIB)).tail(same, []);
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8 * KIB);
  expect(tail).toMatch(/^\[… the beginning is left out\]\né+\n$/u);
  expect(Buffer.byteLength(tail)).toBeGreaterThan(8 * KIB - 4);
});

test("the last bytes do not depend on the sizes of the chunks", () => {
  const text = Array.from({ length: 30_000 }, (_, n) => `${n}\n`).join("");
  const bytes = Buffer.from(text);
  const whole = heard(bytes).tail(same, []);
  expect(whole.endsWith("29998\n29999\n")).toBe(true);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 40 }), (sizes) => {
      const output = new LastBytes();
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        // The caller may reuse the chunk.
        const chunk = Uint8Array.from(bytes.subarray(at, at + size));
        output.add(chunk);
        chunk.fill(0);
        at += size;
      }
      expect(output.tail(same, [])).toBe(whole);
    }),
    { numRuns: 30 },
  );
});

test("the buffer is compacted for the last chunk without losing a byte", () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `${n}\n`).join("");
  const start = lines.slice(0, 128 * KIB - 2);
  const [half, other] = [start.slice(0, 64 * KIB), start.slice(64 * KIB)];
  // The buffer is full; each of these chunks is one too many.
  for (const last of ["abc\n", "abc\n".repeat(1000), "abc\n".repeat(3000)]) {
    const tail = heard(half, other, last).tail(same, []);
    expect((start + last).endsWith(tail.slice(MARK.length))).toBe(true);
    expect(tail.startsWith(MARK)).toBe(true);
  }
});

test("a beginning that is lost with the last byte counts as lost", () => {
  const nothing = (text: string): string => text.replaceAll(/x+/g, "");
  const half = "x".repeat(64 * KIB);
  expect(heard(half).tail(nothing, [])).toBe("");
  // The last byte drops the first half: the remaining text could begin with the rest of a secret.
  expect(heard(half, half, "x").tail(nothing, [])).toBe(MARK);
  expect(heard(half, half).tail(nothing, [])).toBe(MARK);
  expect(heard(half, "x").tail(nothing, [])).toBe(MARK);
});

test("the rest of a secret whose beginning is lost is not returned", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"c2VjcmV0\n".repeat(500)}-----END PRIVATE KEY-----\n`;
  const secret = "s".repeat(1000);
  const redact = createRedact([secret, "hunter2hunter2"]);
  // The buffer begins within the key, and redaction leaves a few hundred bytes: the rest of the key would be among them.
  for (const repeats of [64, 140]) {
    const filler = `${secret}\n`.repeat(repeats);
    for (const output of [
      heard(key, filler),
      heard(key + filler),
      heard(...((key + filler).match(/[^]{1,999}/g) ?? [])),
    ]) {
      expect(output.tail(redact, [])).toBe(MARK);
    }
  }
  expect(heard(key, "after\n").tail(redact, [])).toBe("[redacted]\nafter\n");
  // A secret with colours in it is found.
  expect(heard("hunter2\u001b[1mhunter2").tail(redact, [])).toBe("[redacted]\n");
  // The whole buffer may be the rest of a secret, so nothing is returned.
  expect(heard(key.repeat(20)).tail((text) => text.replaceAll(/[\s\S]/g, ""), [])).toBe(MARK);
});

test("the first bytes of a stream are kept whole or not at all", () => {
  const bytes = new FirstBytes(10);
  expect([bytes.whole, bytes.bytes().length]).toEqual([true, 0]);
  const chunk = Buffer.from("01234");
  bytes.add(chunk);
  chunk.fill(0);
  bytes.add(Buffer.from("5"));
  bytes.add(Buffer.from("6789"));
  expect([bytes.whole, Buffer.from(bytes.bytes()).toString()]).toEqual([true, "0123456789"]);
  bytes.add(Buffer.from(""));
  expect(bytes.whole).toBe(true);
  bytes.add(Buffer.from("!"));
  expect([bytes.whole, bytes.bytes().length]).toEqual([false, 0]);
  bytes.add(Buffer.from("a"));
  expect([bytes.whole, bytes.bytes().length]).toEqual([false, 0]);
  const many = new FirstBytes(1000);
  for (let n = 0; n < 100; n++) many.add(Buffer.from(`${n},`));
  expect(Buffer.from(many.bytes()).toString()).toBe(Array.from({ length: 100 }, (_, n) => `${n},`).join(""));
  const none = new FirstBytes(0);
  none.add(Buffer.from("a"));
  expect(none.whole).toBe(false);
});

test("law: a cut text has at most its bytes and whole characters, and a text that fits is not cut", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "…", "😀", "\n"), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 120 }), (any, most) => {
      const start = cutText(any, most);
      const end = cutToLastLines(any, most);
      for (const cut of [start, end]) {
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
        expect(cut).not.toContain("\ufffd");
      }
      if (Buffer.byteLength(any) <= most) expect([start, end]).toEqual([any, any]);
      else {
        expect(start.endsWith("…")).toBe(true);
        expect(any.startsWith(start.slice(0, -1))).toBe(true);
        expect(Buffer.byteLength(start)).toBeGreaterThan(most - 4);
        expect(end === "" || (end.startsWith(MARK) && any.endsWith(end.slice(MARK.length)))).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a cut text begins at a line, and a cut line is one line", () => {
  expect(cutToLastLines(`${"x".repeat(50)}\nab\ncd`, MARK.length + 2 + 6)).toBe(`${MARK}ab\ncd`);
  expect(cutToLastLines(`${"x".repeat(50)}\n`, MARK.length + 2 + 6)).toBe(`${MARK}xxxxx\n`);
  expect(cutToLastLines("ab\ncd", 100, true)).toBe(`${MARK}cd`);
  expect(cutToLastLines("abcd".repeat(10), Buffer.byteLength(MARK))).toBe("");
  expect(cutText("ab…", 5)).toBe("ab…");
  expect(cutText("abcdef", 5)).toBe("ab…");
  expect(cutLine(" a \n\t b\r\n", 10)).toBe("a b");
  expect(cutLine("a\nbcdefghijk", 10)).toBe("a bcdef…");
});
