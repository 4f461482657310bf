// The task file on disk: what it holds now, copies set aside, and replacing it. Leaves locking, and who may change what, to
// store.ts.
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { explainExhausted } from "../../system/exhausted.js";
import { isHalfWritten } from "../../system/files/half-written.js";
import type { Clock, Files } from "../../system/ports.js";
import { checkBacklog, type CheckOptions } from "../check/check.js";
import { joinText, type FileText } from "../json/file-text.js";
import type { Problem } from "../model/problem.js";
import type { Backlog, Task } from "../model/task.js";

/** A valid backlog with the exact bytes of its file. */
export interface FileVersion {
  bytes: Uint8Array;
  bom: boolean;
  text: FileText;
  backlog: Backlog;
}

/** The content on disk. `tasks` of an invalid file: those that can still be read. */
export type FileContent =
  | { kind: "missing" }
  /** Also a valid backlog without tasks. */
  | { kind: "ok"; bytes: Uint8Array; version: FileVersion }
  /** White space only, or no tasks and not valid. */
  | { kind: "empty"; bytes: Uint8Array; problems: Problem[] }
  | { kind: "invalid"; bytes: Uint8Array; problems: Problem[]; tasks: Task[] };

/** Why a copy is set aside: others changed the file while it was in use, or it was not valid. */
export type CopyKind = "edited" | "broken";

/** How far the time of a file may be ahead of the clock. */
const CLOCK_GRAIN_MS = 10;
const MARK = "\ufeff";

/** The task file at a path. */
export class BacklogFile {
  private last: FileVersion | undefined;
  /** Whether the path was a regular file once: a link or folder that takes its place later is a mistake. */
  private plain = false;

  constructor(
    private readonly ports: { clock: Clock; files: Files },
    readonly path: string,
    private readonly options: CheckOptions,
  ) {}

  /** Returns the present content, which is not checked again while the bytes are those of the last good version. */
  async look(): Promise<FileContent> {
    await this.evict();
    const bytes = await this.read();
    if (bytes === undefined) return { kind: "missing" };
    const { last } = this;
    return last !== undefined && Buffer.compare(last.bytes, bytes) === 0 ? found(last) : this.judge(bytes);
  }

  /** Moves aside a folder, a pipe or a link that replaced the file; the content behind a link counts as a save. */
  private async evict(): Promise<void> {
    const { files } = this.ports;
    const kind = (await files.stat(this.path, { link: true }))?.kind;
    if (kind === "file") this.plain = true;
    if (kind === undefined || kind === "file" || !this.plain) return;
    const target = kind === "symlink" ? (await files.stat(this.path))?.kind : undefined;
    const bytes = target === "file" ? await this.read() : undefined;
    await this.acting("write", async () => {
      for (const path of this.copyNames("edited")) {
        if ((await files.stat(path, { link: true })) !== undefined) continue;
        await files.rename(this.path, path);
        if (bytes !== undefined) await files.writeAtomic(this.path, bytes);
        return;
      }
    });
  }

  /** Judges these bytes as the content of the file. */
  judge(bytes: Uint8Array): FileContent {
    const checked = checkBacklog(bytes, this.options);
    if (checked.kind === "invalid")
      return { kind: "invalid", bytes, problems: checked.problems, tasks: checked.readable };
    const { backlog, text, bom } = checked;
    if (backlog === undefined || text === undefined)
      return { kind: "empty", bytes, problems: checked.kind === "empty" ? checked.problems : [] };
    this.last = { bytes, bom, text, backlog };
    return found(this.last);
  }

  /** Milliseconds since the last write; infinite if unknown or in the future. */
  async age(): Promise<number> {
    const stat = await this.ports.files.stat(this.path);
    const age = stat === undefined ? Infinity : this.ports.clock.now() - stat.mtimeMs;
    return age < -CLOCK_GRAIN_MS ? Infinity : age;
  }

  /** Whether the file still has the content of a look. */
  async isStill(look: FileContent): Promise<boolean> {
    const bytes = await this.read();
    if (bytes === undefined || look.kind === "missing") return bytes === undefined && look.kind === "missing";
    return Buffer.compare(bytes, look.bytes) === 0;
  }

  /** Replaces the file in one step. */
  async write(version: FileVersion): Promise<void> {
    await this.putBack(version.bytes);
    this.last = version;
  }

  /** Restores the bytes of the file, even broken ones; without bytes, removes the file. */
  async putBack(bytes: Uint8Array | undefined): Promise<void> {
    const { files } = this.ports;
    await this.acting("write", async () => {
      if (bytes === undefined) await files.remove(this.path);
      else await files.writeAtomic(this.path, bytes);
    });
  }

  /** Removes temporary files that killed writers left beside it. Contract: the lock is held. */
  async removeHalfWritten(): Promise<void> {
    const { files } = this.ports;
    const real = (await files.realPath(this.path)) ?? this.path;
    for (const name of await files.list(dirname(real))) {
      if (isHalfWritten(name, basename(real))) await files.remove(join(dirname(real), name));
    }
  }

  /** `<file>.<kind>-<time>`, then the same with a number behind it. */
  private *copyNames(kind: CopyKind): Generator<string> {
    const time = new Date(this.ports.clock.now()).toISOString().slice(0, 19).replace("T", "_");
    const wanted = `${this.path}.${kind}-${time.replaceAll(":", "-")}`;
    yield wanted;
    for (let number = 2; ; number++) yield `${wanted}-${number}`;
  }

  /** Writes earlier bytes of the file to `<file>.<kind>-<time>`, and returns that path. */
  async setAside(kind: CopyKind, bytes: Uint8Array): Promise<string> {
    const mode = (await this.ports.files.stat(this.path))?.mode;
    for (const path of this.copyNames(kind)) {
      try {
        await this.ports.files.writeNew(path, bytes, mode === undefined ? {} : { mode });
        return path;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw cannot("write", path, error);
      }
    }
    throw new Error("there is always another name");
  }

  private read(): Promise<Uint8Array | undefined> {
    return this.acting("read", () => this.ports.files.read(this.path));
  }

  private async acting<T>(what: "read" | "write", act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw cannot(what, this.path, error);
    }
  }
}

function found(version: FileVersion): FileContent {
  return { kind: "ok", bytes: version.bytes, version };
}

/** The bytes of a text. */
export function encode(text: FileText, bom: boolean): Uint8Array {
  return Buffer.from((bom ? MARK : "") + joinText(text), "utf8");
}

/** An error that the user can fix becomes a UserError; any other is an internal error, and stays as it is. */
function cannot(what: "read" | "write", path: string, error: unknown): unknown {
  if (errorCode(error) === undefined || explainExhausted(error) !== undefined) return error;
  if (errorCode(error) === "EISDIR")
    return new UserError("usage", `${path} is a folder, not a file`, "name the task file", { cause: error });
  const kind = what === "read" ? "usage" : "environment";
  const hint =
    what === "read"
      ? "name a file that can be read"
      : "free some space or fix its permissions; the file is unchanged";
  return new UserError(kind, `cannot ${what} ${path}: ${errorMessage(error)}`, hint, { cause: error });
}

/** A copy that was set aside and still holds tasks. */
export interface Backup {
  path: string;
  /** How many tasks can be read from it. */
  tasks: number;
}

/** The copies of a task file that were set aside, newest first; absolute. */
export async function listCopies(files: Files, path: string): Promise<string[]> {
  return (await files.list(dirname(path)))
    .map((name) => ({ name, time: timeOf(name, basename(path)) }))
    .filter(({ time }) => time !== undefined)
    .sort((a, b) => (a.time === b.time ? 0 : (a.time ?? "") < (b.time ?? "") ? 1 : -1))
    .map(({ name }) => join(dirname(path), name));
}

/** Those of the copies that hold tasks, newest first. */
export async function listBackups(files: Files, path: string): Promise<Backup[]> {
  const backups: Backup[] = [];
  for (const copy of await listCopies(files, path)) {
    const checked = checkBacklog((await files.read(copy)) ?? new Uint8Array());
    const { length: tasks } = checked.kind === "invalid" ? checked.readable : (checked.backlog?.tasks ?? []);
    if (tasks > 0) backups.push({ path: copy, tasks });
  }
  return backups;
}

function timeOf(name: string, base: string): string | undefined {
  if (!name.startsWith(`${base}.`)) return undefined;
  return /^(?:edited|broken)-(\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d)(?:-\d+)?$/.exec(
    name.slice(base.length + 1),
  )?.[1];
}
