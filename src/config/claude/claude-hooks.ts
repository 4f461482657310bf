// Finds the settings files of Claude Code, where `hooks.read_claude` says so, and reads their hooks as hooks
// of Chapo. An unknown key is named in a warning and passed over.
import path from "node:path";
import { z } from "zod";
import type { Files } from "../../system/ports.js";
import { CHAPO_HOOK_ROWS, isValidMatcher } from "../settings/chapo-rows.js";
import type { Settings } from "../settings/settings.js";
import { shorten } from "../../system/text/cut.js";
import { readInside } from "../../system/files/read-inside.js";
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

const Group = z.object({ matcher: z.string().optional(), hooks: z.array(z.unknown()) });

/** In seconds; what is none leaves the usual one. */
const timeout = z
  .number()
  .gt(0)
  .transform((seconds) => Math.min(3600, Math.max(0.1, seconds)))
  .optional()
  .catch(undefined);
const ClaudeHookShape = z.union([
  z.object({ type: z.literal("command").default("command"), command: z.string().min(1), timeout }),
  z.object({ type: z.literal("http"), url: z.url({ protocol: /^https?$/ }), timeout }),
]);

/** Reads a file. `where`: its name, as shown to people. */
export function readClaudeHooks(text: string, { where, layer }: Pick<ClaudeHook, "where" | "layer">) {
  const file: ClaudeHookFile = { hooks: [], isOff: false, warnings: [] };
  const warn: Warn = (problem) => file.warnings.push(`${where}: ${problem}`);
  const json = tryParseJson(text);
  const { disableAllHooks, hooks: events = {} } = json.ok && isRecord(json.value) ? json.value : {};
  if (!json.ok) warn("it is not valid JSON, so its hooks are not used");
  else if (!isRecord(events)) warn('"hooks" is not an object, so its hooks are not used');
  file.isOff = disableAllHooks === true;
  for (const [event, groups] of Object.entries(isRecord(events) ? events : {})) {
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
  const used = isValid && matcher !== undefined ? { matcher } : {};
  return (isKept ? hooks : []).flatMap((hook, index) => {
    const { data: read } = ClaudeHookShape.safeParse(hook);
    const form = '{"command": text} or {"type": "http", "url": an http:// or https:// address}';
    if (read === undefined) warn(`${at}.hooks[${index}] is not ${form} and is passed over`);
    if (isRecord(hook) && hook["headers"] !== undefined) warn(`${at}.hooks[${index}].headers is not sent`);
    if (read === undefined) return [];
    const { type: _type, timeout: seconds, ...what } = read;
    return [{ ...what, ...used, ...(seconds === undefined ? {} : { timeout: seconds }) }];
  });
}

/** Events whose hooks can refuse a call. */
const REFUSES: ReadonlySet<ClaudeHookEvent> = new Set(["PreToolUse", "PermissionRequest"]);

/** Returns the settings with these hooks after their own. */
export function addClaudeHooks(settings: Settings, hooks: readonly ClaudeHook[]): Settings {
  const events: { -readonly [event in keyof Lists]: Lists[event] } = { ...settings.hooks.events };
  for (const { event, hook } of hooks) events[event] = [...(events[event] ?? []), hook];
  return { ...settings, hooks: { ...settings.hooks, events } };
}

/** The hooks of the user's file, then those of the project's two. `folder`: the project's; both absolute. */
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
  const isThere = await files.stat(file, { link: true }).then(
    (stat) => stat !== undefined,
    () => true,
  );
  if (!isThere) return { hooks: [], isOff: false, warnings: [] };
  const read = await readInside(files, file, undefined);
  if (read.ok) return readClaudeHooks(new TextDecoder().decode(read.value), place);
  return { hooks: [], isOff: false, warnings: [`${place.where}: ${read.error}, so its hooks are not used`] };
}
