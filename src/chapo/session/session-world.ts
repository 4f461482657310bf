// Builds the engine's world for one message of an open session, with the current prompts, tools, rules and files.
// open-session.ts opens the parts that outlive a message.
import type { Effort } from "../../config/settings/efforts.js";
import { redactValue } from "../../system/text/secrets/redact.js";
import { findLocalOffset } from "../../system/clock.js";
import { TABLE } from "../rules/modes.js";
import { getSystemName } from "../../system/system-name.js";
import type { Clock } from "../../system/ports.js";
import { createSlashTool, isBuiltIn, listCommands } from "../prompt/commands.js";
import type { Conversation, Message } from "../engine/conversation.js";
import { createTaskTool, createTogether, type Delegation } from "../engine/children/delegate.js";
import type { ChapoNews } from "../engine/events.js";
import {
  matchesTool,
  createSubAgents,
  readTaskTypes,
  collectTaskTypes,
} from "../engine/children/sub-agents.js";
import type { LiveConversation, EngineWorld, Gatekeepers, SubAgent } from "../engine/world.js";
import { formatWallClock, type ProjectMemory } from "../memory/memory.js";
import type { Model } from "../model.js";
import { toDefinitionPlace } from "../definitions.js";
import { readProjectContext, type ProjectContext } from "../prompt/describe-project.js";
import type { ChapoPrompts } from "../prompt/prompts.js";
import { collectUnused, selectOffered, keepStablePart } from "./stable-prompt.js";
import { toSessionModel, attachImages, loadImages, type ImagePlace } from "./images.js";
import type { Guard, SessionPermissions } from "./permissions/guard.js";
import type { SessionRequest } from "./session-request.js";
import { KEPT, openInbox, type OpenSession } from "./sessions.js";
import { formatSkills, collectSkillTools, type Skill } from "../prompt/skills.js";
import { buildSubAgentPrompt } from "../prompt/system-prompt.js";
import type { FireHooks } from "../hooks/hook-answer.js";
import type { SessionStart } from "./session-hooks.js";
import type { Tool } from "../tool.js";
import type { Toolbox } from "./toolbox.js";
import { checkSubjects, findLeftOut } from "../paths.js";
import { toCanonicalCall, offerTools } from "../vocabulary.js";

/** The parts of an open session. */
export interface SessionParts {
  request: SessionRequest;
  prompts: ChapoPrompts;
  model: Model;
  /** How much the model is to think; absent: as it does by itself. */
  effort: Effort | undefined;
  /** The names of models that refused images. */
  withoutImages: Set<string>;
  /** Counts the requests to models. */
  requests: { sent: number };
  /** The usage of the session so far. */
  spent: EngineWorld["spent"];
  session: OpenSession;
  skills: readonly Skill[];
  memory: ProjectMemory;
  toolbox: Toolbox;
  /** The checks of calls and results. */
  guard: Guard;
  /** Why SessionStart is fired before the next message; absent: it was fired. */
  starts?: SessionStart;
  /** Resolves when the hooks that nothing waits for have ended. */
  hooksEnded: () => Promise<void>;
  /** Runs hooks; absent if there are none. */
  hooks?: FireHooks;
  /** The mode and the rules. */
  permissions: SessionPermissions;
  emit: (news: ChapoNews) => void;
  /** All messages so far, also of sub-agents' conversations. */
  said: Message[];
  /** Opens another model by its name, or returns why it cannot be opened. */
  openModel: Delegation["openModel"];
}

/** The sub-agents that work at the same time in a session that only reads. */
const READERS = 4;

/** Creates the world. The project's notes and files are read again for each message. */
export async function createWorld(
  parts: SessionParts,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<EngineWorld> {
  const { request, session, prompts, skills, memory, emit } = parts;
  const { ports, settings, task } = request;
  const native = settings.toolCalls === "native";
  await parts.toolbox.ready();
  const [project, noted, unused] = await Promise.all([
    readProjectContext({ ...request, ...toDefinitionPlace(request), hidden: parts.guard.hidden }),
    memory.forPrompt(),
    findUnused(parts),
  ]);
  const agents = createSubAgents(settings.subAgents);
  const allowed = collectSkillTools(skills) ?? ["*"];
  const today = getToday(ports.clock);
  const told = { prompts, project, today, skills: formatSkills(skills), memory: noted };
  // With native calls the engine finds the agent of a call by its tool.
  const prompted = { ...told, agents: native ? [] : agents };
  const stable = await keepStablePart(session.part("prompt"), { parts: prompted, unused }, conversation);
  const world: EngineWorld = {
    ...{ clock: ports.clock, random: ports.random, requests: parts.requests, spent: parts.spent },
    inboxes: [openInbox(ports.files, session.folder), request.inbox ?? []].flat(),
    save: (changed) => session.save(changed),
    load: (id) => session.readChild(id),
    openShell: (child) => parts.toolbox.openShell(child),
    takeMessages: () => Promise.all((request.takeMessages?.() ?? []).map((text) => addImages(parts, text))),
    settings: { ...settings, selfValidationEnabled: settings.selfValidationEnabled ?? task !== undefined },
    model: wrapModel(parts),
    who: "looper",
    agents,
    emit,
    signal,
    mayAsk: true,
    mayWait: task?.mayWait ?? true,
    system: stable.system,
    prompts,
    // Tools that change the conversation are created for it.
    tools: (live) =>
      [...parts.toolbox.tools, ...conversationTools(live)].filter(({ name }) => matchesTool(allowed, name)),
    offer: (tools, names) =>
      offerTools(settings.tools, selectOffered(tools, stable.unused), native ? [] : names),
    canonical: (name, args) => toCanonicalCall(settings.tools, name, args),
    gate: createGate(parts),
    finish: task?.finish,
    hooks: parts.hooks,
    remember: (summary) => rememberSummary(parts, summary),
  };
  const delegation = await createDelegation(parts, agents, project);
  const usual = request.permissions === "read-only" ? READERS : 1;
  world.together = createTogether(delegation.types, settings.maxParallelChildren ?? usual);
  const conversationTools = (live: LiveConversation): Tool[] => [
    createSlash(parts, live),
    ...(world.together?.most === 0 ? [] : [createTaskTool(live, delegation)]),
    ...parts.permissions.tools(),
  ];
  return world;
}

async function findUnused({ request, permissions }: SessionParts): Promise<readonly string[]> {
  const { files } = request.ports;
  const looksFreely = TABLE[permissions.mode()].look === "run";
  const { root, settings } = request;
  const commands = await listCommands(toDefinitionPlace(request));
  const hasCommands = commands.some(({ name }) => !isBuiltIn(name));
  return collectUnused({ files, root, settings, hasCommands, looksFreely });
}

function getToday(clock: Clock): { day: string; system: string } {
  return { day: formatWallClock(clock.now(), findLocalOffset).day, system: getSystemName() };
}

function toImagePlace({ request: { ports, root, home }, session, guard }: SessionParts): ImagePlace {
  return {
    ...{ files: ports.files, root, home, folder: session.folder },
    isHidden: async (file) => (await findLeftOut(guard.hidden, "content", [file])).has(file),
  };
}

function wrapModel(parts: SessionParts): Model {
  const { model, session, withoutImages, request } = parts;
  return toSessionModel(model, {
    cacheKey: session.id,
    effort: () => parts.effort,
    loadImages: (messages) => loadImages(toImagePlace(parts), messages),
    withoutImages,
    onWarning: request.onWarning,
  });
}

/** Adds the images that a person's message names. The texts of a backlog name files, not images. */
export async function addImages(parts: SessionParts, text: string): Promise<string> {
  if (parts.request.task !== undefined) return text;
  const attached = await attachImages(toImagePlace(parts), text);
  for (const problem of attached.problems) parts.request.onWarning(problem);
  if (attached.images.length > 0) parts.emit({ type: "attached", data: { images: [...attached.images] } });
  return attached.text;
}

function createGate({ request, session, guard }: SessionParts): Gatekeepers {
  const place = { files: request.ports.files, root: request.root };
  return {
    checkSubjects: (subjects) => checkSubjects(place, subjects),
    permit: guard.permit,
    remember: guard.remember,
    ask: request.ask,
    canStore: (value) => JSON.stringify(redactValue(request.redact, value, KEPT)) === JSON.stringify(value),
    screen: guard.screen,
    keepOutput: (callId, text) => session.keepOutput(callId, text),
    audit: (record) => session.audit(record),
  };
}

function createSlash({ request }: SessionParts, live: LiveConversation): Tool {
  return createSlashTool(toDefinitionPlace(request), (name) => {
    live.requestedCommand = name;
    return `/${name} takes effect before your next turn.`;
  });
}

async function rememberSummary(parts: SessionParts, summary: string): Promise<void> {
  const { request, session, memory } = parts;
  // Later prompts would contain it. It is in the session file anyway.
  if (!parts.guard.mayRemember()) return;
  const written = await memory.rememberSummary(session.id, summary);
  // In a run the memory is read-only, and the summary is in the session file.
  if (written !== undefined && !memory.readOnly) request.onWarning(written.refused);
}

/** Collects the sub-agents for tasks: the built-in ones, those in the settings and the project's own. */
async function createDelegation(
  { request, prompts, openModel }: SessionParts,
  agents: readonly SubAgent[],
  project: ProjectContext,
): Promise<Delegation> {
  return {
    types: await readTypes(request, agents, (type) => prompts[`looper.agent.${type}`]),
    lead: (prompt) => buildSubAgentPrompt(prompt, project, getToday(request.ports.clock)),
    openModel,
  };
}

/** Reads the types of sub-agents for tasks. A problem in a file of the project is a warning. */
export async function readTypes(
  place: Pick<SessionRequest, "ports" | "root" | "home" | "env" | "settings" | "onWarning">,
  agents: readonly SubAgent[],
  promptOf: (type: string) => string | undefined,
): Promise<Delegation["types"]> {
  const { settings, onWarning } = place;
  const own = await readTaskTypes(toDefinitionPlace(place));
  for (const problem of own.problems) onWarning(problem);
  return collectTaskTypes({ agents, promptOf, settings: settings.subAgents, own: own.found });
}
