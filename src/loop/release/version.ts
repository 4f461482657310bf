// Reads, compares and raises versions: two to four numbers, and a pre-release. Pure.
import { never } from "../../system/never.js";

const SHAPE =
  /^v?(\d{1,9}(?:\.\d{1,9}){1,3})(?:-([0-9A-Za-z.-]+)|\.?([A-Za-z][0-9A-Za-z.]*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** The parts of a version that can be raised. */
export const BUMPS = ["patch", "minor", "major"] as const;
export type Bump = (typeof BUMPS)[number];

export function isVersion(text: string): boolean {
  return SHAPE.test(text);
}

function numbersOf(text: string): number[] {
  return (SHAPE.exec(text)?.[1] ?? "").split(".").map(Number);
}

/** The words after the numbers; empty: it is not a pre-release. */
export function preReleaseOf(text: string): string {
  const [, , pre, python] = SHAPE.exec(text) ?? [];
  return pre ?? python ?? "";
}

/** Below 0: `a` comes before `b`. A pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < 4; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  const [pre, otherPre] = [preReleaseOf(a), preReleaseOf(b)];
  if (pre === "" || otherPre === "") return Number(pre === "") - Number(otherPre === "");
  return pre.localeCompare(otherPre, "en", { numeric: true });
}

/** Raises a part of a version. A pre-release becomes its release if that raises enough (1.2.0-rc.1 and minor: 1.2.0). */
export function raiseVersion(from: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(from);
  const before = preReleaseOf(from) !== "";
  switch (bump) {
    case "major":
      return `${String(before && minor === 0 && patch === 0 ? major : major + 1)}.0.0`;
    case "minor":
      return `${String(major)}.${String(before && patch === 0 ? minor : minor + 1)}.0`;
    case "patch":
      return `${String(major)}.${String(minor)}.${String(before ? patch : patch + 1)}`;
    default:
      return never(bump);
  }
}
