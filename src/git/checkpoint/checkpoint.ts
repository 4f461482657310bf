// A checkpoint: working tree and index as they were when a task was claimed, as a commit on a ref of its own. What no
// tree can say lies in a commit beside it, its second parent (keep-beside.ts).
// Leaves what changed since to snapshot.ts and going back to restore.ts.
import { z } from "zod";
import { toText } from "../base/bytes.js";
import type { DiffEntry } from "../base/diff.js";
import { importAll, OWN_IDENT } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import { modulePaths, openModules } from "./modules.js";
import { readHead, treeish, type Head, type HeadState } from "../base/head.js";
import { byPath } from "../index/index-compare.js";
import { diffTrees, dropOwnIndex, ownIndex, stageAll, stagedAgainst } from "../index/index-file.js";
import { readLocks, type Locks } from "../base/locks.js";
import { leaveOut, leaveOutLarge, warnOfLarge } from "./large.js";
import { copiedModules, dropCopies, keepCopies } from "./module-copies.js";
import { keepBeside, KEPT_STAGED, type Beside } from "./keep-beside.js";
import { readEntries, readPersonIndex, type PersonIndex } from "../index/index-person.js";
import { readFacts } from "../base/facts.js";
import { checkpointFolder, checkpointRef, decodeId, RESCUES } from "../base/names.js";
import type { Repository } from "../base/repository.js";
import { freeRescueRef } from "../rescue/rescue.js";
import { changedSince, digestsOf, readSettings, type KeptSettings } from "../base/settings.js";
import { survey, type Usual } from "./survey.js";
import { NOTHING_UNSEEN, readUnseen, type Unseen } from "./metadata.js";

export interface CheckpointOrder {
  /** The task's id; for anything else an id with white space, which no task has. */
  id: string;
  run: string;
  /** Tells this checkpoint from another of the same task, run and second, whose commit would have the same hash. */
  job?: number;
  /** Takes the checkpoint that is there, if one is: of an earlier attempt, or of a run that was killed. */
  reuse: boolean;
}

export interface Checkpoint {
  id: string;
  /** A commit with the tree as it was; the backlog is not in it. */
  base: string;
  /** HEAD now, as this attempt finds it. */
  before: HeadState;
  reused: boolean;
  /** HEAD when the base was made, and the run that made it: differs from `before` when someone moved it between. */
  recorded: Head & { run: string };
  /** Paths (bytes) that differed from HEAD when the base was made: a person's, or of a task that was given up. */
  dirty: ReadonlySet<string>;
  index: KeptIndex;
  /** Submodules (paths in bytes) with a checkpoint of their own under the same id. */
  modules: readonly string[];
  unseen: Unseen;
  /** `undefined`: modes were not looked at. */
  usual: Usual | undefined;
  /** What git does and starts here, as this attempt finds it. */
  settings: KeptSettings;
  /** Locks of git's that were there when this attempt began: somebody's. */
  locks: Locks;
  /** The commit with all that is kept beside the tree; `undefined`: nothing is. */
  beside: string | undefined;
  warnings: readonly string[];
}

/** The person's index when the base was made. */
export interface KeptIndex {
  /** As `PersonIndex` has it. */
  checksum: string | undefined;
  /** The commit that holds it at `KEPT_INDEX`; `undefined`: it said what HEAD said. */
  commit: string | undefined;
  /** What was staged and in no file: the blob by its path (bytes). The same commit holds it below `KEPT_STAGED`. */
  staged: ReadonlyMap<string, string>;
}

const Facts = z.object({
  run: z.string(),
  task: z.string(),
  job: z.int().optional(),
  branch: z.string().optional(),
  head: z.string().optional(),
  index: z.string().optional(),
  /** The index is kept. */
  kept: z.boolean().optional(),
  modules: z.array(z.string()).optional(),
  /** There is something of `Unseen`. */
  unseen: z.boolean().optional(),
  settings: z.record(z.string(), z.string()).optional(),
  usual: z.object({ file: z.int(), program: z.int(), folder: z.int() }).optional(),
  /** As `Repository.leftOut`. */
  large: z.array(z.tuple([z.string(), z.int()])).optional(),
});

/**
 * Keeps working tree (untracked files included) and index, without touching index, HEAD or tree. Four processes; one more for
 * a limit on untracked files, for an
 * index split in two, one or two more where git changes line ends or a person told it not to look.
 */
export async function checkpoint(repo: Repository, order: CheckpointOrder): Promise<Checkpoint> {
  const ref = checkpointRef(repo.tree, order.id);
  const before = await readHead(repo, [ref]);
  const base = before.refs.get(ref);
  const locks = await readLocks(repo);
  if (order.reuse && base !== undefined)
    return { ...(await reuseCheckpoint(repo, order, before, base)), locks };
  await dropOwnIndex(repo);
  const large = await leaveOutLarge(repo);
  const person = await readPersonIndex(repo);
  const { warnings, marked, unborn } = await stageAll(repo);
  const tree = byPath((await readEntries(repo, ownIndex(repo))) ?? []);
  const { usual, modes, empty, special } = await survey(repo, tree);
  const unseen = { marked: [...marked], modes: [...modes], empty: [...empty], special: [...special] };
  // A filter of git's may write settings when it first runs.
  const settings = await readSettings(repo);
  const all = await stagedAgainst(repo, await treeish(repo, before.commit), []);
  const entries = all.filter(({ path }) => !repo.isOwn(path));
  const aside = await keepBeside(repo, { person, all, tree, unseen });
  const { modules, warnings: inside } = await keepModules(repo, order, [
    ...modulePaths([...tree].map(([path, { mode }]) => ({ path, mode }))),
    ...unborn,
  ]);
  const made = await makeBase(repo, order, {
    head: before,
    entries,
    person,
    aside,
    modules,
    settings,
    usual,
  });
  return {
    id: order.id,
    base: made.base,
    before,
    reused: false,
    recorded: { commit: before.commit, branch: before.branch, run: order.run },
    dirty: new Set(entries.map(({ path }) => path)),
    index: {
      checksum: person.checksum,
      commit: aside.index ? made.beside : undefined,
      staged: aside.staged,
    },
    modules,
    unseen,
    usual,
    settings,
    locks,
    beside: made.beside,
    warnings: [...warnOfLarge(repo, large), ...warnings, ...inside],
  };
}

/**
 * Deletes a checkpoint, when its task was given up or changed nothing. Nothing happens when there is none. The own index stays: a job at
 * another task may be staging into it, and a checkpoint or snapshot that lost it halfway would hold an empty tree.
 */
export async function dropCheckpoint(repo: Repository, id: string): Promise<void> {
  await runGit(repo, ["update-ref", "-d", checkpointRef(repo.tree, id)]);
  await dropInModules(repo, id);
}

/**
 * Deletes every checkpoint but those of these ids, and the own index: for the end of a run, when no job is staging into it. One process
 * where there is no other checkpoint.
 */
export async function keepCheckpoints(repo: Repository, ids: readonly string[]): Promise<void> {
  const folder = checkpointFolder(repo.tree);
  const { out } = await runGit(repo, ["for-each-ref", "--format=%(refname)", folder]);
  const kept = new Set(ids.map((id) => checkpointRef(repo.tree, id)));
  for (const ref of out.split("\n").filter((name) => name !== "" && !kept.has(name))) {
    await dropCheckpoint(repo, decodeId(ref.slice(folder.length + 1)));
  }
  await dropOwnIndex(repo);
}

/** Forgets the checkpoints of submodules alone. No process where there are none. */
export async function dropInModules(repo: Repository, id: string): Promise<void> {
  const { entries } = await readPersonIndex(repo);
  const paths = new Set([...modulePaths(entries), ...(await copiedModules(repo, id))]);
  for (const { repo: module } of await openModules(repo, [...paths])) {
    await runGit(module, ["update-ref", "-d", checkpointRef(module.tree, id)]);
    await dropInModules(module, id);
  }
  await dropCopies(repo, id);
}

/** Before the checkpoint around them, so that where that is there, they are. */
async function keepModules(
  repo: Repository,
  order: CheckpointOrder,
  paths: readonly string[],
): Promise<{ modules: string[]; warnings: string[] }> {
  const modules = await openModules(repo, paths);
  const warnings: string[] = [];
  for (const { path, repo: module } of modules) {
    const kept = await checkpoint(module, { ...order, reuse: false });
    warnings.push(...kept.warnings.map((message) => `${toText(path)}: ${message}`));
  }
  const found = modules.map(({ path }) => path);
  return { modules: found, warnings: [...warnings, ...(await keepCopies(repo, order.id, found))] };
}

async function makeBase(
  repo: Repository,
  order: CheckpointOrder,
  found: {
    head: Head;
    entries: readonly DiffEntry[];
    person: PersonIndex;
    aside: Beside;
    modules: readonly string[];
    settings: KeptSettings;
    usual: Usual;
  },
): Promise<{ base: string; beside: string | undefined }> {
  const { head, entries, person, aside, modules } = found;
  const { run, id: task, job } = order;
  const facts = {
    run,
    task,
    job,
    branch: head.branch,
    head: head.commit,
    index: person.checksum,
    kept: aside.index,
    unseen: aside.unseen,
    modules,
    settings: digestsOf(repo, found.settings),
    usual: found.usual,
    large: [...repo.leftOut],
  };
  const ref = checkpointRef(repo.tree, order.id);
  const { entries: staged, beside } = aside;
  const message = "looper: beside a checkpoint\n";
  const before =
    beside.length === 0
      ? []
      : [{ ref, parent: undefined, ident: OWN_IDENT, message, entries: staged, beside }];
  const made = await importAll(repo, [
    ...before,
    {
      ref,
      parent: head.commit,
      merged: before.map((_, at) => at),
      ident: OWN_IDENT,
      message: `looper: checkpoint\n\n${JSON.stringify(facts)}\n`,
      // Without a commit before it, its tree begins as that of what is beside it.
      emptied: head.commit === undefined,
      entries,
      without: repo.todo === undefined ? [] : [repo.todo.path],
    },
  ]);
  return { base: made.at(-1)?.commit ?? "", beside: before.length === 0 ? undefined : made[0]?.commit };
}

async function reuseCheckpoint(
  repo: Repository,
  order: CheckpointOrder,
  before: HeadState,
  base: string,
): Promise<Omit<Checkpoint, "locks">> {
  const text = toText((await runGit(repo, ["cat-file", "commit", base])).out);
  const end = text.indexOf("\n\n");
  const facts = readFacts(Facts, text.slice(text.indexOf("{", end)));
  const parents = [...text.slice(0, end).matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, oid]) => oid);
  const beside = parents.find((oid) => oid !== facts?.head);
  leaveOut(repo, new Map(facts?.large));
  const changed = await diffTrees(repo, base, await treeish(repo, facts?.head));
  const settings = await readSettings(repo);
  const warnings = changedSince(repo, facts?.settings, settings).map((path) => warnOfSetting(path, order.id));
  const lost = facts?.head === before.commit ? undefined : await keepLostHead(repo, order, facts?.head);
  return {
    id: order.id,
    base,
    before,
    reused: true,
    recorded: { commit: facts?.head, branch: facts?.branch, run: facts?.run ?? order.run },
    dirty: new Set(changed.map(({ path }) => path).filter((path) => path !== repo.todo?.path)),
    index: await readKeptIndex(repo, facts?.index, facts?.kept === true ? beside : undefined),
    modules: facts?.modules ?? [],
    unseen: facts?.unseen === true && beside !== undefined ? await readUnseen(repo, beside) : NOTHING_UNSEEN,
    usual: facts?.usual,
    settings,
    beside,
    warnings: lost === undefined ? warnings : [...warnings, lost],
  };
}

function warnOfSetting(path: string, id: string): string {
  return `${path} is not as it was when ${id} began: an agent that was killed changed it, or a person did; it stays`;
}

/**
 * Keeps the commit HEAD had when the base was made, where no branch has it any more: a run was killed after its agent rewrote
 * the branch, or a person did. Which of the two cannot be told, so the branch stays. Answers with a warning.
 */
async function keepLostHead(
  repo: Repository,
  { id, run }: CheckpointOrder,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const places = ["refs/heads", "refs/remotes", "refs/tags", RESCUES];
  const { out } = await runGit(repo, ["for-each-ref", "--count=1", "--contains", commit, ...places]);
  if (out !== "") return undefined;
  const ref = await freeRescueRef(repo, run, `${id}-head`);
  await runGit(repo, ["update-ref", ref, commit]);
  return `no branch has ${commit} any more, where HEAD was when ${id} began; it is kept: ${ref}`;
}

async function readKeptIndex(
  repo: Repository,
  checksum: string | undefined,
  commit: string | undefined,
): Promise<KeptIndex> {
  if (commit === undefined) return { checksum, commit, staged: new Map() };
  const { out } = await runGit(repo, ["ls-tree", "-r", "-z", commit, `${KEPT_STAGED}/`]);
  const entries = out.split("\0").flatMap((line): [string, string][] => {
    const [, oid, path] = /^\d+ \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
    return oid === undefined || path === undefined ? [] : [[path.slice(KEPT_STAGED.length + 1), oid]];
  });
  return { checksum, commit, staged: new Map(entries) };
}
