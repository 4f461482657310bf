// A project for tests, without files.
import type { Project } from "../project/open-project.js";
import { settingsPaths, type PathBase } from "../read/places.js";
import type { ResolvedSettings } from "../read/resolve.js";

/** The project with these settings at a place. */
export function projectWith(resolved: ResolvedSettings, place: PathBase): Project {
  const paths = settingsPaths(resolved, place);
  const { todoFile, logDir } = paths;
  const lockDir = `${place.project}/.looper/lock`;
  const where = { folder: place.project, todoFile, realTodoFile: todoFile, logDir, lockDir };
  return { ...where, paths, resolved, layers: { env: place.env, flags: {} }, goFiles: [], warnings: [] };
}
