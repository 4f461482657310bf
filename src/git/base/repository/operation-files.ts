// Detects git operations in progress by their files in the git folder. operation.ts ends them.
import { join } from "node:path";
import type { Repository } from "./repository.js";

/** A git operation that can be in progress. */
export type Doing = "merge" | "rebase" | "am" | "cherry-pick" | "revert" | "bisect";

/** Lists the operations in progress by git's files. Starts no process. */
export async function readOperation({ ports, gitDir }: Repository): Promise<Doing | undefined> {
  const names = new Set(await ports.files.list(gitDir));
  if (names.has("rebase-merge")) return "rebase";
  if (names.has("rebase-apply")) {
    const mail = await ports.files.stat(join(gitDir, "rebase-apply", "applying"));
    return mail === undefined ? "rebase" : "am";
  }
  if (names.has("CHERRY_PICK_HEAD")) return "cherry-pick";
  if (names.has("REVERT_HEAD")) return "revert";
  // Between two commits of a series this file does not exist.
  if (names.has("sequencer")) return readSequence(ports.files, gitDir);
  if (names.has("MERGE_HEAD")) return "merge";
  return names.has("BISECT_LOG") ? "bisect" : undefined;
}

async function readSequence(files: Repository["ports"]["files"], gitDir: string): Promise<Doing> {
  const todo = Buffer.from((await files.read(join(gitDir, "sequencer", "todo"))) ?? []).toString("latin1");
  return todo.startsWith("revert") ? "revert" : "cherry-pick";
}
