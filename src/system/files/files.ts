// The file system behind the Files port. A call that the page cache answers is done at once: handing it to a thread and hearing of it
// costs ten times as much. One that waits for the disk itself, or is long, is handed over. Leaves locking to lock.ts and many files
// at once to tree.ts.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { errorCode, orNothing } from "../errors.js";
import { nameHalfWritten } from "./half-written.js";
import type { Files, FileStat, AppendFile, FolderWatch } from "../ports.js";
import { kindOf, nodeTree } from "./tree.js";

const { constants, promises } = fs;
const fsync = promisify(fs.fsync);
const fdatasync = promisify(fs.fdatasync);
const read = promisify(fs.read);
const write = promisify(fs.write);

/** The real file system. */
export function nodeFiles(): Files {
  return {
    read: (path) => orNothing(() => readWhole(path)),
    readRange,
    stat: (path, options) => orNothing(() => toStat(options?.link ? fs.lstatSync(path) : fs.statSync(path))),
    list: async (folder) => (await orNothing(() => fs.readdirSync(folder)))?.sort(byCodePoint) ?? [],
    makeFolder: (path, mode) => makeFolder(path, mode),
    makeNewFolder: async (path, mode) => {
      await promises.mkdir(path, { mode });
    },
    writeAtomic,
    writeNew: async (path, content, options) => {
      await writeAndClose(fs.openSync(path, "wx", options?.mode ?? 0o666), content, options);
    },
    openAppend: (path, options) => atOnce(() => openAppend(path, options?.mode ?? 0o666)),
    touch: async (path) => {
      const now = new Date();
      await orNothing(() => promises.utimes(path, now, now));
    },
    remove: async (path) => {
      await orNothing(() => {
        fs.unlinkSync(path);
      });
    },
    removeTree: (path) => promises.rm(path, { recursive: true, force: true }),
    rename: (from, to) =>
      atOnce(() => {
        fs.renameSync(from, to);
      }),
    copy: (from, to) => promises.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
    link: (existing, path) =>
      atOnce(() => {
        fs.linkSync(existing, path);
      }),
    symlink: replaceSymlink,
    readLink: (path) => orNothing(() => fs.readlinkSync(path)),
    realPath: (path) => orNothing(() => fs.realpathSync.native(path)),
    writable: async (path) => {
      try {
        await promises.access(path, constants.W_OK);
        return true;
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return false;
      }
    },
    freeBytes: async (path) => {
      const stat = await orNothing(() => promises.statfs(path));
      return stat === undefined ? undefined : stat.bavail * stat.bsize;
    },
    makeTempFolder: (prefix) => promises.mkdtemp(join(tmpdir(), prefix)),
    watchFolder,
    tree: nodeTree,
  };
}

/** Runs an action at once; the promise rejects with the error it throws. */
function atOnce<T>(act: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(act());
  });
}

/** Makes the folder and those above it, one by one: below `/proc` Node's own recursive mkdir never returns. */
async function makeFolder(path: string, mode?: number, above = true): Promise<void> {
  try {
    await promises.mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if (!above || errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode, false);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stat = await orNothing(() => fs.statSync(path)).catch(() => undefined);
  return stat?.isDirectory() ?? false;
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toStat(stat: fs.Stats): FileStat {
  return {
    kind: kindOf(stat),
    size: stat.size,
    mode: stat.mode & 0o7777,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    inode: stat.ino,
    device: stat.dev,
    links: stat.nlink,
  };
}

/** Paths of process substitutions: `<(…)` passes a pipe as a file, and its command writes into it. */
const HANDED_OVER = /^\/(?:dev\/fd|proc\/self\/fd)\//;

/** A pipe that lies where a file should would be waited for without end, a device may have none; no signal helps. */
function openToRead(path: string): { file: number; size: number } {
  const file = fs.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fs.fstatSync(file);
  const what = stat.isFIFO() || stat.isSocket() ? "a pipe" : "a device";
  if (stat.isFile() || stat.isDirectory() || (what === "a device" && isAtItsEnd(file)))
    return { file, size: stat.size };
  fs.closeSync(file);
  throw Object.assign(new Error(`EINVAL: ${what}, not a file, open '${path}'`), { code: "EINVAL" });
}

/** As `/dev/null` always is. A terminal that has nothing to say yet is not. */
function isAtItsEnd(file: number): boolean {
  try {
    return fs.readSync(file, Buffer.alloc(1), 0, 1, 0) === 0;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** More bytes than this are handed over. */
const MOST_AT_ONCE = 1 << 20;

async function readWhole(path: string): Promise<Uint8Array> {
  if (HANDED_OVER.test(path)) return promises.readFile(path);
  const { file, size } = openToRead(path);
  try {
    // Node reads a large file in many small steps.
    return size < MOST_AT_ONCE ? fs.readFileSync(file) : await readAt(file, 0, size);
  } finally {
    fs.closeSync(file);
  }
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const { file, size } = openToRead(path);
  try {
    // Files that the system generates on reading (/proc) report a size of 0.
    const there = size === 0 ? length : Math.max(0, Math.min(length, size - offset));
    return await readAt(file, offset, there);
  } finally {
    fs.closeSync(file);
  }
}

async function readAt(file: number, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const [more, at] = [length - filled, offset + filled];
    const bytesRead =
      more <= MOST_AT_ONCE
        ? fs.readSync(file, buffer, filled, more, at)
        : (await read(file, buffer, filled, more, at)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  options?: { mode?: number },
): Promise<void> {
  const target = await followed(path);
  const old = await orNothing(() => fs.statSync(target));
  const mode = old === undefined ? (options?.mode ?? 0o666) : old.mode & 0o7777;
  const beside = join(dirname(target), nameHalfWritten(basename(target), randomBytes(6).toString("hex")));
  const file = fs.openSync(beside, "wx", mode);
  try {
    // The mode given to open is cut by the umask; an existing file's mode is kept as it was.
    if (old !== undefined) fs.fchmodSync(file, mode);
    await writeAndClose(file, content);
    fs.renameSync(beside, target);
  } catch (error) {
    await orNothing(() => promises.unlink(beside));
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Where a write to `path` must land so that a symlink stays one, a dangling one included. */
async function followed(path: string): Promise<string> {
  let at = path;
  for (let hops = 0; hops < 40; hops++) {
    const link = await orNothing(() => (fs.lstatSync(at).isSymbolicLink() ? fs.readlinkSync(at) : undefined));
    if (link === undefined) return at;
    at = join(link.startsWith("/") ? "/" : dirname(at), link);
  }
  throw Object.assign(new Error(`too many symbolic links at ${path}`), { code: "ELOOP" });
}

async function writeAndClose(
  file: number,
  content: string | Uint8Array,
  { fleeting = false }: { fleeting?: boolean } = {},
): Promise<void> {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  try {
    await writeAll(file, bytes, 0);
    if (!fleeting) await fsync(file);
    if (fs.fstatSync(file).size !== bytes.length)
      throw Object.assign(new Error("the file came out shorter than written"), { code: "EIO" });
  } finally {
    fs.closeSync(file);
  }
}

/** Makes a rename durable; file systems that cannot sync a folder are left alone. */
async function syncFolder(path: string): Promise<void> {
  const folder = fs.openSync(path, "r");
  try {
    await fsync(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "EPERM" && code !== "EBADF") throw error;
  } finally {
    fs.closeSync(folder);
  }
}

async function replaceSymlink(target: string, path: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await promises.symlink(target, beside);
  try {
    fs.renameSync(beside, path);
  } catch (error) {
    await orNothing(() => promises.unlink(beside));
    throw error;
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;

/**
 * Writes all of `bytes` at `position` (null: where the file stands); throws the system's error when it takes less. On a disk
 * that fills up, write(2) first writes fewer bytes than asked, and only then fails with ENOSPC: a caller that ignores the count
 * leaves half a line.
 */
async function writeAll(file: number, bytes: Uint8Array, position: number | null): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    const more = bytes.length - done;
    const bytesWritten =
      more <= MOST_AT_ONCE
        ? fs.writeSync(file, bytes, done, more, at)
        : (await write(file, bytes, done, more, at)).bytesWritten;
    if (bytesWritten === 0) throw Object.assign(new Error("the file system took no bytes"), { code: "EIO" });
    done += bytesWritten;
  }
}

/** Opens a file to append to, made with `mode` when it is missing. */
function openAppend(path: string, mode: number): AppendFile {
  // Opening a pipe without a reader fails with O_NONBLOCK; without the flag it blocks, and no signal ends the wait.
  const file = fs.openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode);
  let { size } = fs.fstatSync(file);
  let last: Promise<void> = Promise.resolve();
  // One write at a time: two interleaved short writes would tear both lines.
  const queue = (work: () => void | Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    append: (content) =>
      queue(async () => {
        const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
        await writeAll(file, bytes, null);
        size += bytes.length;
      }),
    sync: () => queue(() => fdatasync(file)),
    close: () =>
      queue(() => {
        fs.closeSync(file);
      }),
    size: () => size,
  };
}

/** Watches a folder: reports that something in it changed, not what. Resolves once changes are reported. */
const watchFolder: Files["watchFolder"] = async (folder, entry, onChange) => {
  // Every command has these ports, and few watch.
  const { watch } = await import("chokidar");
  let failed = false;
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    // Of the folder itself chokidar must know; each other file it would watch one by one.
    ignored: (path) => path !== folder && entry !== undefined && basename(path) !== entry,
  });
  const watching: FolderWatch = {
    failed: () => failed,
    close: () => watcher.close(),
  };
  return new Promise((resolve) => {
    watcher
      .on("all", onChange)
      // A file that is replaced by rename twice in a row is reported by the system, but not as a change of it.
      .on("raw", (_, name: string | null) => {
        if (entry === undefined || name === null || name === entry) onChange();
      })
      .on("ready", () => {
        resolve(watching);
      })
      // The limit of inotify is reached, or the system has none.
      .on("error", () => {
        failed = true;
        onChange();
        resolve(watching);
      });
  });
};
