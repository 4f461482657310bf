// What the cold room holds: an attempt's changes, less those to what is protected. Worked out on trees, before anything is
// written: a folder that became a symlink can then lead nowhere. Pure. Leaves telling what is protected to protected.ts.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/diff.js";
import { never } from "../../system/never.js";
import type { Protection } from "../influence/protected.js";
import { isManifest, isRuleFile } from "../influence/protected-manifests.js";

/**
 * `work`: the tests there were as they were, and no others: a new one could bend them as it is read; the verdict on the
 * work. `tests`: the attempt's own tests as they are.
 * `red`: nothing but the attempt's own tests, on the base.
 */
export type Pass = "work" | "tests" | "red";

/** What is to be put on top of the base. */
export interface RoomPlan {
  entries: readonly DiffEntry[];
  /** Changed manifests (package.json …): settings of checks in them are yet to be put back. */
  manifests: readonly DiffEntry[];
  /** Paths (text) that are not as the attempt left them. */
  heldBack: readonly string[];
}

/** Leaves out of the changes what this pass does not look at. */
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

/** Gone, or a link to who knows what: its scripts and settings would be gone with it. */
function losesManifest(entry: DiffEntry, protection: Protection): boolean {
  return holdsSettings(entry, protection) && isFile(entry.from.mode) && !isFile(entry.to.mode);
}

/** Whether a path can be there beside those that stay as at the base: neither above nor below one of them. */
function freeOf(staying: readonly DiffEntry[]): (path: string) => boolean {
  const files = new Set(staying.map(({ path }) => path));
  const folders = new Set(staying.flatMap(({ path }) => foldersOf(path)));
  return (path) => !folders.has(path) && !foldersOf(path).some((folder) => files.has(folder));
}

function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}

/** Whether it holds rules that new ones may stand beside, before and after. */
export function isChangedRuleFile({ path, from, to }: DiffEntry, protection: Protection): boolean {
  const text = toText(path);
  return protection.mayGrow(text) && isRuleFile(posix.basename(text)) && isFile(from.mode) && isFile(to.mode);
}

function isChangedManifest(entry: DiffEntry, protection: Protection): boolean {
  if (isChangedRuleFile(entry, protection)) return true;
  return holdsSettings(entry, protection) && isFile(entry.from.mode) && isFile(entry.to.mode);
}

/** Whether it holds both the work and settings of checks. */
export function holdsSettings({ path }: DiffEntry, protection: Protection): boolean {
  const text = toText(path);
  const isFree = protection.kindOf(text) === "free" && !protection.isTakenOut(text);
  return isFree && isManifest(posix.basename(text));
}

/** Whether a mode is a file's. */
export function isFile(mode: string): boolean {
  return mode.startsWith("100");
}
