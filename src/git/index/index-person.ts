// Reads and restores the person's index as a whole. index-file.ts changes single paths.
import { dirname, join } from "node:path";
import { errorCode } from "../../system/errors.js";
import type { Version } from "../base/read/diff.js";
import { GitError, runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";

const LOCK_MS = 5_000;
const LOCK_POLL_MS = 200;

/** The person's index at one moment. */
export interface PersonIndex {
  /** A whole index file; empty if there is none. */
  bytes: Uint8Array;
  /** Equal exactly if the indexes are; `undefined` if the checksum cannot show that. */
  checksum: string | undefined;
}

/** A path in an index. */
export interface IndexEntry extends Version {
  /** From the top of the repository, in bytes. */
  path: string;
  /** 0, or 1 to 3 for a path in conflict. */
  stage: number;
  /** The bit assume-unchanged. */
  assumed: boolean;
  /** The bit skip-worktree. */
  skipped: boolean;
  /** Added with `git add -N`; without content yet. */
  intended: boolean;
}

/** Reads the person's index. Starts one process if it is split, otherwise none. */
export async function readPersonIndex(repo: Repository): Promise<PersonIndex> {
  const { files } = repo.ports;
  const bytes = await files.read(join(repo.gitDir, "index"));
  if (bytes === undefined) return { bytes: new Uint8Array(), checksum: "none" };
  // The checksum in a split index covers only its own half, so it cannot show whether the whole is equal.
  if ((await files.list(repo.gitDir)).some((name) => name.startsWith("sharedindex.")))
    return { bytes: await joinParts(repo, bytes), checksum: undefined };
  const end = Buffer.from(bytes.subarray(-repo.idBytes)).toString("hex");
  // Git may be configured to omit it.
  return { bytes, checksum: /^0+$/.test(end) ? undefined : end };
}

/** Without this setting git clears the skip bit of a file that is in the tree. */
const AS_THEY_ARE = ["-c", "sparse.expectFilesOutsideOfPatterns=true"];

async function joinParts(repo: Repository, bytes: Uint8Array): Promise<Uint8Array> {
  const { files } = repo.ports;
  const copy = await privateCopy(repo, "whole-index", bytes);
  const args = [...AS_THEY_ARE, "update-index", "--index-version", "2", "--force-write-index"];
  await runGit(repo, args, { index: copy });
  const whole = (await files.read(copy)) ?? new Uint8Array();
  await files.remove(copy);
  return whole;
}

/** The entries of an index that was read. Starts one process. */
export async function entriesOf(
  repo: Repository,
  { bytes }: Pick<PersonIndex, "bytes">,
): Promise<readonly IndexEntry[]> {
  const copy = await privateCopy(repo, "read-index", bytes);
  const entries = await listEntries(repo, copy);
  await repo.ports.files.remove(copy);
  return entries;
}

/** An entry as `git ls-files --stage --debug -z` prints it. */
const ENTRY =
  /(\d{6}) ([0-9a-f]+) ([0-3])\t([^\0]*)\0(?: {2}[^\n]*\n){4} {2}size: \d+\tflags: ([0-9a-f]+)\n/gy;
const [ASSUMED, SKIPPED, INTENDED] = [1 << 15, 1 << 30, 1 << 29];

/** The entries of an index file; none if it does not exist. Starts one process. */
export async function listEntries(repo: Repository, index: string): Promise<readonly IndexEntry[]> {
  const { out } = await runGit(repo, [...AS_THEY_ARE, "ls-files", "--stage", "--debug", "-z"], { index });
  const found = [...out.matchAll(ENTRY)];
  // Git promises no form of `--debug`: entries that are not read must not count as gone.
  if (found.length !== out.split("\0").length - 1)
    throw new GitError("git ls-files --debug", "its output has a form that Looper does not know");
  return found.map(([, mode = "", oid = "", stage, path = "", bits = ""]) => {
    const flags = Number.parseInt(bits, 16);
    return {
      ...{ path, mode, oid, stage: Number(stage) },
      assumed: (flags & ASSUMED) !== 0,
      skipped: (flags & SKIPPED) !== 0,
      intended: (flags & INTENDED) !== 0,
    };
  });
}

/** Writes an own index file with these bytes; returns its path. */
export async function privateCopy(
  repo: Repository,
  name: string,
  bytes: Uint8Array | undefined,
): Promise<string> {
  const { files } = repo.ports;
  const path = join(repo.gitDir, "looper", name);
  await files.makeFolder(dirname(path), 0o700);
  await files.remove(`${path}.lock`);
  await files.remove(path);
  if (bytes !== undefined && bytes.length > 0) await files.writeNew(path, bytes);
  return path;
}

/**
 * Replaces the person's index by a whole file, as git does; without bytes, removes it. Waits up to 5 s for another
 * git.
 */
export async function replaceIndex(repo: Repository, bytes: Uint8Array): Promise<void> {
  const { clock, files } = repo.ports;
  const path = join(repo.gitDir, "index");
  if (bytes.length === 0) {
    await files.remove(path);
    return;
  }
  const lock = `${path}.lock`;
  const mode = (await files.stat(path))?.mode ?? 0o644;
  const begun = clock.monotonic();
  while (!(await placeLock(repo, lock, bytes, mode))) {
    if (clock.monotonic() - begun >= LOCK_MS) throw new GitError("git index", `${lock} is there`);
    await clock.sleep(LOCK_POLL_MS);
  }
  await files.rename(lock, path);
}

/** Returns false if another git holds the lock. */
async function placeLock(repo: Repository, lock: string, bytes: Uint8Array, mode: number): Promise<boolean> {
  try {
    await repo.ports.files.writeNew(lock, bytes, { mode });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    // An incomplete lock file would keep every git out.
    await repo.ports.files.remove(lock);
    throw error;
  }
}
