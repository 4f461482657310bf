// Parses git's index file without git: versions 2 to 4 with ids of either length. Reads facts that no tree contains:
// conflicts, paths added with `add -N`, and the bits assume-unchanged and skip-worktree. index-person.ts finds the
// file and handles split indexes.
import type { Version } from "../base/read/diff.js";

/** A path in an index. */
export interface IndexEntry extends Version {
  /** From the top of the repository, in bytes; for a folder left out of a sparse index with "/" at its end. */
  path: string;
  /** 0, or 1 to 3 for a path in conflict. */
  stage: number;
  /** The bit assume-unchanged. */
  assumed: boolean;
  /** The bit skip-worktree. */
  skipped: boolean;
  /** Added with `git add -N`; without content yet. */
  intended: boolean;
}

/** The content of an index file. */
export interface IndexFile {
  entries: readonly IndexEntry[];
  /** The other entries are in another file (a split index). */
  split: boolean;
  /** The file's checksum, unique to its content; `undefined` if git was configured to omit it. */
  checksum: string | undefined;
}

const SIGNATURE = "DIRC";
const HEADER = 12;
/** Times, device, inode, mode, owner, size. */
const STAT = 40;
const MODE_AT = 24;

const ASSUMED = 0x8000;
const EXTENDED = 0x4000;
const SKIPPED = 0x4000;
const INTENDED = 0x2000;

/** Parses an index file; `undefined` if the format is unknown. `idBytes`: 20, or 32 in a SHA-256 repository. */
export function parseIndex(file: Uint8Array, idBytes: number): IndexFile | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < HEADER + idBytes || bytes.toString("latin1", 0, 4) !== SIGNATURE) return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const end = bytes.length - idBytes;
  const read = readEntries(bytes.subarray(0, end), { version, idBytes, count: bytes.readUInt32BE(8) });
  if (read === undefined) return undefined;
  const checksum = bytes.toString("hex", end);
  return {
    entries: read.entries,
    split: extensions(bytes.subarray(0, end), read.end).includes("link"),
    checksum: /^0+$/.test(checksum) ? undefined : checksum,
  };
}

interface Layout {
  version: number;
  idBytes: number;
  count: number;
}

function readEntries(bytes: Buffer, layout: Layout): { entries: IndexEntry[]; end: number } | undefined {
  const entries: IndexEntry[] = [];
  let at = HEADER;
  let before = "";
  for (let left = layout.count; left > 0; left--) {
    const fixed = at + STAT + layout.idBytes;
    if (fixed + 4 > bytes.length) return undefined;
    const flags = bytes.readUInt16BE(fixed);
    const isExtended = (flags & EXTENDED) !== 0;
    const more = isExtended ? bytes.readUInt16BE(fixed + 2) : 0;
    const name = readName(bytes, fixed + (isExtended ? 4 : 2), layout.version === 4 ? before : undefined);
    if (name === undefined) return undefined;
    entries.push({
      path: name.path,
      mode: bytes
        .readUInt32BE(at + MODE_AT)
        .toString(8)
        .padStart(6, "0"),
      oid: bytes.toString("hex", at + STAT, fixed),
      stage: (flags >> 12) & 3,
      assumed: (flags & ASSUMED) !== 0,
      skipped: (more & SKIPPED) !== 0,
      intended: (more & INTENDED) !== 0,
    });
    // Up to version 3 an entry fills whole groups of eight bytes, and at least one zero ends its name.
    at = layout.version === 4 ? name.end + 1 : at + Math.ceil((name.end + 1 - at) / 8) * 8;
    before = name.path;
  }
  return { entries, end: at };
}

/**
 * A name and the position of the zero after it. In version 4 a name is stored as its difference from the one before.
 */
function readName(
  bytes: Buffer,
  start: number,
  before: string | undefined,
): { path: string; end: number } | undefined {
  let at = start;
  let kept = "";
  if (before !== undefined) {
    let byte = bytes[at++] ?? 0;
    let cut = byte & 127;
    while ((byte & 128) !== 0) {
      byte = bytes[at++] ?? 0;
      cut = ((cut + 1) << 7) + (byte & 127);
    }
    kept = before.slice(0, Math.max(0, before.length - cut));
  }
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : { path: kept + bytes.toString("latin1", at, end), end };
}

function extensions(bytes: Buffer, start: number): string[] {
  const names: string[] = [];
  for (let at = start; at + 8 <= bytes.length; at += 8 + bytes.readUInt32BE(at + 4)) {
    names.push(bytes.toString("latin1", at, at + 4));
  }
  return names;
}
