// A checkpoint: the working tree as it was when a task was claimed, as a commit on a ref of its own.
// Leaves what changed since to snapshot.ts and going back to restore.ts.
import { z } from "zod";
import type { Result } from "../system/result.js";
import { toText } from "./bytes.js";
import type { DiffEntry } from "./diff.js";
import { importCommit, OWN_IDENT } from "./fast-import.js";
import { asResult, runGit, type GitFailure } from "./git.js";
import { readHead, treeish, type Head, type HeadState } from "./head.js";
import { diffTrees, dropOwnIndex, stageAll, stagedAgainst } from "./index-file.js";
import { readFacts } from "./facts.js";
import { checkpointRef } from "./names.js";
import type { Repository } from "./repository.js";

export interface CheckpointOrder {
  /** The task's id; for anything else an id with white space, which no task has. */
  id: string;
  run: string;
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
  warnings: readonly string[];
}

const Facts = z.object({
  run: z.string(),
  task: z.string(),
  branch: z.string().optional(),
  head: z.string().optional(),
});

/** Keeps the whole working tree, untracked files included, without touching index, HEAD or tree. Four processes. */
export async function checkpoint(
  repo: Repository,
  order: CheckpointOrder,
): Promise<Result<Checkpoint, GitFailure>> {
  return asResult(async () => {
    const ref = checkpointRef(repo.tree, order.id);
    const before = await readHead(repo, [ref]);
    const base = before.refs.get(ref);
    if (order.reuse && base !== undefined) return reuseCheckpoint(repo, order, before, base);
    await dropOwnIndex(repo);
    const warnings = await stageAll(repo);
    const entries = await stagedAgainst(repo, await treeish(repo, before.commit), repo.excludes);
    const made = await makeBase(repo, order, before, entries);
    return {
      id: order.id,
      base: made,
      before,
      reused: false,
      recorded: { commit: before.commit, branch: before.branch, run: order.run },
      dirty: new Set(entries.map(({ path }) => path)),
      warnings,
    };
  });
}

/** Forgets a checkpoint: the task was given up, or changed nothing. One process; nothing happens when there is none. */
export async function dropCheckpoint(repo: Repository, id: string): Promise<Result<undefined, GitFailure>> {
  return asResult(async () => {
    await runGit(repo, ["update-ref", "-d", checkpointRef(repo.tree, id)]);
    await dropOwnIndex(repo);
    return undefined;
  });
}

async function makeBase(
  repo: Repository,
  order: CheckpointOrder,
  head: Head,
  entries: readonly DiffEntry[],
): Promise<string> {
  const facts = { run: order.run, task: order.id, branch: head.branch, head: head.commit };
  const { commit } = await importCommit(repo, {
    ref: checkpointRef(repo.tree, order.id),
    parent: head.commit,
    ident: OWN_IDENT,
    message: `looper: checkpoint\n\n${JSON.stringify(facts)}\n`,
    entries,
    without: repo.todo === undefined ? [] : [repo.todo.path],
  });
  return commit;
}

async function reuseCheckpoint(
  repo: Repository,
  order: CheckpointOrder,
  before: HeadState,
  base: string,
): Promise<Checkpoint> {
  const message = toText((await runGit(repo, ["cat-file", "commit", base])).out);
  const facts = readFacts(Facts, message.slice(message.indexOf("{")));
  const changed = await diffTrees(repo, base);
  return {
    id: order.id,
    base,
    before,
    reused: true,
    recorded: { commit: facts?.head, branch: facts?.branch, run: facts?.run ?? order.run },
    dirty: new Set(changed.map(({ path }) => path).filter((path) => path !== repo.todo?.path)),
    warnings: [],
  };
}
