// Restores metadata that git's trees cannot contain: permission bits, empty folders, and files replaced by pipes and
// the like. survey.ts collects it, metadata.ts keeps it, and restore.ts restores files and index.
import { errorCode, errorMessage } from "../../system/errors.js";
import { listSome } from "../../system/text/cut.js";
import { toText } from "../base/bytes.js";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { foldersAbove } from "../base/repository/folders.js";
import type { ByPath } from "../index/index-compare.js";
import type { Repository } from "../base/repository/repository.js";
import { kindsOf, lookAround, modesOf, type Kinds } from "../checkpoint/survey.js";

/** The metadata of a checkpoint. */
type Known = Pick<Checkpoint, "usual" | "unseen">;

/** The most paths named in a warning. */

/**
 * Clears paths that git cannot read: files and folders without read or write permission, and new pipes, sockets and
 * the like. `tree`: the content of the own index, and of the files to restore. `again`: the tree must be staged
 * again.
 */
export async function clearView(
  repo: Repository,
  { usual, unseen }: Known,
  tree: ByPath,
): Promise<{ again: boolean; warnings: string[] }> {
  if (usual === undefined) return { again: false, warnings: [] };
  const opened = await openShut(repo, kindsOf(repo, tree, []));
  const had = new Set(unseen.special);
  const special = (await lookAround(repo, tree)).special.filter((path) => !had.has(path));
  for (const path of special) await repo.ports.files.tree(repo.cwd).remove(path);
  const told = "pipes, sockets or devices made during the attempt cannot be kept and were removed";
  return { again: opened || special.length > 0, warnings: warnOf(told, special) };
}

/** A folder that is opened may contain more folders without permission. */
async function openShut(repo: Repository, kinds: Kinds): Promise<boolean> {
  for (let opened = false; ; opened = true) {
    const shut = new Map<string, number>();
    for (const [path, mode] of await modesOf(repo, kinds)) {
      const needed = kinds.get(path) === "folder" ? 0o700 : 0o400;
      if ((mode & needed) !== needed) shut.set(path, mode | needed);
    }
    const failed = await setModes(repo, shut);
    if (shut.size === failed.length) return opened;
  }
}

/**
 * Restores empty folders and permission bits, except at the paths to `leave`. Contract: the files are restored, and
 * `tree` is the content of the own index. Returns warnings.
 */
export async function restoreUnseen(
  repo: Repository,
  { usual, unseen }: Known,
  { tree, leave }: { tree: ByPath; leave: ReadonlySet<string> },
): Promise<string[]> {
  if (usual === undefined) return [];
  const empty = await restoreEmpty(repo, unseen.empty, tree);
  const old = new Map([...tree].filter(([path]) => !leave.has(path)));
  const failed = await restoreModes(repo, { usual, unseen }, kindsOf(repo, old, empty));
  const there = await repo.ports.files.tree(repo.cwd).look(unseen.special);
  const gone = unseen.special.filter((_, at) => there[at]?.kind !== "other");
  return [
    ...warnOf("cannot restore permissions", failed),
    ...warnOf("pipes, sockets or devices were removed during the attempt and cannot be restored", gone),
  ];
}

/** Returns the wanted folders that exist. */
async function restoreEmpty(repo: Repository, wanted: readonly string[], tree: ByPath): Promise<string[]> {
  const here = repo.ports.files.tree(repo.cwd);
  const { empty } = await lookAround(repo, tree);
  const known = new Set([...wanted, ...foldersAbove(wanted)]);
  const made = empty.filter((path) => !known.has(path));
  for (const path of deepestFirst(made)) await unlessSystem(() => here.removeFolder(path));
  const there: string[] = [];
  const passedBy = new Set<string>();
  for (const path of deepestFirst(wanted).reverse()) {
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    // Folders behind an ignored symlink are in another place.
    const [folder] = passedBy.has(above) ? [] : await here.look([above]);
    if (folder?.kind === "folder") await unlessSystem(() => here.makeFolder(path));
    const [now] = folder?.kind === "folder" ? await here.look([path]) : [];
    if (now?.kind === "folder") there.push(path);
    else passedBy.add(path);
  }
  return there;
}

/**
 * Restores the permission bits of restored files, except those that the attempt changed (`own`). Returns warnings.
 */
export async function restoreModesOf(
  repo: Repository,
  known: Known,
  { back, own }: { back: readonly DiffEntry[]; own: readonly DiffEntry[] },
): Promise<string[]> {
  const changed = new Set(own.map(({ path }) => path));
  const old = back.filter(({ path, from }) => exists(from) && !changed.has(path));
  const files = kindsOf(repo, new Map(old.map(({ path, from }) => [path, from])), []);
  const kinds = new Map([...files].filter(([, kind]) => kind !== "folder"));
  return warnOf("cannot restore permissions", await restoreModes(repo, known, kinds));
}

/** Returns the paths whose bits could not be set. */
async function restoreModes(repo: Repository, { usual, unseen }: Known, kinds: Kinds): Promise<string[]> {
  if (usual === undefined || kinds.size === 0) return [];
  const unusual = new Map(unseen.modes);
  const wrong = new Map<string, number>();
  for (const [path, mode] of await modesOf(repo, kinds)) {
    const wanted = unusual.get(path) ?? usual[kinds.get(path) ?? "file"];
    if (mode !== wanted) wrong.set(path, wanted);
  }
  return setModes(repo, wrong);
}

/**
 * Sorts folders after their content, because their bits may prevent access to it. Returns the paths whose bits could
 * not be set.
 */
async function setModes(repo: Repository, modes: ReadonlyMap<string, number>): Promise<string[]> {
  const here = repo.ports.files.tree(repo.cwd);
  const failed: string[] = [];
  for (const path of deepestFirst([...modes.keys()])) {
    const mode = modes.get(path);
    const error = mode === undefined ? undefined : await unlessSystem(() => here.setMode(path, mode));
    if (error !== undefined) failed.push(path);
  }
  return failed;
}

function deepestFirst(paths: readonly string[]): string[] {
  return [...paths].sort((one, other) => other.length - one.length);
}

/** Files of another user may refuse the change: that does not stop the rest of the restore. */
async function unlessSystem(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorMessage(error);
  }
}

function warnOf(what: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`${what}: ${listSome(paths.map((path) => toText(path) || "."))}`];
}
