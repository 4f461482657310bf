// The changes of a commit, for people: the list of files with their lines, and the patch of one of them.
import { toText } from "../bytes.js";
import { runGit } from "../git.js";
import { listRefs } from "../list-refs.js";
import { treeish } from "../repository/head.js";
import type { Repository } from "../repository/repository.js";

const PLAIN = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];

/** The two trees that are compared: ids of commits or trees. */
export interface Trees {
  from: string;
  to: string;
}

/** A changed file from the top of the repository; without lines where it is binary. */
export interface FileLines {
  path: string;
  added: number | null;
  removed: number | null;
}

/** A commit, or the one of a ref, beside its first parent; `undefined` where the repository has it no longer. */
export async function treesOf(repo: Repository, name: string): Promise<Trees | undefined> {
  const isRef = name.startsWith("refs/");
  const [[listed = ""] = []] = isRef ? await listRefs(repo, ["objectname"], [name]) : [[name]];
  const [to, from] = [await commitAt(repo, listed), await commitAt(repo, `${listed}^`)];
  return to === undefined ? undefined : { to, from: from ?? (await treeish(repo, undefined)) };
}

async function commitAt(repo: Repository, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "-q", "--verify", "--end-of-options", `${name}^{commit}`];
  const { code, out } = await runGit(repo, args, { answers: [1, 128] });
  return code === 0 ? out.trimEnd() : undefined;
}

/** Every file that differs, the runner's own left out. */
export async function changedFiles(repo: Repository, { from, to }: Trees): Promise<FileLines[]> {
  const args = [...PLAIN, "--numstat", "-z", from, to, "--", ":(top)", ...repo.excludes];
  const { out } = await runGit(repo, args);
  return toText(out)
    .split("\0")
    .flatMap((line) => {
      const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
      const lines = (text = "-"): number | null => (text === "-" ? null : Number(text));
      return path === undefined ? [] : [{ path, added: lines(added), removed: lines(removed) }];
    });
}

/** The patch of one file; empty where it does not differ, `undefined` where it has more than `most` bytes. */
export async function filePatch(
  repo: Repository,
  { from, to }: Trees,
  { path, most }: { path: string; most: number },
): Promise<string | undefined> {
  const only = [`:(top,literal)${path}`, ...repo.excludes];
  const { out } = await runGit(repo, [...PLAIN, "--patch", from, to, "--", ...only]);
  return out.length > most ? undefined : toText(out);
}
