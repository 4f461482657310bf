import type { RepositoryPlaces } from "../../git/base/repository/repository.js";
import type { RunRequest } from "./run-request.js";

/** Where to find the repository of a project, and which paths in it are the runner's own. */
export function makeRepositoryPlaces({
  project,
  env,
}: Pick<RunRequest, "project" | "env">): RepositoryPlaces {
  return {
    projectDir: project.folder,
    todoFile: project.realTodoFile,
    exclude: [project.logDir, project.lockDir, project.paths.tasksDir],
    env,
    mostUntracked: project.resolved.settings.git.max_untracked_bytes,
  };
}
