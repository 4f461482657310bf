// Finds git's lock files, which keep every other git process out, and removes those that a killed git left behind.
import { basename, join, relative } from "node:path";
import { UserError } from "../../system/errors.js";
import type { FileStat } from "../../system/ports.js";
import { toText } from "./bytes.js";
import { asResult } from "./git.js";
import type { Repository } from "./repository/repository.js";

/** A lock that changes within this time has a living owner. */
const STILL_MS = 5_000;
const POLL_MS = 500;
/** Folders of the git folder to skip: too large, another working tree's, or this program's own. */
const PASSED_OVER = new Set(["objects", "logs", "hooks", "worktrees", "lfs", "looper", "looper-put-aside"]);

/** Locks by absolute path; the value changes if the lock is replaced. */
export type Locks = ReadonlyMap<string, string>;

interface Found {
  path: string;
  stat: FileStat;
}

/** Lists all locks. Starts no process. */
export async function readLocks(repo: Repository): Promise<Locks> {
  return new Map((await findAllLocks(repo)).map((found) => [found.path, versionOf(found.stat)]));
}

/**
 * Removes locks that were made since the dead run began (`since`, ms since the epoch) and that no process holds;
 * returns their paths. Waits only if there are any. Contract: called after the sweep of the dead run, when none of
 * its processes is left.
 */
export async function removeStaleLocks(repo: Repository, order: { since: number }): Promise<string[]> {
  await repo.ports.files.removeTree(join(repo.gitDir, "looper"));
  const found = await findAllLocks(repo);
  return removeUnheld(
    repo,
    found.filter(({ stat }) => stat.mtimeMs >= order.since),
  );
}

/**
 * Removes locks that were made since `before` and that no process holds; returns warnings. Waits only if there are
 * any. Contract: no process that an attempt or a check started is left.
 */
export async function removeNewLocks(repo: Repository, before: Locks): Promise<string[]> {
  const found = await findAllLocks(repo);
  const removed = await removeUnheld(
    repo,
    found.filter(({ path, stat }) => before.get(path) !== versionOf(stat)),
  );
  return removed.map(
    (path) => `${path} was left by a killed git and blocked other git commands; it was removed`,
  );
}

/** Does the same at the end of a run, which does not depend on the result. */
export async function tryRemoveNewLocks(repo: Repository, before: Locks): Promise<void> {
  await asResult(() => removeNewLocks(repo, before));
}

/** Throws if a lock would keep a run from working; waits up to 5 s for a new one to go. */
export async function assertUnlocked(repo: Repository): Promise<void> {
  const { clock } = repo.ports;
  const begun = clock.monotonic();
  for (;;) {
    const [lock] = (await findAllLocks(repo)).filter(({ path }) => isInTheWay(repo, path));
    if (lock === undefined) return;
    const { path, stat } = lock;
    if (clock.now() - stat.mtimeMs >= STILL_MS || clock.monotonic() - begun >= STILL_MS) {
      throw new UserError(
        "environment",
        `${path} is there: a git is at work in this repository, or one that was killed left it`,
        `end what holds it, e.g. an editor that git commit opened; once no git runs here: rm '${path}'`,
      );
    }
    await clock.sleep(POLL_MS);
  }
}

/** Whether the lock keeps a run from moving branches or writing the index. */
function isInTheWay({ gitDir, commonDir }: Repository, lock: string): boolean {
  if (["index.lock", "HEAD.lock"].some((name) => lock === join(gitDir, name))) return true;
  return /^(?:packed-refs\.lock$|refs\/(?:heads|looper)\/)/.test(relative(commonDir, lock));
}

async function removeUnheld(repo: Repository, found: readonly Found[]): Promise<string[]> {
  const { clock, files } = repo.ports;
  if (found.length === 0) return [];
  const newest = Math.max(...found.map(({ stat }) => stat.mtimeMs));
  await clock.sleep(Math.min(STILL_MS, Math.max(0, newest + STILL_MS - clock.now())));
  // While the user writes a commit message, git holds a lock that does not change.
  if (await isGitHere(repo)) return [];
  const removed: string[] = [];
  for (const { path, stat } of found) {
    const now = await files.stat(path, { link: true });
    if (now === undefined || versionOf(now) !== versionOf(stat)) continue;
    await files.remove(path);
    removed.push(path);
  }
  return removed;
}

function versionOf({ inode, mtimeMs, size }: FileStat): string {
  return [inode, mtimeMs, size].join(" ");
}

async function findAllLocks(repo: Repository): Promise<Found[]> {
  const found: Found[] = [];
  for (const top of new Set([repo.gitDir, repo.commonDir])) {
    const entered = (folder: string): boolean => !PASSED_OVER.has(basename(folder));
    for (const { path, kind } of await repo.ports.files.tree(top).walk("", entered)) {
      if (kind !== "file" || !path.endsWith(".lock")) continue;
      const file = join(top, toText(path));
      const stat = await repo.ports.files.stat(file, { link: true });
      if (stat !== undefined) found.push({ path: file, stat });
    }
  }
  return found;
}

// Finds out whether a git process is working in a working tree. Its lock may stay unchanged for as long as the user
// writes a commit message.

/** Searches /proc for a git process in the tree. Returns false if /proc is missing or shows no such process. */
async function isGitHere({ ports: { files }, cwd }: Repository): Promise<boolean> {
  for (const pid of await files.list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const name = await asResult(() => files.read(`/proc/${pid}/comm`));
    if (!name.ok || Buffer.from(name.value ?? []).toString("latin1") !== "git\n") continue;
    // A process may have ended since it was listed, or may belong to another user.
    const folder = await asResult(() => files.readLink(`/proc/${pid}/cwd`));
    if (folder.ok && folder.value !== undefined && `${folder.value}/`.startsWith(`${cwd}/`)) return true;
  }
  return false;
}
