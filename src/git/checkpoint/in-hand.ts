// Which tasks have work in the tree that no commit holds yet. Leaves that work to checkpoint.ts and snapshot.ts.
import { readHead } from "../base/head.js";
import { checkpointRef } from "../base/names.js";
import type { Repository } from "../base/repository.js";

/** Those of the tasks that have a checkpoint to go on from. One process. */
export async function listInHand<Id extends string>(repo: Repository, ids: readonly Id[]): Promise<Id[]> {
  const refs = ids.map((id) => checkpointRef(repo.tree, id));
  const { refs: found } = await readHead(repo, refs);
  return ids.filter((id) => found.has(checkpointRef(repo.tree, id)));
}
