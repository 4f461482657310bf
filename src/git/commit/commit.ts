// Builds the commit of a task, or of the backlog alone, on no branch yet: the first step of the commit protocol
// (prepare → the caller writes the backlog → publish). publish.ts does the other steps.
import { toText } from "../base/bytes.js";
import { NOTHING, type Version } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { readHead } from "../base/repository/head.js";
import { buildPending, type Prepared } from "./pending.js";
import { publish, type Published } from "./publish.js";
import type { Repository } from "../base/repository/repository.js";
import type { Snapshot } from "../attempt/snapshot.js";

const CARRIAGE_RETURN = 13;

const NO_TASK = { taskId: undefined, attempt: undefined, facts: undefined };

export interface CommitOrder {
  /** `undefined` if the commit belongs to no task. */
  taskId: string | undefined;
  run: string;
  /** The number of the attempt; the commit is also kept under its name. */
  attempt?: number;
  /** The changes of the attempt; the commit's parent is its `head`. */
  snapshot: Pick<Snapshot, "changes" | "head" | "backlogMode"> & Partial<Pick<Snapshot, "marked" | "theirs">>;
  /** The backlog as it will be written, with the task done. */
  backlog: Uint8Array;
  /** From `formatMessage`. */
  message: string;
  /** Any JSON value; `recoverPending` returns it. */
  facts: unknown;
}

/** The built commit, or "nothing" if the task changed nothing and git does not track the backlog. */
export type Preparation = Prepared | "nothing";

/** Builds the task's commit: the changes of the attempt, and the backlog. Starts one or two processes. */
export async function prepareCommit(repo: Repository, order: CommitOrder): Promise<Preparation> {
  const { head, marked, theirs } = order.snapshot;
  const stays = (path: string): boolean => marked?.has(path) === true || theirs?.has(path) === true;
  const changes = order.snapshot.changes.filter(({ path }) => !stays(path));
  const { run, taskId, attempt, message, facts } = order;
  const parts = { parent: head.commit, changes, message, run, taskId, attempt, facts };
  const mode = await backlogMode(repo, { ...order.snapshot, changes });
  if (mode === undefined || repo.todo === undefined) {
    return changes.length === 0 ? "nothing" : buildPending(repo, parts);
  }
  const { path } = repo.todo;
  const bytes = order.backlog;
  if (!bytes.includes(CARRIAGE_RETURN) && !(await repo.todoFiltered())) {
    return buildPending(repo, parts, { path, mode, content: bytes });
  }
  const entry = { path, from: NOTHING, to: { mode, oid: await storeBacklog(repo, path, bytes) } };
  return buildPending(repo, { ...parts, changes: [...changes, entry] });
}

/**
 * Commits only the backlog if HEAD has another version of it; otherwise returns "nothing". Contract: `bytes` is the
 * content of the file on disk.
 */
export async function commitBacklog(
  repo: Repository,
  order: { run: string; bytes: Uint8Array; message: string },
): Promise<Published | "nothing"> {
  const { commit } = await readHead(repo);
  if (repo.todo === undefined || commit === undefined) return "nothing";
  const { path } = repo.todo;
  const from = await committedVersion(repo, commit, path);
  if (from === undefined) return "nothing";
  const oid = await storeBacklog(repo, path, order.bytes);
  if (oid === from.oid) return "nothing";
  const changes = [{ path, from, to: { mode: from.mode, oid } }];
  const { run, message } = order;
  const parts = { parent: commit, changes, message, run, ...NO_TASK };
  return publish(repo, await buildPending(repo, parts));
}

/** The mode of the backlog in a commit; `undefined` if the commit does not have it. Starts at most one process. */
export async function readBacklogMode(repo: Repository, commit: string): Promise<string | undefined> {
  return repo.todo === undefined ? undefined : (await committedVersion(repo, commit, repo.todo.path))?.mode;
}

/** The mode to commit the backlog with; `undefined` if it is not committed. */
async function backlogMode(repo: Repository, taken: CommitOrder["snapshot"]): Promise<string | undefined> {
  if (repo.todo === undefined || taken.backlogMode !== undefined) return taken.backlogMode;
  if (taken.changes.length === 0) return undefined;
  const ignored = await runGit(repo, ["check-ignore", "-q", "--", toText(repo.todo.path)], { answers: [1] });
  if (ignored.code === 0) return undefined;
  const stat = await repo.ports.files.stat(repo.todo.file);
  return ((stat?.mode ?? 0) & 0o100) === 0 ? "100644" : "100755";
}

/** Makes the backlog's blob as git does, with filters and line ends. */
async function storeBacklog(repo: Repository, path: string, bytes: Uint8Array): Promise<string> {
  const args = ["hash-object", "-w", "--stdin", `--path=${toText(path)}`];
  return (await runGit(repo, args, { input: Buffer.from(bytes).toString("latin1") })).out.trimEnd();
}

async function committedVersion(
  repo: Repository,
  commit: string,
  path: string,
): Promise<Version | undefined> {
  const { out } = await runGit(repo, ["ls-tree", "-z", commit, "--", toText(path)]);
  const [, mode, oid] = /^(\d{6}) blob ([0-9a-f]+)\t/.exec(out) ?? [];
  return mode === undefined || oid === undefined ? undefined : { mode, oid };
}
