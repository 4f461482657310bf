// Finds a smallest set of changes with which the checks pass: QuickXplain (Junker, "Preferred Explanations and Relaxations for
// Over-Constrained Problems", 2004) on the most suspect group of paths that suffices. Pure but for the question it is given;
// needed-changes.ts answers it in rooms.

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
  for (const group of groups.length > 1 ? groups : []) {
    const passes = await ask(group);
    if (passes === undefined) return all;
    if (passes) return reduce({ beside: [], among: group, isNew: false }, ask);
  }
  return reduce({ beside: [], among: groups.flat(), isNew: false }, ask);
}

/** The paths by how often a change of their kind turns a check: changed tests, other changes, new files. */
function groupsOf(candidates: readonly Candidate[]): string[][] {
  const isOfGroup = [
    ({ isTest, isNew }: Candidate) => isTest && !isNew,
    ({ isTest, isNew }: Candidate) => !isTest && !isNew,
    ({ isNew }: Candidate) => isNew,
  ];
  const groups = isOfGroup.map((is) => candidates.filter(is).map(({ path }) => path));
  return groups.filter((paths) => paths.length > 0);
}

/** The smallest part of `among` with which the checks pass `beside` others. `isNew`: it is not known whether these suffice. */
async function reduce(
  { beside, among, isNew }: { beside: readonly string[]; among: readonly string[]; isNew: boolean },
  ask: Ask,
): Promise<string[]> {
  if (isNew && (await ask(beside)) === true) return [];
  if (among.length <= 1) return [...among];
  const half = Math.ceil(among.length / 2);
  const [first, second] = [among.slice(0, half), among.slice(half)];
  const later = await reduce({ beside: [...beside, ...first], among: second, isNew: true }, ask);
  const sooner = await reduce({ beside: [...beside, ...later], among: first, isNew: later.length > 0 }, ask);
  return [...sooner, ...later];
}
