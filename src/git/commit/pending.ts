// The pending commit: refs/looper/pending holds everything the next start needs to finish it. commit.ts builds it
// and publish.ts finishes it.
import { z } from "zod";
import { given } from "../../system/given.js";
import { parseBatch } from "../base/batch.js";
import { toText } from "../base/bytes.js";
import { NOTHING, type DiffEntry } from "../base/read/diff.js";
import { importPair, OWN_IDENT, type ImportedFile } from "../base/fast-import.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { isAncestor, readHead } from "../base/repository/head.js";
import { diffTrees } from "../index/index-file.js";
import { PENDING, pendingRef } from "../base/names.js";
import { listRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";

const FACTS_FILE = "pending.json";

const PendingFacts = z.object({
  run: z.string(),
  task: z.string().optional(),
  attempt: z.int().optional(),
  facts: z.unknown(),
});

/** The parts of a commit. */
export interface CommitParts {
  /** HEAD when the commit was built; `undefined` before the first commit. */
  parent: string | undefined;
  /** Applied to the parent's tree. */
  changes: readonly DiffEntry[];
  message: string;
  run: string;
  /** `undefined` if the commit belongs to no task. */
  taskId: string | undefined;
  /** The attempt of the commit, if it has one. */
  attempt: number | undefined;
  /** Any JSON value the caller needs to finish the commit after a crash, for example the changes of the backlog. */
  facts: unknown;
}

/** A commit that is built but not on a branch yet. */
export interface Prepared extends CommitParts {
  commit: string;
  /** The commit is already in HEAD's history: a run was killed just before its end. */
  published: boolean;
}

/** Builds the commit, and a commit around it with its facts. Starts one process. */
export async function buildPending(
  repo: Repository,
  parts: CommitParts,
  backlog?: ImportedFile,
): Promise<Prepared> {
  const ref = pendingRef(repo.tree);
  const ident = await repo.identity();
  const { run, taskId: task, attempt, facts } = parts;
  const json = JSON.stringify({ run, task, attempt, facts });
  const [made] = await importPair(
    repo,
    {
      ref,
      parent: parts.parent,
      ident,
      message: parts.message,
      entries: parts.changes,
      ...given({ file: backlog }),
    },
    {
      ref,
      parent: "previous",
      ident: OWN_IDENT,
      message: "looper: pending\n",
      emptied: true,
      entries: [],
      file: { path: FACTS_FILE, mode: "100644", content: Buffer.from(json, "utf8") },
    },
  );
  const changes = [...parts.changes];
  if (backlog !== undefined && made.blob !== undefined) {
    changes.push({ path: backlog.path, from: NOTHING, to: { mode: backlog.mode, oid: made.blob } });
  }
  return { ...parts, changes, commit: made.commit, published: false };
}

/**
 * The pending commit of a killed run; `undefined` without one. To finish it, write the changes in `facts` unless
 * that was done, then call `publish`. Facts that cannot be parsed are `undefined`.
 */
export async function recoverPending(repo: Repository): Promise<Prepared | undefined> {
  const ref = pendingRef(repo.tree);
  const { out } = await runGit(repo, ["cat-file", "--batch"], {
    input: `${ref}^1\n${ref}:${FACTS_FILE}\n`,
  });
  const [commit, json] = parseBatch(out);
  if (commit === undefined) return undefined;
  const text = commit.content;
  const end = text.indexOf("\n\n");
  const known = readFacts(PendingFacts, toText(json?.content ?? ""));
  const head = await readHead(repo);
  return {
    commit: commit.oid,
    parent: /^parent ([0-9a-f]+)$/m.exec(text.slice(0, end))?.[1],
    changes: await diffTrees(repo, commit.oid),
    message: toText(text.slice(end + 2)),
    run: known?.run ?? "",
    taskId: known?.task,
    attempt: known?.attempt,
    facts: known?.facts,
    published: head.commit !== undefined && (await isAncestor(repo, commit.oid, head.commit)),
  };
}

/** The runs with pending commits, in any working tree. Starts two processes. */
export async function listPendingRuns(repo: Repository): Promise<string[]> {
  const refs = (await listRefs(repo, ["refname"], [`${PENDING}/`])).flat();
  if (refs.length === 0) return [];
  const input = refs.map((ref) => `${ref}:${FACTS_FILE}\n`).join("");
  const { out } = await runGit(repo, ["cat-file", "--batch"], { input });
  return parseBatch(out).flatMap((file) => readFacts(PendingFacts, toText(file?.content ?? ""))?.run ?? []);
}

/** Deletes the pending commit, if any. Starts one process. */
export async function dropPending(repo: Repository): Promise<void> {
  await runGit(repo, ["update-ref", "-d", pendingRef(repo.tree)]);
}
