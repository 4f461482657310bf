// The only writer of the backlog. Under a lock it reads the newest version, merges the edits of others, changes it and writes
// it in one step. merge.ts and update.ts decide; edit.ts and backlog-file.ts make and write the bytes.
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { acquireLock } from "../../system/files/lock.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import { err, ok, type Result } from "../../system/result.js";
import { digest } from "../../system/text/digest.js";
import { sha256Hex } from "../../system/text/sha256.js";
import { encode, BacklogFile, type CopyKind, type FileContent, type FileVersion } from "./backlog-file.js";
import type { CheckOptions } from "../check/check.js";
import type { Applied, BacklogIndex, Change, Edits, Refusal } from "../model/changes/change.js";
import { editBacklog } from "../json/edit.js";
import { mergeEdits, type MergeRules } from "../change/merge.js";
import type { PersonChange, TimedChanges } from "../model/changes/person-change.js";
import type { Problem } from "../model/problem.js";
import { indexOf, rowOf, sameRow } from "../model/select.js";
import type { Backlog, IndexRow, Task, TaskId } from "../model/task.js";
import { applyChanges } from "../change/update.js";

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

export type ReadResult =
  | { kind: "missing" }
  /** White space only, or no tasks; `problems` is empty if the file is still valid. */
  | { kind: "empty"; bytes: Uint8Array; problems: Problem[] }
  /** `tasks`: those that can still be read. */
  | { kind: "invalid"; bytes: Uint8Array; problems: Problem[]; tasks: Task[] }
  | { kind: "ok"; bytes: Uint8Array; backlog: Backlog; index: BacklogIndex };

export interface ChangeOptions extends MergeRules {
  /** The task of the job that makes the changes: those of its row are refused once a person took it from the job. */
  inHand?: TaskId;
  /** The time of the decision, epoch ms, for `updated_at`. Without it, the time of writing. */
  now?: number;
  /**
   * Called with the bytes to write, while the lock is held, and again with other bytes if the file was saved meanwhile: the
   * last call counts. If it throws, the file is not written.
   */
  beforeWrite?: (bytes: Uint8Array) => Promise<void>;
}

export interface Changed {
  applied: Applied;
  /** The edits that others had saved; absent when there are none. */
  edits?: Edits;
  /** Changes that people made through other stores since this store last read the file, in order; absent without any. */
  heard?: readonly TimedChanges[];
  backlog: Backlog;
  index: BacklogIndex;
  /** Rows that are new or have changed since this store last read the file, in file order. */
  changedRows: IndexRow[];
  /** Tasks that were removed since then. */
  removed: TaskId[];
  /** The bytes that the file holds now, and their SHA-256 in hexadecimal digits. */
  bytes: Uint8Array;
  sha256: string;
  /** Whether another process saved the file since then, even if only white space differs. */
  saved: boolean;
}

export interface Edited {
  updated: Applied["updated"];
  backlog: Backlog;
}

/** `written`: whether the file changed. `copy`: where the old file was copied to. */
export interface Rewritten {
  written: boolean;
  copy?: string;
}

/** The file is not valid, and no valid version of it is known. */
interface Unusable {
  kind: "unusable";
  read: ReadResult;
}

/** The result would not be a valid backlog. */
export interface Invalid {
  kind: "invalid";
  problems: Problem[];
}

/** Why an edit was not made; `refused`: none of its changes was made. */
export type EditRefusal = Unusable | Invalid | { kind: "refused"; refusals: Refusal[] };

/** A broken file may be a save in progress; after this time it counts as broken. */
const SETTLE_MS = 2_000;
const SETTLE_STEP_MS = 100;
/** An editor that truncates a file and rewrites it takes less time than this. */
const JUST_NOW_MS = 500;
/** How many saves between reading and writing restart a change before it fails. */
const MOST_RESTARTS = 20;
/** The lock is not fair: of a hundred waiting processes, one may be unlucky for a while. */
const LOCK_WAIT_MS = 30_000;

/** The basis of a write: the text to start from, its content, and the edits others made to it. */
interface Start {
  from: FileVersion;
  backlog: Backlog;
  edits?: Edits;
}

/** The answer of an action under the lock if the file was saved while it worked. */
const AGAIN = Symbol("again");
type Again = typeof AGAIN;

/** Opens the store of the task file at an absolute path, without reading it. Unreadable and unwritable files are UserErrors. */
export function openStore(
  ports: Pick<Ports, "clock" | "files" | "processes" | "random">,
  path: string,
  options: StoreOptions,
): Store {
  return new FileStore(ports, new BacklogFile(ports, path, options.check ?? {}), options);
}

/** The methods of a store. */
export type Store = Pick<FileStore, keyof FileStore>;

/**
 * The store of one task file. A method that writes waits for the lock, and throws if another process does not release it.
 * The store remembers the first valid file it reads; from then on `change` keeps that version up to date.
 */
class FileStore {
  /** The last valid version that this store read or wrote. */
  private known: FileVersion | undefined;
  private print: { of: FileVersion; sha256: string } | undefined;
  private tidied = false;

  constructor(
    private readonly ports: Pick<Ports, "clock" | "files" | "processes" | "random">,
    private readonly file: BacklogFile,
    private readonly options: StoreOptions,
  ) {}

  /** Returns the present content without remembering it: the next `change`, even an empty one, merges the edits of others. */
  read = async (): Promise<ReadResult> => this.learn(await this.file.look());

  /** Returns the content once no save is in progress: waits a moment for an invalid file that was just written. */
  readSaved = async (): Promise<ReadResult> =>
    this.learn(
      await this.lookWhile(
        async (look) => "problems" in toRead(look) && (await this.file.age()) < JUST_NOW_MS,
      ),
    );

  /** Applies changes to the newest file. Does not write without a difference. */
  change = (
    changes: readonly (Change | PersonChange)[],
    options: ChangeOptions,
  ): Promise<Result<Changed, Unusable>> => {
    let begun: { last: FileVersion | undefined; heard: Awaited<ReturnType<FileStore["hear"]>> } | undefined;
    let copied: { bytes: Uint8Array; path: string } | undefined;
    return this.locked(async () => {
      begun ??= { last: this.known, heard: await this.hear() };
      const { last, heard } = begun;
      // While only people save, a broken file may be a save in progress.
      const waits = options.while === "idle" && this.known !== undefined;
      const look = await this.lookWhile(({ kind }) => kind !== "ok" && waits);
      const start = this.start(look, options);
      if (start === undefined) return err({ kind: "unusable", read: toRead(look) });
      const now = new Date(options.now ?? this.ports.clock.now()).toISOString();
      const { backlog, applied, next } = this.apply(start, changes, { now, inHand: options.inHand });
      if (look.kind !== "ok" || next !== look.version) {
        if (look.kind !== "missing" && start.edits !== undefined && start.edits.putBack.length > 0) {
          if (copied === undefined || Buffer.compare(copied.bytes, look.bytes) !== 0)
            copied = { bytes: look.bytes, path: await this.file.setAside("edited", look.bytes) };
          start.edits.copy = copied.path;
        }
        await options.beforeWrite?.(next.bytes);
        if (!(await this.file.isStill(look))) return AGAIN;
        await this.file.write(next);
      }
      const before = last?.backlog ?? start.from.backlog;
      const saved = last !== undefined && !holds(look, last.bytes);
      this.known = next;
      const edits =
        heard && start.edits ? joinEdits([heard.edits, start.edits]) : (heard?.edits ?? start.edits);
      return ok({
        applied,
        ...(edits && { edits }),
        ...(heard && { heard: heard.told }),
        ...difference(before, backlog),
        saved,
        bytes: next.bytes,
        sha256: this.printOf(next),
      });
    });
  };

  /**
   * Makes a person's changes, all or none, as decided on the newest file under the lock. `tell` sends them to the run in
   * progress right before the write, with the backlog they were decided on.
   */
  edit = (
    decide: (backlog: Backlog) => readonly PersonChange[],
    tell: (told: TimedChanges, backlog: Backlog) => Promise<void>,
  ): Promise<Result<Edited, EditRefusal>> => {
    return this.locked(async () => {
      await this.readSaved();
      const look = await this.file.look();
      if (look.kind !== "ok") return err({ kind: "unusable", read: toRead(look) });
      const changes = decide(look.version.backlog);
      const at = new Date(this.ports.clock.now()).toISOString();
      const { backlog, applied } = applyChanges(look.version.backlog, changes, at);
      if (applied.refused.length > 0) return err({ kind: "refused", refusals: applied.refused });
      const next = this.next({ from: look.version, backlog }, backlog);
      const judged = this.file.judge(next.bytes);
      if (judged.kind === "invalid") return err({ kind: "invalid", problems: judged.problems });
      if (!(await this.file.isStill(look))) return AGAIN;
      if (changes.length > 0) await tell({ at, changes }, look.version.backlog);
      if (backlog.tasks.length === 0) await this.file.setAside("edited", look.bytes);
      await this.file.write(next);
      return ok({ updated: applied.updated, backlog });
    });
  };

  /** Applies the edits that people made through other stores, so that they do not count as an agent's. */
  private async hear(): Promise<{ told: readonly TimedChanges[]; edits: Edits } | undefined> {
    const told = this.known === undefined ? [] : ((await this.options.heard?.()) ?? []);
    const edits = told.map(({ at, changes }) => {
      if (this.known === undefined) return NO_EDITS;
      const { backlog, applied } = applyChanges(this.known.backlog, changes, at);
      this.known = this.next({ from: this.known, backlog }, backlog);
      return listEdits(applied);
    });
    return told.length === 0 ? undefined : { told, edits: joinEdits(edits) };
  }

  /**
   * Writes the bytes made from the present content, if any; invalid bytes are not written. The old file is kept as a copy
   * unless it is empty.
   */
  begin = (
    make: (found: ReadResult) => Uint8Array | undefined,
  ): Promise<Result<Rewritten & { found: ReadResult }, Invalid>> => {
    return this.locked(async () => {
      const old = await this.file.look();
      const found = toRead(old);
      const bytes = make(found);
      if (bytes === undefined) return ok({ found, written: false });
      const look = this.file.judge(bytes);
      if (look.kind !== "ok") return err(invalid(look));
      const done = await this.replace(old, bytes, saysSomething(old) ? "edited" : undefined);
      if (done === AGAIN) return AGAIN;
      if (done.written) this.known = look.version;
      return ok({ found, ...done });
    });
  };

  /** Replaces the file by these bytes if they are a valid backlog with tasks. The old file is kept as a copy. */
  adopt = (
    bytes: Uint8Array,
  ): Promise<Result<{ backlog: Backlog; index: BacklogIndex; copy?: string }, Invalid>> => {
    return this.locked(async () => {
      const old = await this.file.look();
      const look = this.file.judge(bytes);
      if (look.kind !== "ok" || look.version.backlog.tasks.length === 0) return err(invalid(look));
      const done = await this.replace(old, bytes, "broken");
      if (done === AGAIN) return AGAIN;
      this.known = look.version;
      const { backlog } = look.version;
      return ok({ backlog, index: indexOf(backlog), ...given({ copy: done.copy }) });
    });
  };

  /**
   * Restores the file after an agent wrote here instead of elsewhere; returns the agent's bytes, which are kept as a copy.
   * `undefined`: the file was unchanged.
   */
  putBack = (before: Uint8Array | undefined): Promise<Uint8Array | undefined> => {
    return this.locked(async () => {
      const look = await this.file.look();
      const now = look.kind === "missing" ? undefined : look.bytes;
      if (before === undefined ? now === undefined : holds(look, before)) return undefined;
      if (now !== undefined && now.length > 0) await this.file.setAside("edited", now);
      await this.file.putBack(before);
      return now;
    });
  };

  /**
   * Rewrites the present file in another form, whether it is a backlog or not. `copyAs` decides, once that is made, whether
   * the old bytes are kept as a copy, and of which kind. `undefined`: the file does not exist.
   */
  rewrite = (
    make: (bytes: Uint8Array) => Uint8Array,
    copyAs?: () => CopyKind | undefined,
  ): Promise<Rewritten | undefined> => {
    return this.locked(async () => {
      const look = await this.file.look();
      if (look.kind === "missing") return undefined;
      return this.replace(look, make(look.bytes), copyAs?.());
    });
  };

  /** Takes and releases the lock, which removes the remains of a killed process. */
  tidy = (): Promise<void> => {
    return this.locked(() => Promise.resolve());
  };

  /** Replaces what was found by other bytes, after a copy of this kind; `AGAIN` if the file was saved meanwhile. */
  private async replace(
    old: FileContent,
    bytes: Uint8Array,
    kind: CopyKind | undefined,
  ): Promise<Rewritten | Again> {
    if (holds(old, bytes)) return { written: false };
    if (!(await this.file.isStill(old))) return AGAIN;
    const copies = kind !== undefined && old.kind !== "missing";
    const copy = copies ? await this.file.setAside(kind, old.bytes) : undefined;
    await this.file.putBack(bytes);
    return { written: true, ...given({ copy }) };
  }

  /**
   * Acts under the lock, which names the run, and again while others save the file. After the longest wait, an `environment`
   * error names the process that holds the lock.
   */
  private async locked<T>(act: () => Promise<T | Again>): Promise<T> {
    const { ports, file, options } = this;
    const { path } = file;
    const { lockFolder, run } = options;
    const folder = (await ports.files.realPath(dirname(path))) ?? dirname(path);
    const real = (await ports.files.realPath(path)) ?? join(folder, basename(path));
    const lock = join(lockFolder, `backlog-${digest([real])}`);
    const result = await acquireLock(ports, lock, given({ run }), { waitMs: LOCK_WAIT_MS }).catch(
      (error: unknown) => {
        if (errorCode(error) === undefined) throw error;
        const hint = `make room, or make ${lockFolder} writable`;
        const message = `cannot lock ${path}: ${errorMessage(error)}`;
        throw new UserError("environment", message, hint, { cause: error });
      },
    );
    if ("heldBy" in result) {
      const { pid, host } = result.heldBy;
      const message = `${path} is kept locked by pid ${String(pid)} on ${host}`;
      throw new UserError("environment", message, "end that process, then try again");
    }
    try {
      // Every write is atomic, so a dead holder leaves nothing to repair but its temporary files.
      await result.held.forgetDead();
      if (!this.tidied) await file.removeHalfWritten();
      this.tidied = true;
      for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
        const done = await act();
        if (done !== AGAIN) return done;
      }
      const hint = "find out what saves the file without end, then start again";
      throw new UserError("environment", `${path} changes faster than it can be written`, hint);
    } finally {
      await result.held.release();
    }
  }

  private learn(look: FileContent): ReadResult {
    if (look.kind === "ok") this.known ??= look.version;
    return toRead(look);
  }

  /** The content, once it is not worth while to wait any more: a save may be in progress. */
  private async lookWhile(isWorth: (look: FileContent) => Promise<boolean> | boolean): Promise<FileContent> {
    const { clock } = this.ports;
    const deadline = clock.monotonic() + SETTLE_MS;
    let look = await this.file.look();
    while ((await isWorth(look)) && clock.monotonic() < deadline) {
      await clock.sleep(SETTLE_STEP_MS);
      look = await this.file.look();
    }
    return look;
  }

  /** The SHA-256 of a version's bytes; cached for the last version. */
  private printOf(version: FileVersion): string {
    if (this.print?.of !== version) this.print = { of: version, sha256: sha256Hex(version.bytes) };
    return this.print.sha256;
  }

  /** The version to start from; `undefined` where no valid version is known. */
  private start(look: FileContent, rules: MergeRules): Start | undefined {
    const { known } = this;
    if (look.kind === "ok") {
      const from = look.version;
      if (known === undefined) return { from, backlog: from.backlog };
      return { from, ...mergeEdits(known.backlog, from.backlog, rules) };
    }
    if (known === undefined) return undefined;
    const putBack = [LOST[look.kind]];
    return { from: known, backlog: known.backlog, edits: { added: [], changed: [], removed: [], putBack } };
  }

  private apply(
    start: Start,
    changes: readonly (Change | PersonChange)[],
    { now, inHand }: { now: string; inHand: TaskId | undefined },
  ): { backlog: Backlog; applied: Applied; next: FileVersion } {
    const status = start.backlog.tasks.find(({ id }) => id === inHand)?.status;
    const isTaken = (change: Change | PersonChange): boolean =>
      inHand !== undefined && status !== "doing" && "id" in change && change.id === inHand;
    const mine = changes.filter((change) => !isTaken(change));
    const { backlog, applied } = applyChanges(start.backlog, mine, now);
    const why = `it is ${status ?? "removed"}, not doing`;
    const refused = [...applied.refused, ...changes.filter(isTaken).map((change) => ({ change, why }))];
    return { backlog, applied: { ...applied, refused }, next: this.next(start, backlog) };
  }

  /** The version with this backlog, made from `from`; `from` itself if they are the same. */
  private next({ from }: Start, backlog: Backlog): FileVersion {
    if (backlog === from.backlog) return from;
    const text = editBacklog(from.text, from.backlog, backlog);
    return { bytes: encode(text, from.bom), bom: from.bom, text, backlog };
  }
}

function holds(look: FileContent, bytes: Uint8Array): boolean {
  return look.kind !== "missing" && Buffer.compare(look.bytes, bytes) === 0;
}

function invalid(look: FileContent): Invalid {
  return { kind: "invalid", problems: "problems" in look ? look.problems : [] };
}

const LOST = {
  missing: "the whole file, which was deleted",
  empty: "the whole file, which was emptied",
  invalid: "the whole file, which was not a valid backlog",
} as const;

function toRead(look: FileContent): ReadResult {
  if (look.kind !== "ok") return look;
  const { backlog } = look.version;
  if (backlog.tasks.length === 0) return { kind: "empty", bytes: look.bytes, problems: [] };
  return { kind: "ok", bytes: look.bytes, backlog, index: indexOf(backlog) };
}

/** Whether a file exists that is neither blank nor a valid backlog without tasks. */
function saysSomething(look: FileContent): boolean {
  if (look.kind === "empty") return new TextDecoder().decode(look.bytes).trim() !== "";
  return look.kind === "invalid" || (look.kind === "ok" && look.version.backlog.tasks.length > 0);
}

// The differences between two versions of a backlog, as rows.

/** Returns a backlog with its index, and the rows that were added, changed or removed since `before`. */
function difference(
  before: Backlog,
  after: Backlog,
): { backlog: Backlog; index: BacklogIndex; changedRows: IndexRow[]; removed: TaskId[] } {
  const index = indexOf(after, before);
  const changed = { backlog: after, index };
  const inPlace = before.tasks.every(
    (task, at) => after.tasks[at] === task || after.tasks[at]?.id === task.id,
  );
  const places = inPlace ? undefined : new Map(before.tasks.map((task) => [task.id, task]));
  const isChanged = (task: Task, at: number): boolean => {
    const was = places === undefined ? before.tasks[at] : places.get(task.id);
    return was === undefined || !sameRow(was, task);
  };
  const changedRows = after.tasks.filter(isChanged).map(rowOf);
  if (inPlace) return { ...changed, changedRows, removed: [] };
  const left = new Set(after.tasks.map((task) => task.id));
  return { ...changed, changedRows, removed: [...(places?.keys() ?? [])].filter((id) => !left.has(id)) };
}

// Combines the edits that others made to the backlog.

const NO_EDITS: Edits = { added: [], changed: [], removed: [], putBack: [] };

/** The edits that a person's changes made. */
function listEdits({ updated }: Pick<Applied, "updated">): Edits {
  const of = (which: (one: Applied["updated"][number]) => boolean): TaskId[] =>
    updated.filter(which).map(({ id }) => id);
  return {
    added: of(({ from }) => from === undefined),
    changed: of(({ from, to }) => from !== undefined && to !== undefined),
    removed: of(({ to }) => to === undefined),
    putBack: [],
  };
}

/** Combines lists of edits, with each task once. The last that has a copy names it. */
function joinEdits(all: readonly Edits[]): Edits {
  const join = (ids: (edits: Edits) => readonly TaskId[] | undefined): TaskId[] => [
    ...new Set(all.flatMap((edits) => ids(edits) ?? [])),
  ];
  const rest: Partial<Edits> = {};
  for (const edits of all) Object.assign(rest, edits);
  return {
    ...rest,
    added: join(({ added }) => added),
    changed: join(({ changed }) => changed),
    removed: join(({ removed }) => removed),
    putBack: all.flatMap(({ putBack }) => putBack),
  };
}
