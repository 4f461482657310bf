// The one place that puts a session together: its file, model, tools, prompts, rules; then the loop hears what is said.
// Used by `looper chapo` and by the host of a backlog run's agent. Leaves the loop to engine/converse.ts.
import path from "node:path";
import { readPrices } from "../config/prices.js";
import { UserError } from "../system/errors.js";
import { redactValue } from "../system/redact.js";
import { slashTool } from "./commands.js";
import type { Conversation } from "./engine/conversation.js";
import { converse } from "./engine/converse.js";
import { sealEvents, type ChapoNews } from "./engine/events.js";
import type { Outcome } from "./engine/world.js";
import { openMemory } from "./memory/memory.js";
import type { Model } from "./model.js";
import { openModel, type ModelSettings } from "./models/open-model.js";
import { openPermit } from "./permit.js";
import { chapoPromptPlaces } from "./prompt-places.js";
import { readChapoPrompts } from "./prompts.js";
import { readRules, type Rules } from "./rules/decide.js";
import type { Chapo, SessionRequest } from "./session-request.js";
import { beginSession, resumeSession, type OpenSession, type SessionPlace } from "./sessions.js";
import { worldOf, type Parts } from "./session-world.js";
import { chooseSkills, loadSkills } from "./skills.js";
import type { Tool } from "./tool.js";
import { isMentioned } from "./tools/mentioned.js";
import { takeCommand } from "./user-command.js";
import { openToolbox, type Toolbox, type ToolboxRequest } from "./toolbox.js";

/** Opens a session. Whatever keeps it from opening is a `UserError`. */
export async function openChapo(request: SessionRequest): Promise<Chapo> {
  const { ports, root, settings } = request;
  const place = { files: ports.files, root };
  const prompts = await readChapoPrompts(ports.files, chapoPromptPlaces(request.promptsFolder, settings));
  const model = await openModel(await modelSettings(request), { ...ports, env: request.env });
  const found = await loadSkills(place);
  for (const problem of found.problems) request.onWarning(problem);
  // Before a session is begun: one that cannot be had leaves none behind.
  chooseSkills(found, request.skills);
  const session = await openFile(request);
  const skills = chooseSkills(found, session.conversation.skills);
  const memory = openMemory(ports, { root, zone: zoneHere(), readOnly: request.task !== undefined });
  const mentioned = textsOf(session.conversation);
  const toolbox = await openToolbox({
    ...request,
    ...(settings.webFetch.onlyMentioned === true
      ? { wasMentioned: (url: string) => isMentioned(url, mentioned) }
      : {}),
    memory,
    outputs: path.join(session.folder, "outputs"),
    todos: { read: () => session.readPart("todos"), write: (list) => session.writePart("todos", list) },
  });
  const seal = sealEvents(ports.clock, (event) => {
    request.onEvent(redactValue(request.redact, event, NAMES));
  });
  const emit = (news: ChapoNews): void => {
    if (news.type === "tool_result" && !OWN_WORDS.has(news.data.tool)) mentioned.push(news.data.output);
    seal(news);
  };
  const permit = openPermit({
    ...{
      rules: rulesOf(request, toolbox.tools),
      mode: settings.trustMode ?? "default",
      files: ports.files,
      root,
    },
    ...(request.ask === undefined ? {} : { ask: request.ask }),
  });
  return talkable({
    request,
    prompts,
    model,
    session,
    skills,
    memory,
    toolbox,
    permit,
    emit,
    mentioned,
    openModel: (name) => otherModel(request, name),
  });
}

/** A rule that cannot be read is an error: a prohibition that is passed over would be none. */
function rulesOf({ settings, root }: SessionRequest, tools: readonly Tool[]): Rules {
  const { rules, problems } = readRules(settings.rules, { root, tools: tools.map(({ name }) => name) });
  if (problems.length === 0) return rules;
  throw new UserError("usage", problems.join("\n"), "correct agents.chapo.chapo.rules");
}

/** Their results are the model's own words, which mention nothing. */
const OWN_WORDS = new Set(["agent_task", "todo_write", "todo_read", "memory_remember"]);

/** What the user and results said so far. */
function textsOf({ messages }: Conversation): string[] {
  return messages.flatMap((message) => {
    if (message.role === "user") return [message.text];
    return message.role === "tool" ? message.results.map(({ output }) => output) : [];
  });
}

/** A model that a sub-agent is to have of its own. */
async function otherModel(request: SessionRequest, name: string): Promise<Model | { problem: string }> {
  try {
    return await openModel(
      { ...(await modelSettings(request)), model: name, fallback: [] },
      { ...request.ports, env: request.env },
    );
  } catch (error) {
    if (error instanceof UserError) return { problem: error.message };
    throw error;
  }
}

/** In an event these are never a secret. */
const NAMES = new Set(["type", "timestamp", "session", "callId", "tool", "agent", "status", "child"]);

function talkable(parts: Parts): Chapo {
  const { session, toolbox } = parts;
  let { conversation } = session;
  return {
    id: session.id,
    tools: toolbox.tools,
    hear: async (message, signal) => {
      const heard = await hear(parts, conversation, { message, signal });
      conversation = heard.conversation;
      return heard.outcome;
    },
    close: async () => {
      await toolbox.close();
      await session.close();
    },
  };
}

interface Heard {
  conversation: Conversation;
  outcome: Outcome;
}

async function hear(
  parts: Parts,
  conversation: Conversation,
  { message, signal }: { message: string; signal: AbortSignal },
): Promise<Heard> {
  const { ports, root } = parts.request;
  const world = await worldOf(parts, signal);
  const place = { files: ports.files, root };
  parts.mentioned.push(message);
  const taken = await takeCommand(world, place, { conversation, line: message });
  return "prompt" in taken ? converse(world, conversation, taken.prompt) : taken;
}

async function openFile(request: SessionRequest): Promise<OpenSession> {
  const { ports, redact, resume } = request;
  const place: SessionPlace = { ports, redact, folder: request.sessionsFolder };
  return resume === undefined ? beginSession(place, request.skills) : resumeSession(place, resume);
}

async function modelSettings({ ports, settings, model }: SessionRequest): Promise<ModelSettings> {
  const { baseUrl, fallback, script, pricesFile, contextWindow, stream, temperature, maxOutputTokens } =
    settings;
  return {
    ...{ model, fallback, stream, maxRetries: settings.maxToolRetries },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(script === undefined ? {} : { script }),
    ...(pricesFile === undefined ? {} : { prices: await readPrices(ports.files, pricesFile) }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** The tools as they would be, without a session. Nothing of them can be called. */
export async function openListing(request: ListingRequest): Promise<Toolbox> {
  const { ports, root } = request;
  const memory = openMemory(ports, { root, zone: zoneHere(), readOnly: true });
  const nowhere = { read: () => Promise.resolve(undefined), write: () => Promise.resolve() };
  const toolbox = await openToolbox({ ...request, memory, outputs: root, todos: nowhere });
  const slash = slashTool({ files: ports.files, root }, (name) => name);
  return { ...toolbox, tools: [...toolbox.tools, slash] };
}

/** What it takes to list the tools. */
export type ListingRequest = Omit<ToolboxRequest, "memory" | "outputs" | "todos">;

/** Of the machine: a day begins when the user's does. */
function zoneHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
