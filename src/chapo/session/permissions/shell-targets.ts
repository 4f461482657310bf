// Finds the real paths that the words of a shell text name: behind links, and what a pattern for names (`*/a`) expands to now.
// rules/reading.ts and rules/editing.ts tell which words are paths; permit.ts passes what is found to the rules.
import path from "node:path";
import type { Files } from "../../../system/ports.js";
import { readShell } from "../../../shell/shell-reading.js";
import { resolvePath } from "../../paths.js";
import { listEditedPaths } from "../../rules/editing.js";
import { listReadPaths } from "../../rules/reading.js";
import { covers, ONE, STAR } from "../../rules/wildcard.js";
import type { Subject } from "../../tool.js";

export type PathSubject = Extract<Subject, { kind: "path" }>;

/** A file that a shell text names, relative to the project's real folder. `isOther`: the text does not spell this path. */
export interface ShellTarget {
  target: PathSubject;
  isOther: boolean;
}

/** The project, and where its shell may be. */
export interface ShellTargetPlace {
  files: Files;
  /** The project's folder, absolute, and with its links resolved. */
  root: string;
  realRoot: string;
  folders: readonly string[];
  /** Whether a rule, or its name, protects a path relative to the project. */
  isGuarded: (file: string) => boolean;
}

interface Named {
  path: string;
  use: "mention" | "write";
  /** Whether a link at the path itself is followed. */
  follows: boolean;
  /** Whether it is one of the files that a pattern stands for. */
  isExpanded?: true;
}

/** Returns the real paths of the files that a shell text may read (`mention`) or change (`write`). */
export async function listShellTargets(text: string, place: ShellTargetPlace): Promise<ShellTarget[]> {
  const { files, root, realRoot } = place;
  const found: ShellTarget[] = [];
  for (const { path: spelled, use, follows, isExpanded = false } of await listNamed(text, place)) {
    const real = await findReal({ files, root }, spelled, follows);
    if (real === undefined) continue;
    const isOther = isExpanded || real !== path.resolve(realRoot, path.relative(root, spelled));
    found.push({ target: { kind: "path", path: path.relative(realRoot, real) || ".", use }, isOther });
  }
  return found;
}

function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

async function listNamed(text: string, place: ShellTargetPlace): Promise<Named[]> {
  const plain = listSpelled(text, place.folders);
  if (!isPattern(text)) return plain;
  // With these characters the reader keeps the patterns.
  const kept = listSpelled(text.replaceAll("*", STAR).replaceAll("?", ONE), place.folders);
  const expanded = await Promise.all(kept.map(async (one) => expandPattern(one, place)));
  return [...plain, ...expanded.flat()];
}

function listSpelled(text: string, folders: readonly string[]): Named[] {
  const reading = readShell(text);
  return [
    ...listReadPaths(reading, folders).map((one) => ({ path: one, use: "mention" as const, follows: true })),
    ...listEditedPaths(reading, folders).map((one) => ({ ...one, use: "write" as const })),
  ];
}

/** Returns the path with its links resolved, also of a file that is not there yet; `undefined` for what cannot be a path. */
async function findReal(
  { files, root }: { files: Files; root: string },
  spelled: string,
  follows: boolean,
): Promise<string | undefined> {
  const start = follows ? spelled : path.dirname(spelled);
  const beyond = follows ? "" : path.basename(spelled);
  const real = await files.realPath(start).catch(() => undefined);
  if (real !== undefined) return path.join(real, beyond);
  // A write through a link whose target is missing makes the target.
  const resolved = await resolvePath({ files, root }, start, "read");
  if (!("refusal" in resolved)) return path.join(resolved.path, beyond);
  const missing: string[] = [];
  for (let head = start; head !== path.dirname(head); head = path.dirname(head)) {
    missing.unshift(path.basename(head));
    const above = await files.realPath(path.dirname(head)).catch(() => undefined);
    if (above !== undefined) return path.join(above, ...missing, beyond);
  }
  return undefined;
}

const MOST_LISTED = 500;
const MOST_FOUND = 200;

/** Returns what a path with a pattern stands for now: the protected files inside the project, and files behind links. */
async function expandPattern(
  { path: spelled, use, follows }: Named,
  { files, root, isGuarded }: ShellTargetPlace,
): Promise<Named[]> {
  const relative = path.relative(root, spelled);
  if (!WILD.test(relative) || relative.startsWith("..")) return [];
  let reached = [root];
  for (const segment of relative.split(path.sep)) {
    const listed = reached.slice(0, MOST_LISTED);
    const further = await Promise.all(listed.map(async (folder) => listMatching(files, folder, segment)));
    reached = further.flat();
  }
  const found: Named[] = [];
  for (const one of reached.filter((file) => isGuarded(path.relative(root, file))).slice(0, MOST_FOUND)) {
    const there = await files.stat(one).catch(() => undefined);
    // A program that reads files does not read those of a folder unless it is told to.
    if (there !== undefined && (use === "write" || there.kind === "file"))
      found.push({ path: one, use, follows, isExpanded: true });
  }
  // A pattern below a link: the folder that it leads to matters, not the names there.
  const above = relative.slice(0, relative.search(WILD)).replace(/(?<![^/])[^/]*$/, "");
  return [...found, { path: path.join(root, above, "*"), use, follows }];
}

const WILD = new RegExp(`[${STAR}${ONE}]`);

async function listMatching(files: Files, folder: string, segment: string): Promise<string[]> {
  if (!WILD.test(segment)) return [path.join(folder, segment)];
  const names = await files.list(folder).catch(() => []);
  const fits = (name: string): boolean =>
    covers(segment, name) && (!name.startsWith(".") || segment.startsWith("."));
  return names.filter(fits).map((name) => path.join(folder, name));
}
