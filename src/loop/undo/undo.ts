// Undoes a done task: a new commit reverts its commit, and the task is reopened. The work of a task that is not done is taken
// back. All obstacles are found first; if there is one, nothing is changed. The commit is made by the same protocol as a task's
// commit (pending commit, backlog, tree, HEAD), and a start that finds it pending finishes it.
import { toText } from "../../git/base/bytes.js";
import { withHint } from "../../git/base/git.js";
import { headOf, type Head } from "../../git/base/repository/head.js";
import { findInTheWay, planRevert, type Conflict, publishWithTree } from "../../git/undo/revert-tree.js";
import { listInHand } from "../../git/checkpoint/checkpoint.js";
import {
  readPending,
  dropPending,
  readBacklogMode,
  prepareCommit,
  type Preparation,
  publish,
} from "../../git/commit/commit.js";
import { findOperation } from "../../git/index/operation.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import { listTaskCommits } from "../../git/commit/live-commits.js";
import type { RunRequest } from "../runs/run-request.js";
import { UserError, usageError, environmentError } from "../../system/errors.js";
import { hintOnTask, findNearTask } from "../../todo/change/person-edits.js";
import { never } from "../../system/never.js";
import type { CheckOptions } from "../../todo/check/check.js";
import type { Backlog } from "../../todo/model/task.js";
import {
  countReverted,
  type ChangeCounts,
  planUndo,
  type UndoneTask,
  type UndoPlan,
  type UndoWish,
} from "./plan-undo.js";
import { hasWork, takeBack, type TakeBackRequest } from "./take-back.js";
import { openSite, readBacklog, takeOver, type UndoSite, changeBacklog } from "./undo-site.js";
import { formatUndoMessage } from "../../git/commit/message.js";
import { readMissingFacts, type PendingFacts } from "../runs/recover.js";

export interface UndoRequest extends Pick<RunRequest, "ports" | "project" | "env"> {
  stop: AbortSignal;
  wish: UndoWish;
  check: CheckOptions;
  /** The person who takes work back that is not done. */
  who: TakeBackRequest["who"];
  /** Only plans. */
  dryRun: boolean;
  /** Asks whether these changes of a task that is not done are taken back. */
  confirm: TakeBackRequest["confirm"];
}

/** Why nothing was undone, with the obstacles. */
export type UndoRefusal =
  | { why: "dependents"; tasks: readonly UndoneTask[] }
  | { why: "conflicts"; conflicts: readonly Conflict[] }
  /** Paths with a person's uncommitted changes. */
  | { why: "changes"; paths: readonly string[] }
  /** Paths of a task that is not done, which others changed as well. */
  | { why: "foreign"; paths: readonly string[] }
  /** Tasks whose unfinished work is in the tree. */
  | { why: "in-hand"; tasks: readonly UndoneTask[] }
  | { why: "interrupted" };

/** The work of a task that is not done. */
export interface UndoneWork {
  undone: readonly UndoneTask[];
  counts: ChangeCounts;
  rescue?: string | undefined;
  warnings: readonly string[];
}

export type Undoing =
  | ({ outcome: "refused" } & UndoRefusal)
  | ({ outcome: "planned" } & Omit<Undone, "commit">)
  | ({ outcome: "undone" } & Undone)
  | ({ outcome: "would-take-back" | "declined" | "taken-back" } & UndoneWork);

/** Undoes a task, or plans it for a dry run; throws a `UserError` if it cannot be done at all. */
export async function undo(request: UndoRequest): Promise<Undoing> {
  const site = await openSite(request.ports, request.project, request);
  try {
    if (request.dryRun) return await withHint(HINT, () => planDryRun(site, request));
    await takeOver(site);
    return await withHint(HINT, () => performUndo(site, request));
  } finally {
    await site.locks.release();
  }
}

const HINT = "nothing is lost: fix the git error, then undo it again";

type Found = Extract<Undoing, { outcome: "refused" }> | { outcome: "ready"; order: Ready };

interface Ready {
  plan: Extract<UndoPlan, { kind: "ready" }>;
  head: Head;
  changes: readonly DiffEntry[];
}

async function performUndo(site: UndoSite, request: UndoRequest): Promise<Undoing> {
  const { wish, stop } = request;
  const finished = await finishPending(site);
  // A killed undo of the same task has just been finished.
  if (finished.undone?.undone.some(({ task }) => task === wish.id) === true)
    return { outcome: "undone", ...finished.undone };
  const back = await takeWorkBack(site, request);
  if (back !== undefined) return back;
  const found = await prepareOrder(site, wish);
  if (found.outcome === "refused") return found;
  if (stop.aborted) return { outcome: "refused", why: "interrupted" };
  const done = await commitUndo(site, { ...found.order, reason: wish.reason });
  return { outcome: "undone", ...done, warnings: [...finished.warnings, ...done.warnings] };
}

/** Takes the work of a task back that is not done; `undefined` where there is none. */
async function takeWorkBack(site: UndoSite, request: UndoRequest): Promise<Undoing | undefined> {
  const { wish, dryRun } = request;
  const { tasks } = await readBacklog(site);
  const task = tasks.find(({ id }) => id === wish.id);
  if (task === undefined || task.status === "done" || !(await hasWork(site, task))) return undefined;
  if (wish.reason !== "")
    throw usageError(
      `${wish.id} is not done: its next attempt is not told a reason`,
      `leave --reason out, and send a message with \`looper steer ${wish.id} TEXT\``,
    );
  if (dryRun) await takeOver(site);
  const back = await takeBack(site, task, request);
  if (back.outcome === "nothing") return undefined;
  if (back.outcome === "foreign") return { outcome: "refused", why: "foreign", paths: back.paths };
  return { warnings: [], ...back, undone: [{ task: task.id, title: task.title }] };
}

async function planDryRun(site: UndoSite, request: UndoRequest): Promise<Undoing> {
  const { wish } = request;
  const back = await takeWorkBack(site, request);
  if (back !== undefined) return back;
  const pending = await readPending(site.repo);
  const found = await prepareOrder(site, wish);
  if (found.outcome === "refused") return found;
  const { plan, changes } = found.order;
  return {
    outcome: "planned",
    undone: plan.undone,
    paths: changes.map(({ path }) => toText(path)),
    counts: countReverted(changes),
    reopened: plan.changes.flatMap((change) => ("id" in change ? [change.id] : [])),
    warnings:
      pending === undefined
        ? []
        : ["the pending commit of a killed run would be finished first: this plan may change then"],
  };
}

async function prepareOrder(site: UndoSite, wish: UndoWish): Promise<Found> {
  const { repo } = site;
  const backlog = await readBacklog(site);
  const head = await headOf(repo);
  const live = head.commit === undefined ? [] : await listTaskCommits(repo, head.commit);
  const plan = planUndo(wish, backlog.tasks, live);
  switch (plan.kind) {
    case "unknown":
      throw makeUnknownTaskError(wish.id, backlog);
    case "marker":
      throw new UserError("no", `${wish.id} marks a finished backlog: it is removed when a task is reopened`);
    case "nothing":
      throw new UserError(
        "no",
        `${wish.id} is ${plan.status}, and this branch has no commit of it: there is nothing to undo`,
      );
    case "dependents":
      return { outcome: "refused", why: "dependents", tasks: plan.dependents };
    case "ready":
      return head.commit === undefined || plan.commits.length === 0
        ? { outcome: "ready", order: { plan, head, changes: [] } }
        : findChanges(site, { plan, head, commit: head.commit, backlog });
    default:
      return never(plan);
  }
}

/** Plans the changes that revert the commits, and finds obstacles. */
async function findChanges(
  { repo }: UndoSite,
  found: Omit<Ready, "changes"> & { commit: string; backlog: Backlog },
): Promise<Found> {
  const { plan, head, commit, backlog } = found;
  const progress = await findOperation(repo);
  if (progress !== undefined) throw environmentError(progress.message, progress.hint);
  const revert = await planRevert(repo, commit, plan.commits);
  if (revert.kind === "conflicts")
    return { outcome: "refused", why: "conflicts", conflicts: revert.conflicts };
  const { changes } = revert;
  if (changes.length > 0) {
    const doing = backlog.tasks.filter(({ status }) => status === "doing");
    const inHand = await listInHand(
      repo,
      doing.map(({ id }) => id),
    );
    // A task in progress has a checkpoint of the tree with this work: restoring it would bring the work back.
    const tasks = doing.filter(({ id }) => inHand.includes(id)).map(({ id, title }) => ({ task: id, title }));
    if (tasks.length > 0) return { outcome: "refused", why: "in-hand", tasks };
    const paths = await findInTheWay(repo, commit, changes);
    if (paths.length > 0) return { outcome: "refused", why: "changes", paths };
  }
  return { outcome: "ready", order: { plan, head, changes } };
}

function makeUnknownTaskError(id: string, { tasks }: Backlog): UserError {
  const near = findNearTask(tasks, id);
  const others = hintOnTask(tasks, id, "looper ls done shows what can be undone");
  const hint = near === undefined ? others : `did you mean ${near}?`;
  return usageError(`there is no task ${id}, and this branch has no commit of one`, hint);
}

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
}

interface UndoOrder extends Ready {
  reason: string;
}

/** Reopens the tasks and reverts their work. */
async function commitUndo(site: UndoSite, order: UndoOrder): Promise<Undone> {
  const { plan } = order;
  let prepared: Preparation | undefined;
  const prepare = async (bytes: Uint8Array): Promise<void> => {
    prepared = await prepareUndo(site, order, bytes);
  };
  const changed = await changeBacklog(site, plan.changes, prepare);
  if (prepared === undefined) {
    const bytes = await site.ports.files.read(site.project.todoFile);
    if (bytes === undefined) throw environmentError(`${site.project.todoFile} is gone`);
    await prepare(bytes);
  }
  const { updated, refused } = changed.applied;
  const done = await publishUndo(site, plan.undone, prepared);
  return {
    ...done,
    reopened: updated.filter(({ to }) => to === "todo").map(({ id }) => id),
    warnings: [
      ...done.warnings,
      ...refused.map(({ change, why }) => `${"id" in change ? change.id : change.op}: ${why}`),
    ],
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
async function finishPending(site: UndoSite): Promise<{ undone?: Undone; warnings: readonly string[] }> {
  const prepared = await readPending(site.repo);
  if (prepared === undefined) return { warnings: [] };
  const before = await readBacklog(site);
  const { changes, undone } = readMissingFacts(prepared, before.tasks);
  const changed = changes.length === 0 ? undefined : await changeBacklog(site, changes);
  if (undone !== undefined) {
    const { tasks } = changed?.backlog ?? before;
    const open = new Set<string>(tasks.filter(({ status }) => status === "todo").map(({ id }) => id));
    const reopened = undone.map(({ task }) => task).filter((task) => open.has(task));
    const done = await publishUndo(site, undone, prepared);
    const told = ["finished what was interrupted", ...done.warnings];
    return { undone: { ...done, reopened, warnings: told }, warnings: [] };
  }
  if ((changed?.applied.refused.length ?? 0) > 0) {
    await dropPending(site.repo);
    return { warnings: [] };
  }
  const { commit, warnings } = await publish(site.repo, prepared);
  const what = prepared.taskId === undefined ? "a commit" : `the commit of ${prepared.taskId}`;
  return { warnings: [`finished ${what} that a killed run had begun: ${commit.slice(0, 12)}`, ...warnings] };
}

async function publishUndo(
  { repo }: UndoSite,
  undone: readonly UndoneTask[],
  prepared: Preparation | undefined,
): Promise<Omit<Undone, "reopened">> {
  if (prepared === undefined || prepared === "nothing")
    return { undone, paths: [], counts: countReverted([]), warnings: [] };
  const { commit, warnings } = await publishWithTree(repo, prepared);
  const reverted = prepared.changes.filter(({ path }) => path !== repo.todo?.path);
  const paths = reverted.map(({ path }) => toText(path));
  return { undone, commit, paths, counts: countReverted(reverted), warnings };
}
