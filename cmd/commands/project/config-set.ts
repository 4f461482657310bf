// `looper config set KEY VALUE` and `config unset KEY`: changes a setting of the project or the user. The result is
// validated before it is written. Leaves editing the text to src/config/read/edit-settings-text.ts.
import path from "node:path";
import { editSettingsText, formatOf } from "../../../src/config/read/edit-settings-text.js";
import { loadSettings } from "../../../src/config/read/load.js";
import { findFolder, openProject } from "../../../src/config/project/open-project.js";
import { PROJECT_FILES, settingsPaths, listUserFiles } from "../../../src/config/read/places.js";
import { resolveSettings, type Layers, type ResolvedSettings } from "../../../src/config/read/resolve.js";
import {
  readJsonSettings,
  readPackageSettings,
  readYamlSettings,
  type SettingsFile,
} from "../../../src/config/read/settings-text.js";
import { rowOf, ROWS } from "../../../src/config/settings/settings.js";
import { readTypedValue } from "../../../src/config/read/text-values.js";
import { errorCode, errorMessage, UserError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import { clean } from "../../../src/ui/text.js";
import { approve } from "../../lookup/approve.js";
import { printLines, shownPath } from "../../lookup/project.js";
import { hasFlag, type CommandContext, type Typed } from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** The requested change; without values the setting is removed. */
interface Order {
  key: string;
  values?: readonly string[];
  scope: "user" | "project";
}

/** Changes a setting; returns its key. */
export async function changeSetting(context: CommandContext, typed: Typed): Promise<string> {
  const order = orderOf(typed);
  await refuseAgents(context, {
    what: "a process of a run may not change the settings",
    instead: "report in the summary what should be set",
    sessions: true,
  });
  const folder = await findFolder(context.ports.files, context);
  const file = await writeSetting(context, folder, order);
  if (order.values !== undefined && order.scope === "project") await approveSetting(context, order.key);
  if (!hasFlag(typed, "--json")) {
    const did = order.values === undefined ? "removed from" : "set in";
    await printLines(context.out, [clean(`${order.key}: ${did} ${shownPath(context, file)}`)]);
  }
  return order.key;
}

/** Validates and writes the change; returns the file. `folder`: of the project. */
export async function writeSetting(context: CommandContext, folder: string, order: Order): Promise<string> {
  const { files } = context.ports;
  const file = await fileOf(context, folder, order.scope);
  const edited = changed(context, await textOf(context, file), { file, order });
  await judge(context, folder, { file, text: edited, order });
  try {
    await files.makeFolder(path.dirname(file));
    await files.writeAtomic(file, edited);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new UserError(
      "environment",
      `cannot write ${shownPath(context, file)}: ${errorMessage(error)}`,
      "make its folder writable, or free some space",
      { cause: error },
    );
  }
  return file;
}

function orderOf(typed: Typed): Order {
  const [verb, key, ...values] = typed.operands;
  const scope = hasFlag(typed, "--user") ? "user" : "project";
  if (key === undefined)
    throw new UserError("usage", `cannot ${verb ?? "set"}: no setting is named`, EXAMPLES[verb ?? "set"]);
  if (verb === "unset") {
    if (values.length > 0)
      throw new UserError("usage", "cannot unset more than one setting at once", EXAMPLES["unset"]);
    return { key, scope };
  }
  if (values.length === 0)
    throw new UserError("usage", `cannot set ${key}: no value is given`, EXAMPLES["set"]);
  mustBeKnown(key);
  return { key, values, scope };
}

const EXAMPLES: Readonly<Record<string, string>> = {
  set: 'looper config set verify.commands "npm test"',
  unset: "looper config unset loop.max_attempts",
};

/** A setting, or the beginning of a key path. */
function mustBeKnown(key: string): void {
  const known = [...ROWS.keys()];
  const words = key.split(".");
  const isBranch = known.some((row) => {
    const parts = row.split(".");
    return parts.length > words.length && words.every((word, at) => parts[at] === "*" || parts[at] === word);
  });
  if (rowOf(key) !== undefined || isBranch || inAnyAgent(words)) return;
  const near = nearest(
    key,
    known.map((row) => row.replace("*", words[1] ?? "claude")),
  );
  throw new UserError("usage", `unknown setting ${key}`, didYouMean(near, "list them with `looper config`"));
}

/** Below an agent's name, further names are the user's. */
function inAnyAgent(words: readonly string[]): boolean {
  if (words[0] !== "agents") return false;
  return [...ROWS.keys()].some((row) => {
    const parts = row.split(".");
    return parts.length === words.length && parts.every((part, at) => part === "*" || part === words[at]);
  });
}

/** The existing settings file, else the one to create. */
async function fileOf(context: CommandContext, folder: string, scope: Order["scope"]): Promise<string> {
  const { ports, env, home } = context;
  const { files } = ports;
  const own = PROJECT_FILES.map((name) => path.join(folder, name));
  const candidates = scope === "user" ? listUserFiles(env, home) : own;
  const there: string[] = [];
  for (const file of candidates) if ((await files.stat(file, { link: true })) !== undefined) there.push(file);
  const manifest = path.join(folder, "package.json");
  if (scope === "project" && (await holdsSettings(context, manifest))) there.push(manifest);
  const [file = candidates[0] ?? "", second] = there;
  if (second !== undefined)
    throw new UserError("usage", `two settings files: ${file} and ${second}`, "keep one of them");
  if (scope === "project") await mustBeInside(context, folder, file);
  return file;
}

async function holdsSettings({ ports }: CommandContext, manifest: string): Promise<boolean> {
  const bytes = await ports.files.read(manifest).catch(() => undefined);
  return bytes !== undefined && readPackageSettings(manifest, new TextDecoder().decode(bytes)) !== undefined;
}

/** A cloned repository may contain links to anywhere. */
async function mustBeInside(
  { ports: { files } }: CommandContext,
  folder: string,
  file: string,
): Promise<void> {
  for (const place of [path.dirname(file), file]) {
    if ((await files.stat(place, { link: true }))?.kind !== "symlink") continue;
    const real = await files.realPath(place);
    if (real !== undefined && !path.relative(folder, real).startsWith("..")) continue;
    throw new UserError(
      "environment",
      `cannot write ${file}: ${place} is a symlink out of the project`,
      "remove it",
    );
  }
}

async function textOf({ ports }: CommandContext, file: string): Promise<string> {
  const bytes = await ports.files.read(file);
  return bytes === undefined ? "" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function changed(
  context: CommandContext,
  text: string,
  { file, order }: { file: string; order: Order },
): string {
  // A file that is not a settings file is never changed.
  readSettings(shownPath(context, file), file, text);
  const way = order.key.split(".");
  const value = order.values === undefined ? undefined : readTypedValue(way, order.values);
  const edited = editSettingsText(text, formatOf(file), {
    path: way,
    ...given({ value }),
  });
  if (edited !== undefined) return edited;
  throw new UserError("no", `${order.key} is not set in ${shownPath(context, file)}`);
}

function readSettings(name: string, file: string, text: string): SettingsFile | undefined {
  const format = formatOf(file);
  if (format === "yaml") return readYamlSettings(name, text);
  if (format === "package") return readPackageSettings(name, text);
  return text.trim() === "" ? undefined : readJsonSettings(name, text);
}

/** Validates the settings as they would be, in the way of every command. */
async function judge(
  { ports, env, home }: CommandContext,
  folder: string,
  made: { file: string; text: string; order: Order },
): Promise<void> {
  const { file, text, order } = made;
  const { scope } = order;
  const name = scope === "user" ? file : path.relative(folder, file);
  const mine = readSettings(name, file, text);
  const none = { project: folder, user: [] };
  const user =
    scope === "user"
      ? mine
      : (await loadSettings(ports.files, { ...none, user: listUserFiles(env, home) })).user;
  const project = scope === "project" ? mine : (await loadSettings(ports.files, none)).project;
  const resolved = whatWouldHold({ user, project, env: {}, flags: {} }, order.key);
  settingsPaths(resolved, { project: folder, home, env });
}

/** Replaces the hint of an error: no file was changed that could be corrected. A new agent may need several keys at once. */
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

/** Approves commands that a person sets here. */
async function approveSetting(context: CommandContext, key: string): Promise<void> {
  const { ports, cwd, env, home } = context;
  const project = await openProject(ports.files, { cwd, env, home, flags: {} });
  const isMine = ({ what }: { what: string }): boolean => what === key || what.startsWith(`${key}.`);
  await approve(context, { project, tasks: [], isMine });
}
