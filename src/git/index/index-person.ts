// Reads and restores the person's index as a whole. index-file.ts changes single paths.
import { dirname, join } from "node:path";
import { errorCode } from "../../system/errors.js";
import { GitError, runGit } from "../base/git.js";
import { parseIndex, type IndexEntry } from "./index-bytes.js";
import type { Repository } from "../base/repository/repository.js";

const LOCK_MS = 5_000;
const LOCK_POLL_MS = 200;

/** The person's index at one moment. */
export interface PersonIndex {
  /** A whole index file; empty if there is none. */
  bytes: Uint8Array;
  entries: readonly IndexEntry[];
  /** Equal exactly if the indexes are; `undefined` if the checksum cannot show that. */
  checksum: string | undefined;
}

/** Reads the person's index. Starts one process if it is split or has an unknown format, otherwise none. */
export async function readPersonIndex(repo: Repository): Promise<PersonIndex> {
  return readWhole(repo, join(repo.gitDir, "index"));
}

/** Reads another index file in the same way. */
export async function readWhole(repo: Repository, file: string): Promise<PersonIndex> {
  const bytes = await repo.ports.files.read(file);
  if (bytes === undefined) return { bytes: new Uint8Array(), entries: [], checksum: "none" };
  const read = parseIndex(bytes, repo.idBytes);
  if (read !== undefined && !read.split) return { bytes, entries: read.entries, checksum: read.checksum };
  return readThroughGit(repo, file);
}

/** The paths of an own index file; `undefined` if it does not exist. */
export async function readEntries(
  repo: Repository,
  index: string,
): Promise<readonly IndexEntry[] | undefined> {
  const bytes = await repo.ports.files.read(index);
  if (bytes === undefined) return undefined;
  const read = parseIndex(bytes, repo.idBytes);
  if (read === undefined || read.split) throw new GitError("git index", `cannot read ${index}`);
  return read.entries;
}

async function readThroughGit(repo: Repository, file: string): Promise<PersonIndex> {
  const { files } = repo.ports;
  const copy = await privateCopy(repo, "whole-index", await files.read(file));
  await runGit(repo, ["update-index", "--index-version", "2", "--force-write-index"], { index: copy });
  const bytes = (await files.read(copy)) ?? new Uint8Array();
  await files.remove(copy);
  const read = parseIndex(bytes, repo.idBytes);
  if (read === undefined || read.split) throw new GitError("git index", `cannot read ${file}`);
  // The checksum in a split index covers only its own half, so it cannot show whether the whole is equal.
  return { bytes, entries: read.entries, checksum: undefined };
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
