import fc from "fast-check";
import { expect, test } from "vitest";
import { compareIds } from "./order.js";

const idLike = fc.oneof(
  fc.stringMatching(/^[A-C0-3.-]{1,6}$/),
  fc.stringMatching(/^T0{0,3}[0-9]{1,20}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }),
);

test("ids are ordered as in the examples of the contract", () => {
  expect(["T10", "T2", "T1", "A2", "T001"].sort(compareIds)).toEqual(["A2", "T001", "T1", "T2", "T10"]);
});

test.each([
  ["T1", "T1.2"],
  ["T1", "Ta"],
  ["T-1", "T1"],
  ["1", "A"],
  ["T1.2", "T1.10"],
  ["T1-b", "T1a"],
  ["T99999999999999999998", "T99999999999999999999"],
  ["a01b2", "a1b2"],
  ["a1b2", "a01b3"],
  ["\u{ffee}", "\u{1f600}"],
])("%s < %s", (a, b) => {
  expect(compareIds(a, b)).toBeLessThan(0);
  expect(compareIds(b, a)).toBeGreaterThan(0);
});

test("the order of ids is total", () => {
  fc.assert(
    fc.property(idLike, idLike, idLike, (a, b, c) => {
      expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) || 0);
      expect(compareIds(a, b) === 0).toBe(a === b);
      if (compareIds(a, b) < 0 && compareIds(b, c) < 0) expect(compareIds(a, c)).toBeLessThan(0);
    }),
    { numRuns: 2000 },
  );
});

test("ids of the same style are ordered by number", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.bigInt({ min: 0n, max: 10n ** 25n }), (a, b) => {
      expect(Math.sign(compareIds(`T${a}`, `T${b}`))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});
