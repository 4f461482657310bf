// Keeps the results of a run's attempts for its replay under refs/looper/attempts/<run>: a commit for each attempt,
// and one for the start. An attempt that ended in its task's commit is that commit (publish.ts). run-refs.ts deletes
// the refs of a run.
import { parseBatch } from "../base/batch.js";
import type { DiffEntry } from "../base/read/diff.js";
import { importCommit, OWN_IDENT } from "../base/fast-import.js";
import { runGit } from "../base/git.js";
import { attemptRef, attemptsFolder, startRef } from "../base/names.js";
import { listRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";

export interface AttemptOrder {
  run: string;
  /** The task's id; for a review a name with white space, which cannot be a task's id. */
  task: string;
  attempt: number;
  /** The checkpoint's commit. */
  base: string;
  /** The differences from the checkpoint, taken from a snapshot. */
  changes: readonly DiffEntry[];
}

/**
 * Keeps the result of an attempt as a commit on top of its checkpoint; returns the commit. Replaces one of the same
 * name: an attempt that did not count is repeated under its number. Starts one process.
 */
export async function recordAttempt(repo: Repository, order: AttemptOrder): Promise<string> {
  const { run, task, attempt, base, changes } = order;
  const { commit } = await importCommit(repo, {
    ref: attemptRef(run, task, attempt),
    parent: base,
    ident: OWN_IDENT,
    message: `looper: attempt ${String(attempt)} at ${task}\n`,
    entries: changes,
  });
  return commit;
}

/** The only path in the tree of a start: the bytes of the backlog. */
const BACKLOG = "backlog";

export interface StartOrder {
  run: string;
  /** The first checkpoint's commit. */
  base: string;
  /** The backlog before that checkpoint. */
  backlog: Uint8Array;
  /** The folder of the run's log, absolute: other projects may keep refs in the same repository. */
  log: string;
}

/** Keeps the start of a run: its first checkpoint, and the backlog. Starts one process. */
export async function recordStart(
  repo: Repository,
  { run, base, backlog, log }: StartOrder,
): Promise<string> {
  const { commit } = await importCommit(repo, {
    ref: startRef(run),
    parent: base,
    ident: OWN_IDENT,
    message: `looper: start\n\n${JSON.stringify({ log })}\n`,
    emptied: true,
    entries: [],
    file: { path: BACKLOG, mode: "100644", content: backlog },
  });
  return commit;
}

/** The records of a run. */
export interface Records {
  start: { base: string; backlog: Uint8Array };
  /** The attempts by the full name of their ref. */
  attempts: ReadonlyMap<string, string>;
}

/** Reads the records of a run; `undefined` if there are none. Starts two processes. */
export async function readRecords(repo: Repository, run: string): Promise<Records | undefined> {
  const refs = await listRefs(repo, ["refname", "objectname"], [attemptsFolder(run)]);
  const attempts = new Map(refs.map(([name = "", commit = ""]) => [name, commit]));
  const start = attempts.get(startRef(run));
  if (start === undefined) return undefined;
  const input = `${start}^1\n${start}:${BACKLOG}\n`;
  const [base, backlog] = parseBatch((await runGit(repo, ["cat-file", "--batch"], { input })).out);
  if (base === undefined || backlog === undefined) return undefined;
  return { start: { base: base.oid, backlog: Buffer.from(backlog.content, "latin1") }, attempts };
}
