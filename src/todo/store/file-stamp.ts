// Judges by a file's stamp alone whether its content is unchanged. Pure. backlog-file.ts reads the stamps.
import type { FileStat } from "../../system/ports.js";

/** A file system's clock may stand still this long: two writes within it can have the same time. */
const GRAIN_MS = 20;

/** Whether the file was not written in between. Contract: `before` is settled, see below. */
export function isUntouched(before: FileStat, now: FileStat): boolean {
  return isSameContent(before, now) && before.ctimeMs === now.ctimeMs;
}

/** Whether the stamp of a file read at this time (epoch ms) shows every later write, because its last write is older. */
export function isSettled(stat: FileStat, readAt: number): boolean {
  return readAt - Math.max(stat.mtimeMs, stat.ctimeMs) >= GRAIN_MS;
}

/**
 * Whether a file that was written elsewhere and renamed to its place is unchanged, and its stamp shows every later write:
 * its content is older than the rename (its ctime).
 */
export function isAsPut(written: FileStat, now: FileStat): boolean {
  return isSameContent(written, now) && now.ctimeMs - now.mtimeMs >= GRAIN_MS;
}

function isSameContent(a: FileStat, b: FileStat): boolean {
  return a.device === b.device && a.inode === b.inode && a.size === b.size && a.mtimeMs === b.mtimeMs;
}
