// Where a model's path leads: inside the project after symlinks, or a refusal. Also the policy of what is never written.
// Leaves allow, ask and deny rules to the gate, and what is done at a path to the tools.
import path from "node:path";
import type { Files } from "../system/ports.js";
import type { Subject } from "./tool.js";

/** Where the tools of a session work. */
export interface ProjectFolder {
  files: Files;
  /** The project's folder, absolute. */
  root: string;
}

export type PathUse = "read" | "write";

/** A path that may be used. */
export interface ResolvedPath {
  /** Absolute, every symlink resolved; there need be nothing yet. */
  path: string;
  /** For texts: relative to the root as the model spelled it, `.` for the root. */
  shown: string;
}

const LONGEST = 4096;
const MOST_LINKS = 40;

/** Folders that are never written into, at any depth; compared in lower case, as some file systems do. */
const KEPT_FOLDERS = new Set([".git", ".ssh", ".aws", ".gnupg", ".kube"]);
/** Files that hold keys, or say where keys go. */
const KEPT_FILES = [
  /^\.env/,
  /\.(?:pem|key|p12|pfx|jks|keystore)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /^\.(?:npmrc|netrc|pypirc|git-credentials|pgpass)$/,
];

/** The path, or one sentence why it is refused. */
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
  if (inside === undefined)
    return { refusal: `${spelled}: outside the project; only paths inside it can be used` };
  const asSpelled = toRelative(root, lexical) ?? toRelative(realRoot, lexical) ?? inside;
  if (use === "write") {
    const kept = findProtectedPart(asSpelled) ?? findProtectedPart(inside);
    if (kept !== undefined) return { refusal: formatProtectedRefusal(spelled, kept) };
  }
  return { path: real, shown: asSpelled === "" ? "." : asSpelled };
}

/** Why a call may not touch what it would touch, or `undefined`. Only paths are looked at. */
export async function checkSubjects(
  place: ProjectFolder,
  subjects: readonly Subject[],
): Promise<string | undefined> {
  for (const subject of subjects) {
    if (subject.kind !== "path") continue;
    const resolved = await resolvePath(place, subject.path, subject.use);
    if ("refusal" in resolved) return resolved.refusal;
  }
  return undefined;
}

/** The first path below a folder that is never written, relative to it; what packages bring along does not count. */
export async function findProtectedBelow(
  { files }: ProjectFolder,
  folder: string,
): Promise<string | undefined> {
  const found = await files.tree(folder).walk("", (name) => path.basename(name) !== "node_modules");
  return found.map((entry) => entry.path).find((name) => findProtectedPart(name) !== undefined);
}

/** The sentence for a path that is never written. */
export function formatProtectedRefusal(spelled: string, kept: string): string {
  return `${spelled}: ${kept} is protected: git's own files, keys and .env files are never changed by a tool`;
}

function findMisspelling(spelled: string): string | undefined {
  if (spelled.trim() === "") return "the path is empty; give one relative to the project";
  if (spelled.includes("\0")) return "the path holds a NUL character";
  if (spelled.length > LONGEST) return `the path is longer than ${LONGEST} characters`;
  return undefined;
}

/** With every symlink resolved, also below folders that are not there yet; `undefined` for links without an end. */
async function followLinks(files: Files, start: string): Promise<string | undefined> {
  let at = start;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const next = await followOnce(files, at);
    if ("real" in next) return next.real;
    at = next.again;
  }
  return undefined;
}

/** A link to nothing is followed by hand: writing through it would make its target. */
async function followOnce(files: Files, at: string): Promise<{ real: string } | { again: string }> {
  const missing: string[] = [];
  for (let head = at; ; head = path.dirname(head)) {
    const real = await realPath(files, head);
    if (real !== undefined) return { real: path.join(real, ...missing) };
    const link = await files.readLink(head).catch(() => undefined);
    if (link !== undefined) return { again: path.join(path.resolve(path.dirname(head), link), ...missing) };
    if (head === path.dirname(head)) return { real: at };
    missing.unshift(path.basename(head));
  }
}

async function realPath(files: Files, at: string): Promise<string | undefined> {
  // A ring of links has no real path; followed by hand it runs into the bound.
  return files.realPath(at).catch(() => undefined);
}

/** `at` relative to `root`, "" for the root itself; `undefined` when it lies elsewhere. */
function toRelative(root: string, at: string): string | undefined {
  const relative = path.relative(root, at);
  const outside = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return outside ? undefined : relative;
}

function findProtectedPart(relative: string): string | undefined {
  return relative
    .split(path.sep)
    .find(
      (part) =>
        KEPT_FOLDERS.has(part.toLowerCase()) || KEPT_FILES.some((kept) => kept.test(part.toLowerCase())),
    );
}
