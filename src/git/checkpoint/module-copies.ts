// Copies the parts that make a folder in the tree a repository: its `.git`, and the files it ignores. Git's trees
// cannot contain a `.git`, and an attempt may remove the whole folder. The copy is kept next to the checkpoint,
// below the outer git folder. The other files of such a repository are in its own checkpoint, inside its `.git`.
import { dirname, join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../system/errors.js";
import { reasonOf } from "../base/file-errors.js";
import type { Files } from "../../system/ports.js";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { readHead } from "../base/repository/head.js";
import { privateCopy } from "../index/index-person.js";
import { sizeText } from "./large.js";
import { openModules } from "./modules.js";
import { checkpointRef, encodeId } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";

/** The most bytes that are copied if files cannot be linked. */
const MOST_COPIED = 1024 ** 3;
/** The most bytes, and the most files, that are kept of the files a repository ignores. */
const MOST_IGNORED = 64 * 1024 ** 2;
const MOST_IGNORED_FILES = 20_000;

/** Not below `looper`, whose content is of no use to the next run. */
const FOLDER = "looper-nested";

const Paths = z.array(z.string());

function copiesOf(repo: Repository, id: string): string {
  return join(repo.gitDir, FOLDER, "copies", encodeId(id));
}

function copyOf(repo: Repository, id: string, path: string): string {
  return join(copiesOf(repo, id), encodeId(toText(path)));
}

/** The repositories with a copy, as paths in bytes. Starts no process. */
export async function listCopiedModules(repo: Repository, id: string): Promise<string[]> {
  return readPaths(repo.ports.files, join(copiesOf(repo, id), "paths.json"));
}

/** The untracked repositories that ever had a copy: their rescues are listed too. */
export async function listKnownModules(repo: Repository): Promise<string[]> {
  return readPaths(repo.ports.files, join(repo.gitDir, FOLDER, "known.json"));
}

async function readPaths(files: Files, file: string): Promise<string[]> {
  const bytes = await files.read(file);
  return bytes === undefined ? [] : (readFacts(Paths, Buffer.from(bytes).toString("utf8")) ?? []);
}

/**
 * Copies the `.git` of these repositories and the files they ignore; replaces earlier copies of `id`. Returns
 * warnings about content that could not be copied and cannot be restored. Contract: the repositories have their
 * checkpoints already.
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
  const known = await listKnownModules(repo);
  if (!kept.every((path) => known.includes(path))) {
    const all = [...new Set([...known, ...kept])];
    await files.writeAtomic(join(repo.gitDir, FOLDER, "known.json"), JSON.stringify(all));
  }
  return warnings;
}

function unprotected(path: string, why: string): string {
  return `${toText(path)} is a repository of its own, and Looper cannot protect it (${why}): it is lost if an attempt removes it`;
}

/** The warnings at the start of a run about a repository inside the tree that cannot be kept whole. */
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

/** Git never rewrites an object file, so a hard link is a copy that costs nothing. */
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
      // A lock that a dead git process left is not part of a repository.
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

/** The files that a repository inside the tree ignores, or their size if it is too large to keep. */
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

/** The run and the label under which replaced files are put aside. */
export interface Aside {
  run: string;
  label: string;
}

/**
 * Restores a `.git` that was removed or replaced, and ignored files that were removed. Puts aside the files in their
 * place. Returns warnings. Does nothing while the path of the folder is not a folder.
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
  // In an empty folder the deletions do not count as work of the attempt: restore the files before differences are
  // computed.
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

/** Whether the folder, or one above it, is something other than a folder. */
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
  // In one step: a kill must not leave half a repository.
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

/** Keeps the `.git` of a repository that an attempt removed; returns its place. */
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

/** Moves a file; across file systems it copies. */
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

/** Copies missing files; existing ones stay. */
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

/** Deletes the copies. */
export async function dropCopies(repo: Repository, id: string): Promise<void> {
  await repo.ports.files.removeTree(copiesOf(repo, id));
}
