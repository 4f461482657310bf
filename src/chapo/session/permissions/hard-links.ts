// Finds hard links to guarded files: a file with several names is protected by a rule about one of them. Files are compared by
// device and inode, and only those that have several names.
import path from "node:path";
import type { Files } from "../../../system/ports.js";
import { decodePath, encodePath, type ProjectFolder } from "../../paths.js";

/** The folder to look in, and the files to look for. */
export interface LinkSearch extends ProjectFolder {
  /** Decides on a path relative to the project's real folder. */
  isGuarded: (file: string) => boolean;
  /** Further guarded paths, relative or absolute. */
  named?: readonly string[];
}

const SKIPPED = new Set([".git", "node_modules"]);

/** Returns the guarded names of the paths that are hard links to guarded files, by path. Paths are relative to the project's real folder. */
export async function findGuardedNames(
  { files, root, isGuarded, named = [] }: LinkSearch,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const real = (await files.realPath(root)) ?? root;
  const tree = files.tree(real);
  const several = await lookAtLinks(tree, paths);
  if (several.size === 0) return new Map();
  const walked = await tree.walk("", (folder) => !SKIPPED.has(path.basename(folder)));
  const there = walked.filter(({ kind }) => kind === "file").map((one) => decodePath(one.path));
  const further = named.map((one) => path.relative(real, path.resolve(real, one)));
  const guarded = await lookAtLinks(tree, [...new Set([...there.filter(isGuarded), ...further])]);
  return new Map(
    [...several].flatMap(([one, identity]) => {
      const same = [...guarded].filter(([name, other]) => name !== one && other === identity);
      return same.length === 0 ? [] : [[one, same.map(([name]) => name)] as const];
    }),
  );
}

/** Returns the identity of each path that is a file with several names. */
async function lookAtLinks(tree: ReturnType<Files["tree"]>, paths: readonly string[]) {
  const looked = await tree.look(paths.map(encodePath));
  return new Map(
    paths.flatMap((one, at) => {
      const file = looked[at];
      const isLinked = file?.kind === "file" && file.links > 1;
      return isLinked ? [[one, `${file.device}:${file.inode}`] as const] : [];
    }),
  );
}
