// For tests of undo: commits as the runner makes them, and the undo of one, as in the loop. scratch.ts makes the
// repository, and the tests change files.
import { join } from "node:path";
import { prepareCommit, type Prepared } from "../commit/commit.js";
import type { DiffEntry } from "../base/read/diff.js";
import { readHead } from "../base/repository/head.js";
import { findInTheWay, planRevert, type RevertPlan, publishWithTree } from "../undo/revert-tree.js";
import { type TaskCommit, listTaskCommits } from "../commit/live-commits.js";
import { formatMessage, formatUndoMessage } from "../commit/message.js";
import type { Repository } from "../base/repository/repository.js";
import { type Scratch } from "./scratch.js";

/** The backlog with the task undone. */
export const REOPENED = '{"tasks":[{"id":"T1","status":"todo"}]}\n';

/** Makes the commit of a finished task; the backlog changes with it. */
export async function taskCommit(scratch: Scratch, task: string, work: () => void): Promise<string> {
  work();
  const done = `{"tasks":[{"id":"${task}","status":"done"}]}\n`;
  await scratch.ports.files.writeAtomic(join(scratch.top, "to-do.json"), done);
  return scratch.commitAll(formatMessage({ title: `Do ${task}`, summary: "", task, run: "r", agent: "a" }));
}

/** The commits of a task that count, newest first. */
export async function liveOf(repo: Repository, task: string): Promise<TaskCommit[]> {
  return (await listTaskCommits(repo, await headOf(repo))).filter((one) => one.task === task);
}

export async function planFor(repo: Repository, ...tasks: string[]): Promise<RevertPlan> {
  const head = await headOf(repo);
  const commits = (await listTaskCommits(repo, head)).filter(({ task }) => tasks.includes(task));
  return await planRevert(repo, head, commits);
}

/** The changes of a plan without conflicts, and a person's files in their way. */
export async function cleanPlan(repo: Repository, ...tasks: string[]) {
  const plan = await planFor(repo, ...tasks);
  if (plan.kind !== "clean") throw new Error(JSON.stringify(plan));
  return { ...plan, inTheWay: await findInTheWay(repo, await headOf(repo), plan.changes) };
}

/** The first step of the protocol: builds the commit and does nothing else. */
export async function prepareUndo(repo: Repository, ...tasks: string[]): Promise<Prepared> {
  const { changes, inTheWay } = await cleanPlan(repo, ...tasks);
  if (inTheWay.length > 0) throw new Error(`in the way: ${inTheWay.join(", ")}`);
  return prepareChanges(repo, tasks, changes);
}

/** The same first step for changes that are in no person's way. */
async function prepareChanges(
  repo: Repository,
  tasks: readonly string[],
  changes: readonly DiffEntry[],
): Promise<Prepared> {
  const head = await readHead(repo);
  const commits = await listTaskCommits(repo, head.commit ?? "");
  const undone = commits.filter(({ task }) => tasks.includes(task));
  const message = formatUndoMessage({ title: undone[0]?.title ?? "", reason: "wrong", undone });
  const snapshot = { changes, head, backlogMode: "100644" };
  const order = { taskId: undefined, run: "undo", snapshot, backlog: Buffer.from(REOPENED), message };
  const prepared = await prepareCommit(repo, { ...order, facts: { undo: true } });
  if (prepared === "nothing") throw new Error("nothing to commit");
  return prepared;
}

/**
 * The first step for one of the live commits, chosen by a number; `undefined` if there are none, or the undo would
 * be refused.
 */
export async function prepareSomeUndo(repo: Repository, which: number): Promise<Prepared | undefined> {
  const { commit } = await readHead(repo);
  const live = commit === undefined ? [] : await listTaskCommits(repo, commit);
  const chosen = live[which % Math.max(1, live.length)];
  if (commit === undefined || chosen === undefined) return undefined;
  const plan = await planRevert(repo, commit, [chosen]);
  if (plan.kind === "conflicts" || plan.changes.length === 0) return undefined;
  const inTheWay = await findInTheWay(repo, commit, plan.changes);
  return inTheWay.length > 0 ? undefined : prepareChanges(repo, [chosen.task], plan.changes);
}

/** The rest of the protocol; returns the commit, and throws on a warning. */
export async function finishUndo(scratch: Scratch, repo: Repository, prepared: Prepared): Promise<string> {
  await scratch.ports.files.writeAtomic(join(scratch.top, "to-do.json"), REOPENED);
  const { commit, warnings } = await publishWithTree(repo, prepared);
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
  return commit;
}

/** The whole protocol. */
export async function undo(scratch: Scratch, repo: Repository, ...tasks: string[]): Promise<string> {
  return finishUndo(scratch, repo, await prepareUndo(repo, ...tasks));
}

async function headOf(repo: Repository): Promise<string> {
  return (await readHead(repo)).commit ?? "";
}
