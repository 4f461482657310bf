// Lists the tasks with uncommitted work in the tree. checkpoint.ts and snapshot.ts handle that work.
import { readHead } from "../base/repository/head.js";
import { checkpointRef } from "../base/names.js";
import type { Repository } from "../base/repository/repository.js";

/** The tasks of the list that have a checkpoint to continue from. Starts one process. */
export async function listInHand<Id extends string>(repo: Repository, ids: readonly Id[]): Promise<Id[]> {
  const refs = ids.map((id) => checkpointRef(repo.tree, id));
  const { refs: found } = await readHead(repo, refs);
  return ids.filter((id) => found.has(checkpointRef(repo.tree, id)));
}
