// Finds the work of an attempt inside repositories in the tree, which no outer commit contains. restore-modules.ts
// reverts it.
import { join } from "node:path";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { readHead, treeish } from "../base/repository/head.js";
import { ownIndex, stageAll, diffOwnIndex } from "../index/index-file.js";
import { listEntries } from "../index/index-person.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import { modulePaths, openModules } from "../checkpoint/modules.js";
import { checkpointRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";

const REPOSITORY = "160000";

/** The repositories (paths in bytes) with uncommitted files that differ from the checkpoint. */
export async function findUncommitted(
  repo: Repository,
  id: string,
  paths: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { path, repo: module } of await openModules(repo, paths)) {
    const ref = checkpointRef(module.tree, id);
    const { refs, commit } = await readHead(module, [ref]);
    const base = refs.get(ref);
    if (base === undefined) continue;
    await leaveOutLarge(module);
    const { unborn } = await stageAll(module, base);
    const changed = await diffOwnIndex(module, base, module.excludes);
    const open = await diffOwnIndex(module, await treeish(module, commit), module.excludes);
    const uncommitted = new Set(open.map((entry) => entry.path));
    if (changed.some((entry) => uncommitted.has(entry.path))) found.push(path);
    const inner = [...modulePaths(await listEntries(module, ownIndex(module))), ...unborn];
    found.push(...(await findUncommitted(module, id, inner)).map((one) => `${path}/${one}`));
  }
  return found;
}

/**
 * Why an attempt must not be committed: it removed or replaced the `.git` of a repository inside the tree, which no
 * checkpoint holds. A submodule's content is in the outer git folder, so its link can be made anew.
 */
export async function findBroken(
  repo: Repository,
  { id, modules }: Pick<Checkpoint, "id" | "modules">,
): Promise<string | undefined> {
  for (const path of modules) {
    const content = join(repo.commonDir, "modules", toText(path));
    if ((await repo.ports.files.stat(content)) !== undefined) continue;
    const [module] = await openModules(repo, [path]);
    const ref = module === undefined ? "" : checkpointRef(module.repo.tree, id);
    if (module !== undefined && (await readHead(module.repo, [ref])).refs.has(ref)) continue;
    return `the repository ${toText(path)} inside the tree was removed or replaced: Looper cannot bring it back`;
  }
  return undefined;
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
  { unborn, known }: { unborn: readonly string[]; known: readonly string[] },
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
  return [...made, ...unborn].filter((path) => !known.includes(path) && !isSubmodule(path));
}
