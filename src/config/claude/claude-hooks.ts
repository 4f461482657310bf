// Finds the settings files of Claude Code, where `hooks.read_claude` says so, and reads their hooks as hooks of Chapo. A key that
// is not known is named in a warning and passed over.
import path from "node:path";
import { z } from "zod";
import { errorCode, errorMessage } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { CHAPO_HOOK_ROWS, isValidMatcher } from "../settings/chapo-rows.js";
import type { Settings } from "../settings/settings.js";
import { shorten } from "../../system/text/cut.js";
import { tryParseJson, isRecord } from "../../system/text/json.js";

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

/** Takes a sentence about what was passed over. */
type Warn = (problem: string) => void;

/** The fields of an object; none of anything else. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Reads a file. `where`: its name, as shown to people. */
export function readClaudeHooks(text: string, { where, layer }: Pick<ClaudeHook, "where" | "layer">) {
  const file: ClaudeHookFile = { hooks: [], isOff: false, warnings: [] };
  const warn: Warn = (problem) => file.warnings.push(`${where}: ${problem}`);
  const settings = tryParseJson(text);
  if (!settings.ok) warn("it is not valid JSON, so its hooks are not used");
  const { disableAllHooks, hooks: events = {} } = fieldsOf(settings.ok ? settings.value : {});
  file.isOff = disableAllHooks === true;
  if (!isRecord(events)) warn('"hooks" is not an object, so its hooks are not used');
  for (const [event, groups] of Object.entries(fieldsOf(events))) {
    if (!isEvent(event)) warn(`the hook event ${shorten(event, 60)} is not known; its hooks are passed over`);
    else if (!Array.isArray(groups)) warn(`hooks.${event} is not a list and is passed over`);
    else {
      const hooks = groups.flatMap((group: unknown, at) =>
        readGroup(group, { event, at: `hooks.${event}[${at}]`, warn }),
      );
      file.hooks.push(...hooks.map((hook) => ({ event, hook, where, layer })));
    }
  }
  return file;
}

const Group = z.object({ matcher: z.string().optional(), hooks: z.array(z.unknown()) });

function readGroup(group: unknown, facts: { event: ClaudeHookEvent; at: string; warn: Warn }): Hook[] {
  const { event, at, warn } = facts;
  const { data } = Group.safeParse(group);
  if (data === undefined) {
    warn(`${at} is not {"matcher"?: text, "hooks": list} and is passed over`);
    return [];
  }
  const { matcher, hooks } = data;
  const isValid = matcher === undefined || matcher === "" || isValidMatcher(matcher);
  // An invalid matcher matches nothing, so a hook that can refuse a call would be off: it then applies to every tool.
  const isKept = isValid || REFUSES.has(event);
  if (!isValid) {
    const then = isKept ? "its hooks run for every tool" : "its hooks are passed over";
    const shown = shorten(JSON.stringify(matcher), 60);
    warn(`${at}.matcher ${shown} is not a valid regular expression; ${then}`);
  }
  if (!isKept) return [];
  const used = { matcher: isValid ? matcher : undefined };
  return hooks.flatMap((hook, index) => readHook(hook, used, { at: `${at}.hooks[${index}]`, warn }));
}

/** Events whose hooks can refuse a call. */
const REFUSES: ReadonlySet<ClaudeHookEvent> = new Set(["PreToolUse", "PermissionRequest"]);

const Command = z.object({ command: z.string().min(1) });
const Url = z.object({
  url: z
    .string()
    .regex(/^https?:\/\//)
    .refine((url) => URL.canParse(url)),
});

function readHook(
  hook: unknown,
  matcher: { matcher?: string },
  { at, warn }: { at: string; warn: Warn },
): Hook[] {
  const { type: named, command, url, headers, timeout } = fieldsOf(hook);
  const type = named ?? "command";
  if (type !== "command" && type !== "http") {
    warn(`${at}: the type ${shorten(JSON.stringify(type), 60)} is not known; the hook is passed over`);
    return [];
  }
  const what = type === "http" ? Url.safeParse({ url }).data : Command.safeParse({ command }).data;
  if (what === undefined) {
    const why = type === "http" ? ".url is not an http:// or https:// address" : ".command is not a text";
    warn(`${at}${why}; the hook is passed over`);
    return [];
  }
  if (headers !== undefined) warn(`${at}.headers is not sent`);
  const read = { ...what, ...matcher };
  if (timeout === undefined) return [read];
  if (typeof timeout === "number" && timeout > 0)
    return [{ ...read, timeout: Math.min(MOST_S, Math.max(LEAST_S, timeout)) }];
  warn(`${at}.timeout is not a number of seconds; the usual one is used`);
  return [read];
}

const LEAST_S = 0.1;
const MOST_S = 3600;

/** Returns the settings with these hooks after their own. */
export function addClaudeHooks(settings: Settings, hooks: readonly ClaudeHook[]): Settings {
  const events: { -readonly [event in keyof Lists]: Lists[event] } = { ...settings.hooks.events };
  for (const { event, hook } of hooks) events[event] = [...(events[event] ?? []), hook];
  return { ...settings, hooks: { ...settings.hooks, events } };
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
