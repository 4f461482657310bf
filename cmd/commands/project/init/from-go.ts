// Plans `looper init --from-looper-go` before anything is written. Leaves reading
// the Go program's settings to src/config/go-program, and writing to move-over.ts.
import path from "node:path";
import { readGoSettings, type GoProgram } from "../../../../src/config/go-program/find.js";
import { isGoSchema } from "../../../../src/config/go-program/schema.js";
import {
  isSet,
  nestSettings,
  type LeftKey,
  type MovedKey,
  type Translation,
} from "../../../../src/config/go-program/translate.js";
import { GO_BACKLOG, listUserFiles } from "../../../../src/config/read/places.js";
import { UserError } from "../../../../src/system/errors.js";
import { given } from "../../../../src/system/given.js";
import { parseJson } from "../../../../src/system/text/json.js";
import { plural } from "../../../../src/ui/view/words/amounts.js";
import { shownPath } from "../../../lookup/project.js";
import type { CommandContext } from "../../../context/command-context.js";
import { mayBegin } from "./backlog.js";
import { pretty } from "./plan.js";
import type { InitSite } from "./site.js";

/** A key and the file it is in, as a person writes it. */
export type Whence<T> = T & { file: string };

/** A settings file to extend. `text`: its new content. */
export interface NewSettings {
  path: string;
  text: string;
  isNew: boolean;
}

/** The whole plan of a move. */
export interface ProjectMove {
  /** The old task file and its content; `isGone`: the new file already has the same tasks. */
  backlog?: { from: string; bytes: Uint8Array; isThere: boolean };
  settings: readonly NewSettings[];
  moved: readonly Whence<MovedKey>[];
  left: readonly Whence<LeftKey>[];
  /** Absolute paths of files to move to the folder of originals. */
  originals: readonly string[];
  notes: readonly string[];
}

/** The folder of originals, relative to the project. */
export const ORIGINALS = ".looper/from-looper-go";

/** Plans the move. Unreadable files and existing tasks are `usage` errors. */
export async function planMove(
  context: CommandContext,
  site: InitSite,
  found: GoProgram,
  { force }: { force: boolean },
): Promise<ProjectMove> {
  const { folder } = site.project;
  const [active, ...others] = found.settings;
  const own = await readOld(context, active);
  const users = await readOld(context, found.userSettings);
  const schema = await planSchema(context, folder, textAt(own, "schema_file"));
  const backlog = await planBacklog(context, site, found, { force, todoFile: textAt(own, "todo_file") });
  const ofProject = own.moved.filter(
    ({ to, value }) => !(to === "schema_file" && schema.drop) && !(to === "todo_file" && isDefault(value)),
  );
  const config = path.join(folder, ".looper", "config.json");
  const toProject = await mergeInto(context, config, [...ofProject, ...schema.add], site.settingsFile);
  const user = listUserFiles(context.env, context.home);
  const toUser = await mergeInto(context, user[0] ?? "", users.moved, await firstThere(context, user));
  const shown = (file: string): string => homely(context, folder, file);
  return {
    ...given({ backlog }),
    settings: [toProject.write, toUser.write].filter((one) => one !== undefined),
    moved: [
      ...within(shown(active ?? schema.file), toProject.taken),
      ...within(shown(users.file), toUser.taken),
    ],
    left: [
      ...within(shown(own.file), [...own.left, ...toProject.left]),
      ...within(shown(users.file), [...users.left, ...toUser.left]),
    ],
    originals: [
      ...found.settings,
      ...schema.originals,
      ...(found.backlog === undefined ? [] : [found.backlog.file]),
    ],
    notes: [
      ...others.map(
        (file) => `${shown(file)} was not read by the Go program either: only the original is kept`,
      ),
      ...schema.notes,
    ],
  };
}

/** Paths below the home folder are shown relative to it. */
export function homely(context: CommandContext, folder: string, file: string): string {
  const [inside, below] = [path.relative(folder, file), path.relative(context.home, file)];
  return inside.startsWith("..") && !below.startsWith("..")
    ? path.join("~", below)
    : shownPath(context, file);
}

type OldSettings = Translation & { file: string };

async function readOld({ ports }: CommandContext, file: string | undefined): Promise<OldSettings> {
  if (file === undefined) return { file: "", moved: [], left: [] };
  return { file, ...(await readGoSettings(ports.files, file)) };
}

function textAt({ moved }: OldSettings, key: string): string | undefined {
  const value = moved.find(({ to }) => to === key)?.value;
  return typeof value === "string" ? value : undefined;
}

function within<T>(file: string, keys: readonly T[]): Whence<T>[] {
  return keys.map((key) => ({ ...key, file }));
}

/** The Go program's default names of a task file, with their new names. */
function isDefault(value: unknown): boolean {
  return (
    value === GO_BACKLOG || value === `./${GO_BACKLOG}` || value === "to-do.json" || value === "./to-do.json"
  );
}

async function planBacklog(
  context: CommandContext,
  { backlog, project }: InitSite,
  { backlog: old }: GoProgram,
  { force, todoFile }: { force: boolean; todoFile: string | undefined },
): Promise<ProjectMove["backlog"]> {
  if (old === undefined) return undefined;
  const bytes = await context.ports.files.read(old.file);
  if (bytes === undefined) return undefined;
  const target = shownPath(context, project.todoFile);
  const isElsewhere = todoFile !== undefined && !isDefault(todoFile);
  if (isElsewhere && (await isFile(context, path.resolve(project.folder, todoFile))))
    return { from: old.file, bytes, isThere: true };
  if (backlog.kind === "missing" || mayBegin(backlog) || force)
    return { from: old.file, bytes, isThere: false };
  if (backlog.kind === "empty" && backlog.problems.length === 0)
    return { from: old.file, bytes, isThere: false };
  const there = await context.ports.files.read(project.todoFile);
  // A move that was interrupted continues; a file that the old settings do not name was unused.
  if (there !== undefined && Buffer.compare(there, bytes) === 0)
    return { from: old.file, bytes, isThere: true };
  if (todoFile === "to-do.json" || todoFile === "./to-do.json")
    return { from: old.file, bytes, isThere: true };
  const has =
    backlog.kind === "ok" ? `has ${plural(backlog.backlog.tasks.length, "task")}` : "is not a valid backlog";
  throw new UserError(
    "usage",
    `cannot move the tasks of ${GO_BACKLOG}: ${target} ${has}; nothing was changed`,
    "remove one of the two files, or replace the new one with --force (a copy is kept)",
  );
}

async function isFile({ ports }: CommandContext, file: string): Promise<boolean> {
  return (await ports.files.stat(file))?.kind === "file";
}

interface SchemaPlan {
  file: string;
  drop: boolean;
  add: readonly MovedKey[];
  originals: readonly string[];
  notes: readonly string[];
}

/** The schema of the Go program is built in here; a user's own schema stays in force. */
async function planSchema(
  context: CommandContext,
  folder: string,
  named: string | undefined,
): Promise<SchemaPlan> {
  const { files } = context.ports;
  const plan: SchemaPlan = { file: "", drop: false, add: [], originals: [], notes: [] };
  const names = new Set([
    ...(named === undefined ? [] : [named]),
    ".looper/todo.schema.json",
    "to-do.schema.json",
  ]);
  const originals: string[] = [];
  let [drop, add, file]: [boolean, MovedKey[], string] = [named !== undefined, [], ""];
  for (const name of names) {
    const at = path.resolve(folder, name);
    if ((await files.stat(at))?.kind !== "file") continue;
    if (isGoSchema(await files.read(at))) originals.push(at);
    else if (name === named) drop = false;
    else if (named === undefined && name === ".looper/todo.schema.json") {
      add = [{ from: name, to: "schema_file", value: name }];
      file = at;
    }
  }
  const notes =
    originals.length === 0
      ? []
      : [
          `the schema of the Go program (${originals.map((one) => shownPath(context, one)).join(", ")}) is built in`,
        ];
  return { ...plan, file, drop, add, originals, notes };
}

async function firstThere(
  { ports }: CommandContext,
  candidates: readonly string[],
): Promise<string | undefined> {
  for (const file of candidates) if ((await ports.files.stat(file)) !== undefined) return file;
  return undefined;
}

interface Merged {
  write?: NewSettings;
  taken: readonly MovedKey[];
  left: readonly LeftKey[];
}

/** Values in the new file win; only JSON can be extended without losing comments. */
async function mergeInto(
  { ports }: CommandContext,
  file: string,
  moved: readonly MovedKey[],
  there: string | undefined,
): Promise<Merged> {
  if (moved.length === 0) return { taken: [], left: [] };
  const before = there === undefined ? undefined : await readObject(ports.files, there);
  if (there !== undefined && (there !== file || before === undefined)) {
    const why = (to: string): string => `add ${to} to ${there} yourself`;
    return { taken: [], left: moved.map(({ from, to, value }) => ({ from, value, why: why(to) })) };
  }
  const said = moved.filter(({ to }) => isSet(before, to));
  const taken = moved.filter(({ to }) => !isSet(before, to));
  const left = said.map(({ from, to, value }) => ({ from, value, why: `${to} is set in ${file} already` }));
  if (taken.length === 0) return { taken, left };
  const schema = file.includes(`${path.sep}.looper${path.sep}`) ? { $schema: "./config.schema.json" } : {};
  const text = pretty(merged(before ?? schema, nestSettings(taken)));
  return { write: { path: file, text, isNew: there === undefined }, taken, left };
}

async function readObject(
  files: CommandContext["ports"]["files"],
  file: string,
): Promise<Record<string, unknown> | undefined> {
  const value = parseJson(await files.read(file));
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merged(base: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const whole = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const below = whole[key];
    whole[key] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return whole;
}
