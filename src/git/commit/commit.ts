// Builds the commit of a task, or of the backlog alone, on no branch yet: the first step of the commit protocol
// (prepare → the caller writes the backlog → publish). publish.ts does the other steps.
import { toBytes, toText } from "../base/bytes.js";
import { NOTHING, sameVersion, type DiffEntry, type Version } from "../base/read/diff.js";
import { runGit } from "../base/git.js";
import { readHead, zeroLike } from "../base/repository/head.js";
import { buildPending, type Prepared } from "./pending.js";
import { publish, type Published } from "./publish.js";
import { pathFromTop, type Repository } from "../base/repository/repository.js";
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
  /** The task's outputs, which the commit takes out of HEAD: the task is not open any more. */
  outputs?: TravellingOutputs | undefined;
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
  const { out } = await runGit(repo, ["ls-tree", "-r", "-z", head, "--", `${toText(top)}/`]);
  const known = new Map(
    out.split("\0").flatMap((line): [string, Version][] => {
      const [, mode = "", oid = "", path] = /^(\d{6}) blob ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
      return path === undefined ? [] : [[path, { mode, oid }]];
    }),
  );
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
  const { out } = await runGit(repo, ["ls-tree", "-z", commit, "--", toText(path)]);
  const [, mode, oid] = /^(\d{6}) blob ([0-9a-f]+)\t/.exec(out) ?? [];
  return mode === undefined || oid === undefined ? undefined : { mode, oid };
}
