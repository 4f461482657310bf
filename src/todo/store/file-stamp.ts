// Does a file still hold what it held, told by its figures alone? Pure. Leaves looking to backlog-file.ts.
import type { FileStat } from "../../system/ports.js";

/** A file system's clock may stand still this long: two writes within it can have the same time. */
const GRAIN_MS = 20;

/** Whether nothing was written in between. Contract: `before` is of a file that shows its writes. */
export function isUntouched(before: FileStat, now: FileStat): boolean {
  return isSameContent(before, now) && before.ctimeMs === now.ctimeMs;
}

/** Whether a file that was read at this time (epoch ms) shows every later write: what it says of its last one is older. */
export function isSettled(stat: FileStat, readAt: number): boolean {
  return readAt - Math.max(stat.mtimeMs, stat.ctimeMs) >= GRAIN_MS;
}

/**
 * Whether a file that was written beside and put in its place holds just that, and shows every later write: its content is older
 * than the moment (its ctime) from which on others could find it.
 */
export function isAsPut(written: FileStat, now: FileStat): boolean {
  return isSameContent(written, now) && now.ctimeMs - now.mtimeMs >= GRAIN_MS;
}

function isSameContent(a: FileStat, b: FileStat): boolean {
  return a.device === b.device && a.inode === b.inode && a.size === b.size && a.mtimeMs === b.mtimeMs;
}
