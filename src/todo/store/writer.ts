// Changes the file under the lock: reads the newest version, merges the edits of others, changes it, writes it in one step.
// merge.ts and update.ts decide, edit.ts and backlog-file.ts make and write the bytes, store.ts takes the lock.
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import { err, ok, type Result } from "../../system/result.js";
import { sha256Hex } from "../../system/text/sha256.js";
import {
  encode,
  type BacklogFile,
  type CopyKind,
  type FileContent,
  type FileVersion,
} from "./backlog-file.js";
import type { Applied, BacklogIndex, Change, Edits, Refusal } from "../model/changes/change.js";
import { editBacklog } from "../json/edit.js";
import { mergeEdits, type MergeRules } from "../change/merge.js";
import type { PersonChange, TimedChanges } from "../model/changes/person-change.js";
import type { Problem } from "../model/problem.js";
import { indexOf, rowOf, sameRow } from "../model/select.js";
import type { Backlog, IndexRow, Task, TaskId } from "../model/task.js";
import { applyChanges } from "../change/update.js";

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

export interface Begun extends Rewritten {
  found: ReadResult;
}

export interface Adopted {
  backlog: Backlog;
  index: BacklogIndex;
  /** Where the old file was copied to. */
  copy?: string;
}

/** The file is not valid, and no valid version of it is known. */
export interface Unusable {
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

/** The basis of a write: the text to start from, its content, and the edits others made to it. */
interface Start {
  from: FileVersion;
  backlog: Backlog;
  edits?: Edits;
}

/** Does the work of a store. Contract: the caller holds its lock. */
export class Writer {
  /** The last valid version that this store read or wrote. */
  private known: FileVersion | undefined;
  private print: { of: FileVersion; sha256: string } | undefined;
  private tidied = false;

  constructor(
    private readonly ports: Pick<Ports, "clock">,
    private readonly file: BacklogFile,
    private readonly heard: (() => Promise<readonly TimedChanges[]>) | undefined,
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
    changes: readonly (Change | PersonChange)[],
    options: ChangeOptions,
  ): Promise<Result<Changed, Unusable>> {
    await this.tidy();
    const last = this.known;
    const heard = await this.hear();
    let copied: { bytes: Uint8Array; path: string } | undefined;
    for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
      const look = await this.settle(options.while);
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
        if (!(await this.file.isStill(look))) continue;
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
    }
    throw tooFast(this.file.path);
  }

  async edit(
    decide: (backlog: Backlog) => readonly PersonChange[],
    tell: (told: TimedChanges, backlog: Backlog) => Promise<void>,
  ): Promise<Result<Edited, EditRefusal>> {
    await this.tidy();
    await this.readSaved();
    for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
      const look = await this.file.look();
      if (look.kind !== "ok") return err({ kind: "unusable", read: toRead(look) });
      const changes = decide(look.version.backlog);
      const at = new Date(this.ports.clock.now()).toISOString();
      const { backlog, applied } = applyChanges(look.version.backlog, changes, at);
      if (applied.refused.length > 0) return err({ kind: "refused", refusals: applied.refused });
      const next = this.next({ from: look.version, backlog }, backlog);
      const judged = this.file.judge(next.bytes);
      if (judged.kind === "invalid") return err({ kind: "invalid", problems: judged.problems });
      if (!(await this.file.isStill(look))) continue;
      if (changes.length > 0) await tell({ at, changes }, look.version.backlog);
      if (backlog.tasks.length === 0) await this.file.setAside("edited", look.bytes);
      await this.file.write(next);
      return ok({ updated: applied.updated, backlog });
    }
    throw tooFast(this.file.path);
  }

  /** Applies the edits that people made through other stores, so that they do not count as an agent's. */
  private async hear(): Promise<{ told: readonly TimedChanges[]; edits: Edits } | undefined> {
    const told = this.known === undefined ? [] : ((await this.heard?.()) ?? []);
    const edits = told.map(({ at, changes }) => {
      if (this.known === undefined) return NO_EDITS;
      const { backlog, applied } = applyChanges(this.known.backlog, changes, at);
      this.known = this.next({ from: this.known, backlog }, backlog);
      return listEdits(applied);
    });
    return told.length === 0 ? undefined : { told, edits: joinEdits(edits) };
  }

  async begin(make: (found: ReadResult) => Uint8Array | undefined): Promise<Result<Begun, Invalid>> {
    await this.tidy();
    for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
      const old = await this.file.look();
      const found = toRead(old);
      const bytes = make(found);
      if (bytes === undefined) return ok({ found, written: false });
      const look = this.file.judge(bytes);
      if (look.kind !== "ok")
        return err({ kind: "invalid", problems: look.kind === "missing" ? [] : look.problems });
      if (old.kind !== "missing" && Buffer.compare(old.bytes, bytes) === 0)
        return ok({ found, written: false });
      if (!(await this.file.isStill(old))) continue;
      const copy = saysSomething(old) ? await this.file.setAside("edited", old.bytes) : undefined;
      await this.file.write(look.version);
      this.known = look.version;
      return ok({ found, written: true, ...given({ copy }) });
    }
    throw tooFast(this.file.path);
  }

  async adopt(bytes: Uint8Array, { copyAside }: { copyAside: boolean }): Promise<Result<Adopted, Invalid>> {
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
    return ok({ backlog, index: indexOf(backlog), ...given({ copy }) });
  }

  async putBack(before: Uint8Array | undefined): Promise<Uint8Array | undefined> {
    const look = await this.file.look();
    const now = look.kind === "missing" ? undefined : look.bytes;
    const same =
      now === undefined || before === undefined ? now === before : Buffer.compare(now, before) === 0;
    if (same) return undefined;
    if (now !== undefined && now.length > 0) await this.file.setAside("edited", now);
    await this.file.putBack(before);
    return now;
  }

  async rewrite(
    make: (bytes: Uint8Array) => Uint8Array,
    copyAs?: (bytes: Uint8Array) => CopyKind | undefined,
  ): Promise<Rewritten | undefined> {
    await this.tidy();
    for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
      const look = await this.file.look();
      if (look.kind === "missing") return undefined;
      const bytes = make(look.bytes);
      if (Buffer.compare(bytes, look.bytes) === 0) return { written: false };
      if (!(await this.file.isStill(look))) continue;
      const kind = copyAs?.(look.bytes);
      const copy = kind === undefined ? undefined : await this.file.setAside(kind, look.bytes);
      await this.file.putBack(bytes);
      return { written: true, ...given({ copy }) };
    }
    throw tooFast(this.file.path);
  }

  /** Runs once, under the lock, when a half-written file can only belong to a dead writer. */
  private async tidy(): Promise<void> {
    if (!this.tidied) await this.file.removeHalfWritten();
    this.tidied = true;
  }

  /** The present content; while only people save, waits for a broken file, because a save may be in progress. */
  private async settle(during: MergeRules["while"]): Promise<FileContent> {
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

function tooFast(path: string): UserError {
  const hint = "find out what saves the file without end, then start again";
  return new UserError("environment", `${path} changes faster than it can be written`, hint);
}

function isBad({ kind }: ReadResult): boolean {
  return kind === "empty" || kind === "invalid";
}

function holds(look: FileContent, bytes: Uint8Array): boolean {
  return look.kind === "ok" && Buffer.compare(look.bytes, bytes) === 0;
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
function saysSomething(look: FileContent): look is Exclude<FileContent, { kind: "missing" }> {
  if (look.kind === "empty") return new TextDecoder().decode(look.bytes).trim() !== "";
  return look.kind === "invalid" || holdsTasks(look);
}

function holdsTasks(look: FileContent): boolean {
  return look.kind === "ok"
    ? look.version.backlog.tasks.length > 0
    : look.kind === "invalid" && look.tasks.length > 0;
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
