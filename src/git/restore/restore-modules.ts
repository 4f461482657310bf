// Restores submodules to a checkpoint: HEAD, index and files, each with a rescue of its own. Commits made in them
// since are kept in the rescue and reverted too, because a submodule's commit is part of the outer tree.
import { checkpoint, dropCheckpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import { toText } from "../base/bytes.js";
import { readHead, type HeadState } from "../base/repository/head.js";
import { openModules, relinkModule } from "../checkpoint/modules.js";
import { endOperation } from "../index/operation.js";
import type { Repository } from "../base/repository/repository.js";
import type { Restored, RestoreOrder } from "./restore-order.js";
import { putHeadBack } from "./settle-head.js";

type Restore = (repo: Repository, order: RestoreOrder) => Promise<Restored>;

/**
 * Restores the submodules; returns paths and warnings from the view of the outer repository. Starts no process
 * without submodules.
 */
export async function restoreModules(
  repo: Repository,
  order: RestoreOrder,
  restore: Restore,
): Promise<Pick<Restored, "inside" | "warnings">> {
  const paths: string[] = [];
  const warnings: string[] = [];
  for (const path of order.checkpoint.modules) {
    await relinkModule(repo, path);
    for (const { repo: module } of await openModules(repo, [path])) {
      const { id } = order.checkpoint;
      const taken = await checkpoint(module, { id, run: order.run, reuse: true });
      if (taken.reused) {
        await returnHead(module, taken, order);
        const back = await restore(module, { ...order, checkpoint: taken });
        paths.push(...[...back.paths, ...back.inside].map((inner) => `${toText(path)}/${inner}`));
        warnings.push(...back.warnings.map((message) => `${toText(path)}: ${message}`));
        if (back.rescue !== undefined) warnings.push(warnOfRescue(path, back.rescue));
      }
      await dropCheckpoint(module, id);
    }
  }
  return { inside: paths, warnings };
}

function warnOfRescue(path: string, ref: string): string {
  const name = ref.replace(/^refs\/looper\/rescue\//, "");
  return `what the attempt changed inside ${toText(path)} is kept there: looper rescue show ${name}@${toText(path)}`;
}

async function returnHead(module: Repository, taken: Checkpoint, keep: RestoreOrder): Promise<void> {
  const now = await readHead(module);
  const { commit, branch } = taken.recorded;
  const before: HeadState = { commit, branch, refs: now.refs, doing: undefined };
  if (now.doing !== undefined) await endOperation(module, now.doing);
  if (now.commit !== commit || now.branch !== branch) await putHeadBack(module, before, now, keep);
}
