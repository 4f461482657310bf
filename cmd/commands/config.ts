// `looper config`: the settings in force, and where each comes from; or changes one, which is validated
// before it is written. Leaves resolving the settings and editing their text to src/config.
import path from "node:path";
import { Argument, Option } from "commander";
import { findFolder, openProject } from "../../src/config/project/open-project.js";
import { editSettingsText } from "../../src/config/read/edit-settings-text.js";
import { loadSettings } from "../../src/config/read/load.js";
import { listUserFiles, PROJECT_FILES, settingsPaths } from "../../src/config/read/places.js";
import { resolveSettings, type Layers, type ResolvedSettings } from "../../src/config/read/resolve.js";
import { readJsonSettings } from "../../src/config/read/settings-text.js";
import { readTypedValue } from "../../src/config/read/text-values.js";
import { branchAt, ROWS } from "../../src/config/settings/settings.js";
import { environmentError, errorCode, errorMessage, usageError, UserError } from "../../src/system/errors.js";
import { leadsInside } from "../../src/system/files/leads-inside.js";
import { given } from "../../src/system/given.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { configAnswer, narrowToKey, settingsFilesAnswer } from "../../src/ui/answers/project/config.js";
import { jsonText } from "../../src/ui/json-text.js";
import type { ConfigAnswer } from "../../src/ui/shapes/project.js";
import { shrinks, tableLines } from "../../src/ui/terminal/columns.js";
import { clean } from "../../src/ui/text.js";
import { JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readVerb } from "../context/words.js";
import { approve, type LinesToApprove, refuseAgents } from "../lookup/caller.js";
import { lookOf, projectOf, shownPath } from "../lookup/project.js";

interface Request {
  verb?: string;
  key?: string;
  values?: readonly string[];
  user?: true;
  json?: true;
}

const VERBS = ["get", "set", "unset", "path"] as const;

export const command: AnsweringCommand<Request> = {
  arguments: [
    new Argument("[verb]", "get, set, unset or path; without it: every setting"),
    new Argument("[key]", "a setting, e.g. loop.max_attempts"),
    new Argument("[values...]", "for set: a value, several for a list, or JSON"),
  ],
  options: [new Option("--user", "for set and unset: change your own settings"), JSON_OPTION],
  examples: [
    ["looper config", "list every setting, its value and its source"],
    ["looper config get loop.max_attempts", "print one value"],
    ['looper config set verify.commands "npm test"', "change the project's settings and approve the command"],
    [
      `looper config set agents.mine '{"kind": "command", "binary": "./agent.sh"}'`,
      "add an agent of your own",
    ],
    ["looper config unset verify.commands", "remove it from the project's settings"],
    ["looper config path", "list the settings files and which of them exist"],
  ],
  answer,
};

async function answer(context: CommandContext, request: Request): Promise<CommandAnswer> {
  const { key, values = [], user = false, json } = request;
  const verb = readVerb("config", request.verb, VERBS);
  // `path` must work when the settings are broken.
  if (verb === "path") return showPaths(context, key);
  if (verb === "set" || verb === "unset") return change(context, orderOf(verb, request), json !== true);
  if (user) throw usageError("--user is for set and unset", "looper config set --user KEY VALUE");
  if (values.length > 0)
    throw usageError("looper config get takes one setting", "looper config get loop.max_attempts");
  const all = await readAnswer(context);
  return verb === "get" ? get(all, key) : { json: all, lines: allLines(context, all) };
}

async function readAnswer(context: CommandContext, quiet = false): Promise<ConfigAnswer> {
  return configAnswer(context.ports.files, await projectOf(context, { quiet }), context);
}

async function showPaths(context: CommandContext, key: string | undefined): Promise<CommandAnswer> {
  if (key !== undefined) throw usageError("looper config path takes no more words", "looper config path");
  const project = await findFolder(context.ports.files, context);
  const json = await settingsFilesAnswer(context.ports.files, project, context);
  const lines = json.files.map(({ path: file, exists }) => `${clean(file)}${exists ? "" : "  (not there)"}`);
  return { json, lines };
}

function get(answer: ConfigAnswer, key: string | undefined): CommandAnswer {
  if (key === undefined) throw usageError("no setting is named", "looper config get loop.max_attempts");
  const narrowed = narrowToKey(answer, key);
  const { settings } = narrowed;
  if (settings.length === 0) throw nothingAt(key);
  const [only] = settings;
  const lines =
    settings.length === 1 && only?.key === key
      ? [plain(only.value)]
      : settings.map((one) => `${one.key} = ${plain(one.value)}`);
  return { json: narrowed, lines: lines.map(clean) };
}

/** A setting without a value ends with no. */
function nothingAt(key: string): UserError {
  const others = "list settings with a value with `looper config`";
  return isKnown(key) ? new UserError("no", `${key} has no value`, others) : unknownSetting(key);
}

/** A setting, or the beginning of a key path. */
function isKnown(key: string): boolean {
  return branchAt(key.split(".")) !== undefined;
}

function unknownSetting(key: string): UserError {
  const [, name = "claude"] = key.split(".");
  const known = [...ROWS.keys()].map((row) => row.replace("*", name));
  return usageError(`unknown setting ${key}`, hintOn(key, known, "list them with `looper config`"));
}

/** The widest value that keeps the sources aligned. */
const VALUE_WIDTH = 48;

function allLines({ out }: CommandContext, { settings }: ConfigAnswer): string[] {
  const { dim } = lookOf(out).colours;
  const rows = settings.map(({ key, value, layer, where }) =>
    [key, plain(value), where === "" ? layer : where].map(clean),
  );
  const columns = ["setting", { ...shrinks("value"), most: VALUE_WIDTH }, shrinks("from")];
  const lines = tableLines(columns, rows, lookOf(out));
  return lines.map((line, at) => (settings[at - 1]?.layer === "default" ? dim(line) : line));
}

/** A text unchanged, other values as JSON. */
function plain(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** The requested change; without values the setting is removed. */
interface Order {
  key: string;
  values?: readonly string[];
  scope: "user" | "project";
}

async function change(context: CommandContext, order: Order, quiet: boolean): Promise<CommandAnswer> {
  await refuseAgents(context, "change the settings", "report in the summary what should be set", {
    sessions: true,
  });
  const folder = await findFolder(context.ports.files, context);
  const file = await writeSetting(context, folder, order);
  const { key } = order;
  if (order.values !== undefined && order.scope === "project")
    await approveSettings(context, ({ what }) => what === key || what.startsWith(`${key}.`));
  const did = order.values === undefined ? "removed from" : "set in";
  return {
    json: narrowToKey(await readAnswer(context, quiet), key),
    lines: [clean(`${key}: ${did} ${shownPath(context, file)}`)],
  };
}

function orderOf(verb: "set" | "unset", { key, values = [], user }: Request): Order {
  const scope = user === true ? "user" : "project";
  if (key === undefined) throw usageError(`cannot ${verb}: no setting is named`, EXAMPLES[verb]);
  if (verb === "unset") {
    if (values.length > 0) throw usageError("cannot unset more than one setting at once", EXAMPLES.unset);
    return { key, scope };
  }
  if (values.length === 0) throw usageError(`cannot set ${key}: no value is given`, EXAMPLES.set);
  if (!isKnown(key)) throw unknownSetting(key);
  return { key, values, scope };
}

/** Validates and writes the change; returns the file. Only JSON files of their own are changed. */
async function writeSetting(context: CommandContext, folder: string, { key, values, scope }: Order) {
  const { ports, env, home } = context;
  const { files } = ports;
  const users = listUserFiles(env, home);
  const there = await loadSettings(files, { project: folder, user: users });
  const name = scope === "user" ? (users[0] ?? "") : PROJECT_FILES[0];
  const other = there[scope]?.name ?? name;
  if (other !== name)
    throw usageError(`cannot change ${other}: it is not ${name}`, `write ${key} into it yourself`);
  const file = path.resolve(folder, name);
  if (scope === "project") await mustBeInside(context, folder, file);
  const bytes = await files.read(file);
  const text = bytes === undefined ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const way = key.split(".");
  const value = values === undefined ? undefined : readTypedValue(way, values);
  const edited = editSettingsText(text, { path: way, ...given({ value }) });
  if (edited === undefined) throw new UserError("no", `${key} is not set in ${shownPath(context, file)}`);
  // The settings as they would be, in the way of every command.
  const made = { ...there, [scope]: readJsonSettings(name, edited) };
  const resolved = whatWouldHold({ ...made, env: {}, flags: {} }, key);
  settingsPaths(resolved, { project: folder, home, env });
  try {
    await files.makeFolder(path.dirname(file));
    await files.writeAtomic(file, edited);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw environmentError(
      `cannot write ${shownPath(context, file)}: ${errorMessage(error)}`,
      "make its folder writable, or free some space",
      { cause: error },
    );
  }
  return file;
}

const EXAMPLES = {
  set: 'looper config set verify.commands "npm test"',
  unset: "looper config unset loop.max_attempts",
} as const;

/** A cloned repository may contain links to anywhere. */
async function mustBeInside({ ports: { files } }: CommandContext, folder: string, file: string) {
  for (const place of [path.dirname(file), file]) {
    const isLink = (await files.stat(place, { link: true }))?.kind === "symlink";
    if (!isLink || (await leadsInside(files, place, folder))) continue;
    throw environmentError(`cannot write ${file}: ${place} is a symlink out of the project`, "remove it");
  }
}

/** Replaces the hint of an error: no file was changed. A new agent may need several keys at once. */
function whatWouldHold(layers: Layers, key: string): ResolvedSettings {
  try {
    return resolveSettings(layers);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [, agent] = /^agents\.([^.]+)\./.exec(key) ?? [];
    const isIncomplete =
      agent !== undefined && error.message.includes(`agents.${agent}.`) && / is missing/.test(error.message);
    const whole = `; set them at once: looper config set agents.${String(agent)} '{"kind": "command", "binary": "PROGRAM"}'`;
    const hint = `nothing was changed${isIncomplete ? whole : ""}`;
    throw new UserError(error.kind, error.message, hint, { cause: error });
  }
}

/** Approves commands that a person sets here, so that the first run does not ask about them. */
export async function approveSettings(
  context: CommandContext,
  isMine: LinesToApprove["isMine"],
): Promise<void> {
  const { ports, cwd, env, home } = context;
  const project = await openProject(ports.files, { cwd, env, home, flags: {} });
  await approve(context, { project, tasks: [], isMine });
}
