// Parses differences between two trees from git's raw format. The callers run git.

/** One side of a difference. The mode "000000" means that the path does not exist. */
export interface Version {
  /** "100644", "100755", "120000" (symlink) or "160000" (another repository). */
  mode: string;
  oid: string;
}

/** The side of a path that does not exist. */
export const NOTHING: Version = { mode: "000000", oid: "" };

/** The mode of another repository. */
export const MODULE = "160000";

/** Whether one side is another repository. */
export function isModule({ from, to }: Pick<DiffEntry, "from" | "to">): boolean {
  return from.mode === MODULE || to.mode === MODULE;
}

/** A path that differs. */
export interface DiffEntry {
  /** From the top of the repository, in bytes (one character each). */
  path: string;
  from: Version;
  to: Version;
}

/**
 * Parses the output of `--raw -z` without rename detection. A path with a merge conflict does not exist on its `to`
 * side.
 */
export function parseRaw(out: string): DiffEntry[] {
  const fields = out.split("\0");
  const entries: DiffEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const meta = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]$/.exec(fields[at] ?? "");
    const path = fields[at + 1];
    if (meta === null || path === undefined) throw new Error(`not git's raw format: ${fields[at] ?? ""}`);
    const [, fromMode = "", toMode = "", fromOid = "", toOid = ""] = meta;
    entries.push({ path, from: { mode: fromMode, oid: fromOid }, to: { mode: toMode, oid: toOid } });
  }
  return entries;
}

/** Whether the path exists on this side. */
export function exists(version: Version): boolean {
  return version.mode !== "000000";
}

export function sameVersion(a: Version, b: Version): boolean {
  return a.mode === b.mode && a.oid === b.oid;
}

/** The same for sides that may both not exist. */
export function sameContent(a: Version, b: Version): boolean {
  return sameVersion(a, b) || !(exists(a) || exists(b));
}

/** Sorts removals first: a file can replace a folder only after the folder is empty. */
export function sortRemovalsFirst(entries: readonly DiffEntry[]): DiffEntry[] {
  return [...entries.filter((entry) => !exists(entry.to)), ...entries.filter((entry) => exists(entry.to))];
}

/** The same changes the other way round. */
export function turnBack(entries: readonly DiffEntry[]): DiffEntry[] {
  return entries.map(({ path, from, to }) => ({ path, from: to, to: from }));
}

/** Combines consecutive lists of changes. */
export function joinChanges(...steps: readonly (readonly DiffEntry[])[]): DiffEntry[] {
  const all = new Map<string, DiffEntry>();
  for (const entry of steps.flat()) {
    all.set(entry.path, { ...entry, from: all.get(entry.path)?.from ?? entry.from });
  }
  return [...all.values()].filter(({ from, to }) => !sameVersion(from, to));
}

/** The changes from one list of differences against a base to another one. */
export function changesBetween(before: readonly DiffEntry[], now: readonly DiffEntry[]): DiffEntry[] {
  const old = new Map(before.map((entry) => [entry.path, entry]));
  const fresh = new Set(now.map(({ path }) => path));
  const changed = now.flatMap((entry) => {
    const was = old.get(entry.path)?.to ?? entry.from;
    return sameVersion(was, entry.to) ? [] : [{ ...entry, from: was }];
  });
  // Such a path equals the base again.
  return [...changed, ...turnBack(before.filter(({ path }) => !fresh.has(path)))];
}
