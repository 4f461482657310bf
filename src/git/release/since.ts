// Reads the facts of a release from the history: uncommitted paths, commits since a tag, and the last release.
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { TRAILER } from "../commit/message.js";
import type { Repository } from "../base/repository/repository.js";

/** Paths (as text) in the output of git status: changed, staged, untracked. Starts one process. */
export async function listUncommitted(repo: Repository): Promise<readonly string[]> {
  const { out } = await runGit(repo, [
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
  ]);
  return out
    .split("\0")
    .slice(0, -1)
    .map((line) => toText(line.slice(3)));
}

/** The commits of HEAD that `since` (a commit) does not have. */
export interface Since {
  count: number;
  /** Short id and subject, newest first, at most the requested number. */
  subjects: readonly string[];
}

/** Without `since`, lists the whole history. Starts two processes. */
export async function listCommitsSince(
  repo: Repository,
  since: string | undefined,
  most: number,
): Promise<Since> {
  const range = since === undefined ? ["HEAD"] : ["HEAD", `^${since}`];
  const count = Number((await runGit(repo, ["rev-list", "--count", ...range])).out);
  const args = ["log", `--max-count=${String(most)}`, "--format=%h %s", ...range];
  return {
    count,
    subjects: toText((await runGit(repo, args)).out)
      .split("\n")
      .slice(0, -1),
  };
}

/** A release of this program: its commit, and the tag for it. */
export interface MadeRelease {
  commit: string;
  tag: string;
}

/** The last release in HEAD's history. Starts one process. */
export async function findLastRelease(repo: Repository): Promise<MadeRelease | undefined> {
  const format = `--format=%H%x00%(trailers:key=${TRAILER.release},valueonly)`;
  const args = ["log", "--max-count=1", format, `--grep=^${TRAILER.release}: `, "HEAD"];
  const [commit = "", tag = ""] = toText((await runGit(repo, args)).out)
    .trim()
    .split("\0");
  return tag === "" ? undefined : { commit, tag };
}

/**
 * Whether `ancestor` is in the history of `commit`; `undefined` if it is not in this repository. Starts one process.
 */
export async function hasAncestor(
  repo: Repository,
  ancestor: string,
  commit: string,
): Promise<boolean | undefined> {
  const answers = [1, 128];
  const { code } = await runGit(repo, ["merge-base", "--is-ancestor", ancestor, commit], { answers });
  return code === 128 ? undefined : code === 0;
}
