// Finds the git folder around a project by reading files, without starting git: the top of its worktree and its branch.
import path from "node:path";
import type { Files } from "../../system/ports.js";
import { readStart } from "../paths.js";

/** The worktree a folder is in. */
export interface Worktree {
  /** The top folder, absolute. */
  top: string;
  /** The current branch; absent if no branch is checked out. */
  branch?: string;
}

/** The largest file of git's that is read: they hold one line. */
const LARGEST = 4096;

/** Returns the worktree around a folder; `undefined` outside git. Never throws. */
export async function findGitPlace(files: Files, folder: string): Promise<Worktree | undefined> {
  const found = await findDotGit(files, folder);
  if (found === undefined) return undefined;
  const { top, git } = found;
  const head = git === undefined ? "" : await readSmall(files, path.join(git, "HEAD"));
  return { top, branch: /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] };
}

/**
 * Finds the nearest `.git` above a folder. `git`: the folder that it is, or that the file names; absent if the file names none.
 * `isLinked`: it is a file.
 */
export async function findDotGit(
  files: Files,
  folder: string,
): Promise<{ top: string; git: string | undefined; isLinked: boolean } | undefined> {
  for (let top = folder; ; top = path.dirname(top)) {
    const git = path.join(top, ".git");
    const kind = (await files.stat(git).catch(() => undefined))?.kind;
    if (kind === "folder") return { top, git, isLinked: false };
    if (kind === "file") {
      const linked = /^gitdir: (.+)$/m.exec(await readSmall(files, git))?.[1];
      return { top, git: linked === undefined ? undefined : path.resolve(top, linked), isLinked: true };
    }
    if (top === path.dirname(top)) return undefined;
  }
}

/** Reads a file of git's; "" if it cannot be read. */
export async function readSmall(files: Files, file: string): Promise<string> {
  return (await readStart(files, file, LARGEST))?.text ?? "";
}
