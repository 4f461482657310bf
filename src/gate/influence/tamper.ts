// Finds tampering with existing tests by comparing their texts: an attempt may add to a test and change its imports, but
// may not delete, change or skip any part of it. Pure. tamper-additions.ts judges the effect of additions on later lines.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry, type Version } from "../../git/base/diff.js";
import type { Protection } from "./protected.js";
import { changesLooperKey } from "./protected-manifests.js";
import { findSkips } from "./tamper-additions.js";
import { findSwapped } from "./tamper-imports.js";
import { codeLines, hasSkip, type CodeLine } from "./tamper-lines.js";
import type { Tampering } from "../verdict.js";

/** A changed path, with its text if it is small: bytes, one character each. */
export interface ChangedFile extends DiffEntry {
  /** Text, not bytes. */
  path: string;
  /** Bytes, so that a difference in text that is not UTF-8 is found as well. */
  before: string | undefined;
  after: string | undefined;
}

/** Finds all tampering of an attempt. */
export function findTampering(
  files: readonly ChangedFile[],
  protection: Protection,
  isOurs: (module: string) => boolean,
): Tampering[] {
  return files.flatMap((file) => [
    ...linkTampering(file),
    ...settingsTampering(file),
    ...(exists(file.from) && protection.kindOf(file.path) === "test"
      ? testTampering(file, files, isOurs)
      : []),
  ]);
}

/** A link out of the project would make the gate check files that are not committed. */
function linkTampering({ path, from, to, after }: ChangedFile): Tampering[] {
  if (to.mode !== LINK || (from.mode === LINK && from.oid === to.oid)) return [];
  const target = after ?? "";
  const inside = posix.join(posix.dirname(path), target);
  const leaves =
    target.startsWith("/") || inside === ".." || inside.startsWith("../") || /^\.git(?:\/|$)/.test(inside);
  if (!leaves) return [];
  return [
    { path, what: "settings", detail: `a symlink out of the project: ${toText(target).slice(0, 200)}` },
  ];
}

function settingsTampering({ path, before, after }: ChangedFile): Tampering[] {
  const told = (detail: string): Tampering[] => [{ path, what: "settings", detail }];
  if (/(?:^|\/)\.looper\/config\.[^/]+$/.test(path))
    return told("settings of Looper's own are not an agent's to change");
  if (posix.basename(path) !== "package.json") return [];
  const differs = changesLooperKey({ base: before ?? "{}", now: after ?? "{}" });
  return differs ? told("the key looper is not an agent's to change") : [];
}

const LINK = "120000";

function testTampering(
  file: ChangedFile,
  all: readonly ChangedFile[],
  isOurs: (module: string) => boolean,
): Tampering[] {
  const { path, from, to, before, after } = file;
  const told = (what: Tampering["what"], detail: string): Tampering[] => [{ path, what, detail }];
  if (!exists(to)) {
    const moved = all.find((other) => other.to.oid === from.oid && !exists(other.from));
    return told("deleted", moved === undefined ? "the file is gone" : `moved to ${moved.path}`);
  }
  if (to.mode !== from.mode && !bothFiles(from, to))
    return told("deleted", "something else is in the file's place");
  if (from.oid === to.oid) {
    return from.mode === "100755" ? told("weakened", "the file cannot be run any more") : [];
  }
  if (before === undefined || after === undefined || isBinary(before) || isBinary(after)) {
    return told("weakened", "the file was changed");
  }
  const found = textTampering(path, before, after);
  if (found.length > 0) return found;
  const swapped = findSwapped(path, { before, after, added: linesGone(path, after, before) }, isOurs);
  return swapped === undefined ? [] : told("weakened", toText(swapped).slice(0, 200));
}

function textTampering(path: string, before: string, after: string): Tampering[] {
  const gone = linesGone(path, before, after);
  const [first] = gone;
  if (first === undefined) return findSkips(path, before, after);
  const added = linesGone(path, after, before);
  const more = gone.length === 1 ? "" : `, and ${gone.length - 1} more`;
  const detail = `line ${first.number} is gone or changed: ${toText(first.text).slice(0, 200)}${more}`;
  return [{ path, what: added.some(({ text }) => hasSkip(text)) ? "skipped" : "weakened", detail }];
}

/** The lines of code that occur less often in the other text; blank lines, comments and imports do not count. */
function linesGone(path: string, before: string, after: string): CodeLine[] {
  const left = new Map<string, number>();
  for (const { text } of codeLines(path, after)) left.set(text, (left.get(text) ?? 0) + 1);
  return codeLines(path, before).filter(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

/** Whether a text has lines of code that the other does not have. */
export function addsCode(path: string, before: string, after: string): boolean {
  return linesGone(path, after, before).length > 0;
}

function bothFiles(from: Version, to: Version): boolean {
  return from.mode.startsWith("100") && to.mode.startsWith("100");
}

function isBinary(text: string): boolean {
  return text.includes("\0");
}
