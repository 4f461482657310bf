import { sameVersion, type DiffEntry } from "../base/read/diff.js";
import { diffTrees } from "./index-file.js";
import type { Repository } from "../base/repository/repository.js";

/** Whether one commit's tree equals another's with exactly these changes. Starts at most one process. */
export async function isTreeAfter(
  repo: Repository,
  order: { base: string; changes: readonly DiffEntry[]; commit: string },
): Promise<boolean> {
  const { base, changes, commit } = order;

  if (base === commit) return changes.length === 0;
  const found = await diffTrees(repo, commit, base);
  const wanted = new Map(changes.map(({ path, to }) => [path, to]));
  return (
    found.length === wanted.size &&
    found.every(({ path, to }) => {
      const version = wanted.get(path);
      return version !== undefined && sameVersion(version, to);
    })
  );
}
