// Finds untracked files that are too large for a checkpoint. They stay where they are, in no snapshot, and no
// restore touches them.
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

/** The untracked files above the limit that are not ignored: path (bytes) → size. Starts one process, or none without a limit. */
async function findLarge(repo: Repository): Promise<ReadonlyMap<string, number>> {
  const most = repo.mostUntracked;
  if (most === 0) return new Map();
  const args = ["ls-files", "--others", "--exclude-standard", "-z", "--", ":(top)", ...repo.excludes];
  const { out } = await runGit(repo, args);
  const files = out.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
  const found = await repo.ports.files.tree(repo.cwd).look(files);
  const large = files.flatMap((path, at): [string, number][] => {
    const one = found[at];
    return one?.kind === "file" && one.size > most ? [[path, one.size]] : [];
  });
  return new Map(large);
}

/** Excludes exactly these files from every later staging; returns those that were not excluded before. */
export function leaveOut(repo: Repository, large: ReadonlyMap<string, number>): Map<string, number> {
  const fresh = [...large].filter(([path]) => !repo.leftOut.has(path));
  repo.leftOut.clear();
  for (const [path, size] of large) repo.leftOut.set(path, size);
  return new Map(fresh);
}

/**
 * Does the same with the large files there are now, once, and only if there is a limit. A task has twelve processes, so
 * a file that appears later is staged like any other. Starts one process.
 */
export async function leaveOutLarge(repo: Repository): Promise<Map<string, number>> {
  if (repo.untracked.known) return new Map();
  repo.untracked.known = true;
  return leaveOut(repo, await findLarge(repo));
}

/** Warnings about untracked files that are too large, for the start of a run. */
export async function findUnprotected(repo: Repository): Promise<string[]> {
  return warnOfLarge(repo, leaveOut(repo, await findLarge(repo)));
}

/** One warning for each file. */
export function warnOfLarge(repo: Repository, large: ReadonlyMap<string, number>): string[] {
  return [...large].map(
    ([path, size]) =>
      `${toText(path)} (${sizeText(size)}) is untracked and larger than git.max_untracked_bytes (${sizeText(repo.mostUntracked)}): it is in no checkpoint, and Looper cannot restore it`,
  );
}

/** One warning for each file that was removed or has another size now. Starts no process. */
export async function warnOfTouched(repo: Repository): Promise<string[]> {
  const paths = [...repo.leftOut.keys()];
  const found = await repo.ports.files.tree(repo.cwd).look(paths);
  return paths.flatMap((path, at) => {
    const size = found[at]?.size;
    if (size === repo.leftOut.get(path)) return [];
    const how = size === undefined ? "removed" : "changed";
    return [
      `${toText(path)} was ${how} during the attempt; it is in no checkpoint: Looper cannot restore it`,
    ];
  });
}

/** As in the settings, a MB is 1024 KB. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  const at = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : bytes < 1024 ** 3 ? 2 : 3;
  const value = bytes / 1024 ** at;
  return `${Number.isInteger(value) ? String(value) : value.toFixed(1)} ${units[at] ?? ""}`;
}
