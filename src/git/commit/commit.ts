// The commit protocol of a task, or of the backlog alone: prepare → the caller writes the backlog → publish.
import { toBytes, toText } from "../base/bytes.js";
import { NOTHING, sameVersion, type DiffEntry, type Version, MODULE } from "../base/read/diff.js";
import { runGit, GitError } from "../base/git.js";
import { readHead, zeroLike, isAncestor, type Head } from "../base/repository/head.js";
import { pathFromTop, type Repository } from "../base/repository/repository.js";
import type { Snapshot } from "../attempt/snapshot.js";
import { filesOf, readObjects } from "../base/objects.js";
import { z } from "zod";
import { gitHash } from "../../system/text/sha256.js";
import { importAll, OWN_IDENT, type ImportedFile } from "../base/fast-import.js";
import { readFacts, listRefs } from "../base/list-refs.js";
import { diffTrees, dropOwnIndex, refreshIndex } from "../index/index-file.js";
import { PENDING, pendingRef, attemptRef, checkpointRef, workRef } from "../base/names.js";
import { isOfTheDisk } from "../../system/errors.js";

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
  /** The task's outputs, which the commit takes out of HEAD: the task is not open any more. */
  outputs?: TravellingOutputs | undefined;
  /** From `formatMessage`. */
  message: string;
  /** Any JSON value; `readPending` returns it. */
  facts: unknown;
}

/** The built commit, or "nothing" if the task changed nothing and git does not track the backlog. */
export type Preparation = Prepared | "nothing";

/** Builds the task's commit: the changes of the attempt, and the backlog. Starts one or two processes. */
export async function prepareCommit(repo: Repository, order: CommitOrder): Promise<Preparation> {
  const { head, marked, theirs } = order.snapshot;
  const stays = (path: string): boolean => marked?.has(path) === true || theirs?.has(path) === true;
  const own = await planOutputs(repo, head.commit, order.outputs);
  const changes = [...order.snapshot.changes.filter(({ path }) => !stays(path)), ...own];
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

/** Outputs of stages, which travel with the backlog although git ignores them. */
export interface TravellingOutputs {
  /** Absolute: the folder of all tasks. */
  folder: string;
  /** The folders of tasks in it, where HEAD is to have nothing but the files. */
  owned: ReadonlySet<string>;
  /** By their place below the folder, where the content is; `undefined`: as HEAD has it. Absolute. */
  files: ReadonlyMap<string, string | undefined>;
}

/**
 * Commits only the backlog and the outputs of open tasks, if HEAD has other versions of them; otherwise, and where git does not track
 * the backlog, returns "nothing". Contract: `bytes` is the content of the file on disk.
 */
export async function commitBacklog(
  repo: Repository,
  order: { run: string; bytes: Uint8Array; message: string; outputs?: TravellingOutputs | undefined },
): Promise<Published | "nothing"> {
  const { commit } = await readHead(repo);
  if (repo.todo === undefined || commit === undefined) return "nothing";
  const { path } = repo.todo;
  const from = await committedVersion(repo, commit, path);
  if (from === undefined) return "nothing";
  const oid = await storeBacklog(repo, path, order.bytes);
  const row = { path, from, to: { mode: from.mode, oid } };
  const changes = [...(oid === from.oid ? [] : [row]), ...(await planOutputs(repo, commit, order.outputs))];
  if (changes.length === 0) return "nothing";
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

/** The changes that make HEAD hold these outputs. Starts two processes, or none without a folder in the tree. */
async function planOutputs(
  repo: Repository,
  head: string | undefined,
  outputs: TravellingOutputs | undefined,
): Promise<DiffEntry[]> {
  const top = outputs === undefined ? undefined : await pathFromTop(repo, outputs.folder);
  if (outputs === undefined || top === undefined || head === undefined) return [];
  const { files, owned } = outputs;
  const all = await filesOf(repo, head, `${toText(top)}/`);
  const known = new Map([...all].filter(([, { mode }]) => mode !== MODULE));
  const pathOf = (name: string): string => `${top}/${toBytes(name)}`;
  const isOwned = (path: string): boolean =>
    owned.has(toText(path.slice(top.length + 1).split("/", 1)[0] ?? ""));
  const wanted = new Set([...files.keys()].map(pathOf));
  const gone = [...known].flatMap(([path, from]): DiffEntry[] =>
    wanted.has(path) || !isOwned(path) ? [] : [{ path, from, to: { ...NOTHING, oid: zeroLike(from.oid) } }],
  );
  const sources = [...files].flatMap(([name, source]) => (source === undefined ? [] : [{ name, source }]));
  const oids = await storeFiles(
    repo,
    sources.map(({ source }) => source),
  );
  const set = sources.map(({ name }, at): DiffEntry => {
    const path = pathOf(name);
    return {
      path,
      from: known.get(path) ?? NOTHING,
      to: { mode: "100644", oid: oids[at] ?? "" },
    };
  });
  return [...gone, ...set.filter(({ from, to }) => !sameVersion(from, to))];
}

/** The blobs of files, byte for byte. */
async function storeFiles(repo: Repository, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const input = files.map((file) => `${toBytes(file)}\n`).join("");
  const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  return (await runGit(repo, args, { input })).out.trimEnd().split("\n");
}

async function committedVersion(
  repo: Repository,
  commit: string,
  path: string,
): Promise<Version | undefined> {
  return (await filesOf(repo, commit, toText(path))).get(path);
}

// The pending commit: refs/looper/pending holds everything the next start needs to finish it. To publish it updates the person's
// index first, then HEAD and the refs no longer needed in one step. In this order the paths of a commit in HEAD are in the index
// too, even if the run is killed.

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
  const [commit] = await importAll(repo, [
    {
      ref,
      parent: parts.parent,
      ident,
      message: parts.message,
      entries: parts.changes,
      ...(backlog && { files: [backlog] }),
    },
    {
      ref,
      parent: "previous",
      ident: OWN_IDENT,
      message: "looper: pending\n",
      emptied: true,
      entries: [],
      files: [{ path: FACTS_FILE, mode: "100644", content: Buffer.from(json, "utf8") }],
    },
  ]);
  const changes = [...parts.changes];
  if (backlog !== undefined) {
    const { path, mode, content } = backlog;
    const oid = gitHash(repo.idBytes === 32 ? "sha256" : "sha1", "blob", content);
    changes.push({ path, from: NOTHING, to: { mode, oid } });
  }
  return { ...parts, changes, commit, published: false };
}

/**
 * The pending commit of a killed run; `undefined` without one. To finish it, write the changes in `facts` unless
 * that was done, then call `publish`. Facts that cannot be parsed are `undefined`.
 */
export async function readPending(repo: Repository): Promise<Prepared | undefined> {
  const ref = pendingRef(repo.tree);
  const [commit, json] = await readObjects(repo, [`${ref}^1`, `${ref}:${FACTS_FILE}`]);
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
  const names = refs.map((ref) => `${ref}:${FACTS_FILE}`);
  const files = await readObjects(repo, names);
  return files.flatMap((file) => readFacts(PendingFacts, toText(file?.content ?? ""))?.run ?? []);
}

/** Deletes the pending commit, if any. Starts one process. */
export async function dropPending(repo: Repository): Promise<void> {
  await runGit(repo, ["update-ref", "-d", pendingRef(repo.tree)]);
}

/** How often a commit is rebuilt because HEAD was moved in the meantime. */
const MOST_REBUILDS = 5;

export interface Published {
  /** The commit that is in HEAD's history now. */
  commit: string;
  warnings: readonly string[];
}

/**
 * Makes the built commit HEAD, after the backlog is written; rebuilds it on top if HEAD was moved. Deletes the
 * pending ref, the task's checkpoint and its saved work, and names the attempt. Starts two processes.
 */
export async function publish(repo: Repository, prepared: Prepared): Promise<Published> {
  if (prepared.published) {
    await runGit(repo, ["update-ref", "--stdin"], { input: refLines(repo, prepared, prepared.commit) });
    return { commit: prepared.commit, warnings: [] };
  }
  const warnings = await tryRefresh(repo, prepared);
  const commit = await moveHead(repo, prepared);
  await dropOwnIndex(repo);
  return { commit, warnings };
}

/**
 * Updates the index. If it cannot be written, the commit stays valid: git only shows these paths as changed. If the
 * disk is full, this throws, and the next start repeats the whole step.
 */
async function tryRefresh(repo: Repository, prepared: Prepared): Promise<string[]> {
  try {
    await refreshIndex(repo, prepared.changes);
    return [];
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== undefined || isOfTheDisk(error.message)) throw error;
    return [`cannot update the index: ${error.message}; run git reset --mixed to update it`];
  }
}

async function moveHead(repo: Repository, prepared: Prepared): Promise<string> {
  let next = prepared;
  for (let rebuilds = 0; ; rebuilds++) {
    const { commit, parent } = next;
    const input = `update HEAD ${commit} ${parent ?? zeroLike(commit)}\n${refLines(repo, prepared, commit)}`;
    const reason = `looper: ${prepared.message.split("\n", 1)[0] ?? ""}`;
    try {
      await runGit(repo, ["update-ref", "-m", reason, "--stdin"], { input });
      return commit;
    } catch (error) {
      if (!(error instanceof GitError) || rebuilds >= MOST_REBUILDS) throw error;
      const head: Head = await readHead(repo);
      // HEAD was not moved, so the reason is another one, and a rebuilt commit would fail as well.
      if (head.commit === parent) throw error;
      if (head.commit !== undefined && (await isAncestor(repo, commit, head.commit))) {
        await runGit(repo, ["update-ref", "--stdin"], { input: refLines(repo, prepared, commit) });
        return commit;
      }
      next = await buildPending(repo, { ...next, parent: head.commit });
    }
  }
}

/** The updates of the other refs: deletes those for finishing the commit, and names the attempt for a replay. */
function refLines(repo: Repository, { run, taskId, attempt }: Prepared, commit: string): string {
  const lines = [`delete ${pendingRef(repo.tree)}`];
  if (taskId !== undefined)
    lines.push(`delete ${checkpointRef(repo.tree, taskId)}`, `delete ${workRef(repo.tree, taskId)}`);
  if (taskId !== undefined && attempt !== undefined)
    lines.push(`update ${attemptRef(run, taskId, attempt)} ${commit}`);
  return `${lines.join("\n")}\n`;
}
