// Finds keys that others can read: in files that git tracks, or that other users of the machine can open. Changes nothing.
import { makeRepositoryPlaces } from "../../../../src/loop/runs/repository-places.js";
import { asResult } from "../../../../src/git/base/git.js";
import path from "node:path";
import { parseEnvFile } from "../../../../src/config/read/env-file.js";
import type { Project } from "../../../../src/config/project/open-project.js";
import { PROJECT_FILES, listUserFiles } from "../../../../src/config/read/places.js";
import { openRepository } from "../../../../src/git/base/repository/repository.js";
import { listTracked } from "../../../../src/git/base/read/tracked.js";
import { UserError } from "../../../../src/system/errors.js";
import { createRedact, findSecretValues } from "../../../../src/system/text/secrets/redact.js";
import { shownPath } from "../../../lookup/project.js";
import type { CommandContext } from "../../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";

/** Longer files are not searched, because no person edits them. */
const LONGEST = 50_000_000;
const OTHERS = 0o077;

interface Keeper {
  file: string;
  mode: number;
}

/** Searches the settings files, the env file and the task file; the message never contains the key. */
export async function checkKeys(context: CommandContext, project: Project): Promise<Check[]> {
  const keepers = await findKeys(context, project);
  if (keepers.length === 0) return [fine("keys", "none in the settings or the task file")];
  const tracked = await trackedOf(context, project, keepers);
  return keepers.map(({ file, mode }) => {
    const shown = shownPath(context, file);
    if (tracked.has(file))
      return bad(
        "keys",
        `${shown} holds a key, and git tracks it`,
        "put the key into the environment, or into an env_file that git ignores; and have it changed: the history keeps it",
      );
    if ((mode & OTHERS) !== 0 && !context.platform.startsWith("win32"))
      return warning("keys", `${shown} holds a key, and others can read it`, `chmod 600 ${shown}`);
    return fine("keys", `${shown} holds a key; only you can read it`);
  });
}

async function findKeys({ ports, env, home }: CommandContext, project: Project): Promise<Keeper[]> {
  const { todoFile, paths, folder, resolved } = project;
  const { envFile } = paths;
  const inProject = [...PROJECT_FILES, "package.json"].map((name) => path.join(folder, name));
  const named = [...listUserFiles(env, home), ...inProject, todoFile];
  const files = envFile === undefined ? named : [...named, envFile];
  let variables: Record<string, string> = {};
  const texts = new Map<string, { text: string; mode: number }>();
  for (const file of files) {
    const stat = await ports.files.stat(file).catch(() => undefined);
    if (stat?.kind !== "file" || stat.size > LONGEST) continue;
    const real = (await ports.files.realPath(file)) ?? file;
    // Another check reports unreadable files.
    const bytes = await ports.files.read(file).catch(() => undefined);
    if (bytes === undefined) continue;
    const text = Buffer.from(bytes).toString("utf8");
    texts.set(real, { text, mode: stat.mode });
    if (file === envFile) variables = variablesOf(text);
  }
  const agents = Object.values(resolved.settings.agents).map((agent) => agent.env);
  const secrets = [env, ...agents, variables]
    .flatMap(findSecretValues)
    .filter((value) => !value.startsWith("/"));
  const redact = createRedact([...new Set(secrets)]);
  return [...texts].flatMap(([file, { text, mode }]) => (redact(text) === text ? [] : [{ file, mode }]));
}

/** The variables of an env file; empty when it is not valid, which another check reports. */
export function variablesOf(text: string): Record<string, string> {
  try {
    return parseEnvFile("env_file", text);
  } catch (error) {
    if (error instanceof UserError) return {};
    throw error;
  }
}

async function trackedOf(
  { ports, env }: CommandContext,
  project: Project,
  keepers: readonly Keeper[],
): Promise<ReadonlySet<string>> {
  const repo = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!repo.ok) return new Set();
  const tracked = await asResult(() =>
    listTracked(
      repo.value,
      keepers.map(({ file }) => file),
    ),
  );
  return new Set(tracked.ok ? tracked.value : []);
}
