// Lists the existing tests and configuration that an attempt changed, by their names, before its snapshot. The gate decides
// later what the changes are worth; a name is enough for a question.
import { toText } from "../../../git/base/bytes.js";
import { exists } from "../../../git/base/read/diff.js";
import { asResult } from "../../../git/base/git.js";
import { diffOwnIndex, stageAll } from "../../../git/index/index-file.js";
import { namesCheck } from "../../../gate/sort/sort.js";
import type { JobFacts } from "../../step/effects.js";
import type { World } from "../world.js";

/** Their paths; none without git, or if git fails. */
export async function listChangedChecks({ repo, memory, project }: World, job: JobFacts): Promise<string[]> {
  const base = memory.of(job.job).checkpoint?.base;
  if (repo === undefined || base === undefined) return [];
  const found = await asResult(async () => {
    await stageAll(repo);
    return diffOwnIndex(repo, base, repo.excludesSaveTodo);
  });
  if (!found.ok) return [];
  const isCheck = namesCheck(project.resolved.settings.verify.protected);
  const changed = found.value.filter(({ path, from }) => path !== repo.todo?.path && exists(from));
  return changed.map(({ path }) => toText(path)).filter(isCheck);
}
