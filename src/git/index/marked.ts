// Paths the person told git not to look at, by the bits skip-worktree and assume-unchanged: usually settings of their own.
// An index of our own looks at them; the person's keeps its bits. What a sparse checkout leaves out stays out.
import { join } from "node:path";
import { runGit } from "../base/git.js";
import type { IndexEntry } from "./index-bytes.js";
import { readWhole } from "./index-person.js";
import type { Repository } from "../base/repository.js";

/**
 * Takes the bits from an index of our own and answers with the paths (bytes) that had them. Without any, no process; else one,
 * and one more where there are patterns of a sparse checkout.
 */
export async function unmark(repo: Repository, index: string): Promise<string[]> {
  if ((await repo.ports.files.stat(index)) === undefined) return [];
  const { entries } = await readWhole(repo, index);
  const ordinary = entries.filter(({ stage, intended, mode }) => stage === 0 && !intended && mode !== FOLDER);
  const skipped = ordinary.some((entry) => entry.skipped);
  const sparse = skipped && (await isSparse(repo));
  // In a sparse checkout git itself takes the bit from what is in the tree all the same.
  const marked = ordinary.filter(({ assumed, skipped }) => (skipped ? !sparse : assumed));
  if (marked.length > 0)
    await runGit(repo, ["update-index", "-z", "--index-info"], { index, input: anew(marked) });
  return marked.map(({ path }) => path);
}

/** A folder a sparse index leaves out as a whole. */
const FOLDER = "040000";

/** What sets them as they are: that takes their bits, and their times. */
function anew(entries: readonly IndexEntry[]): string {
  return entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join("");
}

async function isSparse(repo: Repository): Promise<boolean> {
  const patterns = join(repo.gitDir, "info", "sparse-checkout");
  if ((await repo.ports.files.stat(patterns)) === undefined) return false;
  const args = ["config", "--type=bool", "--get", "core.sparseCheckout"];
  return (await runGit(repo, args, { answers: [1] })).out === "true\n";
}
