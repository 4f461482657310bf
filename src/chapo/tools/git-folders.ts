// Finds git's folders outside the project that git needs to write for it: those of a repository around the project, or of a
// linked worktree. Reads files only.
import path from "node:path";
import type { Files } from "../../system/ports.js";

const LARGEST = 4096;

/**
 * Returns the folders. A `.git` file is believed only if the repository it names has the worktree too: a command could write
 * one that names another repository.
 */
export async function findGitFolders(files: Files, project: string): Promise<string[]> {
  for (let at = project; ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    const kind = (await files.stat(git).catch(() => undefined))?.kind;
    if (kind === "folder") return at === project ? [] : [git];
    if (kind === "file") return findCommon(files, git);
    if (at === path.dirname(at)) return [];
  }
}

/** The git folder that all worktrees share, which holds the worktree's own. */
async function findCommon(files: Files, git: string): Promise<string[]> {
  const named = /^gitdir: (.+)$/m.exec(await readSmall(files, git))?.[1];
  if (named === undefined) return [];
  const own = await files.realPath(path.resolve(path.dirname(git), named));
  if (own === undefined || path.basename(path.dirname(own)) !== "worktrees") return [];
  const back = (await readSmall(files, path.join(own, "gitdir"))).trim();
  const isLinked = back !== "" && (await files.realPath(path.resolve(own, back))) === git;
  return isLinked ? [path.dirname(path.dirname(own))] : [];
}

async function readSmall(files: Files, file: string): Promise<string> {
  return new TextDecoder().decode(await files.readRange(file, 0, LARGEST).catch(() => new Uint8Array()));
}
