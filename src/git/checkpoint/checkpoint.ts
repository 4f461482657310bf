// A checkpoint: working tree and index as they were when a task was claimed, as a commit on a ref of its own. Its
// second parent is a commit with everything that a tree cannot contain: an index that differs from HEAD (the file itself, and
// content that exists only in it). snapshot.ts collects the changes since, and restore.ts returns to the checkpoint.
import { z } from "zod";
import { type DiffEntry, MODULE } from "../base/read/diff.js";
import { importAll, OWN_IDENT } from "../base/fast-import.js";
import { askFixed, diffTrees, dropOwnIndex, ownIndex, stageAll, diffOwnIndex } from "../index/index-file.js";
import { runGit } from "../base/git.js";
import { readModules, type ModuleStates } from "./modules.js";
import { OTHERS, readHead, treeish, type Head, type HeadState } from "../base/repository/head.js";
import {
  byPath,
  entriesOf,
  listEntries,
  readPersonIndex,
  isPlain,
  findOnlyStaged,
} from "../index/index-person.js";
import { readLocks, type Locks } from "../base/locks.js";
import { leaveOut, leaveOutLarge, warnOfLarge } from "./large.js";
import { readMessage, deleteRefs, listRefs } from "../base/list-refs.js";
import { checkpointFolder, checkpointRef, keptRef, RESCUES, decodeId } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { keepReachable, readStash, type Stash } from "./refs.js";
import { keepObject } from "../rescue/rescue.js";
import {
  findChangedSettings,
  digestSettings,
  readSettings,
  type KeptSettings,
} from "../base/repository/settings.js";
import { filesOf } from "../base/objects.js";

export interface CheckpointOrder {
  /** The task's id; for other checkpoints an id with white space, which cannot be a task's. */
  id: string;
  run: string;
  /** Keeps the commit's hash different from that of another checkpoint of the same task, run and second. */
  job?: number;
  /** Reuses an existing checkpoint, of an earlier attempt or of a killed run. */
  reuse: boolean;
  /** HEAD, with the checkpoints of this tree among its refs, if the caller has just read them. */
  head?: HeadState;
}

export interface Checkpoint {
  id: string;
  /** A commit with the tree as it was, without the backlog. */
  base: string;
  /** HEAD now, as this attempt finds it. */
  before: HeadState;
  reused: boolean;
  /** HEAD when the base was made, and the run that made it; differs from `before` if HEAD was moved in between. */
  recorded: Head & { run: string };
  /** Paths (bytes) that differed from HEAD when the base was made: changes of a person, or of an abandoned task. */
  dirty: ReadonlySet<string>;
  index: KeptIndex;
  /** The repositories inside the tree when the base was made. */
  modules: ModuleStates;
  /** Paths (bytes) that the person told git not to look at. */
  marked: readonly string[];
  /** The files that control git, as this attempt finds them. */
  settings: KeptSettings;
  /** The person's stash, as this attempt finds it. */
  stash: readonly Stash[];
  /** Git's locks that existed when this attempt began: other processes hold them. */
  locks: Locks;
  warnings: readonly string[];
}

/** The person's index when the base was made. */
export interface KeptIndex {
  /** As in `PersonIndex`. */
  checksum: string | undefined;
  /** The commit with the index at `KEPT_INDEX`; `undefined` if the index equalled HEAD. */
  commit: string | undefined;
  /**
   * Content that existed only in the index: blobs by path (bytes). The same commit holds them below `KEPT_STAGED`.
   */
  staged: ReadonlyMap<string, string>;
}

/** The facts in the message of a checkpoint. */
export const CheckpointFacts = z.object({
  run: z.string(),
  task: z.string(),
  job: z.int().optional(),
  branch: z.string().optional(),
  head: z.string().optional(),
  index: z.string().optional(),
  /** The index is kept. */
  kept: z.boolean().optional(),
  modules: z.array(z.tuple([z.string(), z.object({ head: z.string(), tree: z.string() })])).optional(),
  marked: z.array(z.string()).optional(),
  settings: z.record(z.string(), z.string()).optional(),
  /** As in `Repository.leftOut`. */
  large: z.array(z.tuple([z.string(), z.int()])).optional(),
});

/**
 * Keeps working tree (with untracked files) and index, without touching index, HEAD or tree. Starts six processes (five if HEAD
 * is given), and further ones for a limit on untracked files, a split index, paths that git was told not to look at, or refs of
 * the person that are new.
 */
export async function checkpoint(repo: Repository, order: CheckpointOrder): Promise<Checkpoint> {
  const ref = checkpointRef(repo.tree, order.id);
  const before = order.head ?? (await readHead(repo, [ref, ...OTHERS]));
  const base = before.refs.get(ref);
  const locks = await readLocks(repo);
  const stash = await readStash(repo);
  const lost = await keepReachable(repo, before, { ...order, stash });
  if (order.reuse && base !== undefined) {
    const reused = await reuseCheckpoint(repo, order, before, base);
    return { ...reused, warnings: [...lost, ...reused.warnings], stash, locks };
  }
  await dropOwnIndex(repo);
  const large = await leaveOutLarge(repo);
  const index = await readPersonIndex(repo);
  const person = { ...index, entries: await entriesOf(repo, index) };
  const { warnings, marked, unborn } = await stageAll(repo, undefined, person.entries);
  const tree = byPath(await listEntries(repo, ownIndex(repo)));
  // A git filter may write settings when it first runs.
  const settings = await readSettings(repo);
  const all = await diffOwnIndex(repo, await treeish(repo, before.commit), []);
  const entries = all.filter(({ path }) => !repo.isOwn(path));
  const changed = new Map(all.map((entry) => [entry.path, entry]));
  // An index that equals HEAD is not kept.
  const isKept = !isPlain(person.entries, tree, changed);
  const staged = isKept ? findOnlyStaged(person.entries, tree, repo.isOwn) : undefined;
  const inner = [...tree].filter(([, { mode }]) => mode === MODULE).map(([path]) => path);
  const modules = await readModules(repo, [...inner, ...unborn]);
  const { id, run, job } = order;
  const { commit: head, branch } = before;
  const { checksum } = person;
  const facts = {
    ...{ run, task: id, job, branch, head, index: checksum, kept: isKept },
    ...{
      modules: [...modules],
      marked: [...marked],
      settings: digestSettings(repo, settings),
      large: [...repo.leftOut],
    },
  };
  const made = await makeBase(repo, { ref, head, entries, staged, index: person.bytes, facts });
  return {
    ...{ id, base: made.base, before, reused: false, recorded: { commit: head, branch, run } },
    dirty: new Set(entries.map(({ path }) => path)),
    index: { checksum, commit: made.beside, staged: new Map(staged?.map(({ path, to }) => [path, to.oid])) },
    modules,
    marked,
    settings,
    stash,
    locks,
    warnings: [...lost, ...warnOfLarge(repo, large), ...warnings],
  };
}

/** Makes a commit the checkpoint of `id`, as a run finds one of an earlier run. */
export async function setCheckpoint(
  repo: Repository,
  { id, base }: { id: string; base: string },
): Promise<void> {
  await runGit(repo, ["update-ref", checkpointRef(repo.tree, id), base]);
}

/**
 * Deletes a checkpoint after its task was abandoned or changed nothing; does nothing if it does not exist. The own
 * index stays: a job at another task may be staging into it, and without it that job's checkpoint or snapshot would
 * hold an empty tree.
 */
export async function dropCheckpoint(repo: Repository, id: string): Promise<void> {
  await runGit(repo, ["update-ref", "-d", checkpointRef(repo.tree, id)]);
}

/**
 * Deletes every checkpoint except those of these ids, and the own index. For the end of a run, when no job is
 * staging. Starts one process if there is nothing else to delete.
 */
export async function keepCheckpoints(repo: Repository, ids: readonly string[]): Promise<void> {
  const kept = new Set(ids.map((id) => checkpointRef(repo.tree, id)));
  const folders = [checkpointFolder(repo.tree), keptRef(repo.tree)];
  const all = (await listRefs(repo, ["refname"], folders)).flat().filter((name) => !kept.has(name));
  await deleteRefs(repo, all);
  await dropOwnIndex(repo);
}

async function makeBase(
  repo: Repository,
  order: {
    ref: string;
    head: string | undefined;
    entries: readonly DiffEntry[];
    staged: readonly DiffEntry[] | undefined;
    index: Uint8Array;
    facts: z.infer<typeof CheckpointFacts>;
  },
): Promise<{ base: string; beside: string | undefined }> {
  const { ref, head, staged, facts } = order;
  const files = [{ path: KEPT_INDEX, mode: "100644", content: order.index }];
  const kept = staged?.map((entry) => ({ ...entry, path: `${KEPT_STAGED}/${entry.path}` }));
  const message = "looper: beside a checkpoint\n";
  const beside =
    kept === undefined ? [] : [{ ref, parent: undefined, ident: OWN_IDENT, message, entries: kept, files }];
  const made = await importAll(repo, [
    ...beside,
    {
      ref,
      parent: head,
      merged: beside.map((_, at) => at),
      ident: OWN_IDENT,
      message: `looper: checkpoint\n\n${JSON.stringify(facts)}\n`,
      // Without an earlier commit the tree starts as that of the commit beside it.
      emptied: head === undefined,
      entries: order.entries,
      without: repo.todo === undefined ? [] : [repo.todo.path],
    },
  ]);
  return { base: made.at(-1) ?? "", beside: kept && made[0] };
}

async function reuseCheckpoint(
  repo: Repository,
  order: CheckpointOrder,
  before: HeadState,
  base: string,
): Promise<Omit<Checkpoint, "locks" | "stash">> {
  const text = await askFixed(repo, ["cat-file", "commit", base]);
  const facts = readMessage(CheckpointFacts, text);
  const parents = [...text.slice(0, text.indexOf("\n\n")).matchAll(/^parent ([0-9a-f]+)$/gm)].map(
    ([, oid]) => oid,
  );
  const beside = parents.find((oid) => oid !== facts?.head);
  leaveOut(repo, new Map(facts?.large));
  const changed = await diffTrees(repo, base, await treeish(repo, facts?.head));
  const settings = await readSettings(repo);
  const warnings = findChangedSettings(repo, facts?.settings, settings).map(
    (path) =>
      `${path} has changed since ${order.id} began, by a killed agent or by a person; it was not restored`,
  );
  const lost = facts?.head === before.commit ? undefined : await keepLostHead(repo, order, facts?.head);
  return {
    id: order.id,
    base,
    before,
    reused: true,
    recorded: { commit: facts?.head, branch: facts?.branch, run: facts?.run ?? order.run },
    dirty: new Set(changed.map(({ path }) => path).filter((path) => path !== repo.todo?.path)),
    index: await readKeptIndex(repo, facts?.index, facts?.kept === true ? beside : undefined),
    modules: new Map(facts?.modules),
    marked: facts?.marked ?? [],
    settings,
    warnings: lost === undefined ? warnings : [...warnings, lost],
  };
}

/**
 * Keeps the commit HEAD had when the base was made, if no branch contains it any more. Either the agent of a killed
 * run rewrote the branch, or a person did; these cannot be told apart, so the branch stays. Returns a warning.
 */
async function keepLostHead(
  repo: Repository,
  { id, run }: CheckpointOrder,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const places = ["refs/heads", "refs/remotes", "refs/tags", RESCUES];
  const containing = await listRefs(repo, ["refname"], places, "--count=1", `--contains=${commit}`);
  if (containing.length > 0) return undefined;
  const ref = await keepObject(repo, commit, { run, label: `${id}-head` });
  return `no branch contains ${commit} any more, the commit of HEAD when ${id} began; it is kept: ${ref}`;
}

async function readKeptIndex(
  repo: Repository,
  checksum: string | undefined,
  commit: string | undefined,
): Promise<KeptIndex> {
  if (commit === undefined) return { checksum, commit, staged: new Map() };
  const entries = [...(await filesOf(repo, commit, `${KEPT_STAGED}/`))].map(
    ([path, { oid }]) => [path.slice(KEPT_STAGED.length + 1), oid] as const,
  );
  return { checksum, commit, staged: new Map(entries) };
}

/** The tasks of the list that have a checkpoint to continue from. Starts one process. */
export async function listInHand<Id extends string>(repo: Repository, ids: readonly Id[]): Promise<Id[]> {
  const refs = ids.map((id) => checkpointRef(repo.tree, id));
  const { refs: found } = await readHead(repo, refs);
  return ids.filter((id) => found.has(checkpointRef(repo.tree, id)));
}

/** The path of a kept index file in the tree of its commit. */
export const KEPT_INDEX = "index";
/** The folder in the same tree for content that existed only in the index. */
export const KEPT_STAGED = "staged";

/**
 * The task of the newest checkpoint. None if the task is in progress, if HEAD was moved, or if the tree equals HEAD
 * or the checkpoint: in these cases a person has dealt with it. Starts one process without a checkpoint.
 */
export async function findLeftBehind(
  repo: Repository,
  isInProgress: (id: string) => boolean,
): Promise<string | undefined> {
  const folder = checkpointFolder(repo.tree);
  const fields = ["refname", "objectname", "contents"];
  // The ids of reviews and drafts contain white space; the next review or draft restores their tree.
  for (const [ref = "", base = "", contents = ""] of await listRefs(
    repo,
    fields,
    [folder],
    "--sort=-committerdate",
  )) {
    const id = decodeId(ref.slice(folder.length + 1));
    if (/\s/.test(id)) continue;
    if (isInProgress(id)) return undefined;
    return (await isStillThere(repo, base, contents)) ? id : undefined;
  }
  return undefined;
}

async function isStillThere(repo: Repository, base: string, contents: string): Promise<boolean> {
  const facts = readMessage(CheckpointFacts, contents);
  const head = await readHead(repo);
  if (facts === undefined || facts.branch !== head.branch) return false;
  if (facts.head !== head.commit && !(await isOnlyBacklog(repo, facts.head, head.commit))) return false;
  leaveOut(repo, new Map(facts.large));
  await stageAll(repo, base);
  if ((await diffOwnIndex(repo, base, repo.excludes)).length === 0) return false;
  return (await diffOwnIndex(repo, await treeish(repo, head.commit), repo.excludes)).length > 0;
}

/** At its end a run commits only the backlog. */
async function isOnlyBacklog(
  repo: Repository,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const changed = await diffTrees(repo, await treeish(repo, to), await treeish(repo, from));
  return changed.every(({ path }) => repo.isOwn(path));
}
