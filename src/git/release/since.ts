// What a release is made of, as the history tells it: what is not committed, commits since a tag, and the last release's own.
import { toText } from "../base/bytes.js";
import { runGit } from "../base/git.js";
import { TRAILER } from "../commit/message.js";
import type { Repository } from "../base/repository.js";

/** Paths (as text) that git status shows: changed, staged, untracked. One process. */
export async function uncommitted(repo: Repository): Promise<readonly string[]> {
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

/** Commits of HEAD that `since` (a commit) does not have. */
export interface Since {
  count: number;
  /** Short id and subject, newest first, at most as many as were asked for. */
  subjects: readonly string[];
}

/** Without `since`, of the whole history. Two processes. */
export async function commitsSince(
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

/** A release this program made: its commit, and the tag it is meant to have. */
export interface MadeRelease {
  commit: string;
  tag: string;
}

/** The last one in HEAD's history. One process. */
export async function lastRelease(repo: Repository): Promise<MadeRelease | undefined> {
  const format = `--format=%H%x00%(trailers:key=${TRAILER.release},valueonly)`;
  const args = ["log", "--max-count=1", format, `--grep=^${TRAILER.release}: `, "HEAD"];
  const [commit = "", tag = ""] = toText((await runGit(repo, args)).out)
    .trim()
    .split("\0");
  return tag === "" ? undefined : { commit, tag };
}

/** Whether `commit` has `ancestor` in its history; `undefined`: that one is not here at all. One process. */
export async function hasAncestor(
  repo: Repository,
  ancestor: string,
  commit: string,
): Promise<boolean | undefined> {
  const answers = [1, 128];
  const { code } = await runGit(repo, ["merge-base", "--is-ancestor", ancestor, commit], { answers });
  return code === 128 ? undefined : code === 0;
}
