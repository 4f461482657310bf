// The trees that a session of Chapo keeps around each message, and taking back what changed between two of them.
// src/chapo/session/checkpoints.ts decides which. Commits, the person's index and ignored files stay as they are.
import { toText } from "../base/bytes.js";
import { NOTHING, type DiffEntry, type Version, turnBack, sameContent, isModule } from "../base/read/diff.js";
import { GitError, runGit } from "../base/git.js";
import { treeish } from "../base/repository/head.js";
import { sessionTreesFolder } from "../base/names.js";
import { deleteRefs, listRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";
import { leaveOutLarge } from "../checkpoint/large.js";
import { diffTrees, dropOwnIndex, ownIndex, stageAll } from "../index/index-file.js";
import { findHidden } from "../bring-back/bring-back.js";
import { revertEntries } from "../restore/restore.js";
import { wrap } from "./revert-tree.js";

/** The names of the trees before and after a part of the work. */
export interface TreeSpan {
  before: string;
  after: string;
}

/** The result: the paths taken back, or those that changed since, and then nothing was. */
export type TakenBack =
  | { paths: readonly string[]; rescue: string | undefined }
  | { changed: readonly string[] };

/** Keeps the working tree under a name of the session. Touches neither tree, index nor HEAD. */
export async function keepSessionTree(repo: Repository, session: string, name: string): Promise<void> {
  const own = forSession(repo, session);
  const tree = await stageTree(own);
  await runGit(own, ["update-ref", `${sessionTreesFolder(own.tree, session)}/${name}`, tree]);
  await dropOwnIndex(own);
}

/**
 * Takes back the changes of these spans, the newest first, all or nothing. A path with another change since
 * is refused. The replaced content is kept as a rescue of the session.
 */
export async function takeBackSpans(
  repo: Repository,
  session: string,
  spans: readonly TreeSpan[],
): Promise<TakenBack> {
  const own = forSession(repo, session);
  const trees = await readTrees(own, session);
  const now = await stageTree(own);
  const steps: DiffEntry[][] = [];
  let newer = now;
  for (const { before, after } of spans) {
    const begun = trees.get(before);
    // Nothing is kept of a part without a call that may change something.
    if (begun === undefined && !trees.has(after)) continue;
    if (begun === undefined)
      throw new GitError("git for-each-ref", `the checkpoint ${before} does not exist`);
    // Without a tree after it, the process was killed: all up to the next message counts as its work.
    steps.push(await diffTrees(own, trees.get(after) ?? newer, begun));
    newer = begun;
  }
  const holds = new Map(
    (await diffTrees(own, now, await treeish(own, undefined))).map((one) => [one.path, one.to]),
  );
  const { back, changed } = planTakingBack(steps, holds);
  const hidden = await findHidden(own, turnBack(back), holds);
  const inTheWay = [...changed.map(toText), ...hidden.map(({ path }) => path)];
  const paths = back.map(({ path }) => toText(path)).sort();
  if (inTheWay.length > 0) return { changed: [...new Set(inTheWay)].sort() };
  const rescue = back.length === 0 ? undefined : await revert(own, { session, now, back });
  await dropOwnIndex(own);
  return { paths, rescue };
}

/** Deletes the kept trees of these sessions; returns how many refs. */
export async function forgetSessionTrees(repo: Repository, sessions: readonly string[]): Promise<number> {
  const folders = sessions.map((session) => `${sessionTreesFolder(repo.tree, session)}/`);
  if (folders.length === 0) return 0;
  const names = (await listRefs(repo, ["refname"], folders)).flat();
  await deleteRefs(repo, names);
  return names.length;
}

/** Judges each path: `holds` are the versions in the working tree. */
export function planTakingBack(
  steps: readonly (readonly DiffEntry[])[],
  holds: ReadonlyMap<string, Version>,
): { back: DiffEntry[]; changed: string[] } {
  const after = new Map<string, Version>();
  const changed: string[] = [];
  for (const entry of steps.flat()) {
    const { path, from, to } = entry;
    const held = after.get(path) ?? holds.get(path) ?? NOTHING;
    // A repository of its own is not git's to write.
    if (isModule(entry)) changed.push(path);
    else if (sameContent(held, to)) after.set(path, from);
    else if (!sameContent(held, from)) changed.push(path);
  }
  const back = [...after]
    .map(([path, from]) => ({ path, from, to: holds.get(path) ?? NOTHING }))
    .filter(({ from, to }) => !sameContent(from, to));
  return { back, changed };
}

async function revert(
  repo: Repository,
  { session, now, back }: { session: string; now: string; back: readonly DiffEntry[] },
): Promise<string> {
  const base = await wrap(repo, now);
  const ref = await revertEntries(repo, { base, run: session, label: "undo", own: turnBack(back), back });
  return ref.replace(/^refs\/looper\/rescue\//, "");
}

/** With an index of its own: a run may be staging in the same tree. */
function forSession(repo: Repository, session: string): Repository {
  return { ...repo, ownIndexName: `chapo-${session}` };
}

async function stageTree(repo: Repository): Promise<string> {
  await dropOwnIndex(repo);
  await leaveOutLarge(repo);
  await stageAll(repo);
  return (await runGit(repo, ["write-tree"], { index: ownIndex(repo) })).out.trim();
}

async function readTrees(repo: Repository, session: string): Promise<Map<string, string>> {
  const folder = sessionTreesFolder(repo.tree, session);
  const found = await listRefs(repo, ["refname", "objectname"], [`${folder}/`]);
  return new Map(found.map(([ref = "", oid = ""]) => [ref.slice(folder.length + 1), oid]));
}
