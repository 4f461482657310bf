// The saved work of a task as a patch, for prompts and for people. Bounded: the whole is named by its two commits.
import { toText } from "../base/bytes.js";
import { GitError, runGit } from "../base/git.js";
import type { Repository } from "../base/repository/repository.js";
import type { TaskWork } from "./work-ref.js";

const PLAIN = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"];

/** The saved work as git shows it: a summary of at most 200 files, and the patch. */
export interface ShownWork {
  stat: string;
  /** Absent: it is too large to show. */
  patch?: string;
  /** The command that shows all of it. */
  command: string;
}

/** Shows the work of a task. Starts one process, or two if the patch is too large. */
export async function showWork(repo: Repository, work: Pick<TaskWork, "tip" | "base">): Promise<ShownWork> {
  const range = [work.base, work.tip, "--", ":(top)", ...repo.excludes];
  const stat = [...PLAIN, "--stat=120,100,200"];
  const command = `git diff ${work.base} ${work.tip}`;
  try {
    const both = toText((await runGit(repo, [...stat, "--patch", ...range])).out);
    // Each line of the summary begins with a space; an empty line follows it.
    const patchAt = both.indexOf("\n\ndiff --git ");
    if (patchAt === -1) return { stat: both, patch: "", command };
    return { stat: both.slice(0, patchAt + 1), patch: both.slice(patchAt + 2), command };
  } catch (error) {
    // Git's answer is longer than any prompt.
    if (error instanceof GitError)
      return { stat: toText((await runGit(repo, [...stat, ...range])).out), command };
    throw error;
  }
}
