// Says what an attempt did to repositories inside the tree, which no outer commit contains. modules.ts finds it out.
import { toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import type { Repository } from "../base/repository/repository.js";
import type { ModuleStates } from "./modules.js";

const REPOSITORY = "160000";

/** Why an attempt must not be committed: it removed or replaced a repository, which no checkpoint holds. */
export function whyBroken([path]: readonly string[]): string | undefined {
  if (path === undefined) return undefined;
  return `the repository ${toText(path)} inside the tree was removed or replaced: Looper cannot bring it back`;
}

/** Whether a repository is at another commit, which only a checkout in it can change. */
export function isOtherCommit({ from, to }: DiffEntry): boolean {
  return from.mode === REPOSITORY && to.mode === REPOSITORY;
}

/** The warnings about work inside repositories; of `changes` only the new ones. */
export function warnOfInside(uncommitted: readonly string[], made: readonly string[]): string[] {
  return [
    ...uncommitted.map(
      (path) =>
        `changes inside ${toText(path)}, a repository of its own, are not committed: commit them there`,
    ),
    ...made.map(
      (path) =>
        `${toText(path)} was made a repository of its own during the attempt: no commit and no rescue here holds its files`,
    ),
  ];
}

/**
 * Repositories (paths in bytes) that an attempt made, or put in the place of something else, without the project's
 * submodules.
 */
export async function findMadeModules(
  repo: Repository,
  changes: readonly DiffEntry[],
  { unborn, known }: { unborn: readonly string[]; known: ModuleStates },
): Promise<string[]> {
  const modules = Buffer.from((await repo.ports.files.read(`${repo.cwd}/.gitmodules`)) ?? []).toString(
    "latin1",
  );
  const made = changes.flatMap(({ path, from, to }) =>
    to.mode === REPOSITORY && (!exists(from) || from.mode !== REPOSITORY) ? [path] : [],
  );
  const isSubmodule = (path: string): boolean =>
    modules
      .split("\n")
      .some((line) => /^\s*path\s*=/.test(line) && line.replace(/^\s*path\s*=\s*/, "").trim() === path);
  return [...made, ...unborn].filter((path) => !known.has(path) && !isSubmodule(path));
}
