// Where things are: settings files, the user's folders, and the paths that settings name. Pure.
import path from "node:path";
import { usageError } from "../../system/errors.js";
import type { KeyPath, Renamed } from "../settings/setting-row.js";
import { branchAt, rowOf, type Settings } from "../settings/settings.js";
import { path as pathType } from "../settings/types.js";

/** A whole environment: a variable that is not set is absent or `undefined`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The folders that paths in the settings are resolved against; both are absolute. */
export interface PathBase {
  project: string;
  home: string;
  env: Env;
}

/** The settings files a project may have in `.looper/`, by their path in the project. */
export const PROJECT_FILES = [".looper/config.json", ".looper/config.yaml", ".looper/config.yml"] as const;

/** The task file of the Go program, from the project's folder. */
export const GO_BACKLOG = ".looper/todo.json";
/** Its settings in a project; it reads the first that is there. */
export const GO_SETTINGS = [".looper/looper.toml", "looper.toml", ".looper.toml"] as const;

/** The files the user's own settings may be in, absolute. */
export function listUserFiles(env: Env, home: string): string[] {
  const folder = findUserFolder(env, home);
  return ["config.json", "config.yaml", "config.yml"].map((name) => path.join(folder, name));
}

/** The folder of the user's own settings, workflows and prompts, absolute. */
export function findUserFolder(env: Env, home: string): string {
  return path.join(xdgFolder(env["XDG_CONFIG_HOME"], path.join(home, ".config")), "looper");
}

/** The folder of what is remembered between runs for this user, absolute. */
export function findStateFolder(env: Env, home: string): string {
  return path.join(xdgFolder(env["XDG_STATE_HOME"], path.join(home, ".local", "state")), "looper");
}

/** The XDG rule: a value that is not an absolute path is ignored. */
function xdgFolder(value: string | undefined, otherwise: string): string {
  return value !== undefined && path.isAbsolute(value) ? value : otherwise;
}

/** A path of the settings made absolute: `~` is the home folder, all else is relative to the project. */
export function resolvePath(spelled: string, place: Pick<PathBase, "project" | "home">): string {
  if (spelled === "~") return place.home;
  if (spelled.startsWith("~/")) return path.join(place.home, spelled.slice(2));
  return path.resolve(place.project, spelled);
}

/** The path that a setting names, absolute. A variable in `log_dir` that is not set is a `usage` error. */
export function resolveSettingPath(key: string, spelled: string, place: PathBase): string {
  return resolvePath(key === "log_dir" ? expandVariables(spelled, place.env) : spelled, place);
}

/** A branch of the settings, at `at` in the table: its paths absolute, its keys in TypeScript's way. */
export function renamed<T extends object>(branch: T, at: KeyPath, place: Omit<PathBase, "env">): Renamed<T> {
  const all = Object.entries(branch).map(([word, value]: [string, unknown]) => {
    const below = branchAt([...at, word]);
    const name = word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (below?.row?.type === pathType && typeof value === "string") return [name, resolvePath(value, place)];
    // Names below a record are the user's.
    const isRecord = below === undefined || below.row !== undefined || below.children.has("*");
    const isBranch = !isRecord && typeof value === "object" && value !== null;
    return [name, isBranch ? renamed(value, [...at, word], place) : value];
  });
  // The table is both the type and what was walked; the compiler cannot follow names made at run time.
  return Object.fromEntries(all) as Renamed<T>;
}

/** The files and folders that settings name, absolute; `tasksDir`: where each task in a workflow has one. */
export interface SettingsPaths extends Pick<
  Renamed<Settings>,
  "todoFile" | "schemaFile" | "pricesFile" | "logDir" | "tasksDir" | "envFile" | "prompts"
> {
  /** Folders with prompts of stages, NAME.md: the project's, then the user's. */
  promptFolders: readonly string[];
  /** The folder of the user's own settings, workflows and prompts. */
  userFolder: string;
}

/** Resolved settings, as far as paths are concerned: `values` by key path. */
export interface PathSettings {
  settings: Settings;
  values: ReadonlyMap<string, { value: unknown; source: { where: string } }>;
}

/** The paths of resolved settings. A place that a run cannot write to is a `usage` error. */
export function settingsPaths({ settings, values }: PathSettings, place: PathBase): SettingsPaths {
  const userFolder = findUserFolder(place.env, place.home);
  for (const [key, { value, source }] of values) {
    if (!isWritten(key) || typeof value !== "string") continue;
    const at = resolveSettingPath(key, value, place);
    mustBeWritten({ key, spelled: value, where: source.where }, at, place.project);
  }
  const { todo_file, schema_file, prices_file, log_dir, tasks_dir, env_file, prompts } = settings;
  const files = { todo_file, schema_file, prices_file, env_file, tasks_dir, prompts };
  const paths = renamed({ ...files, log_dir: expandVariables(log_dir, place.env) }, [], place);
  if (paths.logDir === paths.todoFile) {
    const where = values.get("log_dir")?.source.where ?? "";
    refuse({ key: "log_dir", spelled: log_dir, where }, "it is the task file");
  }
  const promptFolders = [path.join(place.project, ".looper", "prompts"), path.join(userFolder, "prompts")];
  return { ...paths, promptFolders, userFolder };
}

/** Whether a run, or an agent at its request, writes to the path that this setting names. */
export function isWritten(key: string): boolean {
  return rowOf(key)?.written !== undefined;
}

/** A setting that names a path. `where`: the file and line, variable or flag it comes from; "" for a default. */
export interface PathSetting {
  key: string;
  spelled: string;
  where: string;
}

/** Refuses a path (absolute) that would damage the repository, or hide the project from it. */
export function mustBeWritten(setting: PathSetting, at: string, project: string): void {
  const relative = path.relative(project, at);
  if (relative.split(path.sep).some((name) => name.toLowerCase() === ".git"))
    refuse(setting, "it is inside .git");
  if (rowOf(setting.key)?.written === "agent") return;
  if (relative === "") refuse(setting, "it is the project's own folder");
  // All that is in such a folder is left out of checkpoints and commits.
  if (/^\.\.(?:\/\.\.)*$/.test(relative)) refuse(setting, "the project is inside it");
}

function refuse({ key, spelled, where }: PathSetting, why: string): never {
  const from = where === "" ? "" : `${where}: `;
  throw usageError(
    `${from}cannot use ${JSON.stringify(spelled)} as ${key}: ${why}`,
    "name another place, such as a folder of its own inside the project",
  );
}

function expandVariables(spelled: string, env: Env): string {
  return spelled.replace(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
    const value = env[braced ?? bare ?? ""];
    if (value !== undefined && value !== "") return value;
    throw usageError(`log_dir is ${JSON.stringify(spelled)}, but ${whole} is not set`, `set ${whole}`);
  });
}
