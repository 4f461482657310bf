// Reverts the changes that the gate's commands made in the working tree. The changes of the attempt stay.
import { toText } from "../base/bytes.js";
import { sameVersion, type DiffEntry } from "../base/read/diff.js";
import type { Checkpoint } from "../checkpoint/checkpoint.js";
import { stageAll, diffOwnIndex } from "../index/index-file.js";
import { removeNewLocks } from "../base/locks.js";
import { revertEntries } from "./restore.js";
import type { Restored } from "./restore-order.js";
import { putSettingsBack } from "../base/repository/settings.js";
import type { Repository } from "../base/repository/repository.js";

export interface PutBackOrder {
  checkpoint: Pick<Checkpoint, "base" | "settings" | "locks">;
  /** The changes of the attempt, from the snapshot. */
  changes: readonly DiffEntry[];
  run: string;
  label: string;
}

/**
 * Restores every path to its version in the snapshot; keeps the replaced content under a rescue ref, because a
 * person may have saved something meanwhile. Starts two processes if nothing differs.
 */
export async function undoGateChanges(repo: Repository, order: PutBackOrder): Promise<Restored> {
  const { base, settings } = order.checkpoint;
  const left = await removeNewLocks(repo, order.checkpoint.locks);
  const warnings = [...left, ...(await putSettingsBack(repo, settings, order))];
  await stageAll(repo);
  const now = await diffOwnIndex(repo, base, repo.excludes);
  const back = differences(order.changes, now);
  if (back.length === 0) return { paths: [], rescue: undefined, warnings };
  const { run, label } = order;
  const rescue = await revertEntries(repo, { base, run, label, own: order.changes, back });
  return {
    paths: back.map(({ path }) => toText(path)),
    rescue,
    warnings,
  };
}

/** The changes from one list of differences against a base to another one. */
function differences(before: readonly DiffEntry[], now: readonly DiffEntry[]): DiffEntry[] {
  const old = new Map(before.map((entry) => [entry.path, entry]));
  const fresh = new Set(now.map(({ path }) => path));
  const changed = now.flatMap((entry) => {
    const was = old.get(entry.path)?.to ?? entry.from;
    return sameVersion(was, entry.to) ? [] : [{ ...entry, from: was }];
  });
  // The path equals the base again: the attempt's change was reverted.
  const undone = before
    .filter(({ path }) => !fresh.has(path))
    .map(({ path, from, to }) => ({ path, from: to, to: from }));
  return [...changed, ...undone];
}
