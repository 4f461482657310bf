// Removes what a git that was killed left behind: lock files, and indexes of our own.
// Contract: called after the sweep of the dead run; nothing of that run lives.
import { basename, join } from "node:path";
import type { FileStat, Files } from "../system/ports.js";
import type { Repository } from "./repository.js";

/** A lock that changes within this time has a living owner. */
const STILL_MS = 5_000;
/** Folders of the git folder without locks worth a look: too large, or another working tree's. */
const PASSED_OVER = new Set(["objects", "logs", "hooks", "worktrees", "lfs"]);

interface Found {
  path: string;
  stat: FileStat;
}

/**
 * Removes locks made since the dead run began (`since`, ms since the epoch) that stay unchanged for 5 s, and answers with
 * their paths; waits only when there are any.
 */
export async function removeStaleLocks(repo: Repository, order: { since: number }): Promise<string[]> {
  const { clock, files } = repo.ports;
  await files.removeTree(join(repo.gitDir, "looper"));
  const found = (await findAllLocks(repo)).filter(({ stat }) => stat.mtimeMs >= order.since);
  if (found.length === 0) return [];
  const newest = Math.max(...found.map(({ stat }) => stat.mtimeMs));
  await clock.sleep(Math.min(STILL_MS, Math.max(0, newest + STILL_MS - clock.now())));
  const removed: string[] = [];
  for (const { path, stat } of found) {
    const now = await files.stat(path, { link: true });
    if (now?.inode !== stat.inode || now.mtimeMs !== stat.mtimeMs || now.size !== stat.size) continue;
    await files.remove(path);
    removed.push(path);
  }
  return removed;
}

async function findAllLocks(repo: Repository): Promise<Found[]> {
  const found = await findLocks(repo.ports.files, repo.gitDir);
  if (repo.commonDir !== repo.gitDir) found.push(...(await findLocks(repo.ports.files, repo.commonDir)));
  return found;
}

async function findLocks(files: Files, top: string): Promise<Found[]> {
  const found: Found[] = [];
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await files.list(folder)) {
      const path = join(folder, name);
      const stat = await files.stat(path, { link: true });
      if (stat?.kind === "folder" && !PASSED_OVER.has(basename(path))) folders.push(path);
      if (stat?.kind === "file" && name.endsWith(".lock")) found.push({ path, stat });
    }
  }
  return found;
}
