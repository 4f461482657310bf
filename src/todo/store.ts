// The one writer of the backlog: locks, reads the newest file, brings together what others saved, changes, writes in one step.
// Leaves the judgement to merge.ts and update.ts, and the bytes to edit.ts and backlog-file.ts.
import { basename, dirname, join } from "node:path";
import { digest } from "../system/digest.js";
import { errorCode, errorMessage, UserError } from "../system/errors.js";
import { acquireLock, type LockOwner } from "../system/lock.js";
import type { Ports } from "../system/ports.js";
import { err, ok, type Result } from "../system/result.js";
import { sha256Hex } from "../system/sha256.js";
import { BacklogFile, encode, type CopyKind, type Look, type Version } from "./backlog-file.js";
import type { Applied, BacklogIndex, Change, Edits } from "./change.js";
import type { CheckOptions } from "./check.js";
import { editBacklog } from "./edit.js";
import { mergeEdits, type MergeRules } from "./merge.js";
import type { Problem } from "./problem.js";
import { indexOf, rowOf, sameRow } from "./select.js";
import type { Backlog, IndexRow, Task, TaskId } from "./task.js";
import { applyChanges } from "./update.js";

export interface StoreOptions {
  /** The folder of the short lock; made when missing. */
  lockFolder: string;
  /** The run it writes for: named in the lock. */
  run?: string;
  /** What a valid file must meet beyond the shape. */
  check?: CheckOptions;
}

export type ReadResult =
  | { kind: "missing" }
  /** White space only, or no tasks; `problems` is empty where it is valid nevertheless. */
  | { kind: "empty"; bytes: Uint8Array; problems: Problem[] }
  /** `tasks`: those that can be read all the same. */
  | { kind: "invalid"; bytes: Uint8Array; problems: Problem[]; tasks: Task[] }
  | { kind: "ok"; backlog: Backlog; index: BacklogIndex };

export interface ChangeOptions extends MergeRules {
  /** When the changes were decided, epoch ms: what `updated_at` will say. Without it, the time of writing. */
  now?: number;
  /**
   * Called with the exact bytes about to be written, while the lock is held. Called again, with other bytes, when somebody
   * saved meanwhile: the last call counts. When it throws, nothing is written.
   */
  beforeWrite?: (bytes: Uint8Array) => Promise<void>;
}

export interface Changed {
  applied: Applied;
  /** What others had saved; absent when nothing. */
  edits?: Edits;
  backlog: Backlog;
  index: BacklogIndex;
  /** Rows that are new or differ from this store's last look, in file order. */
  changedRows: IndexRow[];
  /** Tasks of the last look that are gone. */
  removed: TaskId[];
  /** SHA-256 of the bytes the file holds now, in hexadecimal digits. */
  sha256: string;
  /** Others saved since this store's last look, if only other white space. */
  saved: boolean;
}

export type ChangeFailure =
  /** Somebody else held the short lock all the while. */
  | { kind: "held"; by: LockOwner }
  /** There is no valid file, and this store never saw one. */
  | { kind: "unusable"; read: ReadResult };

export type AdoptFailure = { kind: "held"; by: LockOwner } | { kind: "invalid"; problems: Problem[] };

export interface Adopted {
  backlog: Backlog;
  index: BacklogIndex;
  /** Where the old file was copied to. */
  copy?: string;
}

/** The store of one task file. The first good file it reads is the one it knows; from then on `change` keeps it up to date. */
export interface Store {
  /** What is there now. Takes nothing over: what others saved is for the next `change`, an empty list of changes included. */
  read(): Promise<ReadResult>;
  /** As it is once nobody is in the midst of saving it: what is not valid and was written just now is given a moment. */
  readSaved(): Promise<ReadResult>;
  /** Applies changes to the newest file. Nothing is written when nothing differs. */
  change(changes: readonly Change[], options: ChangeOptions): Promise<Result<Changed, ChangeFailure>>;
  /** Makes these bytes the file, if they are a valid backlog with tasks. An old file with tasks is copied aside in any case. */
  adopt(bytes: Uint8Array, options: { copyAside: boolean }): Promise<Result<Adopted, AdoptFailure>>;
  /**
   * Makes the file what it was before an agent that was to write elsewhere wrote here; what it wrote is copied aside, and
   * answered. `undefined`: the file is as it was.
   */
  putBack(
    before: Uint8Array | undefined,
  ): Promise<Result<Uint8Array | undefined, { kind: "held"; by: LockOwner }>>;
  /** Takes its lock and lets it go: what one who was killed left of it is gone then. */
  tidy(): Promise<void>;
  /** Copies the file as it is now to `<file>.<kind>-<time>`; `undefined` when there is none. */
  putAside(kind: CopyKind): Promise<string | undefined>;
}

/** The lock goes to whoever comes first when it is free: of twenty who want it, one may be unlucky for a while. */
const LOCK_WAIT_MS = 30_000;
/** So long a broken file may be one that is just being saved. */
const SETTLE_MS = 2_000;
const SETTLE_STEP_MS = 100;
/** An editor that empties a file and writes it anew is done with it long before. */
const JUST_NOW_MS = 500;
/** So often a save that comes between reading and writing starts it over. */
const MOST_RESTARTS = 20;

type StorePorts = Pick<Ports, "clock" | "files" | "processes" | "random">;

/** Opens the store of the task file at an absolute path. Touches nothing yet. Unreadable and unwritable files are UserErrors. */
export function openStore(ports: StorePorts, path: string, options: StoreOptions): Store {
  const file = new BacklogFile(ports, path, options.check ?? {});
  const writer = new Writer(ports, file);
  return {
    read: () => writer.read(),
    readSaved: () => writer.readSaved(),
    change: (changes, how) => withLock(ports, path, options, () => writer.change(changes, how)),
    adopt: (bytes, how) => withLock(ports, path, options, () => writer.adopt(bytes, how)),
    putBack: (before) => withLock(ports, path, options, () => writer.putBack(before)),
    tidy: async () => {
      await withLock(ports, path, options, () => Promise.resolve(ok(undefined)));
    },
    putAside: async (kind) => {
      const look = await file.look();
      return look.kind === "missing" ? undefined : file.setAside(kind, look.bytes);
    },
  };
}

async function withLock<T, E>(
  ports: StorePorts,
  path: string,
  { lockFolder, run }: StoreOptions,
  act: () => Promise<Result<T, E>>,
): Promise<Result<T, E | { kind: "held"; by: LockOwner }>> {
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
  if ("heldBy" in result) return err({ kind: "held", by: result.heldBy });
  try {
    // Each write is whole or not at all: there is nothing to mend, and the writer tidies up in any case.
    await result.held.forgetDead();
    return await act();
  } finally {
    await result.held.release();
  }
}

/** What is to be written: the text to start from, what it holds, and what others did to it. */
interface Start {
  from: Version;
  backlog: Backlog;
  edits?: Edits;
}

class Writer {
  /** The last good version this store read or wrote. */
  private known: Version | undefined;
  private tidied = false;

  constructor(
    private readonly ports: StorePorts,
    private readonly file: BacklogFile,
  ) {}

  async read(): Promise<ReadResult> {
    const look = await this.file.look();
    if (look.kind === "ok") this.known ??= look.version;
    return toRead(look);
  }

  async readSaved(): Promise<ReadResult> {
    const { clock } = this.ports;
    const deadline = clock.monotonic() + SETTLE_MS;
    let read = await this.read();
    while (isBad(read) && clock.monotonic() < deadline && (await this.file.age()) < JUST_NOW_MS) {
      await clock.sleep(SETTLE_STEP_MS);
      read = await this.read();
    }
    return read;
  }

  async change(
    changes: readonly Change[],
    options: ChangeOptions,
  ): Promise<Result<Changed, { kind: "unusable"; read: ReadResult }>> {
    await this.tidy();
    let copied: { bytes: Uint8Array; path: string } | undefined;
    for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
      const look = await this.settle(options.while);
      const start = this.start(look, options);
      if (start === undefined) return err({ kind: "unusable", read: toRead(look) });
      const now = new Date(options.now ?? this.ports.clock.now()).toISOString();
      const { backlog, applied } = applyChanges(start.backlog, changes, now);
      const next = this.next(start, backlog);
      if (look.kind !== "ok" || next !== look.version) {
        if (look.kind !== "missing" && start.edits !== undefined && start.edits.putBack.length > 0) {
          if (copied === undefined || Buffer.compare(copied.bytes, look.bytes) !== 0)
            copied = { bytes: look.bytes, path: await this.file.setAside("edited", look.bytes) };
          start.edits.copy = copied.path;
        }
        await options.beforeWrite?.(next.bytes);
        if (!(await this.file.isStill(look))) continue;
        await this.file.write(next);
      }
      const before = this.known?.backlog ?? start.from.backlog;
      const saved = this.known !== undefined && !holds(look, this.known.bytes);
      this.known = next;
      const edits = start.edits && { edits: start.edits };
      const sha256 = sha256Hex(next.bytes);
      return ok({ applied, ...edits, ...difference(before, backlog), saved, sha256 });
    }
    const hint = "find out what saves the file without end, then start again";
    throw new UserError("environment", `${this.file.path} changes faster than it can be written`, hint);
  }

  async adopt(
    bytes: Uint8Array,
    { copyAside }: { copyAside: boolean },
  ): Promise<Result<Adopted, { kind: "invalid"; problems: Problem[] }>> {
    await this.tidy();
    const old = await this.file.look();
    const look = this.file.judge(bytes);
    if (look.kind !== "ok" || look.version.backlog.tasks.length === 0)
      return err({
        kind: "invalid",
        problems: look.kind === "empty" || look.kind === "invalid" ? look.problems : [],
      });
    const differs = old.kind === "missing" || Buffer.compare(old.bytes, bytes) !== 0;
    const copies = old.kind !== "missing" && differs && (copyAside || holdsTasks(old));
    const copy = copies ? await this.file.setAside("broken", old.bytes) : undefined;
    if (differs) await this.file.write(look.version);
    this.known = look.version;
    const { backlog } = look.version;
    return ok({ backlog, index: indexOf(backlog), ...(copy === undefined ? {} : { copy }) });
  }

  async putBack(before: Uint8Array | undefined): Promise<Result<Uint8Array | undefined, never>> {
    const look = await this.file.look();
    const now = look.kind === "missing" ? undefined : look.bytes;
    const same =
      now === undefined || before === undefined ? now === before : Buffer.compare(now, before) === 0;
    if (same) return ok(undefined);
    if (now !== undefined && now.length > 0) await this.file.setAside("edited", now);
    await this.file.putBack(before);
    return ok(now);
  }

  /** Once, and under the lock: what lies half written then is a dead writer's. */
  private async tidy(): Promise<void> {
    if (!this.tidied) await this.file.removeHalfWritten();
    this.tidied = true;
  }

  /** What is there; while only people save, a broken file is given time: it may be half a save. */
  private async settle(during: MergeRules["while"]): Promise<Look> {
    const { clock } = this.ports;
    const deadline = clock.monotonic() + SETTLE_MS;
    let look = await this.file.look();
    while (
      look.kind !== "ok" &&
      during === "idle" &&
      this.known !== undefined &&
      clock.monotonic() < deadline
    ) {
      await clock.sleep(SETTLE_STEP_MS);
      look = await this.file.look();
    }
    return look;
  }

  /** Where to start from; `undefined` where there is no valid version at all. */
  private start(look: Look, rules: MergeRules): Start | undefined {
    const { known } = this;
    if (look.kind === "ok") {
      const from = look.version;
      if (known === undefined) return { from, backlog: from.backlog };
      return { from, ...mergeEdits(known.backlog, from.backlog, rules) };
    }
    if (known === undefined) return undefined;
    const putBack = [LOST[look.kind]];
    return { from: known, backlog: known.backlog, edits: { added: [], changed: [], putBack } };
  }

  /** The version that holds a backlog, made from another; that one itself when they are the same. */
  private next({ from }: Start, backlog: Backlog): Version {
    if (backlog === from.backlog) return from;
    const layout = editBacklog(from.layout, from.backlog, backlog);
    return { bytes: encode(layout, from.bom), bom: from.bom, layout, backlog };
  }
}

function isBad({ kind }: ReadResult): boolean {
  return kind === "empty" || kind === "invalid";
}

function holds(look: Look, bytes: Uint8Array): boolean {
  return look.kind === "ok" && Buffer.compare(look.bytes, bytes) === 0;
}

const LOST = {
  missing: "the whole file, which was deleted",
  empty: "the whole file, which was emptied",
  invalid: "the whole file, which was not a valid backlog",
} as const;

function toRead(look: Look): ReadResult {
  if (look.kind !== "ok") return look;
  const { backlog } = look.version;
  if (backlog.tasks.length === 0) return { kind: "empty", bytes: look.bytes, problems: [] };
  return { kind: "ok", backlog, index: indexOf(backlog) };
}

function holdsTasks(look: Look): boolean {
  return look.kind === "ok"
    ? look.version.backlog.tasks.length > 0
    : look.kind === "invalid" && look.tasks.length > 0;
}

function difference(
  before: Backlog,
  after: Backlog,
): Pick<Changed, "backlog" | "index" | "changedRows" | "removed"> {
  const index = indexOf(after);
  const changed = { backlog: after, index };
  const inPlace = before.tasks.every((task, at) => after.tasks[at]?.id === task.id);
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
