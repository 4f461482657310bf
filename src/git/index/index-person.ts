// Reads and restores the person's index as a whole. index-file.ts changes single paths.
import { dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../system/errors.js";
import { type Version, exists, NOTHING, sameVersion, type DiffEntry } from "../base/read/diff.js";
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
  const { files } = repo.ports;
  const path = join(repo.gitDir, "index");
  if (bytes.length === 0) {
    await files.remove(path);
    return;
  }
  const lock = `${path}.lock`;
  const mode = (await files.stat(path))?.mode ?? 0o644;
  await outwaitLock(repo, async () => {
    try {
      await files.writeNew(lock, bytes, { mode });
    } catch (error) {
      // An incomplete lock file would keep every git out.
      if (errorCode(error) !== "EEXIST") await files.remove(lock);
      throw error;
    }
  });
  await files.rename(lock, path);
}

/** Acts, for up to 5 s again and again while another git has locked the person's index. */
export async function outwaitLock(repo: Repository, act: () => Promise<unknown>): Promise<void> {
  const { clock } = repo.ports;
  const begun = clock.monotonic();
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      const isLocked = errorMessage(error).includes("index.lock");
      if (!isLocked || ![undefined, "EEXIST"].includes(errorCode(error))) throw error;
      if (clock.monotonic() - begun >= LOCK_MS) throw error;
      await clock.sleep(LOCK_POLL_MS);
    }
  }
}

// Compares the person's index with files and HEAD: finds content that exists only in the index, and the changes that turn one
// index into another.

/** Every path of an index, as a map. */
export type ByPath = ReadonlyMap<string, Version>;

/** The ordinary entries of an index by path. */
export function byPath(entries: readonly IndexEntry[]): Map<string, Version> {
  return new Map(
    entries.filter(({ stage, intended }) => stage === 0 && !intended).map((entry) => [entry.path, entry]),
  );
}

/** Whether an entry has only a mode and an id. */
export function isOrdinary({ stage, assumed, skipped, intended }: IndexEntry): boolean {
  return stage === 0 && !assumed && !skipped && !intended;
}

/**
 * Whether an index equals HEAD: no bits, no conflicts, the same paths. `tree`: the own index, which differs from
 * HEAD by `changed`.
 */
export function isPlain(
  person: readonly IndexEntry[],
  tree: ByPath,
  changed: ReadonlyMap<string, DiffEntry>,
): boolean {
  const inHead = (path: string): Version | undefined => changed.get(path)?.from ?? tree.get(path);
  let equal = 0;
  for (const entry of person) {
    const version = inHead(entry.path);
    if (!isOrdinary(entry) || version === undefined || !sameVersion(version, entry)) return false;
    equal += 1;
  }
  const added = [...changed.values()].filter(({ from }) => !exists(from)).length;
  const removed = [...changed.values()].filter(({ to }) => !exists(to)).length;
  return equal === tree.size - added + removed;
}

/** The entries whose content exists only in the index: those that `tree`, the own index, does not have. */
export function findOnlyStaged(
  person: readonly IndexEntry[],
  tree: ByPath,
  isOwn: (path: string) => boolean,
): DiffEntry[] {
  return person.flatMap((entry) => {
    const { path, mode, oid } = entry;
    const file = tree.get(path);
    // The runner's own files are never staged in the own index: their entries there are copies of the person's.
    if (entry.stage !== 0 || entry.intended) return [];
    if (file !== undefined && sameVersion(file, entry) && !isOwn(path)) return [];
    return [{ path, from: NOTHING, to: { mode, oid } }];
  });
}
