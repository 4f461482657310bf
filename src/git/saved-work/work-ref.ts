// The work of a task in a workflow, under refs/looper/work/<task> (names.ts): a commit for each visit of a stage that changed the tree, the
// first on the task's checkpoint. apply.ts puts the work into a tree, shelve.ts takes it out of one.
import { z } from "zod";
import { type DiffEntry, changesBetween } from "../base/read/diff.js";
import { readMessage, deleteRefs, listRefs } from "../base/list-refs.js";
import { importAll, OWN_IDENT, importCommit } from "../base/fast-import.js";
import { runGit, PLAIN_DIFF } from "../base/git.js";
import { checkpointRef, shelvedRef, shelvingRef, workFolder, workRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";
import { diffTrees } from "../index/index-file.js";
import { findRescues, keepChanges } from "../rescue/rescue.js";
import { toText } from "../base/bytes.js";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { hasObject } from "../base/objects.js";

/** The facts in the message of a commit of saved work. */
const WorkFacts = z.object({
  task: z.string(),
  run: z.string(),
  stage: z.string(),
  visit: z.int(),
  /** When the task entered the stage: tells the visits of two passes through a workflow apart. */
  since: z.string().optional(),
  /** The commit of the checkpoint that the work changes. */
  base: z.string(),
  /** HEAD when that checkpoint was made; absent before the first commit. */
  head: z.string().optional(),
  /** The visit has dropped the latest commits of this stage. */
  discarded: z.string().optional(),
});
export type WorkFacts = z.infer<typeof WorkFacts>;

/** The work of one visit. */
export interface VisitWork {
  commit: string;
  facts: WorkFacts;
}

/** The saved work of a task. */
export interface TaskWork {
  ref: string;
  /** The last commit: the tree with all of the work. */
  tip: string;
  base: string;
  head: string | undefined;
  /** Oldest first. */
  visits: readonly VisitWork[];
}

const SUBJECT = "looper: work of ";

export function workMessage(facts: WorkFacts): string {
  return `${SUBJECT}${facts.task}: ${facts.stage}\n\n${JSON.stringify(facts)}\n`;
}

/**
 * The saved work of each task as it was last read or written; it follows from the id of its last commit. By what all copies of a
 * repository share: an effect has a copy with a clock of its own.
 */
const lastWorks = new WeakMap<Repository["fixedAnswers"], Map<string, TaskWork>>();

/** Remembers the work of a task, so that reading it at the same commit asks git nothing. */
export function rememberWork(repo: Repository, task: string, work: TaskWork): TaskWork {
  const works = lastWorks.get(repo.fixedAnswers) ?? new Map<string, TaskWork>();
  lastWorks.set(repo.fixedAnswers, works.set(task, work));
  return work;
}

/**
 * Reads the saved work of a task; `undefined` if there is none, or if the ref names something else. It may be that of another task:
 * the row of a task that was renamed names it. Starts one process, and another to read the commits of new work.
 */
export async function readWork(repo: Repository, task: string): Promise<TaskWork | undefined> {
  const ref = workRef(repo.tree, task);
  const [[tip, contents = ""] = []] = await listRefs(repo, ["objectname", "contents"], [ref]);
  if (tip === undefined) return undefined;
  const last = readMessage(WorkFacts, contents);
  if (last === undefined) return undefined;
  const known = lastWorks.get(repo.fixedAnswers)?.get(task);
  if (known?.tip === tip) return known;
  const range = `${last.base}..${tip}`;
  const log = ["log", "-z", "--reverse", "--first-parent", "--format=%H%n%B", range];
  const { out } = await runGit(repo, log);
  const visits = out.split("\0").flatMap((text): VisitWork[] => {
    const facts = readMessage(WorkFacts, text);
    return facts === undefined ? [] : [{ commit: text.slice(0, text.indexOf("\n")), facts }];
  });
  return rememberWork(repo, task, { ref, tip, base: last.base, head: last.head, visits });
}

/** Whether the commit that a row names is one of these visits, or was before they were put on another base. */
export async function isOwnWork(repo: Repository, work: TaskWork, named: string): Promise<boolean> {
  if (work.visits.some(({ commit }) => commit === named)) return true;
  if (!/^[0-9a-f]{40,64}$/u.test(named)) return true;
  const { code, out } = await runGit(repo, ["log", "-1", "--format=%B", named, "--"], { answers: [128] });
  const facts = code === 0 ? readMessage(WorkFacts, out) : undefined;
  // Only commits that are here can be told apart.
  if (facts === undefined) return true;
  const same = ["task", "run", "stage", "visit", "since"] as const;
  return work.visits.some(
    ({ facts: one }) => one.discarded === facts.stage || same.every((key) => one[key] === facts[key]),
  );
}

/** The saved work of a task, as a list shows it. `at`: epoch ms. */
export interface ListedWork extends Pick<WorkFacts, "task" | "stage" | "visit"> {
  at: number;
  tip: string;
  ref: string;
}

/** The tasks with saved work, and its last commit. Starts one process. */
export async function listWorks(repo: Repository): Promise<ListedWork[]> {
  const fields = ["refname", "objectname", "committerdate:unix", "contents"];
  const found = await listRefs(repo, fields, [`${workFolder(repo.tree)}/`]);
  return found.flatMap(([ref = "", tip = "", seconds, contents = ""]): ListedWork[] => {
    const facts = readMessage(WorkFacts, contents);
    if (facts === undefined) return [];
    const { task, stage, visit } = facts;
    return [{ task, stage, visit, at: Number(seconds) * 1000, tip, ref }];
  });
}

/** Everything that the work changes. Starts one process. */
export function diffWork(repo: Repository, work: Pick<TaskWork, "tip" | "base">): Promise<DiffEntry[]> {
  return diffTrees(repo, work.tip, work.base);
}

/** Makes the ref the work of these visits on a base, each with its changes to the one before. Starts one process. */
export async function writeVisits(
  repo: Repository,
  { ref, base }: { ref: string; base: string },
  visits: readonly { facts: WorkFacts; entries: readonly DiffEntry[] }[],
): Promise<string[]> {
  return importAll(
    repo,
    visits.map(({ facts, entries }, at) => ({
      ref,
      parent: at === 0 ? base : ("previous" as const),
      ident: OWN_IDENT,
      message: workMessage(facts),
      entries,
    })),
  );
}

/**
 * Keeps saved work as a rescue, without putting it into the tree, unless a call that was killed did. Returns the rescue's ref.
 */
export async function keepAsRescue(
  repo: Repository,
  work: TaskWork,
  { task, run, label }: { task: string; run: string; label: string },
): Promise<string> {
  const before = (await findRescues(repo)).find(
    ({ facts, commit }) => facts?.task === task && facts.base === work.base && commit !== work.tip,
  );
  if (before !== undefined) {
    const differs = await runGit(repo, ["diff", "--quiet", before.commit, work.tip, "--"], { answers: [1] });
    if (differs.code === 0) return before.ref;
  }
  const facts = { run, label, task, why: "given-up" as const, base: work.base };
  return keepChanges(repo, facts, await diffWork(repo, work));
}

/** Drops the saved work of a task: it is kept as a rescue, or of an earlier pass. Starts one process. */
export async function dropSavedWork(repo: Repository, task: string): Promise<void> {
  await runGit(repo, ["update-ref", "-d", workRef(repo.tree, task)]);
}

/** Drops the task's checkpoint and its saved work in one step: the work is committed, or kept as a rescue. */
export async function dropWork(repo: Repository, task: string): Promise<void> {
  const { tree } = repo;
  const refs = [checkpointRef, workRef, shelvingRef, shelvedRef].map((refOf) => refOf(tree, task));
  await deleteRefs(repo, refs);
  lastWorks.get(repo.fixedAnswers)?.delete(task);
}

/** The work of a task as git shows it: a summary of at most 200 files, the patch, and the command that shows it. Starts one process. */
export async function showWork(
  repo: Repository,
  { base, tip }: Pick<TaskWork, "tip" | "base">,
): Promise<{ diff: string; command: string }> {
  const args = [...PLAIN_DIFF, "--stat=120,100,200", "--patch", base, tip, "--", ":(top)", ...repo.excludes];
  return { diff: toText((await runGit(repo, args)).out), command: `git diff ${base} ${tip}` };
}

export interface SaveOrder {
  task: string;
  run: string;
  stage: string;
  visit: number;
  since?: string;
  checkpoint: Pick<Checkpoint, "base" | "recorded">;
  /** Everything in the tree that differs from the checkpoint: the work of earlier visits too. */
  changes: readonly DiffEntry[];
}

/** Saved work, as the task's row names it. `base`: the commit of HEAD it is based on, or the checkpoint before the first commit. */
export interface Saved {
  commit: string;
  base: string;
}

/**
 * Saves the work of a visit under the task's ref. Replaces what an earlier attempt at the same visit saved. Work that is based on
 * another checkpoint is kept as a rescue first. Returns all of the saved work.
 */
export async function saveWork(repo: Repository, order: SaveOrder): Promise<TaskWork> {
  const { task, run, stage, visit, since, checkpoint, changes } = order;
  const { base, recorded } = checkpoint;
  const known = await readWork(repo, task);
  const fits = known?.base === base;
  if (known !== undefined && !fits) await keepAsRescue(repo, known, { task, run, label: `${task}-work` });
  const visits = fits ? [...known.visits] : [];
  const isThis = (one: VisitWork | undefined): boolean =>
    one?.facts.stage === stage && one.facts.visit === visit && one.facts.since === since;
  while (isThis(visits.at(-1))) visits.pop();
  const parent = visits.at(-1)?.commit;
  const before = parent === undefined ? [] : await diffTrees(repo, parent, base);
  const facts = { task, run, stage, visit, base, since, head: recorded.commit };
  const ref = workRef(repo.tree, task);
  const commit = await importCommit(repo, {
    ref,
    parent: parent ?? base,
    ident: OWN_IDENT,
    message: workMessage(facts),
    entries: changesBetween(before, changes),
  });
  const saved = [...visits, { commit, facts }];
  return rememberWork(repo, task, { ref, tip: commit, base, head: recorded.commit, visits: saved });
}

/** Makes the task's ref the commit that its row names, if this repository has it. Returns whether it does. */
export async function reviveWork(repo: Repository, task: string, commit: string): Promise<boolean> {
  if (!(await hasObject(repo, `${commit}^{commit}`))) return false;
  await runGit(repo, ["update-ref", workRef(repo.tree, task), commit]);
  return true;
}
