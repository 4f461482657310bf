// Reads the commits of tasks from the history. live-commits.ts decides which of them still count.
import { toText } from "../base/bytes.js";
import { runGit, type GitPlace } from "../base/git.js";
import { findLiveCommits, type LoggedCommit, type TaskCommit } from "./live-commits.js";
import type { Repository } from "../base/repository/repository.js";

/**
 * Matches every message that could be of a task, an undo or `git revert`; live-commits.ts parses the messages
 * themselves.
 */
const OF_INTEREST = "^(Looper-Task: |Looper-Undo: |This reverts commit )";

/** The commits of tasks in a commit's history that were not undone since, newest first. Starts one process. */
export async function listTaskCommits(repo: Repository, head: string): Promise<TaskCommit[]> {
  return findLiveCommits(await readLog(repo, ["--topo-order", "-E", `--grep=${OF_INTEREST}`, head]));
}

/** The commits between two that changed a path (bytes), newest first, at most `most`. Starts one process. */
export function listTouching(
  repo: Repository,
  range: { after: string; to: string; path: string },
  most: number,
): Promise<LoggedCommit[]> {
  const { after, to, path } = range;
  const revisions = [`--max-count=${String(most)}`, "--full-history", "--no-merges", `${after}..${to}`];
  return readLog(repo, [...revisions, "--", `:(top,literal)${toText(path)}`]);
}

async function readLog(place: GitPlace, args: readonly string[]): Promise<LoggedCommit[]> {
  const format = ["log", "-z", "--format=%H %P%n%B", "--encoding=UTF-8", "--no-show-signature", "--no-color"];
  const { out } = await runGit(place, [...format, ...args]);
  return out.split("\0").flatMap((text) => {
    const end = text.indexOf("\n");
    const [commit, ...parents] = text
      .slice(0, end)
      .split(" ")
      .filter((oid) => oid !== "");
    return commit === undefined ? [] : [{ commit, parents, message: toText(text.slice(end + 1)).trimEnd() }];
  });
}
