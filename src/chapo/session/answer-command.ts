// Answers the commands that only tell something: /help, /model, /effort, /cost, /permissions, /agents, /hooks and /resume. The model is
// asked for none of them. user-command.ts carries out the commands that change the conversation.
import { toDefinitionPlace } from "../definitions.js";
import { BUILT_IN, listCommands } from "../prompt/commands.js";
import type { Conversation } from "../engine/conversation.js";
import { getTokenLimit } from "../engine/window/compact.js";
import type { EngineWorld } from "../engine/world.js";
import { EFFORTS } from "../../config/settings/efforts.js";
import { readEffort } from "../models/effort.js";
import { nameHook } from "./session-hooks.js";
import { listSessions } from "./sessions.js";
import { readTypes, type SessionParts } from "./session-world.js";

/** The commands that only tell something. */
export const TELLING = [
  "help",
  "model",
  "effort",
  "cost",
  "permissions",
  "agents",
  "hooks",
  "resume",
] as const;
export type TellingCommand = (typeof TELLING)[number];

/** The session that is asked about. */
export interface AskedSession {
  parts: SessionParts;
  world: EngineWorld;
  conversation: Conversation;
}

/** Returns the command of a line, with what follows its name; `undefined` if it is another one. */
export function readTelling(line: string): { name: TellingCommand; rest: string } | undefined {
  const [, typed = "", rest = ""] = /^\/([\w-]+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const name = TELLING.find((one) => one === typed);
  return name === undefined ? undefined : { name, rest: rest.trim() };
}

const ANSWERS: Readonly<Record<TellingCommand, (asked: AskedSession, rest: string) => Promise<string>>> = {
  help: tellHelp,
  model: tellModel,
  effort: tellEffort,
  cost: ({ conversation }) => Promise.resolve(tellCost(conversation)),
  permissions: ({ parts }) => Promise.resolve(tellPermissions(parts)),
  agents: tellAgents,
  hooks: ({ parts }) => Promise.resolve(tellHooks(parts)),
  resume: tellSessions,
};

/** Returns the answer to a command. */
export function answerTelling(
  asked: AskedSession,
  { name, rest }: { name: TellingCommand; rest: string },
): Promise<string> {
  return ANSWERS[name](asked, rest);
}

async function tellHelp({ parts: { request } }: AskedSession): Promise<string> {
  const listed = await listCommands(toDefinitionPlace(request));
  const own = listed.filter(({ name }) => !Object.hasOwn(BUILT_IN, name));
  return [
    ...table(Object.entries(BUILT_IN).map(([name, description]) => [`/${name}`, description])),
    ...(own.length === 0
      ? []
      : [
          "",
          "Your own commands, and those of this project:",
          ...table(own.map(({ name, description }) => [`/${name}`, description])),
        ]),
  ].join("\n");
}

/** `/model NAME` changes the model for the rest of the session. */
async function tellModel({ parts, world }: AskedSession, named: string): Promise<string> {
  if (named !== "") {
    const opened = await parts.openModel(named);
    if ("problem" in opened) return `The model was not changed: ${opened.problem}`;
    parts.model = opened;
    return `The model is ${opened.name} from the next message on.`;
  }
  const { fallback } = parts.request.settings;
  return [
    `The model is ${world.model.name}, with ${getTokenLimit(world)} tokens for a conversation.`,
    fallback.length === 0 ? "" : `If it fails: ${fallback.join(", ")}.`,
    "Change it with /model provider/name.",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** `/effort LEVEL` changes how much the model thinks, for the rest of the session. */
function tellEffort({ parts }: AskedSession, named: string): Promise<string> {
  if (named === "") {
    const now = parts.effort === undefined ? "not set: the model decides" : parts.effort;
    return Promise.resolve(`The effort is ${now}.\nChange it with /effort ${EFFORTS.join("|")}.`);
  }
  const read = readEffort(named);
  if ("problem" in read) return Promise.resolve(`The effort was not changed: ${read.problem}.`);
  parts.effort = read.effort;
  return Promise.resolve(`The effort is ${read.effort} from the next message on.`);
}

function tellCost({ usage, turns }: Conversation): string {
  const {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    cost_usd: cost,
    unpriced,
  } = usage;
  const requests = Object.values(turns).reduce((sum, count) => sum + count, 0);
  const known = `$${cost.toFixed(4)}`;
  const price = unpriced === 0 ? known : cost > 0 ? `at least ${known}` : "unknown";
  return table([
    ["requests", String(requests)],
    ["input tokens", `${input + cached}, ${cached} of them from the cache`],
    ["output tokens", String(output)],
    ["cost", unpriced === 0 ? price : `${price}: the price of ${unpriced} requests is not known`],
  ]).join("\n");
}

function tellPermissions({ request: { permissions: offered }, permissions }: SessionParts): string {
  const { allow, ask, deny } = permissions.rules;
  const list = (rules: readonly string[]): string => (rules.length === 0 ? "none" : rules.join(", "));
  return table([
    ["mode", permissions.mode()],
    ["tools", offered],
    ["allow", list(allow)],
    ["ask", list(ask)],
    ["deny", list(deny)],
  ]).join("\n");
}

function tellHooks({ request: { settings } }: SessionParts): string {
  const hooks = Object.entries(settings.hooks ?? {}).flatMap(([event, list]) =>
    list.map((hook) => [event, `${hook.matcher ?? "*"}: ${nameHook(hook)}`] as const),
  );
  return hooks.length === 0 ? "No hooks are configured." : table(hooks).join("\n");
}

async function tellAgents({ parts: { request }, world }: AskedSession): Promise<string> {
  const types = await readTypes(request, world.agents, () => undefined);
  return table([...types.values()].map(({ name, description }) => [name, description])).join("\n");
}

async function tellSessions({ parts: { request, session } }: AskedSession): Promise<string> {
  const { ports, sessionsFolder } = request;
  const { sessions } = await listSessions({ ports, folder: sessionsFolder });
  const others = sessions.filter(({ id, messages }) => id !== session.id && messages > 0).slice(0, 20);
  if (others.length === 0) return "This project has no other session.";
  return [
    ...table(others.map(({ id, title }) => [id, title])),
    "",
    "Resume one with /resume ID at a terminal, or with looper chapo --session ID.",
  ].join("\n");
}

/** Two columns. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${(text.split("\n")[0] ?? "").slice(0, 300)}`);
}
