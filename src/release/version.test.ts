import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BUMPS, compareVersions, isPreRelease, isVersion, raiseVersion } from "./version.js";

const ORDERED = [
  "0.9",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.0.post1",
  "1.0.1.dev1",
  "1.0.1a1",
  "1.0.1b2",
  "1.0.1rc1",
  "1.0.1",
  "1.2",
  "1.10.0",
  "v2.0.0",
  "2024.10.1",
];

test("any two versions compare by the order of semver and PEP 440", () => {
  for (const [at, one] of ORDERED.entries()) {
    for (const [other, later] of ORDERED.entries()) {
      expect(Math.sign(compareVersions(one, later)), `${one} and ${later}`).toBe(Math.sign(at - other));
    }
  }
});

test.each(["1.2.3", "1.2", "v1.2.3", "1.2.3-rc.1", "1.2.3+build.5", "1.2.3.4", "2.0b1", "1.0.post2"])(
  "%s is a version",
  (text) => {
    expect(isVersion(text)).toBe(true);
  },
);

test.each(["", "1", "1.x", "^1.2.0", "latest", "1.2.3 ", "workspace:*", "1.2.3-", "version 1.2"])(
  "%j is none",
  (text) => {
    expect(isVersion(text)).toBe(false);
  },
);

test.each([
  ["1.2.3", "patch", "1.2.4"],
  ["1.2.3", "minor", "1.3.0"],
  ["1.2.3", "major", "2.0.0"],
  ["1.2", "minor", "1.3"],
  ["1.2", "patch", "1.2.1"],
  ["1.2.3-rc.1", "patch", "1.2.3"],
  ["1.2.0-rc.1", "minor", "1.2.0"],
  ["1.2.1-rc.1", "minor", "1.3.0"],
  ["2.0.0-rc.1", "major", "2.0.0"],
  ["1.2.0-rc.1", "major", "2.0.0"],
  ["v0.1.9", "patch", "0.1.10"],
] as const)("%s, %s: %s", (from, bump, to) => {
  expect(raiseVersion(from, bump)).toBe(to);
});

describe("laws", () => {
  const number = fc.nat({ max: 30 });
  const version = fc
    .tuple(number, number, number, fc.constantFrom("", "-rc.1", "-alpha", "-2", "+b"))
    .map(([a, b, c, rest]) => `${String(a)}.${String(b)}.${String(c)}${rest}`);

  test("a raised version is greater and not a pre-release", () => {
    fc.assert(
      fc.property(version, fc.constantFrom(...BUMPS), (from, bump) => {
        expect(compareVersions(raiseVersion(from, bump), from)).toBeGreaterThan(0);
        expect(isPreRelease(raiseVersion(from, bump))).toBe(false);
      }),
    );
  });

  test("the order of versions is total", () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)));
        const [x = "", y = "", z = ""] = [a, b, c].sort(compareVersions);
        expect(compareVersions(x, y) <= 0 && compareVersions(y, z) <= 0 && compareVersions(x, z) <= 0).toBe(
          true,
        );
      }),
    );
  });
});
