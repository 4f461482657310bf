// The one writer of the backlog, seen from outside: what can be done with a task file. Leaves the lock to store-lock.ts, and what
// is done under it to writer.ts.
import type { Ports } from "../../system/ports.js";
import type { Result } from "../../system/result.js";
import { BacklogFile, type CopyKind } from "./backlog-file.js";
import type { Change } from "../model/change.js";
import type { CheckOptions } from "../check/check.js";
import type { PersonChange, Told } from "../model/person-change.js";
import { withLock } from "./store-lock.js";
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

export interface StoreOptions {
  /** The folder of the short lock; made when missing. */
  lockFolder: string;
  /** The run it writes for: named in the lock. */
  run?: string;
  /** Rules beyond the shape that a valid file must meet. */
  check?: CheckOptions;
  /** Returns the changes that people made through stores of their own since the last call. */
  heard?: () => Promise<readonly Told[]>;
}

/**
 * The store of one task file. A method that writes waits for the lock, and throws when another process keeps it. The store
 * remembers the first good file it reads; from then on `change` keeps that version up to date.
 */
export interface Store {
  /** The content now. Remembers nothing of it: the next `change`, even with an empty list, takes in the edits of others. */
  read(): Promise<ReadResult>;
  /** The content once no save is in progress: a file that is invalid and was written just now is given a moment. */
  readSaved(): Promise<ReadResult>;
  /** Applies changes to the newest file. Nothing is written when nothing differs. */
  change(
    changes: readonly (Change | PersonChange)[],
    options: ChangeOptions,
  ): Promise<Result<Changed, Unusable>>;
  /**
   * Makes a person's changes, decided on the newest file under the lock: all of them or none. `tell` passes them to the run in
   * progress right before they are written, with the backlog they were decided on; false leaves them to that run.
   */
  edit(
    decide: (backlog: Backlog) => readonly PersonChange[],
    tell: (told: Told, backlog: Backlog) => Promise<boolean>,
  ): Promise<Result<Edited, EditRefusal>>;
  /**
   * Writes the file as it is now in another way, a backlog or not. `copyAs`: whether the old bytes are copied aside, and as what.
   * `undefined`: there is no file.
   */
  rewrite(
    make: (bytes: Uint8Array) => Uint8Array,
    copyAs?: (bytes: Uint8Array) => CopyKind | undefined,
  ): Promise<Rewritten | undefined>;
  /**
   * Writes the bytes made from the present content; without bytes the file stays. Invalid bytes are not written. An old file
   * that is replaced is copied aside, unless it is empty.
   */
  begin(make: (found: ReadResult) => Uint8Array | undefined): Promise<Result<Begun, Invalid>>;
  /** Makes these bytes the file, if they are a valid backlog with tasks. An old file with tasks is copied aside in any case. */
  adopt(bytes: Uint8Array, options: { copyAside: boolean }): Promise<Result<Adopted, Invalid>>;
  /**
   * Makes the file what it was before an agent that was to write elsewhere wrote here; what it wrote is copied aside, and
   * answered. `undefined`: the file is as it was.
   */
  putBack(before: Uint8Array | undefined): Promise<Uint8Array | undefined>;
  /** Takes its lock and lets it go: what one who was killed left of it is gone then. */
  tidy(): Promise<void>;
  /** Copies the file as it is now to `<file>.<kind>-<time>`; `undefined` when there is none. */
  putAside(kind: CopyKind): Promise<string | undefined>;
}

type StorePorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

/** Opens the store of the task file at an absolute path. Touches nothing yet. Unreadable and unwritable files are UserErrors. */
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
