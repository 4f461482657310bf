// The person's index as a whole: read, and put back in one step. Leaves single paths to index-file.ts.
import { dirname, join } from "node:path";
import { errorCode } from "../../system/errors.js";
import { GitError, runGit } from "../base/git.js";
import { parseIndex, type IndexEntry } from "./index-bytes.js";
import type { Repository } from "../base/repository.js";

const LOCK_MS = 5_000;
const LOCK_POLL_MS = 200;

/** The person's index as it was at one moment. */
export interface PersonIndex {
  /** A whole index file. Empty when there is none. */
  bytes: Uint8Array;
  entries: readonly IndexEntry[];
  /** Equal only where the index is; `undefined` when that cannot be told by it. */
  checksum: string | undefined;
}

/** Reads the person's index. No process, unless it is split in two or written in a way only git knows: then one. */
export async function readPersonIndex(repo: Repository): Promise<PersonIndex> {
  return readWhole(repo, join(repo.gitDir, "index"));
}

/** The same of another index file. */
export async function readWhole(repo: Repository, file: string): Promise<PersonIndex> {
  const bytes = await repo.ports.files.read(file);
  if (bytes === undefined) return { bytes: new Uint8Array(), entries: [], checksum: "none" };
  const read = parseIndex(bytes, repo.idBytes);
  if (read !== undefined && !read.split) return { bytes, entries: read.entries, checksum: read.checksum };
  return readThroughGit(repo, file);
}

/** The paths of an index file of our own; `undefined` when there is none. */
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
  // The whole says nothing of the half that lies in `file`: it may stay the same while the other half changes.
  return { bytes, entries: read.entries, checksum: undefined };
}

/** An index file of our own with these bytes; answers with its path. */
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

/** Puts a whole index file in the place of the person's, as git does it; without bytes, none. Waits up to 5 s for another git. */
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

/** Answers with false when another git holds the lock. */
async function placeLock(repo: Repository, lock: string, bytes: Uint8Array, mode: number): Promise<boolean> {
  try {
    await repo.ports.files.writeNew(lock, bytes, { mode });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    // Half a lock would keep every git out.
    await repo.ports.files.remove(lock);
    throw error;
  }
}
