// Builds the engine's world for one message of an open session, with the current prompts, tools, rules and files.
// open-session.ts opens the parts that outlive a message.
import type { Effort } from "../../config/settings/efforts.js";
import { redactValue } from "../../system/text/secrets/redact.js";
import { findLocalOffset } from "../../system/clock.js";
import { TABLE } from "../rules/modes.js";
import { getSystemName } from "../../system/processes/account.js";
import { createSlashTool, isBuiltIn, listCommands } from "../prompt/commands.js";
import type { Conversation, Message } from "../engine/conversation.js";
import { createTaskTool, createTogether, type Delegation } from "../engine/children/delegate.js";
import type { ChapoNews } from "../engine/events.js";
import {
  createTypes,
  listRouted,
  matchesTool,
  readTaskTypes,
  type TaskType,
} from "../engine/children/sub-agents.js";
import type { LiveConversation, EngineWorld, Gatekeepers } from "../engine/world.js";
import { formatWallClock, type ProjectMemory } from "../memory/memory.js";
import type { Model } from "../model.js";
import { toDefinitionPlace } from "../definitions.js";
import { readProjectContext } from "../prompt/describe-project.js";
import type { ChapoPrompts } from "../prompt/prompts.js";
import { collectUnused, selectOffered, keepStablePart } from "./stable-prompt.js";
import { toSessionModel, attachImages, loadImages, type ImagePlace } from "./images.js";
import type { Guard, SessionPermissions } from "./permissions/guard.js";
import type { SessionRequest } from "./session-request.js";
import { KEPT, openInbox, type OpenSession } from "./sessions.js";
import { formatSkills, collectSkillTools, type Skill } from "../prompt/skills.js";
import { buildSubAgentPrompt } from "../prompt/system-prompt.js";
import type { SessionHooks, SessionStart } from "./session-hooks.js";
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
  hooks: SessionHooks;
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
  const types = createTypes(settings.subAgents, (type) => prompts[`looper.agent.${type}`]);
  const agents = listRouted(types);
  const allowed = collectSkillTools(skills) ?? ["*"];
  const { day } = formatWallClock(ports.clock.now(), findLocalOffset);
  const today = { day, system: getSystemName() };
  const told = { prompts, project, today, skills: formatSkills(skills), memory: noted };
  // With native calls the engine finds the agent of a call by its tool.
  const prompted = { ...told, agents: native ? [] : agents };
  const stable = await keepStablePart(session.part("prompt"), { parts: prompted, unused }, conversation);
  const world: EngineWorld = {
    ...{ clock: ports.clock, random: ports.random, spent: parts.spent },
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
    hooks: parts.hooks.fire,
    remember: (summary) => rememberSummary(parts, summary),
  };
  const delegation: Delegation = {
    types: await readTypes(request, types),
    lead: (prompt) => buildSubAgentPrompt(prompt, project, today),
    openModel: parts.openModel,
  };
  const usual = request.permissions === "read-only" ? READERS : 1;
  world.together = createTogether(delegation.types, settings.maxParallelChildren ?? usual);
  const conversationTools = (live: LiveConversation): Tool[] => [
    createSlashTool(toDefinitionPlace(request), (name) => {
      live.requestedCommand = name;
      return `/${name} takes effect before your next turn.`;
    }),
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
    ...guard,
    checkSubjects: (subjects) => checkSubjects(place, subjects),
    ask: request.ask,
    canStore: (value) => JSON.stringify(redactValue(request.redact, value, KEPT)) === JSON.stringify(value),
    keepOutput: (callId, text) => session.keepOutput(callId, text),
    audit: (record) => session.audit(record),
  };
}

async function rememberSummary(parts: SessionParts, summary: string): Promise<void> {
  const { request, session, memory } = parts;
  // Later prompts would contain it. It is in the session file anyway.
  if (!parts.guard.mayRemember()) return;
  const written = await memory.rememberSummary(session.id, summary);
  // In a run the memory is read-only, and the summary is in the session file.
  if (written !== undefined && !memory.readOnly) request.onWarning(written.refused);
}

/** Adds the project's and the user's types, which replace others of the same name. A problem in a file is a warning. */
export async function readTypes(
  place: Pick<SessionRequest, "ports" | "root" | "home" | "env" | "settings" | "onWarning">,
  types: readonly TaskType[] = createTypes(place.settings.subAgents),
): Promise<Delegation["types"]> {
  const own = await readTaskTypes(toDefinitionPlace(place));
  for (const problem of own.problems) place.onWarning(problem);
  return new Map([...types, ...own.found].map((type) => [type.name, type]));
}
