// Finds a smallest set of changes with which the checks pass: delta debugging (Zeller and Hildebrandt, "Simplifying and
// Isolating Failure-Inducing Input", 2002) over groups of paths, the most suspect group first. Pure but for the question it
// is given; judge-work.ts answers it in rooms.
import { posix } from "node:path";
import { familyOf } from "../sort/languages.js";

/** A changed path (text) that is not source. `isTest`: a test by its name. `isNew`: the reference does not have it. */
export interface Candidate {
  path: string;
  isTest: boolean;
  isNew: boolean;
}

/** Whether the checks pass with these changes beside the source; `undefined`: the time to find out is over. */
export type Ask = (paths: readonly string[]) => Promise<boolean | undefined>;

/** Finds them. Contract: the checks pass with all candidates and fail with none. Without time the best set known so far. */
export async function findNeeded(candidates: readonly Candidate[], ask: Ask): Promise<string[]> {
  const all = candidates.map(({ path }) => path);
  if (all.length <= 1) return all;
  const groups = groupsOf(candidates);
  if (groups.length > 1) {
    for (const group of groups) {
      const passes = await ask(group);
      if (passes === undefined) return all;
      if (passes) return reduce(group, ask);
    }
  }
  return reduce(groups.flat(), ask);
}

/** The paths by how often a change of their kind turns a check: changed tests, settings, scripts, data, new files. */
function groupsOf(candidates: readonly Candidate[]): string[][] {
  const rankOf = ({ path, isTest, isNew }: Candidate): number => {
    if (isTest && !isNew) return 0;
    if (isTest) return 4;
    if (/\.(?:json|toml|ya?ml|ini|cfg|conf|lock|xml|mk|cmake|gradle)$|(?:^|\/)(?:\.|[Mm]akefile)/.test(path))
      return 1;
    if (!isNew && (familyOf(path) !== undefined || posix.extname(path) === "")) return 2;
    return isNew ? 4 : 3;
  };
  const ranks = new Map<number, string[]>();
  for (const one of candidates) {
    const rank = rankOf(one);
    ranks.set(rank, [...(ranks.get(rank) ?? []), one.path]);
  }
  return [...ranks].sort(([a], [b]) => a - b).map(([, paths]) => paths);
}

/** The minimising algorithm: no single part of the result can be left out. Contract: the checks pass with `paths`. */
async function reduce(paths: readonly string[], ask: Ask): Promise<string[]> {
  let rest = [...paths];
  for (let parts = 2; rest.length > 1;) {
    const size = Math.ceil(rest.length / parts);
    const chunks = Array.from({ length: Math.ceil(rest.length / size) }, (_, at) =>
      rest.slice(at * size, (at + 1) * size),
    );
    const smaller = await firstPassing(chunks, rest, ask);
    if (smaller === undefined) return rest;
    if (smaller !== "none") {
      const isChunk = chunks.some((chunk) => chunk.length === smaller.length && chunk[0] === smaller[0]);
      rest = smaller;
      parts = isChunk ? 2 : Math.max(parts - 1, 2);
    } else if (size === 1) return rest;
    else parts = Math.min(parts * 2, rest.length);
  }
  return rest;
}

/** The first chunk, or else the first remainder without one, with which the checks pass. */
async function firstPassing(
  chunks: readonly string[][],
  all: readonly string[],
  ask: Ask,
): Promise<string[] | "none" | undefined> {
  const remainders =
    chunks.length > 2 ? chunks.map((chunk) => all.filter((path) => !chunk.includes(path))) : [];
  for (const some of [...chunks, ...remainders]) {
    const passes = await ask(some);
    if (passes === undefined) return undefined;
    if (passes) return some;
  }
  return "none";
}
