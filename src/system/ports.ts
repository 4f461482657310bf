// The ports: everything the program can do to the world, as interfaces. Floors above take them as arguments.
// Leaves the doing to clock.ts, files.ts and processes.ts.

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Calls `wake` once, when the wall clock reaches `at`; slept in slices of at most 30 s, so a suspend is survived. */
  at(at: number, wake: () => void): Timer;
  /** Calls `wake` once, when `ms` milliseconds have passed on the clock that never jumps; time the machine slept does not count. */
  after(ms: number, wake: () => void): Timer;
  /** Calls `tick` every `ms` milliseconds. Does not keep the program alive. */
  every(ms: number, tick: () => void): Timer;
  /** Resolves after about `ms` milliseconds. */
  sleep(ms: number): Promise<void>;
}

export interface Timer {
  cancel(): void;
}

export interface FileStat {
  kind: "file" | "folder" | "symlink" | "other";
  /** Bytes. */
  size: number;
  /** Permission bits, e.g. 0o644. */
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  inode: number;
  device: number;
  /** How many names the file has; above 1 for a hard link. */
  links: number;
}

/** Every path is absolute. Errors are Node's system errors (`code` ENOENT, EACCES, ENOSPC, ...) unless said otherwise. */
export interface Files {
  /** The whole file, or `undefined` when there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /** Follows symlinks unless `link` is true; `undefined` when there is nothing. */
  stat(path: string, options?: { link?: boolean }): Promise<FileStat | undefined>;
  /** The names in a folder, sorted by code point; `[]` when the folder does not exist. */
  list(folder: string): Promise<string[]>;
  /** Makes a folder and its parents. New ones get `mode`. */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Makes one folder; EEXIST when the path is taken. */
  makeNewFolder(path: string, mode: number): Promise<void>;
  /**
   * Replaces a file in one step: written beside, whole (a short write is an error), fsync, rename, fsync of the folder.
   * A symlink is followed and kept; the mode of an existing file is kept. Any error throws before the rename.
   */
  writeAtomic(path: string, content: string | Uint8Array, options?: { mode?: number }): Promise<void>;
  /** Writes a new file; EEXIST when the path is taken. `fleeting`: it need not outlive a power loss, and no disk is waited for. */
  writeNew(
    path: string,
    content: string | Uint8Array,
    options?: { mode?: number; fleeting?: boolean },
  ): Promise<void>;
  /** An open file to append to; made with `mode` when missing. */
  openAppend(path: string, options?: { mode?: number }): Promise<AppendFile>;
  /** Sets a file's modification time to now; nothing happens when there is none. */
  touch(path: string): Promise<void>;
  /** Removes a file; nothing happens when there is none. */
  remove(path: string): Promise<void>;
  /** Removes a folder with all it holds; nothing happens when there is none. */
  removeTree(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Copies a file's bytes and mode to a path that is free. */
  copy(from: string, to: string): Promise<void>;
  /** Makes `path` another name of `existing`; EEXIST when taken. */
  link(existing: string, path: string): Promise<void>;
  /** Replaces `path` by a symlink to `target` in one step. */
  symlink(target: string, path: string): Promise<void>;
  readLink(path: string): Promise<string | undefined>;
  /** With every symlink resolved; `undefined` when there is nothing at the path. */
  realPath(path: string): Promise<string | undefined>;
  /** Whether this process may write at the path (a file, or a folder). */
  writable(path: string): Promise<boolean>;
  /** Free bytes of the file system that holds the path; `undefined` where that cannot be asked. */
  freeBytes(path: string): Promise<number | undefined>;
  /** A fresh private folder under the system's temp folder. */
  makeTempFolder(prefix: string): Promise<string>;
  /**
   * Reports changes of the entries of a folder, or of one entry, until it is closed; resolves once it does. Symlinks are not
   * followed. Where the system cannot watch, it has failed and says so.
   */
  watchFolder(folder: string, entry: string | undefined, onChange: () => void): Promise<FolderWatch>;
  /** Opens a folder to read many files below it. */
  tree(top: string): Tree;
}

/** A folder that is being watched. */
export interface FolderWatch {
  /** Changes are no longer reported. */
  failed(): boolean;
  close(): Promise<void>;
}

/** Something below the top of a tree. */
export interface Walked {
  path: string;
  kind: FileStat["kind"];
}

/** The file at a path of a tree. */
export type Looked = Pick<FileStat, "kind" | "mode" | "size" | "inode" | "device" | "links">;

/**
 * The files below a folder, its top. Paths are relative to the top and are bytes, one character each: some names are not
 * valid text. Symlinks are never followed.
 */
export interface Tree {
  /** Everything below `from` ("" is the top), in no order; `enter` says of a folder whether to look inside. */
  walk(from: string, enter: (folder: string) => boolean): Promise<Walked[]>;
  /** The file at each path; `undefined` where it cannot be read. */
  look(paths: readonly string[]): Promise<(Looked | undefined)[]>;
  /** Sets permission bits; nothing happens where there is nothing, or a symlink. */
  setMode(path: string, mode: number): Promise<void>;
  /** Removes a file that is not a folder; does nothing when it does not exist. */
  remove(path: string): Promise<void>;
}

export interface AppendFile {
  /** Returns once write(2) took every byte; a short write is tried again, an error throws. Calls are serialised. */
  append(content: string | Uint8Array): Promise<void>;
  /** fdatasync: safe against power loss once it returns. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Bytes in the file now. */
  size(): number;
}

/** How a process ended. An exit code is never null, so none can default to 0. */
export type ProcessEnd =
  | { how: "exited"; code: number }
  | { how: "killed"; signal: string }
  | { how: "not-found"; message: string };

export interface ProcessSpec {
  /** Absolute path, or a name looked up on `env.PATH`. */
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment; nothing is added but the run's mark. */
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; of a stream, as it comes. Without it stdin is /dev/null. */
  input?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** Called with each chunk of stdout, which is its own to keep, in order; a promise it returns holds back the next one. Contract: never throws. */
  onStdout?: (chunk: Uint8Array) => void | Promise<void>;
  onStderr?: (chunk: Uint8Array) => void | Promise<void>;
  /**
   * Absolute paths of files and folders that a contained process sees as empty, where its containment is a namespace.
   * Elsewhere it sees them.
   */
  hide?: readonly string[];
}

/** Whether a process is put in a PID namespace of its own where the system allows it, or never. */
export type Contain = "auto" | "none";

/** How processes that a contained process leaves behind are found: by the kernel, or by a search; `why`: the system's reason. */
export type Containment = { by: "namespace" } | { by: "search"; why: string };

/** A child in a process group of its own. */
export interface RunningProcess {
  /** The program's own, as this process sees it; -1 when it could not be started. */
  pid: number;
  /**
   * Resolves (never rejects) once the process ended *and* both pipes are drained. A grandchild that holds a pipe open is
   * waited for at most 2 s after the end, then the pipes are destroyed.
   */
  ended: Promise<ProcessEnd>;
  /** Signals the process itself, or its whole group. Nothing happens once it is gone. */
  signal(signal: "SIGINT" | "SIGTERM" | "SIGKILL" | "SIGHUP" | "SIGCONT", target: "process" | "group"): void;
}

/** One of which nothing is left in the end. */
export interface ContainedProcess extends RunningProcess {
  /** Resolves (never rejects) once all that it left behind at its end is gone as well, or 10 s later. */
  gone: Promise<void>;
}

/** Output of a short process, held in memory (at most `maxBytes` of each stream, the rest is dropped). */
export interface ProcessResult {
  end: ProcessEnd;
  stdout: Uint8Array;
  stderr: string;
  timedOut: boolean;
}

export interface Processes {
  start(spec: ProcessSpec): RunningProcess;
  /**
   * Starts a process of which nothing is left: once it ended, what it left behind is SIGKILLed. In a PID namespace that is
   * all it started, and it ends even when this program is killed; elsewhere it is what carries the process's own mark, and
   * every descendant seen. SIGKILL to the group ends all of it at once. Never rejects.
   */
  contain(spec: ProcessSpec, how: Contain): Promise<ContainedProcess>;
  /** The containment that `auto` gets on this system; the first call of either finds out. */
  containment(): Promise<Containment>;
  /** Runs to the end. `timeoutMs` ends the whole group (SIGTERM, then SIGKILL). */
  run(spec: ProcessSpec, options?: { timeoutMs?: number; maxBytes?: number }): Promise<ProcessResult>;
  /** Every child started from now on carries `LOOPER_MARK_<run>=1`, inherited by what it starts, and is sampled for the sweep. */
  mark(run: string): void;
  /**
   * SIGKILLs every process that carries the mark of `run`, and (for the run this program marked) every descendant seen
   * while it lived; waits until they are gone, at most 10 s. Never ends this process or its ancestors.
   * `left`: pids still there.
   */
  sweep(run: string): Promise<{ killed: number[]; left: number[]; marksReadable: boolean }>;
  /** Pids that carry the mark of `run`, this process and its ancestors left out. */
  marked(run: string): Promise<number[]>;
  /** Whether a process above this one carries the mark of `run`, whatever this one's own environment holds. Linux only. */
  descendsFrom(run: string): boolean;
  /** The variable's value in the environment of the nearest process above this one that has it. Linux only. */
  environmentAbove(name: string): string | undefined;
  /** The identity of this process, by which a lock tells whether its owner is still running. */
  identity(): Promise<ProcessIdentity>;
  /** Whether the owner named in a lock is gone, still there, or cannot be told from here (other host or pid namespace). */
  fate(owner: ProcessIdentity): Promise<"alive" | "gone" | "unknown">;
  /** The absolute path of an executable, looked up on `path` (a PATH value) from `cwd`; `undefined` when there is none. */
  which(command: string, path: string, cwd: string): Promise<string | undefined>;
}

export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot; "" where the system does not tell. */
  started: string;
  boot: string;
  host: string;
  /** The pid namespace; "" where the system does not tell. */
  namespace: string;
}

export interface Random {
  /** Lower-case hexadecimal digits, two for each byte. */
  hex(bytes: number): string;
}

/** All of them, as handed to the floors above. */
export interface Ports {
  clock: Clock;
  files: Files;
  processes: Processes;
  random: Random;
}
