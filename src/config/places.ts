// Where things lie: settings files, the user's folders, and the paths that settings name. Pure: nothing is looked up.
import path from "node:path";
import { UserError } from "../system/errors.js";
import type { Settings } from "./settings.js";

/** A whole environment: a variable that is not set is absent or `undefined`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What a path in the settings is resolved against; both folders are absolute. */
export interface Place {
  project: string;
  home: string;
  env: Env;
}

/** The settings files a project may have in `.looper/`, by their path in the project. */
export const PROJECT_FILES = [".looper/config.json", ".looper/config.yaml", ".looper/config.yml"] as const;

/** The files the user's own settings may be in, absolute. */
export function userFiles(env: Env, home: string): string[] {
  const folder = path.join(xdgFolder(env["XDG_CONFIG_HOME"], path.join(home, ".config")), "looper");
  return ["config.json", "config.yaml", "config.yml"].map((name) => path.join(folder, name));
}

/** The folder of what is remembered between runs for this user, absolute. */
export function stateFolder(env: Env, home: string): string {
  return path.join(xdgFolder(env["XDG_STATE_HOME"], path.join(home, ".local", "state")), "looper");
}

/** The XDG rule: a value that is not an absolute path is ignored. */
function xdgFolder(value: string | undefined, otherwise: string): string {
  return value !== undefined && path.isAbsolute(value) ? value : otherwise;
}

/** A path of the settings made absolute: `~` is the home folder, all else is relative to the project. */
export function resolvePath(spelled: string, place: Pick<Place, "project" | "home">): string {
  if (spelled === "~") return place.home;
  if (spelled.startsWith("~/")) return path.join(place.home, spelled.slice(2));
  return path.resolve(place.project, spelled);
}

/** The files and folders the settings name, absolute. */
export interface SettingsPaths {
  todoFile: string;
  schemaFile?: string;
  pricesFile?: string;
  logDir: string;
  envFile?: string;
  prompts: Readonly<Partial<Record<"bootstrap" | "iteration" | "repair" | "review" | "push", string>>>;
}

/** The paths of resolved settings. A variable in `log_dir` that is not set is a `usage` error. */
export function settingsPaths(settings: Settings, place: Place): SettingsPaths {
  const { schema_file: schema, env_file: envFile, prices_file: prices } = settings;
  const prompts = Object.entries(settings.prompts).map(
    ([name, file]) => [name, resolvePath(file, place)] as const,
  );
  return {
    todoFile: resolvePath(settings.todo_file, place),
    ...(schema === undefined ? {} : { schemaFile: resolvePath(schema, place) }),
    ...(prices === undefined ? {} : { pricesFile: resolvePath(prices, place) }),
    logDir: resolvePath(expandVariables(settings.log_dir, place.env), place),
    ...(envFile === undefined ? {} : { envFile: resolvePath(envFile, place) }),
    prompts: Object.fromEntries(prompts),
  };
}

function expandVariables(spelled: string, env: Env): string {
  return spelled.replace(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
    const value = env[braced ?? bare ?? ""];
    if (value !== undefined && value !== "") return value;
    throw new UserError(
      "usage",
      `log_dir is ${JSON.stringify(spelled)}, but ${whole} is not set`,
      `set ${whole}`,
    );
  });
}
