// Finds files of the Go program in a project and in the home folder: its task file and its settings. Changes nothing.
import path from "node:path";
import { parse, TomlError } from "smol-toml";
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { Files } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { GO_BACKLOG, GO_SETTINGS, type Env } from "../read/places.js";
import type { SettingsFile } from "../read/settings-text.js";
import { isSet, translateSettings, type Translation } from "./translate.js";

/** The command that moves all of it over. */
export const MOVE_OVER = "looper init --from-looper-go";

/** The files found; every path is absolute. */
export interface GoProgram {
  /** `tasks`: how many; absent where it cannot be read. */
  backlog?: { file: string; tasks?: number };
  settings: readonly string[];
  /** The user's own settings. */
  userSettings?: string;
}

/** `todoFile`: the task file that is in use. */
export async function findGoProgram(
  files: Files,
  place: { folder: string; home: string; env: Env; todoFile: string },
): Promise<GoProgram> {
  const { folder, todoFile } = place;
  const file = path.join(folder, GO_BACKLOG);
  const isInUse = file === todoFile || (await files.realPath(file)) === (await files.realPath(todoFile));
  const backlog = isInUse ? undefined : await readBacklog(files, file);
  const settings: string[] = [];
  for (const name of GO_SETTINGS)
    if (await isFile(files, path.join(folder, name))) settings.push(path.join(folder, name));
  let userSettings: string | undefined;
  for (const one of userFiles(place))
    if (userSettings === undefined && !settings.includes(one) && (await isFile(files, one)))
      userSettings = one;
  return {
    ...given({ backlog }),
    settings,
    ...given({ userSettings }),
  };
}

function userFiles({ home, env }: { home: string; env: Env }): string[] {
  const config = env["XDG_CONFIG_HOME"];
  const xdg = config !== undefined && path.isAbsolute(config) ? config : path.join(home, ".config");
  return [
    path.join(home, ".looper", "looper.toml"),
    path.join(xdg, "looper", "looper.toml"),
    path.join(home, "Library", "Application Support", "looper", "looper.toml"),
  ];
}

async function isFile(files: Files, file: string): Promise<boolean> {
  return (await files.stat(file).catch(() => undefined))?.kind === "file";
}

async function readBacklog(files: Files, file: string): Promise<GoProgram["backlog"]> {
  if (!(await isFile(files, file))) return undefined;
  const tasks = tasksIn(await files.read(file).catch(() => undefined));
  return { file, ...given({ tasks }) };
}

function tasksIn(bytes: Uint8Array | undefined): number | undefined {
  const value = parseJson(bytes);
  const list: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "tasks") : undefined;
  return Array.isArray(list) ? list.length : undefined;
}

/** One sentence for each thing that is not read. `user`: this program's settings of the user. */
export async function warnOfGoProgram(
  files: Files,
  found: GoProgram,
  place: { folder: string; home: string; user: SettingsFile | undefined },
): Promise<string[]> {
  const { backlog, settings, userSettings } = found;
  const isLeft = userSettings !== undefined && !(await isMoved(files, userSettings, place.user));
  const tomls = [
    ...settings.map((file) => path.relative(place.folder, file)),
    ...(isLeft ? [path.join("~", path.relative(place.home, userSettings))] : []),
  ];
  return [
    ...(backlog === undefined ? [] : [`${backlogText(backlog.tasks)}: move them with \`${MOVE_OVER}\``]),
    ...tomls.map(
      (name) =>
        `${name} holds settings of the Go program, which are not read: move them with \`${MOVE_OVER}\``,
    ),
  ];
}

/** That its task file is there, as a person is told. */
export function backlogText(tasks: number | undefined): string {
  if (tasks === undefined) return `${GO_BACKLOG} holds tasks of the Go program, and cannot be read`;
  return `${GO_BACKLOG} holds ${String(tasks)} ${tasks === 1 ? "task" : "tasks"} of the Go program`;
}

/** The user's old file stays where it is, for other projects: it is moved when this program's file says all of it. */
async function isMoved(files: Files, file: string, user: SettingsFile | undefined): Promise<boolean> {
  try {
    const { moved } = await readGoSettings(files, file);
    return moved.every(({ to }) => isSet(user?.value, to));
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Translates a file of its settings. A file that is not TOML is a `usage` error. */
export async function readGoSettings(files: Files, file: string): Promise<Translation> {
  const text = new TextDecoder().decode(await files.read(file));
  try {
    return translateSettings(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = "it is not TOML"] = error.message.split("\n");
    const where = `${file}:${String(error.line)}:${String(error.column)}`;
    throw new UserError("usage", `cannot read ${where}: ${what}`, "correct the file, and try again");
  }
}
