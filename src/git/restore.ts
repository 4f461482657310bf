// Takes changes in the working tree back, keeping first what was there.
// Leaves deciding what to take back to the callers.
import type { Result } from "../system/result.js";
import type { Checkpoint } from "./checkpoint.js";
import { toText } from "./bytes.js";
import type { DiffEntry } from "./diff.js";
import { importPair } from "./fast-import.js";
import { asResult, runGit, type GitFailure } from "./git.js";
import { readHead, treeish } from "./head.js";
import { ownIndex, stageAll, stagedAgainst, unstage } from "./index-file.js";
import { freeRescueRef } from "./rescue.js";
import type { Repository } from "./repository.js";

export interface Restored {
  /** The paths that were put back, as text. */
  paths: readonly string[];
  /** The ref that keeps what was there; `undefined` when nothing differed. */
  rescue: string | undefined;
}

/**
 * Puts every path that differs from the checkpoint back to its bytes and mode; what was there is kept under a rescue ref.
 * Never touches the runner's own files. Two processes when nothing differs.
 */
export async function restoreTo(
  repo: Repository,
  order: { checkpoint: Checkpoint; run: string; label: string },
): Promise<Result<Restored, GitFailure>> {
  return asResult(async () => {
    const { base } = order.checkpoint;
    await stageAll(repo);
    const back = await stagedAgainst(repo, base, repo.excludes);
    if (back.length === 0) return { paths: [], rescue: undefined };
    const rescue = await goBack(repo, { base, run: order.run, label: order.label, own: [], back });
    await unstage(repo, await treeish(repo, (await readHead(repo)).commit), back);
    return { paths: back.map(({ path }) => toText(path)), rescue };
  });
}

/**
 * Takes the `back` entries out of the working tree, the `own` ones stay; the rescue ref it answers with holds both.
 * Contract: the index of our own was just staged, and differs from `base` by exactly these entries.
 */
export async function goBack(
  repo: Repository,
  order: {
    base: string;
    run: string;
    label: string;
    own: readonly DiffEntry[];
    back: readonly DiffEntry[];
  },
): Promise<string> {
  const ref = await freeRescueRef(repo, order.run, order.label);
  const ident = await repo.identity();
  const message = `looper: rescue of ${order.label}\n`;
  const [kept, whole] = await importPair(
    repo,
    { ref, parent: order.base, ident, message, entries: order.own },
    { ref, parent: "previous", ident, message, entries: order.back },
  );
  // Two trees, so that only what differs between them is touched: a single one would also reset the backlog and the log.
  await runGit(repo, ["read-tree", "-m", "-u", whole.commit, kept.commit], { index: ownIndex(repo) });
  return ref;
}
