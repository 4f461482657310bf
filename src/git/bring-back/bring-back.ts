// Restores a rescue into the working tree as uncommitted changes, merged three-way into the current files. All of it
// comes back or, if something is in the way, nothing. The person's index stays as it is. Contract: no run is in
// progress.
import { join } from "node:path";
import { toText, foldersAbove } from "../base/bytes.js";
import { exists, type DiffEntry, type Version, sameContent, NOTHING, isModule } from "../base/read/diff.js";
import { runGit, PLAIN_DIFF } from "../base/git.js";
import { byPath, type ByPath, privateCopy, listEntries } from "../index/index-person.js";
import { dropOwnIndex, indexInfo, ownIndex, stageAll, diffTrees } from "../index/index-file.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import type { Repository } from "../base/repository/repository.js";
import { readObjects, idOf } from "../base/objects.js";
import { KEPT_STAGED, CheckpointFacts } from "../checkpoint/checkpoint.js";
import { readMessage } from "../base/list-refs.js";
import { readHead, treeish } from "../base/repository/head.js";
import { findRescues, type FoundRescue } from "../rescue/rescue.js";

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
  const left = changes.filter(isModule).map(({ path }) => path);
  const others = changes.filter((change) => !isModule(change));
  const plan = await mergeChanges(repo, others, tree, { revive });
  const clashes = (await findHidden(repo, plan.set, tree)).map(({ path, why }) => ({ path, why }));
  return { ...plan, left, clashes: [...plan.clashes, ...clashes] };
}

/** The same for files and repositories alike, without a look at what is in the way. */
export async function mergeChanges(
  repo: Repository,
  changes: readonly DiffEntry[],
  tree: ByPath,
  { revive = false }: { revive?: boolean } = {},
): Promise<Omit<TreePlan, "left">> {
  const plan: Omit<TreePlan, "left"> = { set: [], already: [], clashes: [] };
  for (const change of changes) {
    const { path, to } = change;
    const now = tree.get(path);
    if (sameContent(now ?? NOTHING, to)) plan.already.push(path);
    else {
      const version = revive && now === undefined ? to : await mergeVersion(repo, change, now);
      if (version === undefined) plan.clashes.push({ path: toText(path), why: "differs" });
      else plan.set.push({ path, from: now ?? change.from, to: version });
    }
  }
  return plan;
}

/** A tree with changes. */
export function withChanges(tree: ByPath, changes: readonly DiffEntry[]): Map<string, Version> {
  const after = new Map(tree);
  for (const { path, to } of changes) {
    if (exists(to)) after.set(path, to);
    else after.delete(path);
  }
  return after;
}

/** The new version of the path; `undefined` if it was changed since the rescue in a way that cannot be merged. */
async function mergeVersion(
  repo: Repository,
  { from, to }: DiffEntry,
  now: Version | undefined,
): Promise<Version | undefined> {
  if (sameContent(now ?? NOTHING, from)) return to;
  const files = [now, from, to].every((version) => version?.mode.startsWith("100"));
  return now !== undefined && files ? mergeContents(repo, { now, from, to }) : undefined;
}

/**
 * Paths blocked by content that git does not see: an ignored file, a folder in the place of a file, or a file in the place of a
 * folder. `by`: the path of that content, as text.
 */
export async function findHidden(
  repo: Repository,
  set: readonly DiffEntry[],
  tree: ByPath,
): Promise<(Clash & { by: string })[]> {
  const after = withChanges(tree, set);
  const folders = foldersAbove(after.keys());
  const clashes: (Clash & { by: string })[] = [];
  for (const { path: bytes } of set.filter(({ to }) => exists(to))) {
    const path = toText(bytes);
    const swapped = folders.has(bytes) || [...foldersAbove([bytes])].some((folder) => after.has(folder));
    if (swapped) clashes.push({ path, why: "folder", by: path });
    const by = swapped || tree.has(bytes) ? undefined : await findIgnored(repo, bytes, tree);
    if (by !== undefined) clashes.push({ path, why: "ignored", by });
  }
  return clashes;
}

/** An ignored file at the path, in the place of one of its folders, or in a folder at the path. */
async function findIgnored(repo: Repository, path: string, tree: ByPath): Promise<string | undefined> {
  for (const at of [...foldersAbove([path]), path]) {
    if (tree.has(at)) continue;
    const stat = await repo.ports.files.stat(join(repo.cwd, toText(at)), { link: true });
    if (stat !== undefined && stat.kind !== "folder") return toText(at);
    const inside = stat !== undefined && at === path ? await findInside(repo, at, tree) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** A file that git does not see in a folder: tracked files are removed with their folder, others would stay. */
async function findInside(repo: Repository, folder: string, tree: ByPath): Promise<string | undefined> {
  for (const name of await repo.ports.files.list(join(repo.cwd, toText(folder)))) {
    const path = `${folder}/${Buffer.from(name, "utf8").toString("latin1")}`;
    if (tree.has(path)) continue;
    const stat = await repo.ports.files.stat(join(repo.cwd, toText(path)), { link: true });
    const found = stat?.kind === "folder" ? await findInside(repo, path, tree) : toText(path);
    if (found !== undefined) return found;
  }
  return undefined;
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

/** The file with both changes to `from`; `undefined` if they overlap, or if the file is binary. */
async function mergeContents(
  repo: Repository,
  { now, from, to }: Record<"now" | "from" | "to", Version>,
): Promise<Version | undefined> {
  const mode = now.mode === from.mode ? to.mode : now.mode;
  if (now.oid === to.oid || from.oid === to.oid) return { mode, oid: now.oid };
  if (now.oid === from.oid) return { mode, oid: to.oid };
  const contents = await readObjects(repo, [now.oid, from.oid, to.oid]);
  // Git's merge command reads files.
  const { files } = repo.ports;
  const folder = await files.makeTempFolder("looper-merge-");
  try {
    const paths = contents.map((_, at) => join(folder, String(at)));
    for (const [at, path] of paths.entries())
      await files.writeNew(path, Buffer.from(contents[at]?.content ?? "", "latin1"));
    // Exit codes above 127 are errors; those below count the conflicts.
    const conflicts = Array.from({ length: 255 }, (_, at) => at + 1);
    const { code, out } = await runGit(repo, ["merge-file", "-p", ...paths], { answers: conflicts });
    if (code !== 0) return undefined;
    const made = await runGit(repo, ["hash-object", "-w", "--stdin"], { input: out });
    return { mode, oid: made.out.trimEnd() };
  } finally {
    await files.removeTree(folder);
  }
}

// Lists rescues, shows one, and drops one. rescue.ts makes them.

/**
 * The reason for a rescue: the work of an abandoned task; changes of a review; changes reverted for another reason
 * (a switch of branches, a gate that changed files); commits that no branch contains any more, mostly of an agent;
 * the tree as an attempt found it.
 */
export type RescueReason = "given-up" | "dropped" | "review" | "draft" | "put-back" | "commits" | "before";

export interface Rescue extends Pick<FoundRescue, "ref" | "run" | "label" | "commit"> {
  /** The id that a person types: the run's id and the label. */
  id: string;
  repo: Repository;
  why: RescueReason;
  task: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  /** A commit or tree: the rescue is the difference between it and `commit`. */
  from: string;
  /** Without the runner's own files. */
  changes: readonly DiffEntry[];
  /** Content that existed only in the index, and the commit or tree that holds it. */
  staged: readonly DiffEntry[];
  stagedIn: string | undefined;
}

/** Every rescue, newest first. */
export async function listRescues(repo: Repository): Promise<Rescue[]> {
  const found = await findRescues(repo);
  const head = found.length === 0 ? undefined : (await readHead(repo)).commit;
  const rescues: Rescue[] = [];
  for (const one of [...found].reverse()) rescues.push(await describe(repo, one, { head, all: found }));
  return rescues;
}

/** The changes of a rescue as a diff with a summary. */
export async function showRescue(rescue: Rescue): Promise<string> {
  const { repo } = rescue;

  const shape = [...PLAIN_DIFF, "--no-renames", "--stat", "--patch"];
  const { from, commit, stagedIn } = rescue;
  const paths = ["--", ":(top)", ...repo.excludes];
  const work = toText((await runGit(repo, [...shape, from, commit, ...paths])).out);
  if (stagedIn === undefined) return work;
  const staged = toText((await runGit(repo, [...shape, "--diff-filter=d", from, stagedIn])).out);
  return `${work}${work === "" ? "" : "\n"}Only in the index (git show ${stagedIn}):\n\n${staged}`;
}

/** Drops a rescue; its commit stays until git prunes it. Fails if its ref was changed in the meantime. */
export async function dropRescue(rescue: Rescue): Promise<void> {
  await runGit(rescue.repo, ["update-ref", "-d", rescue.ref, rescue.commit]);
}

async function describe(
  repo: Repository,
  found: FoundRescue,
  around: { head: string | undefined; all: readonly FoundRescue[] },
): Promise<Rescue> {
  const { ref, run, label, commit, seconds } = found;
  const kind = await kindOf(repo, found, around);
  const { from, stagedIn } = kind;
  // Checkpoints do not contain the runner's own files, so these would look removed.
  const changes = (await diffTrees(repo, commit, from)).filter(({ path }) => !repo.isOwn(path));
  const inIndex = stagedIn === undefined ? [] : await diffTrees(repo, stagedIn, from);
  const staged = inIndex.filter(({ to }) => exists(to));
  return {
    id: `${run}/${label}`,
    repo,
    ref,
    run,
    label,
    ...kind,
    at: seconds * 1000,
    commit,
    changes,
    staged,
  };
}

async function kindOf(
  repo: Repository,
  found: FoundRescue,
  { head, all }: { head: string | undefined; all: readonly FoundRescue[] },
): Promise<Pick<Rescue, "why" | "task" | "from" | "stagedIn">> {
  const { facts, parents, subject, commit } = found;
  if (facts !== undefined) {
    const from = parents[0] ?? (await treeish(repo, undefined));
    return { why: facts.why, task: facts.task ?? taskOf(facts.label), from, stagedIn: parents[1] };
  }
  if (subject === "looper: checkpoint") {
    const { out } = await runGit(repo, ["cat-file", "commit", commit]);
    const known = readMessage(CheckpointFacts, out);
    if (known !== undefined) {
      const task = /\s/.test(known.task) ? undefined : known.task;
      const beside = known.kept === true ? parents.find((oid) => oid !== known.head) : undefined;
      const stagedIn = beside === undefined ? undefined : await idOf(repo, `${beside}:${KEPT_STAGED}`);
      return { why: "before", task, from: await treeish(repo, known.head), stagedIn };
    }
  }
  // Such commits branched off the current history somewhere.
  const fork = head && (await runGit(repo, ["merge-base", head, commit], { answers: [1] })).out.trimEnd();
  const from = await treeish(repo, fork || undefined);
  return { why: "commits", task: taskOf(firstLabel(found, all)), from, stagedIn: undefined };
}

/**
 * A label is a task's id and an attempt's number, with a suffix for the kind of content; a review's label names no
 * task.
 */
function taskOf(label: string): string | undefined {
  const [, task] = /^(.+)-(?:head|\d+(?:-branch|-tree)?)$/.exec(label) ?? [];
  return task === undefined || /^review-\d+/.test(label) ? undefined : task;
}

/** The label without the number of a second rescue of the same name. */
function firstLabel({ run, label }: FoundRescue, all: readonly FoundRescue[]): string {
  const [, first] = /^(.+)-\d+$/.exec(label) ?? [];
  return all.some((other) => other.run === run && other.label === first) ? (first ?? label) : label;
}
