// Puts back what no tree of git's can say: permission bits, empty folders, pipes and the like in the place of files.
// Leaves finding out what there was to survey.ts, keeping it to metadata.ts, and files and index to restore.ts.
import { errorCode, errorMessage } from "../../system/errors.js";
import { listSome } from "../../system/text/cut.js";
import { toText } from "../base/bytes.js";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { exists, type DiffEntry } from "../base/diff.js";
import { foldersAbove } from "../base/folders.js";
import type { ByPath } from "../index/index-compare.js";
import type { Repository } from "../base/repository.js";
import { kindsOf, lookAround, modesOf, type Kinds } from "../checkpoint/survey.js";

/** What a checkpoint knows of it. */
type Known = Pick<Checkpoint, "usual" | "unseen">;

/** So many are named in a warning. */

/**
 * Takes out of git's way what it cannot look at or look behind: files that may not be read, folders that may not be read or
 * written, and what is neither file, folder nor symlink and came since. `tree`: what the index of our own holds, and what is to
 * come back. `again`: it must be staged again.
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
  const told = `pipes, sockets or devices, which nothing can keep, were made during the attempt and are removed`;
  return { again: opened || special.length > 0, warnings: warnOf(told, special) };
}

/** Behind a folder that is opened there may be more that is shut. */
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
 * Makes empty folders and permission bits what they were, save those of the paths to `leave`. Contract: the files are what
 * they were, and `tree` is what the index of our own holds. Answers with warnings.
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
    ...warnOf("permissions could not be put back", failed),
    ...warnOf("pipes, sockets or devices were removed during the attempt and cannot be made again", gone),
  ];
}

/** Answers with those of the wanted folders that are there. */
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
    // Behind a symlink that git ignores lies another place.
    const [folder] = passedBy.has(above) ? [] : await here.look([above]);
    if (folder?.kind === "folder") await unlessSystem(() => here.makeFolder(path));
    const [now] = folder?.kind === "folder" ? await here.look([path]) : [];
    if (now?.kind === "folder") there.push(path);
    else passedBy.add(path);
  }
  return there;
}

/**
 * Gives the files that were put back the permission bits they had. Those the attempt changed (`own`) are its own business.
 * Answers with warnings.
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
  return warnOf("permissions could not be put back", await restoreModes(repo, known, kinds));
}

/** Answers with the paths whose bits could not be set. */
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

/** A folder comes after what it holds, which it may shut away. Answers with the paths whose bits could not be set. */
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

/** What belongs to somebody else may refuse: that keeps nothing else from going back. */
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
