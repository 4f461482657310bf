// Reads, compares and raises versions in the forms projects use (semver, PEP 440, two to four numbers). Pure.

import { never } from "../system/never.js";

/** A parsed version. */
interface Version {
  numbers: readonly number[];
  /** Empty: not a pre-release. */
  pre: readonly (string | number)[];
  /** The number of a PEP 440 post-release. */
  post: number;
}

const SHAPE =
  /^v?(\d+(?:\.\d+){1,3})(?:[-_.]?(post)\.?(\d+)|-([0-9A-Za-z][0-9A-Za-z.-]*)|\.?((?:dev|alpha|beta|rc|pre|a|b|c)\.?\d*))?(?:\+[0-9A-Za-z.-]+)?$/i;

/** The full names of PEP 440's short words; `dev` sorts before all others. */
const RANKS: Readonly<Record<string, string>> = { a: "alpha", b: "beta", c: "rc", pre: "rc", dev: "" };

function parse(text: string): Version | undefined {
  const found = SHAPE.exec(text);
  if (found === null) return undefined;
  const [, numbers = "", , post, semver, python] = found;
  return {
    numbers: numbers.split(".").map(Number),
    pre: semver === undefined ? parsePythonPre(python) : semver.split(".").map(parseIdentifier),
    post: post === undefined ? 0 : Number(post) + 1,
  };
}

function parsePythonPre(text: string | undefined): (string | number)[] {
  const [, word, number] = /^([a-z]+)\.?(\d*)$/i.exec(text ?? "") ?? [];
  if (word === undefined) return [];
  const name = word.toLowerCase();
  return [RANKS[name] ?? name, Number(number)];
}

function parseIdentifier(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

/** Whether this is a version: two to four numbers, with or without a leading "v". */
export function isVersion(text: string): boolean {
  return parse(text) !== undefined;
}

/** Removes a leading "v". */
export function removeLeadingV(text: string): string {
  return text.replace(/^v/i, "");
}

/** Whether it is a pre-release. */
export function isPreRelease(text: string): boolean {
  return (parse(text)?.pre.length ?? 0) > 0;
}

/** Below 0: `a` comes before `b`. A text that is not a version comes before all versions. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parse(a), parse(b)];
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  for (let at = 0; at < 4; at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePre(one.pre, other.pre) || one.post - other.post;
}

function comparePre(a: Version["pre"], b: Version["pre"]): number {
  // A pre-release comes before its release.
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    if (one === other) continue;
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return -1;
    if (typeof other === "number") return 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

/** The parts of a version that can be raised. */
export const BUMPS = ["patch", "minor", "major"] as const;
export type Bump = (typeof BUMPS)[number];

/**
 * Raises a part of the version `from`. A pre-release becomes its release if that raises enough (1.2.0-rc.1 and minor: 1.2.0).
 */
export function raiseVersion(from: string, bump: Bump): string {
  const { numbers = [], pre = [] } = parse(from) ?? {};
  const [major = 0, minor = 0, patch = 0] = numbers;
  const before = pre.length > 0;
  const size = Math.max(numbers.length, 2);
  switch (bump) {
    case "major":
      return join([before && minor === 0 && patch === 0 ? major : major + 1, 0, 0], size);
    case "minor":
      return join([major, before && patch === 0 ? minor : minor + 1, 0], size);
    case "patch":
      return join([major, minor, before ? patch : patch + 1], 3);
    default:
      return never(bump);
  }
}

function join(numbers: readonly number[], size: number): string {
  return numbers.slice(0, Math.min(size, 3)).join(".");
}
