import fc from "fast-check";
import { expect, test } from "vitest";
import { redactPieces } from "./redact-pieces.js";
import { createRedact } from "./redact.js";

const SECRET = "s3cr3t-value-0123456789";
const redact = createRedact([SECRET]);

function told(pieces: readonly string[]): string[] {
  const redactor = redactPieces(redact);
  return [...pieces.map((piece) => redactor.take(piece)), redactor.end()];
}

test("law: however a text is cut, what is told is the text without secrets", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"QUJD\n".repeat(30)}-----END PRIVATE KEY-----`;
  const word = fc.constantFrom(
    ...["a", "word", "-----", "é", "中文", `x${SECRET}y`, SECRET, key, `${key};`, `sk-${"a".repeat(20)}`],
    ...[
      `Bearer ${"a".repeat(20)}`,
      "Bearer no",
      "https://user:password@host/x",
      "-----BEGIN x-----END y-----",
    ],
  );
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(" ", "\n", ", ")), { maxLength: 12 })
    .map((parts) => parts.flat().join(""));
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (whole, sizes) => {
      const pieces: string[] = [];
      for (let at = 0, n = 0; at < whole.length; n++) {
        const size = sizes[n % sizes.length] ?? 1;
        pieces.push(whole.slice(at, at + size));
        at += size;
      }
      expect(told(pieces).join("")).toBe(redact(whole));
    }),
    { numRuns: 1000 },
  );
});

test("words are told as soon as they are whole", () => {
  expect(told(["Hel", "lo wor", "ld, s3cr3t-val", "ue-0123456789 is", " it"])).toEqual([
    "",
    "Hello ",
    "world, ",
    "[redacted] ",
    "is ",
    "it",
  ]);
});

test("a word without an end does not wait for ever", () => {
  expect(told(["x".repeat(10_000), "y"])[0]?.length).toBeGreaterThan(5000);
});

test("a secret that a colour code parts is not told in halves", () => {
  const secret = "Zq8vT1mYw4LrX7c0";
  const pieces = redactPieces(createRedact([secret]));
  const told = ["see Zq8vT1", "\u001b[31mmYw4", "LrX7c0 now ", "x"]
    .map((piece) => pieces.take(piece))
    .join("");
  expect(told + pieces.end()).toBe("see [redacted] now x");
});
