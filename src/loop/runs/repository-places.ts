import { resolve } from "node:path";
import type { RepositoryPlaces } from "../../git/base/repository.js";
import type { RunRequest } from "./run-request.js";

/** Where the repository of a project is looked for, and what in it is the runner's own. */
export async function repositoryPlaces({
  ports,
  project,
  env,
}: Pick<RunRequest, "ports" | "project" | "env">): Promise<RepositoryPlaces> {
  const real = (await ports.files.realPath(project.todoFile)) ?? project.todoFile;
  return {
    projectDir: project.folder,
    todoFile: resolve(real),
    exclude: [project.logDir, project.lockDir],
    env,
    mostUntracked: project.resolved.settings.git.max_untracked_bytes,
  };
}
