// Restores a rescue into the working tree as uncommitted changes, merged three-way into the current files. All of it
// comes back or, if something is in the way, nothing. The person's index stays as it is. Contract: no run is in
// progress.
import { join } from "node:path";
import { toText } from "../base/bytes.js";
import { exists, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { foldersAbove } from "../base/repository/folders.js";
import { runGit } from "../base/git.js";
import { byPath, type ByPath } from "../index/index-compare.js";
import { dropOwnIndex, indexInfo, ownIndex, stageAll } from "../index/index-file.js";
import { privateCopy, listEntries } from "../index/index-person.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import type { Repository } from "../base/repository/repository.js";
import type { Rescue } from "./rescues.js";
import { parseBatch } from "../base/batch.js";

/** A path that prevents the restore of a rescue, and the reason. */
export interface Clash {
  path: string;
  why: "differs" | "ignored" | "folder";
}

export type BroughtBack =
  | { clashes: readonly Clash[] }
  | {
      /** Paths as text. */
      restored: readonly string[];
      /** Paths that already equal the rescue. */
      already: readonly string[];
      /** Other repositories: the rescue has only a commit id of them, and no file. */
      left: readonly string[];
    };

/** Restores a rescue; the rescue itself is kept. */
export async function restoreRescue(rescue: Rescue): Promise<BroughtBack> {
  const { repo } = rescue;
  try {
    await dropOwnIndex(repo);
    await leaveOutLarge(repo);
    await stageAll(repo);
    const tree = byPath(await listEntries(repo, ownIndex(repo)));
    const plan = await planAll(repo, rescue.changes, tree, { revive: true });
    if (plan.clashes.length > 0) return { clashes: plan.clashes };
    if (plan.set.length > 0) await writeTree(repo, plan.set);
    return {
      restored: plan.set.map(({ path }) => toText(path)),
      already: plan.already.map(toText),
      left: plan.left.map(toText),
    };
  } finally {
    await dropOwnIndex(repo);
  }
}

/** The effect of a list of changes on a tree. */
export interface TreePlan {
  set: DiffEntry[];
  already: string[];
  left: string[];
  clashes: Clash[];
}

/**
 * Plans the changes of a tree: three-way where it differs from their `from` sides. Changes nothing. `revive`: a file that the
 * tree does not have any more comes back whole, since nothing is overwritten.
 */
export async function planAll(
  repo: Repository,
  changes: readonly DiffEntry[],
  tree: ByPath,
  { revive = false }: { revive?: boolean } = {},
): Promise<TreePlan> {
  const plan: TreePlan = { set: [], already: [], left: [], clashes: [] };
  for (const change of changes) {
    const { path, to } = change;
    const now = tree.get(path);
    if ([change.from, to].some(({ mode }) => mode === SUBMODULE)) plan.left.push(path);
    else if (now === undefined ? !exists(to) : sameVersion(now, to)) plan.already.push(path);
    else {
      const version = revive && now === undefined ? to : await mergeVersion(repo, change, now);
      if (version === undefined) plan.clashes.push({ path: toText(path), why: "differs" });
      else plan.set.push({ path, from: now ?? change.from, to: version });
    }
  }
  plan.clashes.push(...(await inTheWay(repo, plan.set, tree)));
  return plan;
}

const SUBMODULE = "160000";

/** The new version of the path; `undefined` if it was changed since the rescue in a way that cannot be merged. */
export async function mergeVersion(
  repo: Repository,
  { from, to }: DiffEntry,
  now: Version | undefined,
): Promise<Version | undefined> {
  if (now === undefined ? !exists(from) : sameVersion(now, from)) return to;
  const files = [now, from, to].every((version) => version?.mode.startsWith("100"));
  return now !== undefined && files ? mergeContents(repo, { now, from, to }) : undefined;
}

/**
 * Paths blocked by untracked content: an ignored file, a folder in the place of a file, or a file in the place of a
 * folder.
 */
async function inTheWay(repo: Repository, set: readonly DiffEntry[], tree: ByPath): Promise<Clash[]> {
  const after = new Map(tree);
  for (const { path, to } of set) {
    if (exists(to)) after.set(path, to);
    else after.delete(path);
  }
  const folders = foldersAbove(after.keys());
  const clashes: Clash[] = [];
  for (const { path } of set.filter(({ to }) => exists(to))) {
    const swapped = folders.has(path) || [...foldersAbove([path])].some((folder) => after.has(folder));
    if (swapped) clashes.push({ path: toText(path), why: "folder" });
    else if (!tree.has(path) && (await isIgnoredThere(repo, path, tree)))
      clashes.push({ path: toText(path), why: "ignored" });
  }
  return clashes;
}

/** Whether an untracked file or folder is at the path, or an untracked file in the place of one of its folders. */
async function isIgnoredThere(repo: Repository, path: string, tree: ByPath): Promise<boolean> {
  const { files } = repo.ports;
  for (const at of [path, ...foldersAbove([path])]) {
    if (tree.has(at)) continue;
    const stat = await files.stat(join(repo.cwd, toText(at)), { link: true });
    if (stat !== undefined && stat.kind !== "folder") return true;
    if (stat?.kind === "folder" && at === path && (await holdsMore(repo, path, tree))) return true;
  }
  return false;
}

/**
 * Whether a folder contains untracked content: tracked files are removed with their folder, untracked ones would
 * stay.
 */
async function holdsMore(repo: Repository, folder: string, tree: ByPath): Promise<boolean> {
  const { files } = repo.ports;
  for (const name of await files.list(join(repo.cwd, toText(folder)))) {
    const path = `${folder}/${Buffer.from(name, "utf8").toString("latin1")}`;
    if (tree.has(path)) continue;
    const stat = await files.stat(join(repo.cwd, toText(path)), { link: true });
    if (stat?.kind !== "folder" || (await holdsMore(repo, path, tree))) return true;
  }
  return false;
}

/**
 * Changes the files from the current tree, as the own index has it, to one with `set`; git first checks whether all
 * can be written.
 */
export async function writeTree(repo: Repository, set: readonly DiffEntry[]): Promise<void> {
  const index = ownIndex(repo);
  const now = (await runGit(repo, ["write-tree"], { index })).out.trimEnd();
  const copy = await privateCopy(repo, "rescue-index", await repo.ports.files.read(index));
  await runGit(repo, ["update-index", "-z", "--index-info"], { input: indexInfo(set), index: copy });
  const then = (await runGit(repo, ["write-tree"], { index: copy })).out.trimEnd();
  await repo.ports.files.remove(copy);
  await runGit(repo, ["read-tree", "-m", "-u", now, then], { index });
}

/** Three versions of one file: the current one, the common base, and the one to merge. */
interface Versions {
  now: Version;
  from: Version;
  to: Version;
}

/** The file with both changes; `undefined` if they overlap, or if the file is binary. */
async function mergeContents(repo: Repository, { now, from, to }: Versions): Promise<Version | undefined> {
  const mode = now.mode === from.mode ? to.mode : now.mode;
  if (now.oid === to.oid || from.oid === to.oid) return { mode, oid: now.oid };
  if (now.oid === from.oid) return { mode, oid: to.oid };
  const input = [now, from, to].map(({ oid }) => `${oid}\n`).join("");
  const contents = parseBatch((await runGit(repo, ["cat-file", "--batch"], { input })).out);
  const merged = await mergeFiles(
    repo,
    contents.map((object) => object?.content ?? ""),
  );
  if (merged === undefined) return undefined;
  const made = await runGit(repo, ["hash-object", "-w", "--stdin"], { input: merged });
  return { mode, oid: made.out.trimEnd() };
}

/** Bytes, one character each. Git's merge command reads files. */
async function mergeFiles(repo: Repository, contents: readonly string[]): Promise<string | undefined> {
  const { files } = repo.ports;
  const folder = await files.makeTempFolder("looper-merge-");
  try {
    const paths: string[] = [];
    for (const [at, content] of contents.entries()) {
      const path = join(folder, String(at));
      await files.writeNew(path, Buffer.from(content, "latin1"));
      paths.push(path);
    }
    // Exit codes above 127 are errors; those below count the conflicts.
    const conflicts = Array.from({ length: 255 }, (_, at) => at + 1);
    const { code, out } = await runGit(repo, ["merge-file", "-p", ...paths], { answers: conflicts });
    return code === 0 ? out : undefined;
  } finally {
    await files.removeTree(folder);
  }
}
