// Finds out whether a repository that was opened is still there. Starts no process: git cannot answer without it.
import { join } from "node:path";
import type { Repository } from "./repository.js";

/** Says how the repository was damaged, what is lost, and what to do about it. */
export interface Damage {
  what: string;
  hint: string;
}

/** `undefined` if the parts that every repository has are there. */
export async function describeDamage({
  ports: { files },
  gitDir,
  commonDir,
}: Pick<Repository, "ports" | "gitDir" | "commonDir">): Promise<Damage | undefined> {
  const isThere = async (path: string): Promise<boolean> =>
    (await files.stat(path, { link: true })) !== undefined;
  const parts = [
    [gitDir, "HEAD"],
    [commonDir, "objects"],
    [commonDir, "refs"],
  ] as const;
  const missing: string[] = [];
  for (const [folder, name] of parts) if (!(await isThere(join(folder, name)))) missing.push(name);
  if (missing.length === 0) return undefined;
  // The run itself may have written a settings file there again.
  if (missing.length === parts.length)
    return {
      what: `the git repository ${gitDir} was removed: its commits, its branches and the work that was saved in it are lost, unless there is a copy`,
      hint: "restore it from a copy or a clone before the next run",
    };
  return {
    what: `the git repository ${gitDir} was damaged (missing: ${missing.join(", ")}): commits, branches or the work that was saved in it may be lost`,
    hint: "restore it from a copy before the next run; git init writes a missing HEAD, and git fsck lists what is lost",
  };
}
