// Repositories inside the tree of another: submodules that are checked out, and others. The tree around them holds at most a
// commit id of them, so a checkpoint has a state to compare with. Nothing restores or commits their files.
import { join, relative } from "node:path";
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { rescueRef } from "../base/names.js";
import { openRepository, type Repository } from "../base/repository/repository.js";
import { dropOwnIndex, ownIndex, stageAll } from "../index/index-file.js";
import type { IndexEntry } from "../index/index-person.js";
import { leaveOutLarge } from "./large.js";

/** The state of a repository: its HEAD ("" before the first commit), and the tree of all its files. */
export interface ModuleState {
  head: string;
  tree: string;
}

/** States by path (bytes). Repositories inside these are not looked at. */
export type ModuleStates = ReadonlyMap<string, ModuleState>;

/** The paths at which an index has other repositories. */
export function modulePaths(entries: readonly Pick<IndexEntry, "path" | "mode">[]): string[] {
  return entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
}

/** The states of the repositories that are checked out at some of these paths. Starts four processes for each. */
export async function readModules(repo: Repository, paths: readonly string[]): Promise<ModuleStates> {
  const states = new Map<string, ModuleState>();
  for (const path of paths) {
    const module = await openModule(repo, path);
    if (module !== undefined) states.set(path, await stateOf(module));
  }
  return states;
}

/** The repositories (paths in bytes) that differ from earlier states. */
export interface ModuleChanges {
  changed: ReadonlyMap<string, Repository>;
  /** Those of them with changes that they have not committed. */
  uncommitted: readonly string[];
  /** Removed or replaced, and nothing can bring them back: a submodule's content is in the outer git folder. */
  broken: readonly string[];
}

/** Compares the repositories with their states before. Starts no process without any. */
export async function compareModules(repo: Repository, before: ModuleStates): Promise<ModuleChanges> {
  const changed = new Map<string, Repository>();
  const found = { uncommitted: [] as string[], broken: [] as string[] };
  for (const [path, was] of before) {
    const module = await openModule(repo, path);
    if (module === undefined || !(await hasCommit(module, was.head))) {
      const content = join(repo.commonDir, "modules", toText(path));
      if ((await repo.ports.files.stat(content)) === undefined) found.broken.push(path);
      continue;
    }
    const now = await stateOf(module);
    if (now.tree !== was.tree || now.head !== was.head) changed.set(path, module);
    if (now.tree !== was.tree && now.tree !== now.committed) found.uncommitted.push(path);
  }
  return { changed, ...found };
}

/** Opens the repository that is checked out at a path, if there is one. */
async function openModule(repo: Repository, path: string): Promise<Repository | undefined> {
  const folder = join(repo.cwd, toText(path));
  if ((await repo.ports.files.stat(join(folder, ".git"))) === undefined) return undefined;
  const opened = await openRepository(repo.ports, { ...repo.places, projectDir: folder });
  // An invalid `.git` would make git use the outer repository.
  return opened.ok && opened.value.gitDir !== repo.gitDir ? opened.value : undefined;
}

async function stateOf(module: Repository): Promise<ModuleState & { committed: string }> {
  await dropOwnIndex(module);
  await leaveOutLarge(module);
  await stageAll(module);
  const tree = (await runGit(module, ["write-tree", "--missing-ok"], { index: ownIndex(module) })).out;
  await dropOwnIndex(module);
  const { out } = await runGit(module, ["log", "-1", "--format=%H %T"], { answers: [128] });
  const [head = "", committed = ""] = out.trimEnd().split(" ");
  return { head, committed, tree: tree.trimEnd() };
}

async function hasCommit(module: Repository, commit: string): Promise<boolean> {
  if (commit === "") return true;
  const { code } = await runGit(module, ["cat-file", "-e", `${commit}^{commit}`], { answers: [1, 128] });
  return code === 0;
}

/**
 * Keeps the files of changed repositories as they were before, each in itself: nothing puts them back. Returns a warning for each.
 */
export async function keepBefore(
  repo: Repository,
  before: ModuleStates,
  { run, label }: { run: string; label: string },
): Promise<string[]> {
  const warnings: string[] = [];
  for (const [path, module] of (await compareModules(repo, before)).changed) {
    const ref = rescueRef(run, `${label}-before`);
    await runGit(module, ["update-ref", ref, before.get(path)?.tree ?? ""]);
    const command = `git -C '${toText(path)}' restore --source=${ref} -- :/`;
    warnings.push(
      `what the attempt changed inside ${toText(path)}, a repository of its own, stays there; to put its files back as they were: ${command}`,
    );
  }
  return warnings;
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
