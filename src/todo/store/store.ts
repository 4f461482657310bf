// The interface of the only writer of the backlog: the operations on a task file, and the lock they take;
// writer.ts does the work under it.
import type { Ports } from "../../system/ports.js";
import type { Result } from "../../system/result.js";
import { BacklogFile, type CopyKind } from "./backlog-file.js";
import type { Change } from "../model/changes/change.js";
import type { CheckOptions } from "../check/check.js";
import type { PersonChange, TimedChanges } from "../model/changes/person-change.js";
import type { Backlog } from "../model/task.js";
import {
  Writer,
  type Adopted,
  type Begun,
  type ChangeOptions,
  type Changed,
  type Edited,
  type EditRefusal,
  type Invalid,
  type ReadResult,
  type Rewritten,
  type Unusable,
} from "./writer.js";
import { basename, dirname, join } from "node:path";
import { digest } from "../../system/text/digest.js";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { acquireLock } from "../../system/files/lock.js";

export interface StoreOptions {
  /** The folder of the short lock; created when missing. */
  lockFolder: string;
  /** The run that the store writes for; named in the lock. */
  run?: string;
  /** Rules beyond the shape that a valid file must meet. */
  check?: CheckOptions;
  /** Returns the changes that people made through stores of their own since the last call. */
  heard?: () => Promise<readonly TimedChanges[]>;
}

/**
 * The store of one task file. A method that writes waits for the lock, and throws if another process does not release it.
 * The store remembers the first valid file it reads; from then on `change` keeps that version up to date.
 */
export interface Store {
  /** Returns the present content without remembering it: the next `change`, even an empty one, merges the edits of others. */
  read(): Promise<ReadResult>;
  /** Returns the content once no save is in progress: waits a moment for an invalid file that was just written. */
  readSaved(): Promise<ReadResult>;
  /** Applies changes to the newest file. Does not write without a difference. */
  change(
    changes: readonly (Change | PersonChange)[],
    options: ChangeOptions,
  ): Promise<Result<Changed, Unusable>>;
  /**
   * Makes a person's changes, all or none, as decided on the newest file under the lock. `tell` sends them to the run in
   * progress right before the write, with the backlog they were decided on.
   */
  edit(
    decide: (backlog: Backlog) => readonly PersonChange[],
    tell: (told: TimedChanges, backlog: Backlog) => Promise<void>,
  ): Promise<Result<Edited, EditRefusal>>;
  /**
   * Rewrites the present file in another form, whether it is a backlog or not. `copyAs` decides whether the old bytes are
   * kept as a copy, and of which kind. `undefined`: the file does not exist.
   */
  rewrite(
    make: (bytes: Uint8Array) => Uint8Array,
    copyAs?: (bytes: Uint8Array) => CopyKind | undefined,
  ): Promise<Rewritten | undefined>;
  /**
   * Writes the bytes made from the present content, if any; invalid bytes are not written. The old file is kept as a copy
   * unless it is empty.
   */
  begin(make: (found: ReadResult) => Uint8Array | undefined): Promise<Result<Begun, Invalid>>;
  /** Replaces the file by these bytes if they are a valid backlog with tasks. An old file with tasks is always kept as a copy. */
  adopt(bytes: Uint8Array, options: { copyAside: boolean }): Promise<Result<Adopted, Invalid>>;
  /**
   * Restores the file after an agent wrote here instead of elsewhere; returns the agent's bytes, which are kept as a copy.
   * `undefined`: the file was unchanged.
   */
  putBack(before: Uint8Array | undefined): Promise<Uint8Array | undefined>;
  /** Takes and releases the lock, which removes the remains of a killed process. */
  tidy(): Promise<void>;
  /** Copies the file as it is now to `<file>.<kind>-<time>`; `undefined` when there is none. */
  putAside(kind: CopyKind): Promise<string | undefined>;
}

type StorePorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

/** Opens the store of the task file at an absolute path, without reading it. Unreadable and unwritable files are UserErrors. */
export function openStore(ports: StorePorts, path: string, options: StoreOptions): Store {
  const file = new BacklogFile(ports, path, options.check ?? {});
  const writer = new Writer(ports, file, options.heard);
  return {
    read: () => writer.read(),
    readSaved: () => writer.readSaved(),
    change: (changes, how) => withLock(ports, path, options, () => writer.change(changes, how)),
    edit: (decide, tell) => withLock(ports, path, options, () => writer.edit(decide, tell)),
    rewrite: (make, copyAs) => withLock(ports, path, options, () => writer.rewrite(make, copyAs)),
    begin: (make) => withLock(ports, path, options, () => writer.begin(make)),
    adopt: (bytes, how) => withLock(ports, path, options, () => writer.adopt(bytes, how)),
    putBack: (before) => withLock(ports, path, options, () => writer.putBack(before)),
    tidy: () => withLock(ports, path, options, () => Promise.resolve()),
    putAside: async (kind) => {
      const look = await file.look();
      return look.kind === "missing" ? undefined : file.setAside(kind, look.bytes);
    },
  };
}

// The short lock of a task file, held while a process reads the file and writes it.

/** The lock is not fair: of a hundred waiting processes, one may be unlucky for a while. */
const LOCK_WAIT_MS = 30_000;

/** Acts under the lock, which names `run`. After the longest wait, an `environment` error names the process that holds it. */
async function withLock<T>(
  ports: Pick<Ports, "clock" | "files" | "processes" | "random">,
  path: string,
  { lockFolder, run }: { lockFolder: string; run?: string },
  act: () => Promise<T>,
): Promise<T> {
  const folder = (await ports.files.realPath(dirname(path))) ?? dirname(path);
  const real = (await ports.files.realPath(path)) ?? join(folder, basename(path));
  const lock = join(lockFolder, `backlog-${digest([real])}`);
  const facts = run === undefined ? {} : { run };
  const result = await acquireLock(ports, lock, facts, { waitMs: LOCK_WAIT_MS }).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    const message = `cannot lock ${path}: ${errorMessage(error)}`;
    const hint = `make room, or make ${lockFolder} writable`;
    throw new UserError("environment", message, hint, { cause: error });
  });
  if ("heldBy" in result) {
    const { pid, host } = result.heldBy;
    const message = `${path} is kept locked by pid ${String(pid)} on ${host}`;
    throw new UserError("environment", message, "end that process, then try again");
  }
  try {
    // Every write is atomic, so a dead holder leaves nothing to repair; the writer removes its temporary files.
    await result.held.forgetDead();
    return await act();
  } finally {
    await result.held.release();
  }
}
