// Lists the parts of a working tree that a checkpoint cannot keep, for the warnings at the start of a run.
import { findUntracked, leaveOut, warnOfLarge } from "./large.js";
import type { Repository } from "../base/repository/repository.js";

/** Warnings about untracked files that are too large. */
export async function findUnprotected(repo: Repository): Promise<string[]> {
  const { large } = await findUntracked(repo);
  return warnOfLarge(repo, leaveOut(repo, large));
}
