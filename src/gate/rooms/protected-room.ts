// Plans the content of a cold room: an attempt's changes, except those to protected files. The plan is made on trees before
// any file is written, so that a folder that became a symlink is never followed. Pure. protected.ts classifies the paths.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/diff.js";
import { never } from "../../system/never.js";
import type { Protection } from "../influence/protected.js";
import { isManifest, isRuleFile } from "../influence/protected-manifests.js";

/**
 * `work`: the work with the old tests only, because a new test could change the effect of the others when it is loaded.
 * `tests`: the work with the attempt's own tests.
 * `red`: only the attempt's own tests, on the base.
 */
export type Pass = "work" | "tests" | "red";

/** The changes to apply to the base. */
export interface RoomPlan {
  entries: readonly DiffEntry[];
  /** Changed manifests (package.json …), in which the settings of checks are still to be restored. */
  manifests: readonly DiffEntry[];
  /** Paths (text) whose changes are left out. */
  heldBack: readonly string[];
}

/** Plans a room: leaves out the changes that this pass ignores. */
export function planRoom(changes: readonly DiffEntry[], protection: Protection, pass: Pass): RoomPlan {
  const kept: DiffEntry[] = [];
  const dropped: DiffEntry[] = [];
  for (const entry of changes) {
    (isKept(entry, protection, pass) ? kept : dropped).push(entry);
  }
  const isFree = freeOf(dropped.filter(({ from }) => exists(from)));
  const entries = kept.filter(({ path, to }) => !exists(to) || isFree(path));
  const blocked = kept.filter((entry) => exists(entry.to) && !isFree(entry.path));
  return {
    entries,
    manifests: entries.filter((entry) => isChangedManifest(entry, protection)),
    heldBack: [...dropped, ...blocked].map(({ path }) => toText(path)),
  };
}

function isKept(entry: DiffEntry, protection: Protection, pass: Pass): boolean {
  const path = toText(entry.path);
  const isNew = !exists(entry.from);
  const kind = isNew ? protection.kindOfNew(path, entry.to) : protection.kindOf(path);
  switch (kind) {
    case "free":
      return pass !== "red" && !losesManifest(entry, protection);
    case "test":
      return pass !== "work";
    case "config":
      return isNew && pass !== "work";
    case "held":
      return pass !== "red" && isChangedRuleFile(entry, protection);
    case "shadow":
      return false;
    default:
      return never(kind);
  }
}

/** Whether a manifest was removed or replaced by a link, which would remove its scripts and settings too. */
function losesManifest(entry: DiffEntry, protection: Protection): boolean {
  return holdsSettings(entry, protection) && isFile(entry.from.mode) && !isFile(entry.to.mode);
}

/** Returns whether a path can exist beside the files that stay as at the base: neither above nor below one of them. */
function freeOf(staying: readonly DiffEntry[]): (path: string) => boolean {
  const files = new Set(staying.map(({ path }) => path));
  const folders = new Set(staying.flatMap(({ path }) => foldersOf(path)));
  return (path) => !folders.has(path) && !foldersOf(path).some((folder) => files.has(folder));
}

function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}

/** Whether a path is a file of rules, before and after, to which rules may be added. */
export function isChangedRuleFile({ path, from, to }: DiffEntry, protection: Protection): boolean {
  const text = toText(path);
  return protection.mayGrow(text) && isRuleFile(posix.basename(text)) && isFile(from.mode) && isFile(to.mode);
}

function isChangedManifest(entry: DiffEntry, protection: Protection): boolean {
  if (isChangedRuleFile(entry, protection)) return true;
  return holdsSettings(entry, protection) && isFile(entry.from.mode) && isFile(entry.to.mode);
}

/** Whether a path has both parts of the work and settings of checks. */
export function holdsSettings({ path }: DiffEntry, protection: Protection): boolean {
  const text = toText(path);
  const isFree = protection.kindOf(text) === "free" && !protection.isTakenOut(text);
  return isFree && isManifest(posix.basename(text));
}

/** Whether a mode is that of a regular file. */
export function isFile(mode: string): boolean {
  return mode.startsWith("100");
}
