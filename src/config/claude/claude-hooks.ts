// Finds the settings files of Claude Code, where `hooks.read_claude` says so, and reads their hooks as hooks of Chapo. A key that
// is not known is named in a warning and passed over.
import path from "node:path";
import { errorCode, errorMessage } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { CHAPO_HOOK_ROWS, isValidMatcher } from "../settings/chapo-rows.js";
import type { Settings } from "../settings/settings.js";
import { shorten } from "../../system/text/cut.js";

type Lists = Settings["hooks"]["events"];
export type ClaudeHookEvent = keyof Lists;
type Hook = NonNullable<Lists[ClaudeHookEvent]>[number];

/** One hook of a file, under the event it is for. */
export interface ClaudeHook {
  event: ClaudeHookEvent;
  hook: Hook;
  /** The file, as shown to people. */
  where: string;
  /** The project's own hooks need an approval; the user's do not. */
  layer: "user" | "project";
}

/** The hooks of one file. `isOff`: the file turns hooks off. */
export interface ClaudeHookFile {
  hooks: ClaudeHook[];
  isOff: boolean;
  warnings: string[];
}

const EVENTS = new Set(Object.keys(CHAPO_HOOK_ROWS).map((key) => /^hooks\.events\.(.+)$/.exec(key)?.[1]));

function isEvent(name: string): name is ClaudeHookEvent {
  return EVENTS.has(name);
}

/** Reads a file. `where`: its name, as shown to people. */
export function readClaudeHooks(text: string, { where, layer }: Pick<ClaudeHook, "where" | "layer">) {
  const file: ClaudeHookFile = { hooks: [], isOff: false, warnings: [] };
  const warn = (problem: string): void => {
    file.warnings.push(`${where}: ${problem}`);
  };
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    warn("it is not valid JSON, so its hooks are not used");
    return file;
  }
  file.isOff = fieldOf(settings, "disableAllHooks") === true;
  const events = fieldOf(settings, "hooks");
  if (events === undefined) return file;
  if (!isObject(events)) {
    warn('"hooks" is not an object, so its hooks are not used');
    return file;
  }
  for (const [event, groups] of Object.entries(events)) {
    if (!isEvent(event)) warn(`the hook event ${shorten(event, 60)} is not known; its hooks are passed over`);
    else
      for (const hook of readGroups(groups, event, (problem) => {
        warn(`hooks.${event}${problem}`);
      }))
        file.hooks.push({ event, hook, where, layer });
  }
  return file;
}

type Warn = (problem: string) => void;

function readGroups(groups: unknown, event: ClaudeHookEvent, warn: Warn): Hook[] {
  if (!Array.isArray(groups)) {
    warn(" is not a list and is passed over");
    return [];
  }
  return groups.flatMap((group: unknown, at) => {
    const hooks = fieldOf(group, "hooks");
    const matcher = fieldOf(group, "matcher");
    if (!Array.isArray(hooks) || (matcher !== undefined && typeof matcher !== "string")) {
      warn(`[${at}] is not {"matcher"?: text, "hooks": list} and is passed over`);
      return [];
    }
    const read = readMatcher(matcher, event, (problem) => {
      warn(`[${at}].matcher${problem}`);
    });
    if ("passedOver" in read) return [];
    return hooks.flatMap((hook: unknown, index) =>
      readHook(hook, read.matcher, (problem) => {
        warn(`[${at}].hooks[${index}]${problem}`);
      }),
    );
  });
}

/** Events whose hooks can refuse a call. */
const REFUSES: ReadonlySet<ClaudeHookEvent> = new Set(["PreToolUse", "PermissionRequest"]);

/** An invalid matcher matches nothing, so a hook that can refuse a call would be off: it then applies to every tool. */
function readMatcher(
  matcher: string | undefined,
  event: ClaudeHookEvent,
  warn: Warn,
): { matcher?: string } | { passedOver: true } {
  if (matcher === undefined) return {};
  if (matcher === "" || isValidMatcher(matcher)) return { matcher };
  const isKept = REFUSES.has(event);
  const then = isKept ? "its hooks run for every tool" : "its hooks are passed over";
  warn(` ${shorten(JSON.stringify(matcher), 60)} is not a valid regular expression; ${then}`);
  return isKept ? {} : { passedOver: true };
}

/** The field that says what each type of hook runs. */
const TYPES: Readonly<Record<string, "command" | "url">> = { command: "command", http: "url" };

function readHook(hook: unknown, matcher: string | undefined, warn: Warn): Hook[] {
  const type = fieldOf(hook, "type") ?? "command";
  const field = typeof type === "string" && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (field === undefined) {
    warn(`: the type ${shorten(JSON.stringify(type), 60)} is not known; the hook is passed over`);
    return [];
  }
  const runs = fieldOf(hook, field);
  if (typeof runs !== "string" || runs === "" || (field === "url" && !isWebAddress(runs))) {
    warn(
      `.${field} is ${field === "url" ? "not an http:// or https:// address" : "not a text"}; the hook is passed over`,
    );
    return [];
  }
  if (fieldOf(hook, "headers") !== undefined) warn(".headers is not sent");
  const what = field === "url" ? { url: runs } : { command: runs };
  return [{ ...what, ...(matcher === undefined ? {} : { matcher }), ...readTimeout(hook, warn) }];
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

const LEAST_S = 0.1;
const MOST_S = 3600;

function readTimeout(hook: unknown, warn: Warn): { timeout?: number } {
  const seconds = fieldOf(hook, "timeout");
  if (seconds === undefined) return {};
  if (typeof seconds === "number" && seconds > 0)
    return { timeout: Math.min(MOST_S, Math.max(LEAST_S, seconds)) };
  warn(".timeout is not a number of seconds; the usual one is used");
  return {};
}

/** Returns the settings with these hooks after their own. */
export function addClaudeHooks(settings: Settings, hooks: readonly ClaudeHook[]): Settings {
  const events: { -readonly [event in keyof Lists]: Lists[event] } = { ...settings.hooks.events };
  for (const { event, hook } of hooks) events[event] = [...(events[event] ?? []), hook];
  return { ...settings, hooks: { ...settings.hooks, events } };
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MOST_BYTES = 1024 * 1024;

/** Loads the hooks of the user's file, then those of the project's two. `folder`: the project's; both absolute. */
export async function loadClaudeHooks(
  files: Files,
  { folder, home }: { folder: string; home: string },
): Promise<{ hooks: ClaudeHook[]; warnings: string[] }> {
  const user = await loadFile(files, path.join(home, ".claude", "settings.json"), {
    where: "~/.claude/settings.json",
    layer: "user",
  });
  // A project in the home folder has the user's file.
  const names = folder === home ? ["settings.local.json"] : ["settings.json", "settings.local.json"];
  const own = await Promise.all(
    names.map((name) =>
      loadFile(files, path.join(folder, ".claude", name), { where: `.claude/${name}`, layer: "project" }),
    ),
  );
  // The project cannot turn off the user's hooks.
  const isOff = user.isOff || own.some((file) => file.isOff);
  const used = [...(user.isOff ? [] : user.hooks), ...(isOff ? [] : own.flatMap(({ hooks }) => hooks))];
  return { hooks: used, warnings: [user, ...own].flatMap(({ warnings }) => warnings) };
}

async function loadFile(
  files: Files,
  file: string,
  place: Pick<ClaudeHook, "where" | "layer">,
): Promise<ClaudeHookFile> {
  const none = (problem?: string): ClaudeHookFile => ({
    hooks: [],
    isOff: false,
    warnings: problem === undefined ? [] : [`${place.where}: ${problem}, so its hooks are not used`],
  });
  try {
    const found = await files.stat(file);
    if (found === undefined) return none();
    // Opening a pipe blocks until another process writes into it.
    if (found.kind !== "file") return none("it is not a file");
    if (found.size > MOST_BYTES) return none("it is larger than 1 MiB");
    const bytes = await files.read(file);
    return bytes === undefined ? none() : readClaudeHooks(new TextDecoder().decode(bytes), place);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return none(`it cannot be read (${errorMessage(error)})`);
  }
}
