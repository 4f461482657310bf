// Finds and opens submodules that are checked out: repositories inside the tree, of which the tree contains only a
// commit id. The callers apply their own operation to each.
import { join, relative } from "node:path";
import { toText } from "../base/bytes.js";
import { z } from "zod";
import { readFacts } from "../base/facts.js";
import { encodeId } from "../base/names.js";
import type { IndexEntry } from "../index/index-person.js";
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

/** The file that names the repositories with a checkpoint of this id: git does not list untracked ones that are gone. */
function listOf(repo: Repository, id: string): string {
  return join(repo.gitDir, "looper-nested", `${encodeId(id)}.json`);
}

/** Remembers the repositories (paths in bytes) that hold a checkpoint of this id. Starts no process. */
export async function rememberModules(repo: Repository, id: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return forgetModules(repo, id);
  await repo.ports.files.makeFolder(join(repo.gitDir, "looper-nested"), 0o700);
  await repo.ports.files.writeAtomic(listOf(repo, id), JSON.stringify(paths));
}

/** Reads them again; empty if there are none. */
export async function readModules(repo: Repository, id: string): Promise<readonly string[]> {
  const bytes = await repo.ports.files.read(listOf(repo, id));
  return bytes === undefined
    ? []
    : (readFacts(z.array(z.string()), Buffer.from(bytes).toString("utf8")) ?? []);
}

export async function forgetModules(repo: Repository, id: string): Promise<void> {
  await repo.ports.files.remove(listOf(repo, id));
}
