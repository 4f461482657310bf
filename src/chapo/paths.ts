// Resolves a model's path inside the project, symlinks included, or refuses it. Also refuses writes to protected files, and reads
// files for the engine itself. The gate applies the rules, and the tools use the path.
import path from "node:path";
import { followLinks } from "../system/files/follow-links.js";
import type { Files } from "../system/ports.js";
import { fail, type Subject } from "./tool.js";

/** The project a session's tools work in. */
export interface ProjectFolder {
  files: Files;
  /** The project's folder, absolute. */
  root: string;
  /** Paths that lists and searches leave out; absent: nothing. */
  hidden?: Hidden;
}

/** Decides what is left out of results. Paths are relative to the project's real folder. */
export interface Hidden {
  /** Whether the file is not listed. */
  name(path: string): boolean;
  /** Whether no text of the file is shown. */
  content(path: string): boolean;
  /** Of these paths those that are other names (hard links) of files that are left out. */
  linked(hides: "name" | "content", paths: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Returns the paths that are left out, also as other names of files that are. */
export async function findLeftOut(
  hidden: Hidden | undefined,
  hides: "name" | "content",
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (hidden === undefined) return new Set();
  return new Set([...paths.filter((one) => hidden[hides](one)), ...(await hidden.linked(hides, paths))]);
}

/** Returns whether no text of a file may be shown. `real`: absolute, without links. Rules say nothing about files outside. */
export async function isContentHidden(place: ProjectFolder, real: string): Promise<boolean> {
  const { files, root, hidden } = place;
  if (hidden === undefined) return false;
  const inside = toRelative((await files.realPath(root)) ?? root, real);
  return inside !== undefined && (await findLeftOut(hidden, "content", [inside])).has(inside);
}

type PathUse = "read" | "write";

/** A path that was accepted. */
export interface ResolvedPath {
  /** Absolute, with every symlink resolved. The file need not exist. */
  path: string;
  /** For messages: relative to the root as the model spelled it; `.` for the root. */
  shown: string;
}

const LONGEST = 4096;
/** Folders that are never written to, at any depth. Compared in lower case because some file systems ignore case. */
const KEPT_FOLDERS = new Set([".git", ".ssh", ".aws", ".gnupg", ".kube"]);
/** The folder of the sessions: what is in it was said by the user and the model. */
const SESSIONS = /(?:^|\/)\.looper\/sessions(?=\/|$)/;
/** Files with keys, or with settings for where keys are sent. */
const KEPT_FILES = [
  /^\.env/,
  /\.(?:pem|key|p12|pfx|jks|keystore)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /^\.(?:npmrc|netrc|pypirc|git-credentials|pgpass)$/,
];

/** Resolves a path, or returns why it is refused, in one sentence. */
export async function resolvePath(
  { files, root }: ProjectFolder,
  spelled: string,
  use: PathUse,
): Promise<ResolvedPath | { refusal: string }> {
  const wrong = findMisspelling(spelled);
  if (wrong !== undefined) return { refusal: wrong };
  const realRoot = (await files.realPath(root)) ?? root;
  const lexical = path.resolve(root, spelled);
  const real = await followLinks(files, lexical);
  if (real === undefined) return { refusal: `${spelled}: too many symbolic links` };
  const inside = toRelative(realRoot, real);
  if (inside === undefined) return { refusal: `${spelled}: outside the project; use a path inside it` };
  const asSpelled = toRelative(root, lexical) ?? toRelative(realRoot, lexical) ?? inside;
  if (use === "write") {
    const kept = findProtectedPart(asSpelled) ?? findProtectedPart(inside);
    if (kept !== undefined) return { refusal: formatProtectedRefusal(spelled, kept) };
  }
  return { path: real, shown: asSpelled === "" ? "." : asSpelled };
}

/** Resolves a path for a tool. A path that is refused ends the call. */
export async function reach(place: ProjectFolder, spelled: string, use: PathUse): Promise<ResolvedPath> {
  const resolved = await resolvePath(place, spelled, use);
  return "refusal" in resolved ? fail(resolved.refusal) : resolved;
}

/** Ends the call of a tool if no folder can be made above a path, because a part of the path is a file. */
export async function refuseFileAbove(
  { files }: ProjectFolder,
  { path: absolute, shown }: ResolvedPath,
): Promise<void> {
  const depth = shown.split(path.sep).length;
  for (let up = 1; up < depth; up += 1) {
    const above = path.resolve(absolute, ...Array.from({ length: up }, () => ".."));
    const there = await files.stat(above).catch(() => undefined);
    if (there?.kind === "folder") return;
    const name = path.join(shown, ...Array.from({ length: up }, () => ".."));
    if (there !== undefined) fail(`${JSON.stringify(name)} is a file, not a folder; nothing was changed`);
  }
}

/** Returns why a call's subjects are out of bounds; `undefined` if they are not. Only paths are checked. */
export async function checkSubjects(
  place: ProjectFolder,
  subjects: readonly Subject[],
): Promise<string | undefined> {
  for (const subject of subjects) {
    if (subject.kind !== "path" || subject.use === "mention") continue;
    const resolved = await resolvePath(place, subject.path, subject.use);
    if ("refusal" in resolved) return resolved.refusal;
  }
  return undefined;
}

/** Returns the first protected path below a folder, relative to it. Folders named node_modules are skipped. */
export async function findProtectedBelow(files: Files, folder: string): Promise<string | undefined> {
  const found = await files.tree(folder).walk("", (name) => path.basename(name) !== "node_modules");
  return found
    .map((entry) => entry.path)
    .find((name) => findProtectedPart(path.join(path.basename(folder), name)) !== undefined);
}

/** Returns the refusal of a protected path. */
export function formatProtectedRefusal(spelled: string, kept: string): string {
  return `${spelled}: ${kept} is protected: git's own files, sessions, keys and .env files are never changed by a tool`;
}

function findMisspelling(spelled: string): string | undefined {
  if (spelled.trim() === "") return "the path is empty; give one relative to the project";
  if (spelled.includes("\0")) return "the path contains a NUL character";
  if (/^~(?:[/\\]|$)/.test(spelled))
    return `${spelled}: ~ is not a folder here; give a path relative to the project`;
  if (spelled.length > LONGEST) return `the path is longer than ${LONGEST} characters`;
  return undefined;
}

/** Returns `at` relative to `root`, "" for the root itself; `undefined` if it is outside. */
function toRelative(root: string, at: string): string | undefined {
  const relative = path.relative(root, at);
  const outside = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return outside ? undefined : relative;
}

function findProtectedPart(relative: string): string | undefined {
  if (SESSIONS.test(relative.toLowerCase().replaceAll(path.sep, "/"))) return ".looper/sessions";
  return relative
    .split(path.sep)
    .find(
      (part) =>
        KEPT_FOLDERS.has(part.toLowerCase()) || KEPT_FILES.some((kept) => kept.test(part.toLowerCase())),
    );
}

/** Reads a path of a tree: its characters are bytes. */
export function decodePath(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Spells a path as a tree takes it. */
export function encodePath(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The beginning of a file, with LF line ends; `cut`: the file is longer. */
export interface FileStart {
  text: string;
  cut: boolean;
}

/** Returns the first `most` bytes of a file as text; `undefined` if there is no such file, or it cannot be read. */
export async function readStart(files: Files, file: string, most: number): Promise<FileStart | undefined> {
  try {
    const stat = await files.stat(file);
    if (stat?.kind !== "file") return undefined;
    const bytes = await files.readRange(file, 0, Math.min(stat.size, most));
    // An incomplete character at the end is dropped.
    const text = new TextDecoder().decode(bytes, { stream: stat.size > most });
    return { text: text.replaceAll("\r\n", "\n"), cut: stat.size > most };
  } catch {
    return undefined;
  }
}

/** Reads the beginning of a file of the project; `undefined` if no such file may be read. */
export async function readInside(
  place: ProjectFolder,
  file: string,
  most: number,
): Promise<FileStart | undefined> {
  try {
    // The rules for writing apply, because the text is sent to a provider unasked and a link must not lead to keys.
    const resolved = await resolvePath(place, file, "write");
    if ("refusal" in resolved || (await isContentHidden(place, resolved.path))) return undefined;
    return await readStart(place.files, resolved.path, most);
  } catch {
    return undefined;
  }
}
