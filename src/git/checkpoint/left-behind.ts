// Finds the task whose unfinished work is still in the tree although it is not in progress any more: its run was
// killed or interrupted, and a person edited the task afterwards. restore.ts puts the work aside.
import { z } from "zod";
import { readMessage } from "../base/facts.js";
import { readHead, treeish } from "../base/repository/head.js";
import { diffTrees, stageAll, diffOwnIndex } from "../index/index-file.js";
import { leaveOut } from "./large.js";
import { checkpointFolder, decodeId } from "../base/names.js";
import { listRefs } from "../base/list-refs.js";
import type { Repository } from "../base/repository/repository.js";

const Facts = z.object({
  branch: z.string().optional(),
  head: z.string().optional(),
  large: z.array(z.tuple([z.string(), z.int()])).optional(),
});

/**
 * The task of the newest checkpoint. None if the task is in progress, if HEAD was moved, or if the tree equals HEAD
 * or the checkpoint: in these cases a person has dealt with it. Starts one process without a checkpoint.
 */
export async function findLeftBehind(
  repo: Repository,
  isInProgress: (id: string) => boolean,
): Promise<string | undefined> {
  const folder = checkpointFolder(repo.tree);
  const fields = ["refname", "objectname", "contents"];
  // The ids of reviews and drafts contain white space; the next review or draft restores their tree.
  for (const [ref = "", base = "", contents = ""] of await listRefs(
    repo,
    fields,
    [folder],
    "--sort=-committerdate",
  )) {
    const id = decodeId(ref.slice(folder.length + 1));
    if (/\s/.test(id)) continue;
    if (isInProgress(id)) return undefined;
    return (await isStillThere(repo, base, contents)) ? id : undefined;
  }
  return undefined;
}

async function isStillThere(repo: Repository, base: string, contents: string): Promise<boolean> {
  const facts = readMessage(Facts, contents);
  const head = await readHead(repo);
  if (facts === undefined || facts.branch !== head.branch) return false;
  if (facts.head !== head.commit && !(await isOnlyBacklog(repo, facts.head, head.commit))) return false;
  leaveOut(repo, new Map(facts.large));
  await stageAll(repo, base);
  if ((await diffOwnIndex(repo, base, repo.excludes)).length === 0) return false;
  return (await diffOwnIndex(repo, await treeish(repo, head.commit), repo.excludes)).length > 0;
}

/** At its end a run commits only the backlog. */
async function isOnlyBacklog(
  repo: Repository,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const changed = await diffTrees(repo, await treeish(repo, to), await treeish(repo, from));
  return changed.every(({ path }) => repo.isOwn(path));
}
