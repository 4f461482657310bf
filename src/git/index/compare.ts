import type { Result } from "../../system/result.js";
import { sameVersion, type DiffEntry } from "../base/diff.js";
import { asResult, type GitFailure } from "../base/git.js";
import { diffTrees } from "./index-file.js";
import type { Repository } from "../base/repository.js";

/** Whether one commit's tree is another's with exactly these changes made. At most one process. */
export async function isTreeAfter(
  repo: Repository,
  order: { base: string; changes: readonly DiffEntry[]; commit: string },
): Promise<Result<boolean, GitFailure>> {
  const { base, changes, commit } = order;
  return asResult(async () => {
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
  });
}
