// Finds and opens submodules that are checked out: repositories inside the tree, of which the tree contains only a
// commit id. The callers apply their own operation to each.
import { join, relative } from "node:path";
import { toText } from "../base/bytes.js";
import type { IndexEntry } from "../index/index-bytes.js";
import { openRepository, type Repository } from "../base/repository/repository.js";

/** A repository inside the tree of another. */
export interface Module {
  /** From the top of the outer repository, in bytes. */
  path: string;
  repo: Repository;
}

/** The paths at which an index has other repositories. */
export function modulePaths(entries: readonly Pick<IndexEntry, "path" | "mode">[]): string[] {
  return entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
}

/** Opens the repositories that are checked out. Starts one process for each. */
export async function openModules(repo: Repository, paths: readonly string[]): Promise<Module[]> {
  const modules: Module[] = [];
  for (const path of paths) {
    const folder = join(repo.cwd, toText(path));
    if ((await repo.ports.files.stat(join(folder, ".git"))) === undefined) continue;
    const opened = await openRepository(repo.ports, { ...repo.places, projectDir: folder });
    // An invalid `.git` would make git use the outer repository.
    if (opened.ok && opened.value.gitDir !== repo.gitDir) modules.push({ path, repo: opened.value });
  }
  return modules;
}

/** Restores the link from a removed submodule's folder to its content, which git still has. */
export async function relinkModule(repo: Repository, path: string): Promise<void> {
  const { files } = repo.ports;
  const folder = join(repo.cwd, toText(path));
  const gitDir = join(repo.commonDir, "modules", toText(path));
  const link = join(folder, ".git");
  if ((await files.stat(link)) !== undefined || (await files.stat(gitDir)) === undefined) return;
  await files.makeFolder(folder);
  await files.writeNew(link, `gitdir: ${relative(folder, gitDir)}\n`);
}
