// The project a command is about, with its settings: one way in, for every command.
import path from "node:path";
import { errorCode, environmentError } from "../../system/errors.js";
import { leadsInside } from "../../system/files/leads-inside.js";
import type { Files } from "../../system/ports.js";
import { loadClaudeHooks } from "../claude/claude-hooks.js";
import { loadSettings } from "../read/load.js";
import { GO_BACKLOG, GO_SETTINGS, PROJECT_FILES, listUserFiles, settingsPaths } from "../read/places.js";
import { findProject } from "./project.js";
import { resolveSettings, type Flags, type Layers, type ResolvedSettings } from "../read/resolve.js";

/** The input of a command when it starts. `file`: the task file as typed, relative to `cwd`. */
export interface ProjectRequest {
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  home: string;
  file?: string;
  flags: Flags;
  /** As if there were no settings files. */
  ignoresFiles?: boolean;
}

/** A project, its settings, and where its things lie; every path absolute. */
export interface Project {
  folder: string;
  todoFile: string;
  /** The task file after symlinks; the same file by another name is the same backlog. */
  realTodoFile: string;
  logDir: string;
  /** Beside the backlog; holds locks only, and ignores itself in git. */
  lockDir: string;
  paths: ReturnType<typeof settingsPaths>;
  resolved: ResolvedSettings;
  /** The layers that were resolved: a workflow's agents are a further one. */
  layers: Layers;
  /** Files of the Go program, relative to the folder; none is read. */
  goFiles: readonly string[];
  warnings: readonly string[];
}

/** Finds the project and resolves its settings; whatever is wrong with them is a `usage` error. */
export async function openProject(files: Files, request: ProjectRequest): Promise<Project> {
  const { cwd, env, home } = request;
  const typed = request.file === undefined ? undefined : path.resolve(cwd, request.file);
  const folder = await findProject(files, { start: cwd, home, taskFile: typed ?? taskFileOf(env) });
  const places = { project: folder, user: listUserFiles(env, home) };
  const found = request.ignoresFiles === true ? {} : await loadSettings(files, places);
  const typedLayers = { ...found, env, flags: request.flags };
  const set = resolveSettings(typedLayers);
  const claude = set.settings.hooks.read_claude ? await loadClaudeHooks(files, { folder, home }) : undefined;
  const layers: Layers = { ...typedLayers, claudeHooks: claude?.hooks };
  const resolved = claude === undefined ? set : resolveSettings(layers);
  const paths = settingsPaths(resolved, { project: folder, home, env });
  const todoFile = typed ?? paths.todoFile;
  const goFiles = await findGoFiles(files, folder, todoFile);
  const unread = await warnOfUnread(files, folder, [...goFiles, path.relative(folder, todoFile)]);
  const warnings = [...warnOfGoFiles(goFiles), ...unread, ...resolved.warnings, ...(claude?.warnings ?? [])];
  const realTodoFile = await findRealTodoFile(files, todoFile);
  const lockDir = lockFolder(realTodoFile);
  await refuseLocksOutside(files, lockDir);
  const { logDir } = paths;
  return { folder, todoFile, realTodoFile, logDir, lockDir, paths, resolved, layers, goFiles, warnings };
}

/** Finds files of the Go program; the task file in use is none of them. */
async function findGoFiles(files: Files, folder: string, todoFile: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of [GO_BACKLOG, ...GO_SETTINGS]) {
    const file = path.join(folder, name);
    const isThere = (await files.stat(file).catch(() => undefined))?.kind === "file";
    if (isThere && (await files.realPath(file)) !== (await files.realPath(todoFile))) found.push(name);
  }
  return found;
}

/** One sentence, where there are any. */
export function warnOfGoFiles(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `${names.join(", ")} of the Go program ${names.length === 1 ? "is" : "are"} not read; docs/from-looper-go.md says what to do`,
  ];
}

/** Files that are called like settings by the customs of other programs. */
const CALLED_SETTINGS =
  /^(?:\.looperrc(?:\.\w+)?|\.?looper\.(?:jsonc?|json5|ya?ml|toml)|looper\.config\.\w+|\.looper\/(?:config|settings)\.\w+)$/;

async function warnOfUnread(files: Files, folder: string, known: readonly string[]): Promise<string[]> {
  const inside = await files.list(path.join(folder, ".looper")).catch(() => []);
  const beside = await files.list(folder).catch(() => []);
  const names = [...beside, ...inside.map((name) => `.looper/${name}`)];
  const read: readonly string[] = [...PROJECT_FILES, ...known];
  return names
    .filter((name) => CALLED_SETTINGS.test(name) && !read.includes(name))
    .map((name) => `${name} is not read: the settings are in ${PROJECT_FILES[0]}`);
}

/** With default settings but for the task file's name: for commands that must run with broken settings. */
export function openWithDefaults(
  files: Files,
  { cwd, home, env }: Pick<ProjectRequest, "cwd" | "env" | "home">,
): Promise<Project> {
  const bare = { env: { LOOPER_TODO_FILE: taskFileOf(env) }, flags: {}, ignoresFiles: true };
  return openProject(files, { cwd, home, ...bare });
}

/** A repository could bring the folder of the locks as a link, and have every command write where it leads. */
async function refuseLocksOutside(files: Files, lockDir: string): Promise<void> {
  const own = path.dirname(lockDir);
  for (const place of [own, lockDir]) {
    const leads = await files.realPath(place).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      return "nowhere";
    });
    if (leads === undefined) return;
    if (!(await leadsInside(files, place, path.dirname(own))))
      throw environmentError(`${place} is a link that leads out of the project: ${leads}`, "remove it");
  }
}

/** The path of a task file after symlinks; unchanged if the file does not exist. */
export async function findRealTodoFile(files: Files, todoFile: string): Promise<string> {
  return (await files.realPath(todoFile)) ?? todoFile;
}

/** Where the locks of a task file lie; both absolute, symlinks followed. */
export function lockFolder(todoFile: string): string {
  return path.join(path.dirname(todoFile), ".looper", "lock");
}

/** The project's folder, whatever is wrong with its settings. */
export function findFolder(
  files: Files,
  { cwd, env, home }: Pick<ProjectRequest, "cwd" | "env" | "home">,
): Promise<string> {
  return findProject(files, { start: cwd, home, taskFile: taskFileOf(env) });
}

/** The name the walk looks for: the settings that could name another are only found by that walk. */
function taskFileOf(env: ProjectRequest["env"]): string {
  return (
    [env["LOOPER_TODO_FILE"], env["LOOPER_TODO"]].find((name) => name !== undefined && name !== "") ??
    "to-do.json"
  );
}
