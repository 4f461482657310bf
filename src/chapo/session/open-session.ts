// Opens a session: its file, model, tools, prompts and rules. Each message then runs the engine's loop (engine/converse.ts).
// Used by `looper chapo` and by the host of a backlog run's agent.
import path from "node:path";
import { readModelName } from "../../config/settings/model-names.js";
import { readPrices } from "../../config/read/prices.js";
import { findLocalOffset } from "../../system/clock.js";
import { errorMessage, UserError } from "../../system/errors.js";
import { createSlashTool } from "../prompt/commands.js";
import {
  countSpent,
  type Conversation,
  type Message,
  appendMessages,
  listOpenCalls,
  answerPending,
} from "../engine/conversation.js";
import { converse } from "../engine/converse.js";
import { countChild } from "../engine/children/open-tasks.js";
import { enqueue, giveUpTasks } from "../engine/resume.js";
import { createTaskTool } from "../engine/children/delegate.js";
import type { ChapoEvent, ChapoNews } from "../engine/events.js";
import type { ConversationOutcome, EngineWorld } from "../engine/world.js";
import { openMemory } from "../memory/memory.js";
import type { Model } from "../model.js";
import { decideInJson } from "../models/json-driver.js";
import { openModel } from "../models/open-model.js";
import { findStart, fireMessage, fireStart, openHooks } from "./session-hooks.js";
import { openGuard, openPermissions } from "./permissions/guard.js";
import { readChapoPrompts, type ChapoPrompts } from "../prompt/prompts.js";
import type { Chapo, SessionRequest } from "./session-request.js";
import { endKilledSessions } from "./stored-sessions.js";
import { beginSession, resumeSession, type OpenSession, type SessionPlace } from "./sessions.js";
import { addImages, readTypes, createWorld, type SessionParts } from "./session-world.js";
import { toDefinitionPlace } from "../definitions.js";
import { chooseSkills, loadSkills } from "../prompt/skills.js";
import { openKnownFiles } from "../tools/files/known-files.js";
import { keepAround } from "./checkpoints.js";
import { keepSentImage, readSetEffort } from "./images.js";
import { endUnasked, handleLine, listOthers, toCheckpointPlace } from "./user-command.js";
import { openSandbox } from "../tools/sandbox.js";
import { openToolbox, type Toolbox, type ToolboxRequest } from "./toolbox.js";
import type { Clock } from "../../system/ports.js";
import { redactPieces } from "../../system/text/secrets/redact-pieces.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { clipMiddle } from "../engine/window/clip.js";

/** Opens a session. If it cannot be opened, throws a `UserError` and leaves no files of a new session. */
export async function openChapo(asked: SessionRequest): Promise<Chapo> {
  const request = { ...asked, onWarning: createOnce(asked.onWarning) };
  const { ports, settings } = request;
  const prompts = await readChapoPrompts(ports.files, request.promptsFolder, settings);
  const effort = readSetEffort(settings.effort);
  const opener = await createModelOpener(request, prompts);
  const model = await opener();
  const found = await loadSkills(toDefinitionPlace(request));
  for (const problem of found.problems) request.onWarning(problem);
  chooseSkills(found, request.skills);
  const session = await openSessionFile(request);
  try {
    const skills = chooseSkills(found, session.conversation.skills);
    return toChapo(await assembleParts({ request, prompts, model, effort, session, skills, opener }));
  } catch (error) {
    await session.close();
    if (request.resume === undefined) await ports.files.removeTree(session.folder);
    throw error;
  }
}

/** Returns a function that passes each text once: files are read again for each message. */
function createOnce(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    told.add(text);
    tell(text);
  };
}

type Opener = (name?: string) => Promise<Model>;

async function assembleParts(
  base: Pick<SessionParts, "request" | "prompts" | "model" | "effort" | "session" | "skills"> & {
    opener: Opener;
  },
): Promise<SessionParts> {
  const { request, session, opener } = base;
  const { ports, root, settings, redact } = request;
  const unattended = request.task !== undefined;
  const said: Message[] = [...session.conversation.messages];
  const permissions = await openPermissions(settings, {
    // A run has a gate and rescues.
    usual: unattended ? "trusted" : "default",
    store: session.part("mode"),
  });
  const hooks = openHooks(request, session, permissions.mode);
  const guard = openGuard(request, permissions, () => said);
  const { hidden, staysOnHost } = guard;
  const memory = openMemory(ports, {
    ...{ root, hidden, redact, offset: findLocalOffset, readOnly: unattended },
  });
  const keyFiles = settings.sandbox?.keyFiles;
  const sandbox =
    keyFiles === undefined ? undefined : await openSandbox({ ...request, keyFiles, network: guard.network });
  const spent = countSpent(await countOpenTasks(session));
  const toolbox = openToolbox({
    ...{ ...request, memory, unattended, said: () => said, sandbox, hidden, staysOnHost },
    env: { ...request.env, ...hooks.env },
    outputs: path.join(session.folder, "outputs"),
    todos: session.part("todos"),
    known: openKnownFiles(ports.files, session.part("reads")),
  });
  const tell = createEventWriter(ports.clock, redact, request.onEvent);
  const emit = (news: ChapoNews): void => {
    said.push(...toMessages(news));
    tell(news);
  };
  return {
    ...base,
    ...{ memory, toolbox, guard, permissions, emit, said, spent },
    hooks,
    starts: findStart(session.conversation, request.resume),
    withoutImages: new Set(),
    openModel: (name) =>
      opener(name).catch((error: unknown) => {
        if (error instanceof UserError) return { problem: error.message };
        throw error;
      }),
  };
}

/** The conversation with the usage of sub-agents that were killed before it was added. */
async function countOpenTasks(session: OpenSession): Promise<Conversation> {
  const { conversation } = session;
  let counted = conversation;
  for (const { child } of conversation.tasks ?? []) {
    const stored = await session.readChild(child);
    if (stored !== undefined) counted = countChild(counted, stored);
  }
  return counted;
}

/**
 * Converts a call, so that what the model wrote is known, and a result, emptied if it repeats the model's own words: a page named
 * there does not count as mentioned.
 */
function toMessages(news: ChapoNews): Message[] {
  if (news.type === "tool_call") {
    const { callId: id, tool: name, args } = news.data;
    return [{ role: "assistant", text: "", calls: [{ id, name, args }] }];
  }
  if (news.type !== "tool_result") return [];
  const { callId, tool: name, success, output } = news.data;
  return [{ role: "tool", results: [{ callId, name, success, output: OWN_WORDS.has(name) ? "" : output }] }];
}

const OWN_WORDS = new Set(["agent_task", "todo_write", "todo_read", "memory_remember"]);

/** Returns a function that opens the session's model, or another one by its name. */
async function createModelOpener(request: SessionRequest, prompts: ChapoPrompts): Promise<Opener> {
  const { ports, env, settings, model: main } = request;
  const prices =
    settings.pricesFile === undefined ? undefined : await readPrices(ports.files, settings.pricesFile);
  return async (name) => {
    const other = name === undefined ? {} : { model: name, fallback: [] };
    // The address and the window of the session's model apply to another model only if it has the same provider.
    const isOfSame = getProvider(name ?? main) === getProvider(main);
    const own = isOfSame ? {} : { baseUrl: undefined, contextWindow: undefined };
    const model = await openModel({ ...settings, prices, model: main, ...own, ...other }, { ...ports, env });
    return settings.toolCalls === "native" ? model : decideInJson(model, prompts["looper.decision_json"]);
  };
}

function getProvider(name: string): string {
  const read = readModelName(name);
  return "problem" in read ? "" : read.provider;
}

function toChapo(parts: SessionParts): Chapo {
  const { session, toolbox, permissions } = parts;
  let { conversation } = session;
  // The user stopped the turn at the prompt: the next message begins something else.
  let isStopped = false;
  const keep = (handled: Awaited<ReturnType<typeof converse>>): ConversationOutcome => {
    conversation = handled.conversation;
    isStopped = handled.outcome.how === "error" && handled.outcome.reason === "interrupted";
    return handled.outcome;
  };
  return {
    id: session.id,
    get tools() {
      return toolbox.tools;
    },
    send: async (message, signal) => {
      const from = isStopped ? giveUpTasks(conversation) : conversation;
      return keep(await handleMessage(parts, from, { message, signal }));
    },
    proceed: async (signal) => {
      const world = await createWorld(parts, conversation, signal);
      const added = await fireStart(parts);
      const from = added === undefined ? conversation : enqueue(conversation, `[a hook adds: ${added}]`);
      return keep(await work(parts, world, from));
    },
    mode: permissions.mode,
    modes: permissions.modes,
    setMode: permissions.setMode,
    keepImage: (bytes) => keepSentImage({ files: parts.request.ports.files, folder: session.folder }, bytes),
    runTyped: async (command, signal) => {
      conversation = await runTyped(parts, conversation, { command, signal });
      await session.save(conversation);
    },
    others: () => listOthers(parts),
    get conversation() {
      return conversation;
    },
    answer: async (answer) => {
      const at = new Date(parts.request.ports.clock.now()).toISOString();
      const answered = answerPending(conversation, { ...answer, at });
      if (answered === conversation) return;
      await session.save(answered);
      conversation = answered;
    },
    close: async () => {
      // Bounded by the hooks' own timeouts; the answers are ignored.
      await parts.hooks.ended();
      await parts.hooks.fire?.("SessionEnd", ["other"], { reason: "other" });
      await toolbox.close();
      await session.close();
    },
  };
}

async function handleMessage(
  parts: SessionParts,
  conversation: Conversation,
  { message, signal }: { message: string; signal: AbortSignal },
): ReturnType<typeof converse> {
  const world = await createWorld(parts, conversation, signal);
  parts.said.push({ role: "user", text: message });
  const taken = await handleLine(world, parts, { conversation, line: message });
  if (!("prompt" in taken)) return endUnasked(world, conversation, taken);
  const sent = await fireMessage(parts, taken.prompt);
  if ("refused" in sent) return endUnasked(world, conversation, sent);
  return work(parts, world, conversation, { text: message, prompt: await addImages(parts, sent.prompt) });
}

/** Works on a message, or without one from where the conversation was, with checkpoints around it. */
function work(
  parts: SessionParts,
  world: EngineWorld,
  conversation: Conversation,
  message?: { text: string; prompt: string },
): ReturnType<typeof converse> {
  return keepAround(toCheckpointPlace(parts), { conversation, message }, (keepFiles) =>
    converse({ ...world, keepFiles }, conversation, message?.prompt),
  );
}

async function openSessionFile(request: SessionRequest): Promise<OpenSession> {
  const { ports, redact, resume, env } = request;
  const place: SessionPlace = { ports, redact, env, folder: request.sessionsFolder };
  const session = await (resume === undefined
    ? beginSession(place, request.skills)
    : resumeSession(place, resume));
  try {
    await endKilledSessions(place);
  } catch (error) {
    request.onWarning(`cannot end the processes of a killed session: ${errorMessage(error)}`);
  }
  return session;
}

/** Opens the tools for a listing, without a session. They cannot be called. */
export async function openListing(request: ListingRequest): Promise<Toolbox> {
  const { ports, root, redact } = request;
  const memory = openMemory(ports, { root, offset: findLocalOffset, readOnly: true, redact });
  const nowhere = { read: () => Promise.resolve(undefined), write: () => Promise.resolve() };
  const said = (): Message[] => [];
  const parts = { memory, outputs: root, todos: nowhere, unattended: false, said };
  const toolbox = openToolbox({ ...request, ...parts });
  await toolbox.ready();
  const slash = createSlashTool(toDefinitionPlace(request), (name) => name);
  const types = await readTypes(request);
  const openOther = () => Promise.resolve({ problem: "no session is open" });
  const task = createTaskTool(undefined, { types, lead: (prompt) => prompt, openModel: openOther });
  return { ...toolbox, tools: [...toolbox.tools, slash, task] };
}

/** A request to list the tools. */
export type ListingRequest = Omit<ToolboxRequest, "memory" | "outputs" | "todos" | "unattended" | "said"> &
  Pick<SessionRequest, "home">;

// Writes a session's events: redacted, numbered and timestamped, in order.

/** Fields of an event that are never redacted. */
const NAMES = new Set(["type", "timestamp", "session", "callId", "tool", "agent", "status", "child"]);

type Piece = Extract<ChapoNews, { type: "delta" | "thought" }>;

/**
 * Returns a function that passes each event to `write`, redacted. Streamed text is held back until a word ends, because a
 * secret may span two pieces.
 */
export function createEventWriter(
  clock: Clock,
  redact: Redact,
  write: (event: ChapoEvent) => void,
): (news: ChapoNews) => void {
  let seq = 0;
  const seal = (news: ChapoNews): void => {
    seq += 1;
    write(redactValue(redact, { ...news, timestamp: new Date(clock.now()).toISOString(), seq }, NAMES));
  };
  let pieces = redactPieces(redact);
  let last: Piece | undefined;
  const tellText = (piece: Piece, text: string): void => {
    if (text !== "") seal({ ...piece, data: { ...piece.data, text } });
  };
  const end = (): void => {
    if (last !== undefined) tellText(last, pieces.end());
    last = undefined;
    pieces = redactPieces(redact);
  };
  return (news) => {
    if (news.type === "delta" || news.type === "thought") {
      if (last !== undefined && last.type !== news.type) end();
      last = news;
      tellText(news, pieces.take(news.data.text));
      return;
    }
    end();
    seal(news);
  };
}

// A command that a person types at the terminal after a `!`. It runs unasked, in a shell of its own, and the model
// sees what it printed with the next message.

/** Not `bash_execute`: the rules follow the folder of that shell, and count on the model's commands alone. */
const TOOL = "run_command";
/** The most characters of an output that the model gets. */
const MOST = 30_000;

/** Runs a command, and returns the conversation with its output. */
async function runTyped(
  { toolbox, guard, emit, request }: SessionParts,
  conversation: Conversation,
  { command, signal }: { command: string; signal: AbortSignal },
): Promise<Conversation> {
  const callId = `typed-${request.ports.random.hex(4)}`;
  const of = { callId, agent: "user", tool: TOOL };
  emit({ type: "tool_call", data: { ...of, args: { command } } });
  const tool = toolbox.tools.find(({ name }) => name === TOOL);
  const call = tool?.prepare({ command }) ?? { problem: "this session only reads, and has no shell" };
  const result =
    "problem" in call ? { success: false as const, error: call.problem } : await call.run({ callId, signal });
  const screened = await guard.screen(TOOL, result.success ? result.output : result.error);
  const output = request.redact(screened);
  emit({ type: "tool_result", data: { ...of, success: result.success, output, tries: 1 } });
  const told = `[the user ran this at the terminal: ${command}]\n${clipMiddle(output, MOST)}`;
  // The results of calls that were interrupted come first.
  if (listOpenCalls(conversation).length > 0) return enqueue(conversation, told);
  return appendMessages(conversation, { role: "user", own: true, text: told });
}
