// Finds the work of an attempt inside repositories in the tree, which no outer commit contains. restore-modules.ts
// reverts it.
import { checkpoint } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { readHead, treeish, type Head } from "../base/repository/head.js";
import { ownIndex, stageAll, diffOwnIndex } from "../index/index-file.js";
import { readEntries } from "../index/index-person.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import { putCopyAside, putCopyBack } from "../checkpoint/module-copies.js";
import { modulePaths, openModules } from "../checkpoint/modules.js";
import { checkpointRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import type { RestoreOrder } from "./restore-order.js";
import { restoreTo } from "./restore.js";

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
    const inner = [...modulePaths((await readEntries(module, ownIndex(module))) ?? []), ...unborn];
    found.push(...(await findUncommitted(module, id, inner)).map((one) => `${path}/${one}`));
  }
  return found;
}

/**
 * Restores repositories that an attempt removed, unless the outer repository tracks them. The removal of a tracked
 * one is work of the attempt; its `.git` is put aside. Returns warnings.
 */
export async function keepRemoved(
  repo: Repository,
  { checkpoint: { id, modules }, run, label }: RestoreOrder,
  head: Head,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const path of modules) {
    const there = await repo.ports.files.stat(`${repo.cwd}/${toText(path)}/.git`, { link: true });
    if (there !== undefined) continue;
    if (await isTracked(repo, head.commit, path)) {
      const put = await putCopyAside(repo, id, path, { run, label });
      const kept = put === undefined ? "" : `; its .git is kept: ${put}`;
      warnings.push(`${toText(path)}, a repository of its own, was removed during the attempt${kept}`);
      continue;
    }
    // Ignored files come back with the .git, so what is left must be listed before.
    const emptied = (await repo.ports.files.list(`${repo.cwd}/${toText(path)}`)).length === 0;
    const { revived, warnings: told } = await putCopyBack(repo, id, path, { run, label });
    warnings.push(...told);
    if (revived && emptied) await fillEmptied(repo, path, { id, run, label });
  }
  return warnings;
}

async function isTracked(repo: Repository, commit: string | undefined, path: string): Promise<boolean> {
  if (commit === undefined) return false;
  const { out } = await runGit(repo, ["ls-tree", "-z", commit, "--", toText(path)]);
  return out.startsWith(`${REPOSITORY} `);
}

/** Restores the files of a folder that was removed or emptied; other folders stay as the attempt left them. */
async function fillEmptied(
  repo: Repository,
  path: string,
  { id, run, label }: { id: string; run: string; label: string },
): Promise<void> {
  for (const { repo: module } of await openModules(repo, [path])) {
    const taken = await checkpoint(module, { id, run, reuse: true });
    if (taken.reused) await restoreTo(module, { checkpoint: taken, run, label });
  }
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
