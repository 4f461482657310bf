// Reads the project's env file, for everything that a run, a session or a check of the environment starts.
import type { Project } from "../../config/project/open-project.js";
import { parseEnvFile } from "../../config/read/env-file.js";
import { usageError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";

/** Its variables; none where no file is set. A file that does not exist or is not valid is a `usage` error. */
export async function readEnvFile({
  ports,
  project,
}: {
  ports: Pick<Ports, "files">;
  project: Pick<Project, "paths">;
}): Promise<Readonly<Record<string, string>>> {
  const { envFile } = project.paths;
  if (envFile === undefined) return {};
  const bytes = await ports.files.read(envFile);
  if (bytes !== undefined) return parseEnvFile(envFile, Buffer.from(bytes).toString("utf8"));
  throw usageError(`cannot read env_file ${envFile}: it does not exist`, "create it, or remove the setting");
}
