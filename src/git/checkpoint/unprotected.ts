// Lists the parts of a working tree that a checkpoint cannot keep, for the warnings at the start of a run.
import { readPersonIndex } from "../index/index-person.js";
import { findUntracked, leaveOut, warnOfLarge } from "./large.js";
import { warnOfModule } from "./module-copies.js";
import { modulePaths } from "./modules.js";
import type { Repository } from "../base/repository/repository.js";

/** Warnings about untracked files that are too large, and repositories inside the tree that cannot be copied. */
export async function findUnprotected(repo: Repository): Promise<string[]> {
  const { large, nested } = await findUntracked(repo);
  const warnings = warnOfLarge(repo, leaveOut(repo, large));
  const tracked = modulePaths((await readPersonIndex(repo)).entries);
  for (const path of new Set([...tracked, ...nested])) warnings.push(...(await warnOfModule(repo, path)));
  return warnings;
}
