import { err, ok, type Result } from "../../system/result.js";
import { asResult, runGit, type GitFailure } from "./git.js";
import { readHead, type HeadState } from "./head.js";
import type { Repository } from "./repository.js";

/**
 * Makes `name` the current branch (`git.branch`): a new one begins at HEAD and touches no file; one that is there is
 * switched to, which is refused while tracked files have changes and it holds another commit.
 */
export async function useBranch(repo: Repository, name: string): Promise<Result<undefined, GitFailure>> {
  const result = await asResult(() => switchTo(repo, name));
  if (!result.ok) return result;
  return result.value === undefined ? ok(undefined) : err(result.value);
}

/** Answers with a refusal, or `undefined`. */
async function switchTo(repo: Repository, name: string): Promise<GitFailure | undefined> {
  const valid = await runGit(repo, ["check-ref-format", "--branch", name], { answers: [1, 128] });
  if (valid.code !== 0) {
    return { command: "git check-ref-format", message: `"${name}" is not a name git takes for a branch` };
  }
  const branch = `refs/heads/${name}`;
  const head = await readHead(repo);
  if (head.branch === branch) return undefined;
  const there = head.refs.get(branch);
  if (there === undefined) {
    await runGit(repo, ["switch", "--quiet", "--no-track", "-c", name]);
    return undefined;
  }
  if (there !== head.commit && (await isDirty(repo, head))) {
    const message = `cannot go to the branch "${name}": there are uncommitted changes`;
    return { command: "git switch", message };
  }
  await runGit(repo, ["switch", "--quiet", "--no-guess", name]);
  return undefined;
}

async function isDirty(repo: Repository, head: HeadState): Promise<boolean> {
  if (head.commit === undefined) return true;
  const args = ["status", "--porcelain", "-z", "--untracked-files=no", "--", ":(top)"];
  return (await runGit(repo, args)).out !== "";
}
