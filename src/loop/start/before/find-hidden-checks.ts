// Finds the hidden checks of a project, and refuses those that are missing or inside it. Runs none of them.
// src/gate/rooms/hidden.ts runs them.
import { dirname, isAbsolute, join, normalize } from "node:path";
import { findStateFolder, listUserFiles, resolvePath } from "../../../config/read/places.js";
import type { SpelledHiddenCheck } from "../../../config/settings/settings.js";
import { USUAL_FOLDER, type HiddenCheck } from "../../../gate/rooms/hidden.js";
import { isInside } from "../../../git/room/room.js";
import { listSimpleCommands } from "../../../shell/simple-commands.js";
import { type UserError, usageError, environmentError } from "../../../system/errors.js";
import type { World } from "../../perform/world.js";
import type { RunRequest } from "../../runs/run-request.js";

type Request = Pick<RunRequest, "ports" | "project" | "home" | "env">;

/** The checks, and a warning if an agent is shown where they are. Throws a `usage` error. */
export interface FoundHiddenChecks {
  checks: readonly HiddenCheck[];
  warnings: readonly string[];
}

const KEY = "verify.hidden";
const HINT = "name a file or folder outside the project, such as ~/.config/looper/hidden/NAME";

export async function findHiddenChecks(request: Request): Promise<FoundHiddenChecks> {
  const { resolved } = request.project;
  const checks: HiddenCheck[] = [];
  for (const [at, spelled] of resolved.settings.verify.hidden.entries()) {
    if (!(await isForProject(request, spelled.project))) continue;
    checks.push(await readCheck(request, spelled, `${KEY}[${String(at)}]`));
  }
  return { checks, warnings: checks.length === 0 ? [] : warnOfSource(request) };
}

/** The hidden checks of a run, with the folder for their output; without checks nothing. */
export function placeHidden(
  { env, home }: Pick<Request, "env" | "home">,
  checks: readonly HiddenCheck[],
): Pick<World, "hidden"> {
  return checks.length === 0
    ? {}
    : { hidden: { checks, folder: join(findStateFolder(env, home), "hidden") } };
}

/** An agent reads the project's files, and inherits the environment. */
function warnOfSource({ project, home, env }: Request): string[] {
  const source = project.resolved.values.get(KEY)?.source;
  if (source === undefined || source.layer === "user") return [];
  const [own = ""] = listUserFiles(env, home);
  return [`${source.where}: agents can read ${KEY} there: move it to your own settings, ${own}`];
}

/** Whether a check is for this project; one without `project` is for each of the user's. */
async function isForProject({ ports, project, home }: Request, named: string | undefined): Promise<boolean> {
  if (named === undefined) return true;
  const folder = await realPath(ports.files, resolvePath(named, { project: project.folder, home }));
  return isInside(folder, await realPath(ports.files, project.folder));
}

async function readCheck(request: Request, spelled: SpelledHiddenCheck, name: string): Promise<HiddenCheck> {
  const { command, tasks } = spelled;
  const into = normalize(spelled.into ?? USUAL_FOLDER);
  if (isAbsolute(into) || into.split("/").some((part) => part === ".." || part === ".git"))
    throw refusal(
      `${name}.into is ${JSON.stringify(spelled.into)}, which is not a folder of the project`,
      "name a path relative to the project",
    );
  const common = { name, command, into, tasks };
  if (spelled.files !== undefined) {
    return { ...common, files: await findOutside(request, spelled.files, `${name}.files`) };
  }
  const target = findTarget(command);
  if (target === undefined)
    throw refusal(`${name} names no file outside the project: ${command}`, `add "files", or ${HINT}`);
  return { ...common, hides: await findOutside(request, target, name) };
}

const PROGRAMS = /^\/(?:usr\/(?:local\/)?)?s?bin\//;

/** The file that a command without `files` is about: its program, or the first path among its arguments. */
function findTarget(command: string): string | undefined {
  const words = listSimpleCommands(command).flatMap((one) => one.words);
  return words.find((word) => /^(?:~\/|\/)/.test(word) && !PROGRAMS.test(word));
}

/** The path of a file or folder outside the project, absolute, its symlinks resolved. */
async function findOutside(
  { ports, project, home }: Request,
  spelled: string,
  name: string,
): Promise<string> {
  const { files } = ports;
  const path = resolvePath(spelled, { project: project.folder, home });
  const real = await files.realPath(path);
  const folder = await findTop(files, await realPath(files, project.folder));
  // An agent can change a symlink inside the project.
  if ([path, real ?? path].some((one) => isInside(project.folder, one) || isInside(folder, one)))
    throw refusal(`${name}: ${path} is inside the project, where agents can read and change it`, HINT);
  if (real === undefined) throw refusal(`${name}: ${path} does not exist`, HINT);
  if (isInside(real, folder)) throw refusal(`${name}: the project is inside ${path}`, HINT);
  const kind = (await files.stat(real))?.kind;
  if (kind !== "file" && kind !== "folder")
    throw refusal(`${name}: ${path} is neither a file nor a folder`, HINT);
  return real;
}

/** The top of the repository that the project (absolute) is in, else the project: agents see all of it. */
async function findTop(files: RunRequest["ports"]["files"], project: string): Promise<string> {
  for (let folder = project; folder !== dirname(folder); folder = dirname(folder)) {
    if ((await files.stat(join(folder, ".git"))) !== undefined) return folder;
  }
  return project;
}

async function realPath(files: RunRequest["ports"]["files"], path: string): Promise<string> {
  return (await files.realPath(path)) ?? path;
}

/** Hidden checks run in rooms, which need git. */
export function refuseHiddenWithoutGit(): UserError {
  return environmentError(
    `${KEY} needs git: hidden checks run in a fresh copy of the commit`,
    "create a repository with git init (or --git-init), or remove the setting",
  );
}

function refusal(problem: string, hint: string): UserError {
  return usageError(problem, hint);
}
