// Lists rescues, shows one, and drops one. rescue.ts makes rescues and bring-back.ts restores them.
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { KEPT_STAGED } from "../checkpoint/keep-beside.js";
import { exists, type DiffEntry } from "../base/read/diff.js";
import { readMessage } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { readHead, treeish } from "../base/repository/head.js";
import { diffTrees } from "../index/index-file.js";
import { findRescues, type FoundRescue } from "../rescue/rescue.js";
import type { Repository } from "../base/repository/repository.js";

/**
 * The reason for a rescue: the work of an abandoned task; changes of a review; changes reverted for another reason
 * (a switch of branches, a gate that changed files); commits that no branch contains any more, mostly of an agent;
 * the tree as an attempt found it.
 */
export type RescueReason = "given-up" | "dropped" | "review" | "draft" | "put-back" | "commits" | "before";

export interface Rescue {
  /** The id that a person types: the run's id and the label. */
  id: string;
  repo: Repository;
  ref: string;
  run: string;
  label: string;
  why: RescueReason;
  task: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  commit: string;
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

  const shape = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--stat", "--patch"];
  const { from, commit, stagedIn } = rescue;
  const paths = ["--", ":(top)", ...repo.excludes];
  const work = toText((await runGit(repo, ["diff", ...shape, from, commit, ...paths])).out);
  if (stagedIn === undefined) return work;
  const only = ["--diff-filter=d", ...shape];
  const staged = toText((await runGit(repo, ["diff", ...only, from, stagedIn])).out);
  return `${work}${work === "" ? "" : "\n"}Only in the index (git show ${stagedIn}):\n\n${staged}`;
}

/** Drops a rescue; its commit stays until git prunes it. Fails if its ref was changed in the meantime. */
export async function dropRescue(rescue: Rescue): Promise<void> {
  await runGit(rescue.repo, ["update-ref", "-d", rescue.ref, rescue.commit]);
}

interface Around {
  head: string | undefined;
  all: readonly FoundRescue[];
}

async function describe(repo: Repository, found: FoundRescue, around: Around): Promise<Rescue> {
  const { ref, run, label, commit } = found;
  const kind = await kindOf(repo, found, around);
  const { stagedIn } = kind;
  return {
    id: `${run}/${label}`,
    repo,
    ref,
    run,
    label,
    ...kind,
    at: found.seconds * 1000,
    commit,
    // Checkpoints do not contain the runner's own files, so these would look removed.
    changes: (await diffTrees(repo, commit, kind.from)).filter(({ path }) => !repo.isOwn(path)),
    staged:
      stagedIn === undefined
        ? []
        : (await diffTrees(repo, stagedIn, kind.from)).filter(({ to }) => exists(to)),
  };
}

const CheckpointFacts = z.object({
  task: z.string(),
  head: z.string().optional(),
  kept: z.boolean().optional(),
});

async function kindOf(
  repo: Repository,
  found: FoundRescue,
  around: Around,
): Promise<Pick<Rescue, "why" | "task" | "from" | "stagedIn">> {
  const { facts, parents, subject, commit } = found;
  if (facts !== undefined) {
    const task = facts.task ?? taskOf(facts.label);
    return {
      why: facts.why,
      task,
      from: parents[0] ?? (await treeish(repo, undefined)),
      stagedIn: parents[1],
    };
  }
  if (subject === "looper: checkpoint") {
    const { out } = await runGit(repo, ["cat-file", "commit", commit]);
    const known = readMessage(CheckpointFacts, out);
    if (known !== undefined) {
      const task = /\s/.test(known.task) ? undefined : known.task;
      const beside = known.kept === true ? parents.find((oid) => oid !== known.head) : undefined;
      const stagedIn = beside === undefined ? undefined : await folderIn(repo, beside, KEPT_STAGED);
      return { why: "before", task, from: await treeish(repo, known.head), stagedIn };
    }
  }
  return {
    why: "commits",
    task: taskOf(firstLabel(found, around.all)),
    from: await forkOf(repo, commit, around),
    stagedIn: undefined,
  };
}

async function folderIn(repo: Repository, commit: string, folder: string): Promise<string | undefined> {
  const found = await runGit(repo, ["rev-parse", "-q", "--verify", `${commit}:${folder}`], {
    answers: [1, 128],
  });
  return found.code === 0 ? found.out.trimEnd() : undefined;
}

/** The commit where such commits branched off the current history. */
async function forkOf(repo: Repository, commit: string, { head }: Around): Promise<string> {
  if (head === undefined) return treeish(repo, undefined);
  const { code, out } = await runGit(repo, ["merge-base", head, commit], { answers: [1] });
  return code === 0 ? out.trimEnd() : treeish(repo, undefined);
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
