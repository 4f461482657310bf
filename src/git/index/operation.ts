// Detects a git operation in progress (a merge, a rebase and the like) or unresolved conflicts. A run does not start
// then; snapshot.ts ends operations of an agent.
import { listSome } from "../../system/text/cut.js";
import { toText } from "../base/bytes.js";
import { sameVersion, type DiffEntry } from "../base/read/diff.js";
import { readOperation, type Doing, treeish } from "../base/repository/head.js";
import { runGit } from "../base/git.js";
import { unstageWhere } from "./index-file.js";
import type { Repository } from "../base/repository/repository.js";

/** The reason why a run cannot start, and a hint, for a person to read. */
export interface OperationInProgress {
  message: string;
  hint: string;
}

/**
 * The operation in progress, or the paths in conflict; `undefined` if a run may start. Starts at most one process.
 */
export async function findOperation(repo: Repository): Promise<OperationInProgress | undefined> {
  const doing = await readOperation(repo);
  if (doing !== undefined) return explain(repo, doing);
  const paths = await conflicts(repo);
  if (paths.length === 0) return undefined;
  return {
    message: `unresolved conflicts in ${repo.cwd}: ${listSome(paths.map(toText))}`,
    hint: "resolve them, then git add each; git status shows them",
  };
}

function explain({ cwd }: Repository, doing: Doing): OperationInProgress {
  const message = `${doing === "am" ? "an" : "a"} ${doing} is in progress in ${cwd}`;
  if (doing === "bisect") return { message, hint: "end it, then run again: git bisect reset" };
  return {
    message,
    hint: `finish it, then run again: git ${doing} --continue; or drop it: git ${doing} --abort`,
  };
}

async function conflicts(repo: Repository): Promise<string[]> {
  const { out } = await runGit(repo, ["ls-files", "--unmerged", "-z"]);
  const lines = out.split("\0").filter((line) => line !== "");
  return [...new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1)))];
}

/** Ends the operation and leaves HEAD, files and index as they are. Starts one process. */
export async function endOperation(repo: Repository, doing: Doing): Promise<void> {
  // Without HEAD a bisection would return to the commit where it began.
  await runGit(repo, doing === "bisect" ? ["bisect", "reset", "HEAD"] : [doing, "--quit"]);
}

/**
 * Ends conflicts in the person's index; with `began`, also unstages the changes of an attempt. Returns the entries
 * to HEAD. Starts one process without conflicts.
 */
export async function endConflicts(
  repo: Repository,
  order: { head: string | undefined; began: boolean; changes: readonly DiffEntry[] },
): Promise<void> {
  const open = new Set(await conflicts(repo));
  if (open.size === 0 && !order.began) return;
  const brought = new Map(order.changes.map(({ path, to }) => [path, to]));
  await unstageWhere(repo, await treeish(repo, order.head), ({ path, to }) => {
    const version = brought.get(path);
    return open.has(path) || (order.began && version !== undefined && sameVersion(version, to));
  });
}
