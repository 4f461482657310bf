import fc from "fast-check";
import { expect, test } from "vitest";
import { ANY } from "../../shell/words.js";
import { covers, ONE, overlaps, STAR } from "./wildcard.js";

const letters = (...more: string[]) =>
  fc.array(fc.constantFrom("a", "b", ...more), { maxLength: 7 }).map((chars) => chars.join(""));

/** The same by a regular expression, as texts are short here. */
function matches(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern.replaceAll(STAR, ".*").replaceAll(ONE, ".")}$`).test(text);
}

test("a known text matches like a regular expression", () => {
  fc.assert(
    fc.property(letters(STAR, ONE), letters(), (pattern, text) => {
      expect(covers(pattern, text)).toBe(matches(pattern, text));
      expect(overlaps(pattern, text)).toBe(matches(pattern, text));
    }),
    { numRuns: 2_000 },
  );
});

test("a text with unknown parts is covered if every filling matches, and overlapped if one does", () => {
  fc.assert(
    fc.property(letters(STAR, ONE), letters(ANY), letters(), (pattern, text, filling) => {
      const filled = text.replaceAll(ANY, filling);
      if (covers(pattern, text)) expect(matches(pattern, filled)).toBe(true);
      if (matches(pattern, filled)) expect(overlaps(pattern, text)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test("a pattern with many stars is matched quickly against a long text", () => {
  const pattern = `${STAR}a`.repeat(50) + "b";
  expect(covers(pattern, "a".repeat(50_000))).toBe(false);
  expect(overlaps(pattern, `${"a".repeat(20_000)}${ANY}`)).toBe(true);
});
