// Copies of what makes a folder in the tree a repository of its own: its `.git`, and the files it ignores. No tree of git's can
// hold a `.git`, and an attempt may remove the folder whole. A copy is kept beside its checkpoint, below the git folder around it.
// Leaves the files that such a repository tracks or could track to its own checkpoint, which its `.git` holds.
import { dirname, join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../system/errors.js";
import { reasonOf } from "../base/file-errors.js";
import type { Files } from "../../system/ports.js";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { readHead } from "../base/head.js";
import { privateCopy } from "../index/index-person.js";
import { sizeText } from "./large.js";
import { openModules } from "./modules.js";
import { checkpointRef, encodeId } from "../base/names.js";
import type { Repository } from "../base/repository.js";

/** More than this is not copied where files cannot be linked. */
const MOST_COPIED = 1024 ** 3;
/** Of what a repository ignores no more is kept than this, nor more files than these. */
const MOST_IGNORED = 64 * 1024 ** 2;
const MOST_IGNORED_FILES = 20_000;

/** Not below `looper`: what is there is of no use to the next run. */
const FOLDER = "looper-nested";

const Paths = z.array(z.string());

function copiesOf(repo: Repository, id: string): string {
  return join(repo.gitDir, FOLDER, "copies", encodeId(id));
}

function copyOf(repo: Repository, id: string, path: string): string {
  return join(copiesOf(repo, id), encodeId(toText(path)));
}

/** Which repositories have a copy, as paths in bytes. No process. */
export async function copiedModules(repo: Repository, id: string): Promise<string[]> {
  return readPaths(repo.ports.files, join(copiesOf(repo, id), "paths.json"));
}

/** The untracked repositories that ever had one: their rescues are listed too. */
export async function knownModules(repo: Repository): Promise<string[]> {
  return readPaths(repo.ports.files, join(repo.gitDir, FOLDER, "known.json"));
}

async function readPaths(files: Files, file: string): Promise<string[]> {
  const bytes = await files.read(file);
  return bytes === undefined ? [] : (readFacts(Paths, Buffer.from(bytes).toString("utf8")) ?? []);
}

/**
 * Copies the `.git` of these repositories, and what they ignore, in place of earlier copies of `id`. Answers with warnings: what
 * could not be copied does not come back once it is gone. Contract: they hold their checkpoints already.
 */
export async function keepCopies(repo: Repository, id: string, paths: readonly string[]): Promise<string[]> {
  const { files } = repo.ports;
  await files.removeTree(copiesOf(repo, id));
  if (paths.length === 0) return [];
  const warnings: string[] = [];
  const kept: string[] = [];
  for (const path of paths) {
    const to = copyOf(repo, id, path);
    await files.makeFolder(to, 0o700);
    try {
      await copyAny(files, join(repo.cwd, toText(path), ".git"), join(to, "git"), { left: MOST_COPIED });
      kept.push(path);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      await files.removeTree(to);
      warnings.push(unprotected(path, reasonOf(error)));
      continue;
    }
    const ignored = await ignoredIn(repo, path);
    if ("files" in ignored)
      await copyIgnored(files, join(repo.cwd, toText(path)), join(to, "ignored"), ignored.files);
  }
  await files.writeAtomic(join(copiesOf(repo, id), "paths.json"), JSON.stringify(kept));
  const known = await knownModules(repo);
  if (!kept.every((path) => known.includes(path))) {
    const all = [...new Set([...known, ...kept])];
    await files.writeAtomic(join(repo.gitDir, FOLDER, "known.json"), JSON.stringify(all));
  }
  return warnings;
}

function unprotected(path: string, why: string): string {
  return `${toText(path)} is a repository of its own, and Looper cannot protect it (${why}): an attempt that removes it removes it for good`;
}

/** What a run says before it starts of a repository inside the tree that cannot be kept whole. */
export async function warnOfModule(repo: Repository, path: string): Promise<string[]> {
  const { files } = repo.ports;
  const folder = join(repo.cwd, toText(path));
  try {
    const device = (await files.stat(repo.gitDir))?.device;
    const size = await sizeToCopy(files, join(folder, ".git"), device);
    if (size > MOST_COPIED) return [unprotected(path, `${sizeText(size)} to copy`)];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [unprotected(path, reasonOf(error))];
  }
  const ignored = await ignoredIn(repo, path);
  if (!("size" in ignored)) return [];
  return [
    `${toText(path)} is a repository of its own: the files it ignores (${ignored.size}) are too many to keep, and do not come back when an attempt removes them`,
  ];
}

async function sizeToCopy(files: Files, path: string, device: number | undefined): Promise<number> {
  const stat = await files.stat(path, { link: true });
  if (stat?.kind === "file") return isLinked(path, stat.mode) && stat.device === device ? 0 : stat.size;
  if (stat?.kind !== "folder") return 0;
  let size = 0;
  for (const name of await files.list(path)) size += await sizeToCopy(files, join(path, name), device);
  return size;
}

/** Git never writes to an object again: another name of the same file is a copy that costs nothing. */
function isLinked(path: string, mode: number): boolean {
  return (mode & 0o222) === 0 && path.includes("/objects/");
}

/** Copies a file, a link or a folder, byte for byte and mode for mode. */
async function copyAny(files: Files, from: string, to: string, room: { left: number }): Promise<void> {
  const stat = await files.stat(from, { link: true });
  if (stat?.kind === "symlink") await files.symlink((await files.readLink(from)) ?? "", to);
  else if (stat?.kind === "folder") {
    await files.makeFolder(to, stat.mode | 0o700);
    for (const name of await files.list(from)) {
      // What a git that is gone left locked is no part of a repository.
      if (name !== "index.lock") await copyAny(files, join(from, name), join(to, name), room);
    }
  } else if (stat?.kind === "file") {
    if (isLinked(from, stat.mode) && (await linked(files, from, to))) return;
    room.left -= stat.size;
    if (room.left < 0)
      throw Object.assign(new Error(`more than ${sizeText(MOST_COPIED)} to copy`), { code: "EFBIG" });
    await files.copy(from, to);
  }
}

async function linked(files: Files, from: string, to: string): Promise<boolean> {
  try {
    await files.link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** What a repository inside the tree ignores: its files, or how much it is where that is too much to keep. */
async function ignoredIn(
  repo: Repository,
  path: string,
): Promise<{ files: readonly string[] } | { size: string }> {
  const [module] = await openModules(repo, [path]);
  if (module === undefined) return { files: [] };
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
  const names = (await runGit(module.repo, args)).out.split("\0").filter((name) => name !== "");
  const paths = names.filter((name) => !name.endsWith("/"));
  const found = await repo.ports.files.tree(module.repo.cwd).look(paths);
  const size = found.reduce((sum, one) => sum + (one?.size ?? 0), 0);
  const isMuch = size > MOST_IGNORED || paths.length > MOST_IGNORED_FILES;
  return isMuch ? { size: `${String(paths.length)} files, ${sizeText(size)}` } : { files: paths };
}

async function copyIgnored(files: Files, from: string, to: string, paths: readonly string[]): Promise<void> {
  for (const path of paths.map(toText)) {
    await files.makeFolder(dirname(join(to, path)), 0o700);
    await copyAny(files, join(from, path), join(to, path), { left: MOST_IGNORED });
  }
}

/** Where something is put that an attempt left in the place of a `.git`. */
export interface Aside {
  run: string;
  label: string;
}

/**
 * Puts the `.git` of a repository back where it is gone, or is another one, and the ignored files that are gone. What was there is
 * put aside. Answers with warnings. Nothing happens while something else than a folder is in the way.
 */
export async function putCopyBack(
  repo: Repository,
  id: string,
  path: string,
  aside: Aside,
): Promise<{ warnings: string[]; revived: boolean }> {
  const { files } = repo.ports;
  const copy = copyOf(repo, id, path);
  const nothing = { warnings: [], revived: false };
  if ((await files.stat(join(copy, "git"), { link: true })) === undefined) return nothing;
  if (await isBlocked(repo, toText(path))) return nothing;
  const folder = join(repo.cwd, toText(path));
  const emptied = (await files.list(folder)).length === 0;
  const whole = await holdsCheckpoint(repo, id, path);
  const warnings = whole ? [] : [await putGitBack(repo, { copy, folder, path, aside })];
  // Files that are all gone are no work of the attempt's: they come back before anything looks at what differs.
  if (!whole && emptied) await fillFromCheckpoint(repo, id, path);
  await fillIn(files, join(copy, "ignored"), folder);
  return { warnings, revived: !whole };
}

async function fillFromCheckpoint(repo: Repository, id: string, path: string): Promise<void> {
  for (const { repo: module } of await openModules(repo, [path])) {
    const ref = checkpointRef(module.tree, id);
    const index = await privateCopy(module, "nested-index", undefined);
    await runGit(module, ["read-tree", ref], { index });
    await runGit(module, ["checkout-index", "--all", "--force"], { index });
    await module.ports.files.remove(index);
  }
}

/** Whether the folder, or one above it, is something else than a folder. */
async function isBlocked(repo: Repository, path: string): Promise<boolean> {
  const parts = path.split("/");
  for (const at of parts.keys()) {
    const stat = await repo.ports.files.stat(join(repo.cwd, ...parts.slice(0, at + 1)), { link: true });
    if (stat !== undefined && stat.kind !== "folder") return true;
  }
  return false;
}

async function holdsCheckpoint(repo: Repository, id: string, path: string): Promise<boolean> {
  const [module] = await openModules(repo, [path]);
  if (module === undefined) return false;
  const ref = checkpointRef(module.repo.tree, id);
  return (await readHead(module.repo, [ref])).refs.has(ref);
}

async function putGitBack(
  repo: Repository,
  { copy, folder, path, aside }: { copy: string; folder: string; path: string; aside: Aside },
): Promise<string> {
  const { files } = repo.ports;
  const git = join(folder, ".git");
  let kept = "";
  if ((await files.stat(git, { link: true })) !== undefined) {
    const put = await freeFolder(files, asideOf(repo, aside, path));
    await files.makeFolder(dirname(put), 0o700);
    await move(files, git, put);
    kept = `; what was in its place: ${put}`;
  }
  // Whole or not at all: a kill must not leave half a repository.
  const beside = join(repo.gitDir, FOLDER, "back");
  await files.removeTree(beside);
  await copyAny(files, join(copy, "git"), beside, { left: Infinity });
  await files.makeFolder(folder);
  await move(files, beside, git);
  return `${toText(path)}/.git was removed or replaced during the attempt: it is put back${kept}`;
}

function asideOf(repo: Repository, { run, label }: Aside, path: string): string {
  return join(repo.commonDir, "looper-put-aside", encodeId(run), encodeId(label), toText(path), "git");
}

/** Keeps the `.git` of a repository that an attempt removed for good; answers with where. */
export async function putCopyAside(
  repo: Repository,
  id: string,
  path: string,
  aside: Aside,
): Promise<string | undefined> {
  const { files } = repo.ports;
  const copy = join(copyOf(repo, id, path), "git");
  if ((await files.stat(copy, { link: true }))?.kind !== "folder") return undefined;
  const put = await freeFolder(files, asideOf(repo, aside, path));
  await files.makeFolder(dirname(put), 0o700);
  await copyAny(files, copy, put, { left: Infinity });
  return put;
}

async function freeFolder(files: Files, path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const free = count === 1 ? path : `${path}-${String(count)}`;
    if ((await files.stat(free, { link: true })) === undefined) return free;
  }
}

/** Across file systems a move is a copy. */
async function move(files: Files, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await copyAny(files, from, to, { left: Infinity });
    await files.removeTree(from);
    await files.remove(from);
  }
}

/** Copies what is gone; what is there stays. */
async function fillIn(files: Files, from: string, to: string): Promise<void> {
  for (const name of await files.list(from)) {
    const stat = await files.stat(join(to, name), { link: true });
    const isFolder = (await files.stat(join(from, name), { link: true }))?.kind === "folder";
    if (isFolder && (stat === undefined || stat.kind === "folder")) {
      await files.makeFolder(join(to, name));
      await fillIn(files, join(from, name), join(to, name));
    } else if (stat === undefined) await copyAny(files, join(from, name), join(to, name), { left: Infinity });
  }
}

/** Forgets the copies. */
export async function dropCopies(repo: Repository, id: string): Promise<void> {
  await repo.ports.files.removeTree(copiesOf(repo, id));
}
