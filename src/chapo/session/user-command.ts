// The commands that a person types instead of a message. Some change the session, others only tell something; the model is asked
// for none of them. Any other command is a file of the project or the user, whose text becomes the prompt (prompt/commands.ts).
import path from "node:path";
import { EFFORTS } from "../../config/settings/efforts.js";
import { errorCode } from "../../system/errors.js";
import { toDefinitionPlace } from "../definitions.js";
import { forgetOpen, type Conversation } from "../engine/conversation.js";
import { compact, getTokenLimit } from "../engine/window/compact.js";
import type { ConversationOutcome, EngineWorld, LiveConversation } from "../engine/world.js";
import { readEffort } from "../models/effort.js";
import { BUILT_IN, isBuiltIn, listCommands, readCommand, type BuiltInName } from "../prompt/commands.js";
import { readProjectContext } from "../prompt/describe-project.js";
import { draftProjectFile } from "../prompt/system-prompt.js";
import { rewindTo, undoLast, type CheckpointPlace } from "./checkpoints.js";
import { nameHook } from "./session-hooks.js";
import { readTypes, type SessionParts } from "./session-world.js";
import type { SessionRequest } from "./session-request.js";
import { listSessions, type ListedSession } from "./sessions.js";

/** The result of a line: a prompt for the model, or the answer without the model. */
export type UserCommandResult = { prompt: string } | Done;

/** Does not match a path, though it begins with a slash. */
const COMMAND = /^\/([\w:-]+)(?:\s+([^]*))?$/;
const PROJECT_FILE = "AGENTS.md";

/** Runs the line if it is a command; any other line is a prompt. */
export async function handleLine(
  world: EngineWorld,
  parts: SessionParts,
  { conversation, line }: { conversation: Conversation; line: string },
): Promise<UserCommandResult> {
  const [, name, rest = ""] = COMMAND.exec(line) ?? [];
  if (name === undefined) return { prompt: line };
  const read = isBuiltIn(name) ? { name } : await readCommand(toDefinitionPlace(parts.request), line);
  if ("prompt" in read) return read;
  world.emit({ type: "status", data: { status: "running", session: conversation.id } });
  return "name" in read
    ? COMMANDS[read.name]({ parts, world, conversation }, rest.trim())
    : { refused: "problem" in read ? read.problem : "" };
}

/** Ends a message without the model. */
export async function endUnasked(
  world: EngineWorld,
  conversation: Conversation,
  done: Done,
): Promise<{ conversation: Conversation; outcome: ConversationOutcome }> {
  if ("refused" in done) {
    const error = { error: done.refused, reason: "bad-request" } as const;
    world.emit({ type: "error", data: { ...error, status: "error" } });
    return { conversation, outcome: { how: "error", ...error } };
  }
  const { told: answer, conversation: changed = conversation } = done;
  await world.save(changed);
  world.emit({ type: "answer", data: { answer, validated: false, status: "completed" } });
  return { conversation: changed, outcome: { how: "answer", answer, validated: false } };
}

/** The session that a command is about. */
interface AskedSession {
  parts: SessionParts;
  world: EngineWorld;
  conversation: Conversation;
}

/** The answer to a command, and the conversation if it changed; or why nothing was done. */
export type Done = { told: string; conversation?: Conversation } | { refused: string };

const COMMANDS: Readonly<Record<BuiltInName, (asked: AskedSession, rest: string) => Done | Promise<Done>>> = {
  clear: ({ parts, conversation }) => {
    if (parts.starts !== "startup") parts.starts = "clear";
    return {
      told: "The conversation was cleared.",
      conversation: { ...forgetOpen(conversation), messages: [] },
    };
  },
  compact: async ({ world, conversation }) => {
    const live: LiveConversation = { world, conversation };
    const done = await compact(live, []);
    if (done === false) return { told: "There is nothing to compact yet." };
    return typeof done === "object"
      ? { told: `A hook kept the older turns: ${done.blocked}` }
      : { told: "Older turns were replaced by a summary.", conversation: live.conversation };
  },
  undo: ({ parts }, rest) =>
    rest === ""
      ? undoLast(toCheckpointPlace(parts))
      : { refused: "/undo takes nothing after it; /rewind N goes back to before a message" },
  rewind: ({ parts, conversation }, rest) => rewindTo(toCheckpointPlace(parts), conversation, rest),
  init: ({ parts }, rest) => (rest === "" ? draftFile(parts) : { refused: "/init takes nothing after it" }),
  help: tellHelp,
  model: tellModel,
  effort: tellEffort,
  cost: ({ conversation }) => ({ told: tellCost(conversation) }),
  permissions: ({ parts }) => ({ told: tellPermissions(parts) }),
  agents: tellAgents,
  hooks: ({ parts }) => ({ told: tellHooks(parts) }),
  resume: tellSessions,
};

/** The place of the session's checkpoints. */
export function toCheckpointPlace({
  session,
  request,
}: SessionParts): CheckpointPlace & Pick<SessionRequest, "onWarning"> {
  return { ...request, session };
}

/** Writes a first AGENTS.md. An existing file is kept, because a person may have written it. */
async function draftFile({ request }: SessionParts): Promise<Done> {
  const place = toDefinitionPlace(request);
  const text = draftProjectFile(await readProjectContext(place));
  try {
    await place.files.writeNew(path.join(place.root, PROJECT_FILE), text);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return { told: `${PROJECT_FILE} already exists; nothing was written.` };
  }
  return {
    told: `Wrote ${PROJECT_FILE} with the facts from the project's files. Add what they do not show.`,
  };
}

async function tellHelp({ parts: { request } }: AskedSession): Promise<Done> {
  const own = (await listCommands(toDefinitionPlace(request))).filter(({ name }) => !isBuiltIn(name));
  const lines = table(Object.entries(BUILT_IN).map(([name, description]) => [`/${name}`, description]));
  if (own.length > 0)
    lines.push(
      ...["", "Your own commands, and those of this project:"],
      ...table(own.map(({ name, description }) => [`/${name}`, description])),
    );
  return { told: lines.join("\n") };
}

/** `/model NAME` changes the model for the rest of the session. */
async function tellModel({ parts, world }: AskedSession, named: string): Promise<Done> {
  const choices = listModels(parts);
  if (named !== "") {
    const opened = await parts.openModel(choices[Number(named) - 1] ?? named);
    if ("problem" in opened) return { told: `The model was not changed: ${opened.problem}` };
    parts.model = opened;
    return { told: `The model is ${opened.name} from the next message on.` };
  }
  const { fallback } = parts.request.settings;
  const lines = [
    `The model is ${world.model.name}, with ${getTokenLimit(world)} tokens for a conversation.`,
    ...(fallback.length === 0 ? [] : [`If it fails: ${fallback.join(", ")}.`]),
    ...choices.map((name, at) => `${at + 1}. ${name}`),
    "Change it with /model and a number of this list, or with /model provider/name.",
  ];
  return { told: lines.join("\n") };
}

/** The models that the settings name. */
function listModels({ request: { model, settings } }: SessionParts): string[] {
  const others = Object.values(settings.subAgents).flatMap((one) => one.model ?? []);
  return [...new Set([model, ...settings.fallback, ...others])];
}

/** `/effort LEVEL` changes how much the model thinks, for the rest of the session. */
function tellEffort({ parts }: AskedSession, named: string): Done {
  if (named === "") {
    const now = parts.effort ?? "not set: the model decides";
    return { told: `The effort is ${now}.\nChange it with /effort ${EFFORTS.join("|")}.` };
  }
  const read = readEffort(named);
  if ("problem" in read) return { told: `The effort was not changed: ${read.problem}.` };
  parts.effort = read.effort;
  return { told: `The effort is ${read.effort} from the next message on.` };
}

function tellCost({ usage, turns }: Conversation): string {
  const { input_tokens: input, cached_input_tokens: cached, cost_usd: cost, unpriced } = usage;
  const requests = Object.values(turns).reduce((sum, count) => sum + count, 0);
  const known = `$${cost.toFixed(4)}`;
  const price = unpriced === 0 ? known : cost > 0 ? `at least ${known}` : "unknown";
  return table([
    ["requests", String(requests)],
    ["input tokens", `${input + cached}, ${cached} of them from the cache`],
    ["output tokens", String(usage.output_tokens)],
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

async function tellAgents({ parts: { request } }: AskedSession): Promise<Done> {
  const types = await readTypes(request);
  const rows = [...types.values()].map(({ name, description }) => [name, description] as const);
  return { told: table(rows).join("\n") };
}

async function tellSessions({ parts }: AskedSession, rest: string): Promise<Done> {
  if (rest !== "")
    return { refused: "/resume with a session is for a terminal; elsewhere use looper chapo --session ID" };
  const others = await listOthers(parts);
  if (others.length === 0) return { told: "This project has no other session." };
  const rows = others.map(({ id, title }, at) => [`${at + 1}. ${id}`, title] as const);
  return { told: [...table(rows), "", "Go to one with /resume and its number, or its id."].join("\n") };
}

/** The other sessions of the project that can be resumed, the newest first. */
export async function listOthers({ request, session }: SessionParts): Promise<readonly ListedSession[]> {
  const { sessions } = await listSessions({ ports: request.ports, folder: request.sessionsFolder });
  return sessions
    .filter(({ id, messages, isHeld }) => id !== session.id && messages > 0 && !isHeld)
    .slice(0, 20);
}

/** Two columns. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${(text.split("\n")[0] ?? "").slice(0, 300)}`);
}
