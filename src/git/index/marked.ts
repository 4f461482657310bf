// Handles paths that the person told git not to look at, with the bits skip-worktree and assume-unchanged: usually
// settings of their own. The own index includes them; the person's index keeps its bits. Paths outside a sparse
// checkout stay outside.
import { join } from "node:path";
import { runGit } from "../base/git.js";
import { listEntries, type IndexEntry } from "./index-person.js";
import type { Repository } from "../base/repository/repository.js";

/**
 * Clears the bits in an own index, whose entries may be `known`, and returns the paths (bytes) that had them. Starts one process, one more for
 * marked paths, and one for patterns of a sparse checkout.
 */
export async function clearMarks(
  repo: Repository,
  index: string,
  known?: readonly IndexEntry[],
): Promise<string[]> {
  if ((await repo.ports.files.stat(index)) === undefined) return [];
  const entries = known ?? (await listEntries(repo, index));
  const ordinary = entries.filter(({ stage, intended }) => stage === 0 && !intended);
  const skipped = ordinary.some((entry) => entry.skipped);
  const sparse = skipped && (await isSparse(repo));
  // In a sparse checkout git itself clears the bit of paths that are in the tree.
  const marked = ordinary.filter(({ assumed, skipped }) => (skipped ? !sparse : assumed));
  if (marked.length > 0)
    await runGit(repo, ["update-index", "-z", "--index-info"], { index, input: anew(marked) });
  return marked.map(({ path }) => path);
}

/** The input that sets the entries to their own values, which clears bits and times. */
function anew(entries: readonly IndexEntry[]): string {
  return entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join("");
}

async function isSparse(repo: Repository): Promise<boolean> {
  const patterns = join(repo.gitDir, "info", "sparse-checkout");
  if ((await repo.ports.files.stat(patterns)) === undefined) return false;
  const args = ["config", "--type=bool", "--get", "core.sparseCheckout"];
  return (await runGit(repo, args, { answers: [1] })).out === "true\n";
}
