// What differs between two trees, as git's raw format tells it. Leaves the asking to the callers.

/** One side of a difference. A mode of "000000" means there is nothing. */
export interface Version {
  /** "100644", "100755", "120000" (symlink) or "160000" (another repository). */
  mode: string;
  oid: string;
}

/** The side where there is nothing. */
export const NOTHING: Version = { mode: "000000", oid: "" };

/** A path that differs. */
export interface DiffEntry {
  /** From the top of the repository, in bytes (one character each). */
  path: string;
  from: Version;
  to: Version;
}

/** The entries of `--raw -z` output without rename detection. A path with a merge conflict has nothing on its `to` side. */
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

/** Whether there is something on this side. */
export function exists(version: Version): boolean {
  return version.mode !== "000000";
}

export function sameVersion(a: Version, b: Version): boolean {
  return a.mode === b.mode && a.oid === b.oid;
}

/** The same entries, removals first: a file can only take the place of a folder once that is empty. */
export function removalsFirst(entries: readonly DiffEntry[]): DiffEntry[] {
  return [...entries.filter((entry) => !exists(entry.to)), ...entries.filter((entry) => exists(entry.to))];
}
