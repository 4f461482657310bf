// The file system behind the Files port. Leaves locking to lock.ts and many files at once to tree.ts.
import { constants, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import * as disk from "./disk.js";
import { errorCode } from "../errors.js";
import { nameHalfWritten } from "./half-written.js";
import type { Files, FileStat, AppendFile, FolderWatch } from "../ports.js";
import { nodeTree } from "./tree.js";

/** The real file system. */
export function nodeFiles(): Files {
  return {
    read: (path) => orNothing(() => readWhole(path)),
    readRange,
    stat: (path, options) =>
      orNothing(async () => toStat(await (options?.link ? disk.lstat(path) : disk.stat(path)))),
    list: async (folder) => (await orNothing(() => disk.list(folder)))?.sort(byCodePoint) ?? [],
    makeFolder: (path, mode) => makeFolder(path, mode),
    makeNewFolder: async (path, mode) => {
      await fs.mkdir(path, { mode });
    },
    writeAtomic,
    writeNew: async (path, content, options) => {
      const file = await disk.open(path, "wx", options?.mode ?? 0o666);
      await writeAndClose(file, content, options);
    },
    openAppend: (path, options) => openAppend(path, options?.mode ?? 0o666),
    touch: async (path) => {
      const now = new Date();
      await orNothing(() => fs.utimes(path, now, now));
    },
    remove: async (path) => {
      await orNothing(() => disk.unlink(path));
    },
    removeTree: (path) => fs.rm(path, { recursive: true, force: true }),
    rename: (from, to) => disk.rename(from, to),
    copy: (from, to) => fs.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
    link: (existing, path) => disk.link(existing, path),
    symlink: replaceSymlink,
    readLink: (path) => orNothing(() => disk.readLink(path)),
    realPath: (path) => orNothing(() => disk.realPath(path)),
    writable: async (path) => {
      try {
        await fs.access(path, constants.W_OK);
        return true;
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return false;
      }
    },
    freeBytes: async (path) => {
      const stat = await orNothing(() => fs.statfs(path));
      return stat === undefined ? undefined : stat.bavail * stat.bsize;
    },
    makeTempFolder: (prefix) => fs.mkdtemp(join(tmpdir(), prefix)),
    watchFolder,
    tree: nodeTree,
  };
}

/** The result of `read`, or `undefined` when nothing exists at the path. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Makes the folder and those above it, one by one: below `/proc` Node's own recursive mkdir never returns. */
async function makeFolder(path: string, mode?: number, above = true): Promise<void> {
  try {
    await fs.mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if (!above || errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeFolder(path, mode, false);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stat = await orNothing(() => disk.stat(path)).catch(() => undefined);
  return stat?.isDirectory() ?? false;
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toStat(stat: Awaited<ReturnType<typeof fs.stat>>): FileStat {
  const kind = stat.isFile()
    ? "file"
    : stat.isDirectory()
      ? "folder"
      : stat.isSymbolicLink()
        ? "symlink"
        : "other";
  return {
    kind,
    size: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    mtimeMs: Number(stat.mtimeMs),
    ctimeMs: Number(stat.ctimeMs),
    inode: Number(stat.ino),
    device: Number(stat.dev),
    links: Number(stat.nlink),
  };
}

/** Paths of process substitutions: `<(…)` passes a pipe as a file, and its command writes into it. */
const HANDED_OVER = /^\/(?:dev\/fd|proc\/self\/fd)\//;

/** A pipe that lies where a file should would be waited for without end, a device may have none; no signal helps. */
async function openToRead(path: string): Promise<{ file: disk.OpenFile; size: number }> {
  const file = await disk.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await file.stat();
  const what = stat.isFIFO() || stat.isSocket() ? "a pipe" : "a device";
  if (stat.isFile() || stat.isDirectory() || (what === "a device" && (await isAtItsEnd(file))))
    return { file, size: stat.size };
  await file.close();
  throw Object.assign(new Error(`EINVAL: ${what}, not a file, open '${path}'`), { code: "EINVAL" });
}

/** As `/dev/null` always is. A terminal that has nothing to say yet is not. */
async function isAtItsEnd(file: disk.OpenFile): Promise<boolean> {
  try {
    return (await file.read(Buffer.alloc(1), 0, 1, 0)) === 0;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Bytes. */
const LARGE = 1 << 20;

async function readWhole(path: string): Promise<Uint8Array> {
  if (HANDED_OVER.test(path)) return fs.readFile(path);
  const { file, size } = await openToRead(path);
  try {
    // Node reads a large file in many small steps.
    return size < LARGE ? await file.readFile() : await readAt(file, 0, size);
  } finally {
    await file.close();
  }
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const { file, size } = await openToRead(path);
  try {
    // Files that the system generates on reading (/proc) report a size of 0.
    const there = size === 0 ? length : Math.max(0, Math.min(length, size - offset));
    return await readAt(file, offset, there);
  } finally {
    await file.close();
  }
}

async function readAt(file: disk.OpenFile, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const bytesRead = await file.read(buffer, filled, length - filled, offset + filled);
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
  const old = await orNothing(() => disk.stat(target));
  const mode = old === undefined ? (options?.mode ?? 0o666) : old.mode & 0o7777;
  const beside = join(dirname(target), nameHalfWritten(basename(target), randomBytes(6).toString("hex")));
  const file = await disk.open(beside, "wx", mode);
  try {
    // The mode given to open is cut by the umask; an existing file's mode is kept as it was.
    if (old !== undefined) await file.chmod(mode);
    await writeAndClose(file, content);
    await disk.rename(beside, target);
  } catch (error) {
    await orNothing(() => disk.unlink(beside));
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Where a write to `path` must land so that a symlink stays one, a dangling one included. */
async function followed(path: string): Promise<string> {
  let at = path;
  for (let hops = 0; hops < 40; hops++) {
    const link = await orNothing(async () =>
      (await disk.lstat(at)).isSymbolicLink() ? disk.readLink(at) : undefined,
    );
    if (link === undefined) return at;
    at = join(link.startsWith("/") ? "/" : dirname(at), link);
  }
  throw Object.assign(new Error(`too many symbolic links at ${path}`), { code: "ELOOP" });
}

async function writeAndClose(
  file: disk.OpenFile,
  content: string | Uint8Array,
  { fleeting = false }: { fleeting?: boolean } = {},
): Promise<void> {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  try {
    await writeAll(file, bytes, 0);
    if (!fleeting) await file.sync();
    if ((await file.stat()).size !== bytes.length)
      throw Object.assign(new Error("the file came out shorter than written"), { code: "EIO" });
  } finally {
    await file.close();
  }
}

/** Makes a rename durable; file systems that cannot sync a folder are left alone. */
async function syncFolder(path: string): Promise<void> {
  const folder = await disk.open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "EPERM" && code !== "EBADF") throw error;
  } finally {
    await folder.close();
  }
}

async function replaceSymlink(target: string, path: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await fs.symlink(target, beside);
  try {
    await disk.rename(beside, path);
  } catch (error) {
    await orNothing(() => disk.unlink(beside));
    throw error;
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;

/**
 * Writes all of `bytes` at `position` (null: where the file stands); throws the system's error when it takes less. On a disk
 * that fills up, write(2) first writes fewer bytes than asked, and only then fails with ENOSPC: a caller that ignores the count
 * leaves half a line.
 */
async function writeAll(file: disk.OpenFile, bytes: Uint8Array, position: number | null): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    const bytesWritten = await file.write(bytes, done, bytes.length - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error("the file system took no bytes"), { code: "EIO" });
    done += bytesWritten;
  }
}

/** Opens a file to append to, made with `mode` when it is missing. */
async function openAppend(path: string, mode: number): Promise<AppendFile> {
  // Opening a pipe without a reader fails with O_NONBLOCK; without the flag it blocks, and no signal ends the wait.
  const file = await disk.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode);
  let size = (await file.stat()).size;
  let last: Promise<void> = Promise.resolve();
  // One write at a time: two interleaved short writes would tear both lines.
  const queue = (work: () => Promise<void>): Promise<void> => {
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
    sync: () => queue(() => file.datasync()),
    close: () => queue(() => file.close()),
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
