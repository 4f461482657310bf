// Repositories inside the tree of another: submodules that are checked out, and others. The tree around them holds at most a
// commit id of them, so a checkpoint has a state to compare with. Nothing restores or commits their files.
import { join, relative } from "node:path";
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { rescueRef } from "../base/names.js";
import { openRepository, type Repository } from "../base/repository/repository.js";
import { dropOwnIndex, ownIndex, stageAll } from "../index/index-file.js";
import { leaveOutLarge } from "./large.js";
import { exists, type DiffEntry, MODULE } from "../base/read/diff.js";
import { hasObject } from "../base/objects.js";

/** The state of a repository: its HEAD ("" before the first commit), and the tree of all its files. */
export interface ModuleState {
  head: string;
  tree: string;
}

/** States by path (bytes). Repositories inside these are not looked at. */
export type ModuleStates = ReadonlyMap<string, ModuleState>;

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
    if (module === undefined || !(was.head === "" || (await hasObject(module, `${was.head}^{commit}`)))) {
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

/** Why an attempt must not be committed: it removed or replaced a repository, which no checkpoint holds. */
export function whyBroken([path]: readonly string[]): string | undefined {
  if (path === undefined) return undefined;
  return `the repository ${toText(path)} inside the tree was removed or replaced: Looper cannot bring it back`;
}

/** Whether a repository is at another commit, which only a checkout in it can change. */
export function isOtherCommit({ from, to }: DiffEntry): boolean {
  return from.mode === MODULE && to.mode === MODULE;
}

/** The warnings about work inside repositories; of `changes` only the new ones. */
export function warnOfInside(uncommitted: readonly string[], made: readonly string[]): string[] {
  return [
    ...uncommitted.map(
      (path) =>
        `changes inside ${toText(path)}, a repository of its own, are not committed: commit them there`,
    ),
    ...made.map(
      (path) =>
        `${toText(path)} was made a repository of its own during the attempt: no commit and no rescue here holds its files`,
    ),
  ];
}

/**
 * Repositories (paths in bytes) that an attempt made, or put in the place of something else, without the project's
 * submodules.
 */
export async function findMadeModules(
  repo: Repository,
  changes: readonly DiffEntry[],
  { unborn, known }: { unborn: readonly string[]; known: ModuleStates },
): Promise<string[]> {
  const modules = Buffer.from((await repo.ports.files.read(`${repo.cwd}/.gitmodules`)) ?? []);
  const paths = modules.toString("latin1").matchAll(/^[ \t]*path[ \t]*=(.*)$/gm);
  const submodules = new Set([...paths].map(([, path = ""]) => path.trim()));
  const made = changes.flatMap(({ path, from, to }) =>
    to.mode === MODULE && (!exists(from) || from.mode !== MODULE) ? [path] : [],
  );
  return [...made, ...unborn].filter((path) => !known.has(path) && !submodules.has(path));
}
