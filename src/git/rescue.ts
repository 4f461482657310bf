// Work put aside so that nothing is lost: a ref under refs/looper/rescue that no later one overwrites.
import { runGit } from "./git.js";
import { rescueRef } from "./names.js";
import type { Repository } from "./repository.js";

/** A rescue ref of this run that is still free: the label's own, else with "-2", "-3" … One process. */
export async function freeRescueRef(repo: Repository, run: string, label: string): Promise<string> {
  const folder = rescueRef(run, label).split("/").slice(0, 4).join("/");
  const { out } = await runGit(repo, ["for-each-ref", "--format=%(refname)", folder]);
  const taken = new Set(out.split("\n"));
  for (let count = 1; ; count++) {
    const ref = rescueRef(run, count === 1 ? label : `${label}-${String(count)}`);
    if (!taken.has(ref)) return ref;
  }
}
