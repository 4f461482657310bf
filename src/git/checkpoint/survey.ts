// Collects the metadata of a working tree: permission bits beyond git's two modes, empty folders, pipes and the
// like. Skips ignored files. metadata.ts keeps it and restore-metadata.ts restores it.
import type { Walked } from "../../system/ports.js";
import { foldersAbove } from "../base/repository/folders.js";
import type { ByPath } from "../index/index-compare.js";
import type { Repository } from "../base/repository/repository.js";

/** The permission bits of most files and folders: only others need a record. */
export type Usual = Record<"file" | "program" | "folder", number>;

/** Paths are bytes; "" is the top. */
export interface Survey {
  usual: Usual;
  /** Other permission bits, by path. */
  modes: ReadonlyMap<string, number>;
  /** Folders without any file, at any depth. */
  empty: readonly string[];
  /** Anything but files, folders and symlinks. */
  special: readonly string[];
}

/** The kind of each path, which decides on the usual permission bits it is compared with. */
export type Kinds = ReadonlyMap<string, keyof Usual>;

/** Examines everything in `tree`, its folders, and empty folders. Starts no process. */
export async function survey(repo: Repository, tree: ByPath): Promise<Survey> {
  const around = await lookAround(repo, tree);
  const kinds = kindsOf(repo, tree, around.empty);
  const modes = await modesOf(repo, kinds);
  const usual = usualOf(modes, kinds);
  const unusual = [...modes].filter(([path, mode]) => mode !== usual[kinds.get(path) ?? "file"]);
  return { usual, modes: new Map(unusual), ...around };
}

/** The files of `tree`, their folders, and these empty folders, without the runner's own. */
export function kindsOf(repo: Repository, tree: ByPath, empty: readonly string[]): Kinds {
  const kinds = new Map<string, keyof Usual>();
  for (const [path, { mode }] of tree) {
    if (isFile(mode) && !repo.isOwn(path)) kinds.set(path, mode === "100755" ? "program" : "file");
  }
  for (const folder of ["", ...foldersAbove(tree.keys()), ...empty]) kinds.set(folder, "folder");
  return kinds;
}

/** The permission bits of the paths that exist and have the expected kind. */
export async function modesOf(repo: Repository, kinds: Kinds): Promise<Map<string, number>> {
  const paths = [...kinds.keys()];
  const found = await repo.ports.files.tree(repo.cwd).look(paths);
  const modes = new Map<string, number>();
  for (const [at, path] of paths.entries()) {
    const one = found[at];
    if (one?.kind === (kinds.get(path) === "folder" ? "folder" : "file")) modes.set(path, one.mode);
  }
  return modes;
}

function isFile(mode: string): boolean {
  return mode.startsWith("100");
}

function usualOf(modes: ReadonlyMap<string, number>, kinds: Kinds): Usual {
  const counts = {
    file: new Map<number, number>(),
    program: new Map<number, number>(),
    folder: new Map<number, number>(),
  };
  for (const [path, mode] of modes) {
    const of = counts[kinds.get(path) ?? "file"];
    of.set(mode, (of.get(mode) ?? 0) + 1);
  }
  const most = (of: ReadonlyMap<number, number>, none: number): number =>
    [...of].reduce((best, one) => (one[1] > best[1] ? one : best), [none, 0])[0];
  return {
    file: most(counts.file, 0o644),
    program: most(counts.program, 0o755),
    folder: most(counts.folder, 0o755),
  };
}

/** Everything beside tracked files: empty folders, pipes and the like. */
export async function lookAround(repo: Repository, tree: ByPath): Promise<Pick<Survey, "empty" | "special">> {
  const here = repo.ports.files.tree(repo.cwd);
  const folders = foldersAbove(tree.keys());
  const empty: string[] = [];
  const special: string[] = [];
  for (const one of await here.walk("", (folder) => folders.has(folder))) {
    if (isPassedOver(repo, one.path)) continue;
    if (one.kind === "other") special.push(one.path);
    else if (one.kind === "folder" && !folders.has(one.path) && !tree.has(one.path)) {
      const inside = await lookInto(repo, one);
      empty.push(...inside.filter(({ kind }) => kind === "folder").map(({ path }) => path));
      special.push(...inside.filter(({ kind }) => kind === "other").map(({ path }) => path));
    }
  }
  return { empty, special };
}

/**
 * A folder and its content, unless there is a file in it: then git knows the folder or ignores it, and nothing is
 * collected.
 */
async function lookInto(repo: Repository, folder: Walked): Promise<Walked[]> {
  const here = repo.ports.files.tree(repo.cwd);
  const found = [folder];
  for (const { path, kind } of found) {
    const inside = kind === "folder" ? await here.walk(path, () => false) : [];
    if (inside.some((one) => one.kind === "file" || one.kind === "symlink" || repo.isOwn(one.path)))
      return [];
    found.push(...inside);
  }
  return found;
}

function isPassedOver(repo: Repository, path: string): boolean {
  return repo.isOwn(path) || path === ".git" || path.endsWith("/.git");
}
