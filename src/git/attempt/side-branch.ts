// Work that an agent committed on a branch of its own, with HEAD back where the attempt began: it counts as the attempt's.
// settle-head.ts has the case in which HEAD stays on that branch.
import { listSome } from "../../system/text/cut.js";
import { toText } from "../base/bytes.js";
import { isAncestor, treeish, type HeadState } from "../base/repository/head.js";
import type { Repository } from "../base/repository/repository.js";
import { planAll, writeTree } from "../bring-back/bring-back.js";
import { byPath } from "../index/index-compare.js";
import { diffTrees, ownIndex } from "../index/index-file.js";
import { listEntries } from "../index/index-person.js";
import { addsToStart } from "../restore/settle-head.js";
import { wasMovedByAgent } from "../rescue/own-commits.js";

/**
 * Puts what such a branch holds into the tree, three-way where the attempt changed a file there too. Returns a warning for each
 * branch. Contract: the own index was just staged. Starts no process if no branch was made or moved.
 */
export async function takeSideBranch(repo: Repository, before: HeadState, now: HeadState): Promise<string[]> {
  const names: string[] = [];
  for (const [ref, tip] of now.refs) {
    if (!ref.startsWith("refs/heads/") || tip === before.refs.get(ref) || tip === before.commit) continue;
    const isAgents = await wasMovedByAgent(repo, ref);
    if (isAgents && (await addsToStart(repo, { before, now }, { branch: ref, commit: tip }))) names.push(ref);
  }
  if (names.length === 0) return [];
  const tips = names.map((ref) => now.refs.get(ref) ?? "");
  const whole = await findWhole(repo, tips);
  const shown = names.map((ref) => toText(ref.slice("refs/heads/".length)));
  if (whole === undefined)
    return shown.map(
      (name) => `the agent committed on ${name}, beside other branches: the commit has nothing of it`,
    );
  const changes = await diffTrees(repo, whole, await treeish(repo, before.commit));
  const tree = byPath(await listEntries(repo, ownIndex(repo)));
  const plan = await planAll(
    repo,
    changes.filter(({ path }) => !repo.isOwn(path)),
    tree,
  );
  const clashes = plan.clashes.map(({ path }) => path);
  if (clashes.length === 0 && plan.set.length > 0) await writeTree(repo, plan.set);
  const how =
    clashes.length === 0
      ? "its work is in the task's commit"
      : `its work does not fit the tree (${listSome(clashes)}), and the commit has nothing of it`;
  return shown.map(
    (name) => `the agent committed on ${name}, which stays: ${how}; to remove it: git branch -D ${name}`,
  );
}

/** The one of these commits that has all others in its history. */
async function findWhole(repo: Repository, tips: readonly string[]): Promise<string | undefined> {
  for (const tip of tips) {
    const held = await Promise.all(tips.map((other) => isAncestor(repo, other, tip)));
    if (held.every((one) => one)) return tip;
  }
  return undefined;
}
