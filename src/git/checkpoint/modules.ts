// Submodules that are checked out: repositories of their own inside the tree, of which the tree holds a commit's id only.
// Leaves what is done in them to the callers, who do there what they do here.
import { join, relative } from "node:path";
import { toText } from "../base/bytes.js";
import type { IndexEntry } from "../index/index-bytes.js";
import { openRepository, type Repository } from "../base/repository.js";

/** A repository in the tree of another. */
export interface Module {
  /** From the other's top, in bytes. */
  path: string;
  repo: Repository;
}

/** The paths at which an index has other repositories. */
export function modulePaths(entries: readonly Pick<IndexEntry, "path" | "mode">[]): string[] {
  return entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
}

/** Opens those of the paths that are checked out. One process each. */
export async function openModules(repo: Repository, paths: readonly string[]): Promise<Module[]> {
  const modules: Module[] = [];
  for (const path of paths) {
    const folder = join(repo.cwd, toText(path));
    if ((await repo.ports.files.stat(join(folder, ".git"))) === undefined) continue;
    const opened = await openRepository(repo.ports, { ...repo.places, projectDir: folder });
    // A `.git` that is none would lead to the repository around it.
    if (opened.ok && opened.value.gitDir !== repo.gitDir) modules.push({ path, repo: opened.value });
  }
  return modules;
}

/** Where a submodule's folder went and git still has what was in it, its link to that is made again. */
export async function relinkModule(repo: Repository, path: string): Promise<void> {
  const { files } = repo.ports;
  const folder = join(repo.cwd, toText(path));
  const gitDir = join(repo.commonDir, "modules", toText(path));
  const link = join(folder, ".git");
  if ((await files.stat(link)) !== undefined || (await files.stat(gitDir)) === undefined) return;
  await files.makeFolder(folder);
  await files.writeNew(link, `gitdir: ${relative(folder, gitDir)}\n`);
}
