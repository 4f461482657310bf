import { GitError, runGit } from "../git.js";
import { readHead, type HeadState } from "./head.js";
import type { Repository } from "./repository.js";

/**
 * Makes `name` the current branch (`git.branch`). A new branch starts at HEAD and changes no file. Switching to an
 * existing branch at another commit fails while tracked files have changes.
 */
export async function useBranch(repo: Repository, name: string): Promise<void> {
  const valid = await runGit(repo, ["check-ref-format", "--branch", name], { answers: [1, 128] });
  if (valid.code !== 0) {
    throw new GitError("git check-ref-format", `"${name}" is not a name git takes for a branch`);
  }
  const branch = `refs/heads/${name}`;
  const head = await readHead(repo);
  if (head.branch === branch) return;
  const there = head.refs.get(branch);
  if (there === undefined) {
    await runGit(repo, ["switch", "--quiet", "--no-track", "-c", name]);
    return;
  }
  if (there !== head.commit && (await isDirty(repo, head))) {
    throw new GitError("git switch", `cannot go to the branch "${name}": there are uncommitted changes`);
  }
  await runGit(repo, ["switch", "--quiet", "--no-guess", name]);
}

async function isDirty(repo: Repository, head: HeadState): Promise<boolean> {
  if (head.commit === undefined) return true;
  const args = ["status", "--porcelain", "-z", "--untracked-files=no", "--", ":(top)"];
  return (await runGit(repo, args)).out !== "";
}
