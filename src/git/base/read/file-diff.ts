// The changes of a commit, for people: the list of files with their lines, and the patch of one of them.
import { toText } from "../bytes.js";
import { runGit, type GitPlace, PLAIN_DIFF } from "../git.js";
import { listRefs } from "../list-refs.js";
import { treeish } from "../repository/head.js";
import type { Repository } from "../repository/repository.js";
import { exists, type Version } from "./diff.js";
import { readBlobs, idOf } from "../objects.js";

const PLAIN = [...PLAIN_DIFF, "--no-renames"];

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
  const [to, from] = [await idOf(repo, `${listed}^{commit}`), await idOf(repo, `${listed}^^{commit}`)];
  return to === undefined ? undefined : { to, from: from ?? (await treeish(repo, undefined)) };
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

/** Bigger files are not shown. */
const MOST_BYTES = 256 * 1024;

/** The changed lines of a file, each with `+` or `-`, with one line around them; a new or removed file as a whole. Text. */
export async function diffVersions(place: GitPlace, from: Version, to: Version): Promise<string> {
  if (![from, to].every((one) => !exists(one) || /^(?:100|120000)/.test(one.mode)))
    return `${describe(from)} became ${describe(to)}\n`;
  if (exists(from) && exists(to)) {
    const mode = from.mode === to.mode ? "" : `mode ${from.mode} became ${to.mode}\n`;
    const { out } = await runGit(place, [...PLAIN_DIFF, "-U1", from.oid, to.oid]);
    const at = out.indexOf("\n@@");
    return (
      mode + (at === -1 ? (from.oid === to.oid ? "" : "a binary file changed\n") : toText(out.slice(at + 1)))
    );
  }
  const [sign, oid] = exists(to) ? ["+", to.oid] : ["-", from.oid];
  const content = (await readBlobs(place, [oid], MOST_BYTES)).get(oid);
  if (content === undefined || content.includes("\0")) return `${sign}a binary or big file\n`;
  const lines = toText(content).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${sign}${line}\n`).join("");
}

function describe({ mode }: Version): string {
  if (mode === "160000") return "a submodule";
  if (mode === "120000") return "a link";
  return mode === "000000" ? "nothing" : "a file";
}
