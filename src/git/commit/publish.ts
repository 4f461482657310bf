// Finishes a built commit: updates the person's index first, then HEAD and the refs no longer needed in one step. In
// this order the paths of a commit in HEAD are in the index too, even if the run is killed. commit.ts and pending.ts
// build the commit.
import { isOfTheDisk } from "../../system/errors.js";
import { GitError, runGit } from "../base/git.js";
import { isAncestor, readHead, zeroLike, type Head } from "../base/repository/head.js";
import { dropOwnIndex, refreshIndex } from "../index/index-file.js";
import { attemptRef, checkpointRef, pendingRef, workRef } from "../base/names.js";
import { buildPending, type Prepared } from "./pending.js";
import type { Repository } from "../base/repository/repository.js";

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
