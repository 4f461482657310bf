// Makes the commit that undoes tasks, by the same protocol as a task's commit: pending commit, backlog, tree, HEAD. A start that
// finds it pending finishes it. undo.ts decides what it contains.
import { toText } from "../../git/base/bytes.js";
import { readBacklogMode, prepareCommit, type Preparation } from "../../git/commit/commit.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import type { Head } from "../../git/base/repository/head.js";
import { formatUndoMessage } from "../../git/commit/message.js";
import { dropPending, recoverPending, type Prepared } from "../../git/commit/pending.js";
import { publish } from "../../git/commit/publish.js";
import { publishWithTree } from "../../git/undo/revert-tree.js";
import { countReverted, type ChangeCounts } from "./change-counts.js";
import { UserError } from "../../system/errors.js";
import type { Backlog } from "../../todo/model/task.js";
import { readMissingFacts, type PendingFacts } from "../runs/pending-facts.js";
import type { UndoneTask, UndoPlan } from "./plan-undo.js";
import { changeBacklog, readBacklog, type UndoSite } from "./undo-site.js";

/** The result of an undo. `commit` is absent if there was nothing to revert. */
export interface Undone {
  undone: readonly UndoneTask[];
  commit?: string;
  /** Relative to the top of the repository, without the backlog. */
  paths: readonly string[];
  /** The same paths, by what the tasks did to them. */
  counts: ChangeCounts;
  /** Tasks that are open again. */
  reopened: readonly string[];
  warnings: readonly string[];
  backlog: Backlog;
}

export interface UndoOrder {
  plan: Extract<UndoPlan, { kind: "ready" }>;
  head: Head;
  changes: readonly DiffEntry[];
  reason: string;
}

/** Reopens the tasks and reverts their work. */
export async function commitUndo(site: UndoSite, order: UndoOrder): Promise<Undone> {
  const { plan, changes } = order;
  let prepared: Preparation | undefined;
  const prepare = async (bytes: Uint8Array): Promise<void> => {
    prepared = await prepareUndo(site, order, bytes);
  };
  const changed = await changeBacklog(site, plan.changes, prepare);
  if (prepared === undefined) {
    const bytes = await site.ports.files.read(site.project.todoFile);
    if (bytes === undefined) throw new UserError("environment", `${site.project.todoFile} is gone`);
    await prepare(bytes);
  }
  const { updated, refused } = changed.applied;
  const published =
    prepared === undefined || prepared === "nothing" ? undefined : await publishWithTree(site.repo, prepared);
  return {
    undone: plan.undone,
    ...(published === undefined ? {} : { commit: published.commit }),
    paths: changes.map(({ path }) => toText(path)),
    counts: countReverted(changes),
    reopened: updated.filter(({ to }) => to === "todo").map(({ id }) => id),
    warnings: [
      ...(published?.warnings ?? []),
      ...refused.map(({ change, why }) => `${"id" in change ? change.id : change.op}: ${why}`),
    ],
    backlog: changed.backlog,
  };
}

async function prepareUndo(site: UndoSite, order: UndoOrder, backlog: Uint8Array): Promise<Preparation> {
  const { plan, head, changes, reason } = order;
  const { undone, commits } = plan;
  if (commits.length === 0 || head.commit === undefined) return "nothing";
  const title = undone[0]?.title ?? "";
  const withCommit = undone.flatMap(({ commit, ...one }) =>
    commit === undefined ? [] : [{ ...one, commit }],
  );
  const facts: PendingFacts = { changes: [...plan.changes], undone: [...undone] };
  const backlogMode = await readBacklogMode(site.repo, head.commit);
  const message = formatUndoMessage({ title, reason, undone: withCommit });
  const snapshot = { changes, head, backlogMode };
  return await prepareCommit(site.repo, {
    taskId: undefined,
    run: "undo",
    snapshot,
    backlog,
    message,
    facts,
  });
}

/** Finishes the pending commit of a killed run or undo; returns the tasks it undid, and warnings. */
export async function finishPending(
  site: UndoSite,
): Promise<{ undone?: Undone; warnings: readonly string[] }> {
  const prepared = await recoverPending(site.repo);
  if (prepared === undefined) return { warnings: [] };
  const before = await readBacklog(site);
  const { changes, undone } = readMissingFacts(prepared, before.tasks);
  const changed = changes.length === 0 ? undefined : await changeBacklog(site, changes);
  const backlog = changed?.backlog ?? before;
  if (undone !== undefined)
    return { undone: await finishUndo(site, { prepared, undone, backlog }), warnings: [] };
  if ((changed?.applied.refused.length ?? 0) > 0) {
    await dropPending(site.repo);
    return { warnings: [] };
  }
  const { commit, warnings } = await publish(site.repo, prepared);
  const what = prepared.taskId === undefined ? "a commit" : `the commit of ${prepared.taskId}`;
  return { warnings: [`finished ${what} that a killed run had begun: ${commit.slice(0, 12)}`, ...warnings] };
}

async function finishUndo(
  { repo }: UndoSite,
  found: { prepared: Prepared; undone: readonly UndoneTask[]; backlog: Backlog },
): Promise<Undone> {
  const { prepared, undone, backlog } = found;
  const published = await publishWithTree(repo, prepared);
  const reverted = prepared.changes.filter(({ path }) => path !== repo.todo?.path);
  const open = new Set<string>(backlog.tasks.filter(({ status }) => status === "todo").map(({ id }) => id));
  return {
    undone,
    commit: published.commit,
    paths: reverted.map(({ path }) => toText(path)),
    counts: countReverted(reverted),
    reopened: undone.map(({ task }) => task).filter((task) => open.has(task)),
    warnings: ["finished what was interrupted", ...published.warnings],
    backlog,
  };
}
