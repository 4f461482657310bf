// Switches to the branch of the setting `git.branch` before a run.
import { useBranch } from "../../git/base/repository/branch.js";
import { asResult } from "../../git/base/git.js";
import { headOf, type Head } from "../../git/base/repository/head.js";
import type { Repository } from "../../git/base/repository/repository.js";
import { formatStamp } from "../../logging/run-log.js";
import { UserError } from "../../system/errors.js";
import type { RunRequest } from "../runs/run-request.js";

/**
 * Switches to the branch of the settings; returns HEAD. `startedAt`: when the run starts, epoch ms. Contract: the run holds its locks,
 * since another run may work here.
 */
export async function goToBranch(
  request: RunRequest,
  repo: Repository,
  startedAt: number,
): Promise<Head | undefined> {
  const { branch } = request.project.resolved.settings.git;
  if (branch !== "current") {
    const name = branch.replaceAll("{run}", formatStamp(startedAt));
    const used = await asResult(() => useBranch(repo, name));
    if (!used.ok) {
      const isMisnamed = used.error.command === "git check-ref-format";
      const hint = isMisnamed
        ? "correct the setting"
        : "commit or stash your changes, or choose another branch";
      throw new UserError(isMisnamed ? "usage" : "environment", `git.branch: ${used.error.message}`, hint);
    }
  }
  const head = await asResult(() => headOf(repo));
  return head.ok ? head.value : undefined;
}
