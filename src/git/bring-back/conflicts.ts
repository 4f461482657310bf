// What of a person's own lies where a change of the working tree would go: nothing of it may be overwritten.
// Leaves making the change to revert-tree.ts.
import { dirname, join } from "node:path";
import type { Files } from "../../system/ports.js";
import { toBytes, toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/diff.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import { dropOwnIndex, stageAll, stagedAgainst, stagedByPerson } from "../index/index-file.js";
import type { Repository } from "../base/repository.js";

/**
 * The paths (as text, sorted) that `changes` to what `head` holds would take from a person: changed, staged, untracked or
 * ignored. Three processes.
 */
export async function findInTheWay(
  repo: Repository,
  head: string,
  changes: readonly DiffEntry[],
): Promise<string[]> {
  if (changes.length === 0) return [];
  await dropOwnIndex(repo);
  await leaveOutLarge(repo);
  await stageAll(repo);
  const inTree = await stagedAgainst(repo, head, repo.excludes);
  const inIndex = await stagedByPerson(repo, head);
  await dropOwnIndex(repo);
  const touched = touchedBy(changes);
  const found = [...inTree, ...inIndex].map(({ path }) => path).filter(touched);
  const hidden = await findHidden(repo, changes);
  return [...new Set([...found.map(toText), ...hidden])].sort();
}

/** Whether a path is one of those that change, lies below one that becomes a file, or is to become the folder of one. */
function touchedBy(changes: readonly DiffEntry[]): (path: string) => boolean {
  const paths = new Set(changes.map(({ path }) => path));
  const folders = new Set(changes.filter(({ to }) => exists(to)).flatMap(({ path }) => foldersOf(path)));
  return (path) =>
    paths.has(path) || folders.has(path) || foldersOf(path).some((folder) => paths.has(folder));
}

/** `a/b/c` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Files git was told to ignore do not show as changes, and git would overwrite them without a word. */
async function findHidden(repo: Repository, changes: readonly DiffEntry[]): Promise<string[]> {
  const { files } = repo.ports;
  const goes = new Set(changes.filter(({ from }) => exists(from)).map(({ path }) => toText(path)));
  const found: string[] = [];
  for (const { path, from, to } of changes) {
    const text = toText(path);
    // A name that is not UTF-8 cannot be looked at from here; git itself still refuses what is untracked.
    if (exists(from) || !exists(to) || toBytes(text) !== path) continue;
    for (const folder of foldersOf(text)) {
      const stat = await files.stat(join(repo.cwd, folder), { link: true });
      if (stat !== undefined && stat.kind !== "folder" && !goes.has(folder)) found.push(folder);
    }
    found.push(...(await filesAt(files, repo.cwd, text)).filter((file) => !goes.has(file)));
  }
  return found;
}

/** The path itself if it is no folder, else all files below it; none where there is nothing. */
async function filesAt(files: Files, top: string, path: string): Promise<string[]> {
  // Behind a symlink lies another place: what that holds is not in the way of this one.
  const real = await files.realPath(dirname(join(top, path)));
  if (real !== dirname(join(top, path))) return [];
  const stat = await files.stat(join(top, path), { link: true });
  if (stat === undefined) return [];
  if (stat.kind !== "folder") return [path];
  const names = await files.list(join(top, path));
  const below = await Promise.all(names.map((name) => filesAt(files, top, `${path}/${name}`)));
  return below.flat();
}
