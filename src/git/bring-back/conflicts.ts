// Finds a person's files that a change of the working tree would overwrite. revert-tree.ts makes the change.
import { dirname, join } from "node:path";
import type { Files } from "../../system/ports.js";
import { toBytes, toText } from "../base/bytes.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import { dropOwnIndex, stageAll, diffOwnIndex, diffPersonIndex } from "../index/index-file.js";
import type { Repository } from "../base/repository/repository.js";

/**
 * The paths (as text, sorted) at which `changes` to `head` would overwrite changed, staged, untracked or ignored
 * files of a person. Starts three processes.
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
  const inTree = await diffOwnIndex(repo, head, repo.excludes);
  const inIndex = await diffPersonIndex(repo, head);
  await dropOwnIndex(repo);
  const touched = touchedBy(changes);
  const found = [...inTree, ...inIndex].map(({ path }) => path).filter(touched);
  const hidden = await findHidden(repo, changes);
  return [...new Set([...found.map(toText), ...hidden])].sort();
}

/** A function that matches the changed paths, paths below one that becomes a file, and files that become folders. */
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

/** Ignored files do not show as changes, and git would overwrite them silently. */
async function findHidden(repo: Repository, changes: readonly DiffEntry[]): Promise<string[]> {
  const { files } = repo.ports;
  const goes = new Set(changes.filter(({ from }) => exists(from)).map(({ path }) => toText(path)));
  const found: string[] = [];
  for (const { path, from, to } of changes) {
    const text = toText(path);
    // A name that is not UTF-8 cannot be read here; git itself still refuses to overwrite untracked files.
    if (exists(from) || !exists(to) || toBytes(text) !== path) continue;
    for (const folder of foldersOf(text)) {
      const stat = await files.stat(join(repo.cwd, folder), { link: true });
      if (stat !== undefined && stat.kind !== "folder" && !goes.has(folder)) found.push(folder);
    }
    found.push(...(await filesAt(files, repo.cwd, text)).filter((file) => !goes.has(file)));
  }
  return found;
}

/** The path itself if it is not a folder, otherwise all files below it; nothing if it does not exist. */
async function filesAt(files: Files, top: string, path: string): Promise<string[]> {
  // Files behind a symlink are in another place, and not in the way here.
  const real = await files.realPath(dirname(join(top, path)));
  if (real !== dirname(join(top, path))) return [];
  const stat = await files.stat(join(top, path), { link: true });
  if (stat === undefined) return [];
  if (stat.kind !== "folder") return [path];
  const names = await files.list(join(top, path));
  const below = await Promise.all(names.map((name) => filesAt(files, top, `${path}/${name}`)));
  return below.flat();
}
