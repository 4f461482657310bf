// Lists the runs that refs name, for the removal of logs, and deletes the records of a run's attempts. The loop
// decides what follows from a name; a person drops rescues. The results of attempts are kept under refs/looper/attempts/<run>: a
// commit for each attempt, and one for the start. An attempt that ended in its task's commit is that commit.
import { z } from "zod";
import { readMessage, deleteRefs, listRefs } from "../base/list-refs.js";
import {
  ATTEMPTS,
  CHECKPOINTS,
  decodeId,
  RESCUES,
  startRef,
  attemptRef,
  attemptsFolder,
} from "../base/names.js";
import { listPendingRuns } from "./commit.js";
import type { Repository } from "../base/repository/repository.js";
import { CheckpointFacts } from "../checkpoint/checkpoint.js";
import { readObjects } from "../base/objects.js";
import type { DiffEntry } from "../base/read/diff.js";
import { importCommit, OWN_IDENT } from "../base/fast-import.js";

/** The runs that refs name, of every working tree and every project of the repository. */
export interface RunRefs {
  /** Runs with a rescue. */
  rescues: ReadonlySet<string>;
  /** Runs with a checkpoint: their task is in hand since then. Run → task. */
  inHand: ReadonlyMap<string, string>;
  /** Runs with a pending commit. */
  pending: ReadonlySet<string>;
  /**
   * Runs with a recorded start. Run → the absolute folder of its log, or `undefined` if the start does not contain
   * it.
   */
  starts: ReadonlyMap<string, string | undefined>;
}

const StartFacts = z.object({ log: z.string() });

/** Reads the refs of the repository. Starts at most three processes. */
export async function readRunRefs(repo: Repository): Promise<RunRefs> {
  const rescues = new Set<string>();
  const inHand = new Map<string, string>();
  const starts = new Map<string, string | undefined>();
  const folders = [RESCUES, CHECKPOINTS, ATTEMPTS].map((folder) => `${folder}/`);
  for (const [ref = "", contents = ""] of await listRefs(repo, ["refname", "contents"], folders)) {
    if (ref.startsWith(`${CHECKPOINTS}/`)) {
      const known = readMessage(CheckpointFacts, contents);
      if (known !== undefined) inHand.set(known.run, known.task);
      continue;
    }
    const run = runOf(ref);
    if (ref.startsWith(`${RESCUES}/`)) rescues.add(run);
    else if (ref === startRef(run)) starts.set(run, readMessage(StartFacts, contents)?.log);
  }
  return { rescues, inHand, pending: new Set(await listPendingRuns(repo)), starts };
}

/**
 * Deletes the records of these runs; returns the number of deleted refs. Starts two processes, or none without a
 * run.
 */
export async function forgetAttempts(repo: Repository, runs: ReadonlySet<string>): Promise<number> {
  if (runs.size === 0) return 0;
  const names = (await listRefs(repo, ["refname"], [`${ATTEMPTS}/`])).flat();
  const gone = names.filter((name) => runs.has(runOf(name)));
  await deleteRefs(repo, gone);
  return gone.length;
}

/** Parses `refs/looper/KIND/RUN/…`; an id too long for one folder is split over several. */
function runOf(ref: string): string {
  return decodeId(
    ref
      .split("/")
      .slice(3)
      .join("/")
      .split(/(?<!\+)\//)[0] ?? "",
  );
}

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
export function recordAttempt(repo: Repository, order: AttemptOrder): Promise<string> {
  const { run, task, attempt, base, changes } = order;
  return importCommit(repo, {
    ref: attemptRef(run, task, attempt),
    parent: base,
    ident: OWN_IDENT,
    message: `looper: attempt ${String(attempt)} at ${task}\n`,
    entries: changes,
  });
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
export function recordStart(repo: Repository, { run, base, backlog, log }: StartOrder): Promise<string> {
  return importCommit(repo, {
    ref: startRef(run),
    parent: base,
    ident: OWN_IDENT,
    message: `looper: start\n\n${JSON.stringify({ log })}\n`,
    emptied: true,
    entries: [],
    files: [{ path: BACKLOG, mode: "100644", content: backlog }],
  });
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
  const [base, backlog] = await readObjects(repo, [`${start}^1`, `${start}:${BACKLOG}`]);
  if (base === undefined || backlog === undefined) return undefined;
  return { start: { base: base.oid, backlog: Buffer.from(backlog.content, "latin1") }, attempts };
}
