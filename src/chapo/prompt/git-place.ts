// Finds the git folder around a project by reading files, without starting git: the top of its worktree and its branch.
import path from "node:path";
import type { Files } from "../../system/ports.js";

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
  for (let at = folder; ; at = path.dirname(at)) {
    const git = path.join(at, ".git");
    const stat = await files.stat(git).catch(() => undefined);
    if (stat?.kind === "folder") return { top: at, ...(await readBranch(files, git)) };
    if (stat?.kind === "file") {
      const linked = /^gitdir: (.+)$/m.exec(await readSmall(files, git))?.[1];
      return { top: at, ...(linked === undefined ? {} : await readBranch(files, path.resolve(at, linked))) };
    }
    if (at === path.dirname(at)) return undefined;
  }
}

async function readBranch(files: Files, git: string): Promise<{ branch?: string }> {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(await readSmall(files, path.join(git, "HEAD")))?.[1];
  return branch === undefined ? {} : { branch };
}

async function readSmall(files: Files, file: string): Promise<string> {
  return new TextDecoder().decode(await files.readRange(file, 0, LARGEST).catch(() => new Uint8Array()));
}
