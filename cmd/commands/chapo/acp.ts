// `looper chapo --serve-stdio`: the built-in engine as an agent of the Agent Client Protocol, for editors and
// for agents of kind acp. The protocol's own library reads and checks the messages; here they are converted.
import path from "node:path";
import {
  agent,
  type AgentContext,
  type ContentBlock,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
  type SessionUpdate,
  type SetSessionModeRequest,
  type StopReason,
  type ToolCallContent,
  type ToolKind,
} from "@agentclientprotocol/sdk";
import { parsePatch, type StructuredPatch } from "diff";
import type { Reply, UserQuestion } from "../../../src/chapo/engine/calls/pending.js";
import type { Conversation, Message } from "../../../src/chapo/engine/conversation.js";
import { readStored } from "../../../src/chapo/session/sessions.js";
import { readTodos } from "../../../src/chapo/tools/notes/todos.js";
import type { Chapo } from "../../../src/chapo/session/session-request.js";
import { errorMessage, usageError, UserError } from "../../../src/system/errors.js";
import { explainNoFolder } from "../../../src/system/files/describe-kind.js";
import { toDefinitionPlace } from "../../../src/chapo/definitions.js";
import { listCommands } from "../../../src/chapo/prompt/commands.js";
import { clean } from "../../../src/ui/text.js";
import type { CommandContext, CommandOutcome } from "../../context/command-context.js";
import { warn } from "../../lookup/project.js";
import { type ChapoLine, modelOf, openHere, type SessionListener, siteOf } from "./site.js";
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { ConversationOutcome } from "../../../src/chapo/engine/world.js";
import { textField } from "../../../src/agents/fields.js";
import { never } from "../../../src/system/never.js";
import { fileURLToPath } from "node:url";
import type { ChapoSettings } from "../../../src/config/read/chapo-settings.js";

interface Served {
  chapo: Chapo;
  /** The project's folder, absolute. */
  root: string;
  updates: Updates;
  turn?: AbortController;
}

interface Server {
  context: CommandContext;
  request: ChapoLine;
  sessions: Map<string, Served>;
}

/** Serves a client on stdin and stdout until it closes its end. */
export async function serveStdio(context: CommandContext, request: ChapoLine): Promise<CommandOutcome> {
  const server: Server = { context, request, sessions: new Map() };
  const write = context.claimStdout();
  const input = ReadableStream.from<Uint8Array>(context.stdin.chunks());
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => write(Buffer.from(bytes).toString("utf8")),
  });
  const connection = createApp(server).connect(ndJsonStream(output, input));
  let isEnding = false;
  context.onSignal(() => {
    if (isEnding) return false;
    isEnding = true;
    connection.close();
    return true;
  });
  await connection.closed;
  for (const { turn } of server.sessions.values()) turn?.abort();
  await Promise.all([...server.sessions.values()].map(({ chapo }) => chapo.close()));
  return "ok";
}

function createApp(server: Server): ReturnType<typeof agent> {
  const { session } = methods.agent;
  return agent()
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: true,
        // A model that refuses images gets the message without them, and the turn says so.
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: true },
      },
      agentInfo: { name: "looper", title: "Chapo", version: server.context.version },
      authMethods: [],
    }))
    .onRequest(session.new, async ({ params, client }) => {
      const opened = await open(server, client, params);
      // The client knows the session once it has the answer.
      server.context.ports.clock.after(0, () => void offerCommands(server, opened, client));
      return { sessionId: opened.chapo.id, modes: modesOf(opened.chapo) };
    })
    .onRequest(session.load, async ({ params, client }) => {
      const former = server.sessions.get(params.sessionId);
      former?.turn?.abort();
      server.sessions.delete(params.sessionId);
      await former?.chapo.close();
      const opened = await open(server, client, params, params.sessionId);
      await replay(server, client, { chapo: opened.chapo, cwd: params.cwd });
      await offerCommands(server, opened, client);
      return { modes: modesOf(opened.chapo) };
    })
    .onRequest(session.setMode, ({ params }) => setMode(server, params))
    .onRequest(session.prompt, ({ params }) => prompt(server, params.sessionId, params.prompt))
    .onNotification(session.cancel, ({ params }) => {
      server.sessions.get(params.sessionId)?.turn?.abort();
    });
}

/** Opens a session in the client's folder. An error of opening is the request's error. */
async function open(
  server: Server,
  client: AgentContext,
  { cwd, mcpServers }: { cwd: string; mcpServers: readonly McpServer[] },
  resume?: string,
): Promise<Served> {
  const { request } = server;
  const context = { ...server.context, cwd };
  try {
    const problem = path.isAbsolute(cwd)
      ? await explainNoFolder(context.ports.files, cwd)
      : `${cwd} is not an absolute path`;
    if (problem !== undefined) throw usageError(problem, "cwd is the absolute path of a folder");
    const site = await siteOf(context, request);
    const model = await modelOf({ context, request, site });
    const { servers, problems } = addServers(site.settings.mcp.servers, mcpServers);
    const root = site.project.folder;
    const updates = createUpdates(client, root);
    const onWarning = (text: string): void => {
      const redacted = site.redact(text);
      updates.warn(redacted);
      void warn(context, redacted);
    };
    for (const problem of problems) onWarning(problem);
    const withServers = { ...site, settings: { ...site.settings, mcp: { servers } } };
    const call = { context, request, site: withServers };
    const chapo = await openHere(call, { model, resume }, { ...updates, onWarning });
    updates.begin(chapo);
    const served = { chapo, root, updates };
    server.sessions.set(chapo.id, served);
    return served;
  } catch (error) {
    throw toRequestError(error);
  }
}

/** The client can correct the one kind; the other is about the machine. */
function toRequestError(error: unknown): RequestError {
  const hint = error instanceof UserError && error.hint !== undefined ? `; ${error.hint}` : "";
  const text = `${errorMessage(error)}${hint}`;
  return error instanceof UserError && error.kind !== "environment"
    ? RequestError.invalidParams(undefined, text)
    : RequestError.internalError(undefined, text);
}

async function offerCommands({ context }: Server, { chapo, root }: Served, client: AgentContext) {
  const { ports, home, env } = context;
  const listed = await listCommands(toDefinitionPlace({ ports, root, home, env }));
  const availableCommands = listed.map(({ name, description }) => ({
    name,
    description: clean(description),
    input: { hint: "arguments" },
  }));
  const update = { sessionUpdate: "available_commands_update" as const, availableCommands };
  await client.notify(methods.client.session.update, { sessionId: chapo.id, update }).catch(() => undefined);
}

function modesOf(chapo: Chapo): SessionModeState {
  const availableModes = chapo.modes.map((id) => ({ id, name: id }));
  return { currentModeId: chapo.mode(), availableModes };
}

async function setMode(server: Server, { sessionId, modeId }: SetSessionModeRequest) {
  const { chapo, updates } = findSession(server, sessionId);
  const mode = chapo.modes.find((one) => one === modeId);
  if (mode === undefined)
    throw RequestError.invalidParams(undefined, `the mode is not one of ${chapo.modes.join(", ")}`);
  await chapo.setMode(mode);
  updates.knowsMode();
  return {};
}

interface Updates extends Pick<SessionListener, "ask" | "onEvent"> {
  begin(chapo: Chapo): void;
  /** Tells the person of a turn; before the first one only stderr has it. */
  warn(text: string): void;
  /** The client set the mode itself. */
  knowsMode(): void;
}

function createUpdates(client: AgentContext, root: string): Updates {
  let chapo: Chapo | undefined;
  let mode: string | undefined;
  const sent: Sent = { streamed: "", last: "" };
  let toolCallId = "";
  const meter = openMeter();
  // Notifications are written in the order in which they are sent. A client that is gone ends the connection.
  const notify = (update: SessionUpdate): void => {
    const sessionId = chapo?.id ?? "";
    client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
  };
  return {
    begin: (opened) => {
      chapo = opened;
      mode = opened.mode();
      meter.begin(opened.conversation.usage);
    },
    knowsMode: () => {
      mode = chapo?.mode();
    },
    warn: (text) => {
      if (chapo !== undefined) notify(say(`_${clean(text)}_\n\n`));
    },
    onEvent: (event) => {
      if (event.type === "action_pending") toolCallId = event.data.callId;
      for (const update of [...toUpdates(event, sent, root), ...meter.take(event)]) notify(update);
      // The plan of plan mode was approved.
      const currentModeId = chapo?.mode();
      if (currentModeId === undefined || currentModeId === mode) return;
      mode = currentModeId;
      notify({ sessionUpdate: "current_mode_update", currentModeId });
    },
    ask: (question) => askClient(client, root, { sessionId: chapo?.id ?? "", toolCallId }, question),
  };
}

/** Asks the client. A client that cannot answer refuses. */
async function askClient(
  client: AgentContext,
  root: string,
  { sessionId, toolCallId }: { sessionId: string; toolCallId: string },
  { tool, preview, args, may_remember: mayRemember, edits }: UserQuestion,
): Promise<Reply> {
  const by = { via: "terminal" as const };
  try {
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: {
        toolCallId,
        title: tool,
        kind: toKind(tool),
        status: "pending",
        rawInput: args,
        content: toDiffs(preview, root),
      },
      options: [
        { optionId: "allow", name: "Allow", kind: "allow_once" },
        ...(mayRemember
          ? [{ optionId: "always", name: "Allow the same call again", kind: "allow_always" as const }]
          : []),
        ...(edits === undefined
          ? []
          : [{ optionId: "edits", name: `Allow every edit of ${edits}`, kind: "allow_always" as const }]),
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    });
    const chosen = outcome.outcome === "selected" ? outcome.optionId : "reject";
    if (chosen === "always" && mayRemember) return { verdict: "approve", always: true, ...by };
    if (chosen === "edits" && edits !== undefined) return { verdict: "approve", edits: true, ...by };
    return { verdict: chosen === "allow" ? "approve" : "reject", ...by };
  } catch {
    return { verdict: "reject", ...by };
  }
}

function findSession(server: Server, id: string): Served {
  const served = server.sessions.get(id);
  if (served !== undefined) return served;
  throw RequestError.invalidParams(undefined, `no session ${JSON.stringify(id)} is open`);
}

async function prompt(server: Server, id: string, blocks: readonly ContentBlock[]) {
  const served = findSession(server, id);
  if (served.turn !== undefined)
    throw RequestError.invalidRequest(undefined, "the session is working on a prompt; cancel it first");
  const turn = new AbortController();
  served.turn = turn;
  try {
    const images = await keepImages(served, blocks);
    const message = toMessage(blocks, served.root, images);
    if (message.trim() === "") throw RequestError.invalidParams(undefined, "the prompt has no text");
    const stop = toStop(await served.chapo.send(message, turn.signal));
    if (turn.signal.aborted) return { stopReason: "cancelled" as const };
    if ("error" in stop) throw RequestError.internalError(undefined, stop.error);
    return stop;
  } finally {
    delete served.turn;
  }
}

const NOT_SENT = "(image: not sent; it is not a PNG, JPEG, GIF or WebP of at most 5 MB)";

/** Keeps the images of a prompt in the session; returns the text that stands for each. */
async function keepImages({ chapo, updates }: Served, blocks: readonly ContentBlock[]) {
  const kept = new Map<ContentBlock, string>();
  for (const block of blocks) {
    if (block.type !== "image") continue;
    const mark = await chapo.keepImage(Buffer.from(block.data, "base64"));
    if (mark === undefined) updates.warn(NOT_SENT);
    kept.set(block, mark ?? NOT_SENT);
  }
  return kept;
}

/** Sends what was said and done in a session before: texts, and each call with its result. */
async function replay(
  { context, request }: Server,
  client: AgentContext,
  { chapo, cwd }: { chapo: Chapo; cwd: string },
): Promise<void> {
  const { sessionsFolder: folder, project } = await siteOf({ ...context, cwd }, request);
  const { messages = [] } = (await readStored({ ports: context.ports, folder }, chapo.id)) ?? {};
  for (const update of messages.flatMap((message) => toFormer(message, project.folder)))
    await client.notify(methods.client.session.update, { sessionId: chapo.id, update });
}

function toFormer(message: Message, root: string): SessionUpdate[] {
  if (message.role === "tool") return message.results.map((result) => toOver(result, root));
  const { text } = message;
  if (message.role === "user") return message.own === true ? [] : [say(text, "user_message_chunk")];
  const calls = message.calls.flatMap(({ id, name, args }) => [
    toBegun({ callId: id, tool: name, args }, root),
    ...toPlan(name, args),
  ]);
  return text === "" ? calls : [say(text), ...calls];
}

/** The parts of the turn that were sent already: a text is not sent again whole. */
interface Sent {
  /** The pieces of the reply that is being streamed. */
  streamed: string;
  last: string;
}

/** Returns the updates for an event, and notes what they send. `root`: the project's folder, absolute. */
function toUpdates(event: ChapoEvent, sent: Sent, root: string): SessionUpdate[] {
  if (event.child !== undefined) return [];
  switch (event.type) {
    case "delta":
      sent.streamed += event.data.text;
      return [say(event.data.text)];
    case "thought":
      return [say(event.data.text, "agent_thought_chunk")];
    case "message": {
      const { text } = event.data;
      const isSent = sent.streamed !== "";
      Object.assign(sent, { streamed: "", last: text.trim() });
      return isSent ? [] : [say(text)];
    }
    case "tool_call":
      return [toBegun(event.data, root), ...toPlan(event.data.tool, event.data.args)];
    case "tool_result":
      return [toOver(event.data, root)];
    case "answer":
      return sayOnce(event.data.answer, sent);
    case "clarify":
      return sayOnce(event.data.question, sent);
    default:
      return [];
  }
}

/** The list of todos that a call sets. */
function toPlan(tool: string, args: unknown): SessionUpdate[] {
  const todos = tool === "todo_write" ? readTodos(args) : undefined;
  if (todos === undefined) return [];
  const entries = todos.map(({ content, status, priority = "medium" as const }) => ({
    content,
    status,
    priority,
  }));
  return [{ sessionUpdate: "plan", entries }];
}

function toBegun(
  { callId, tool, args }: { callId: string; tool: string; args: unknown },
  root: string,
): SessionUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: callId,
    title: toTitle(tool, args),
    kind: toKind(tool),
    status: "in_progress",
    rawInput: args,
    locations: listPaths(args).map((one) => ({ path: path.resolve(root, one) })),
  };
}

interface CallResult {
  callId: string;
  success: boolean;
  output: string;
  diff?: string | undefined;
}

function toOver({ callId, success, output, diff }: CallResult, root: string): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callId,
    status: success ? "completed" : "failed",
    content: [toText(output), ...(diff === undefined ? [] : toDiffs(diff, root))],
  };
}

type Saying = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";

function say(text: string, sessionUpdate: Saying = "agent_message_chunk"): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

function toText(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Returns a diff or a command as a block of code: clients show text as Markdown. */
function toBlock(text: string): ToolCallContent {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const language = /^@@ /m.test(text) ? "diff" : "";
  return toText(`${fence}${language}\n${text.trimEnd()}\n${fence}`);
}

/** Each hunk of a unified diff as the protocol's own diff; any other text as a block of code. */
export function toDiffs(text: string, root: string): ToolCallContent[] {
  const files = parseOrNone(text);
  const diffs = files.flatMap(({ oldFileName, newFileName, hunks }) =>
    hunks.map(({ lines }): ToolCallContent => {
      const isNew = oldFileName === "/dev/null";
      const name = newFileName === "/dev/null" ? oldFileName : newFileName;
      const side = (mark: string): string =>
        lines
          .flatMap((line) => (line.startsWith(mark) || line.startsWith(" ") ? `${line.slice(1)}\n` : []))
          .join("");
      return {
        type: "diff",
        path: path.resolve(root, name.replace(/^[ab]\//u, "")),
        oldText: isNew ? null : side("-"),
        newText: side("+"),
      };
    }),
  );
  return diffs.length === 0 ? [toBlock(text)] : diffs;
}

/** The files of a unified diff; none where it is cut or another text. */
function parseOrNone(text: string): StructuredPatch[] {
  try {
    return text.startsWith("--- ") ? parsePatch(text) : [];
  } catch {
    return [];
  }
}

function listPaths(args: unknown): string[] {
  return ["path", "source", "destination"].flatMap((key) => textField(args, key) ?? []);
}

/** Sends the last text of a turn unless it was sent already. */
function sayOnce(text: string, sent: Sent): SessionUpdate[] {
  const isSent = sent.last === text.trim() || text === "";
  Object.assign(sent, { streamed: "", last: "" });
  return isSent ? [] : [say(text)];
}

function toTitle(tool: string, args: unknown): string {
  const subject = ["command", "path", "url", "query", "pattern"].map((key) => textField(args, key));
  const [first] = subject.filter((one) => one !== undefined);
  return first === undefined ? tool : `${tool} ${first}`.slice(0, 200);
}

const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(?:fs_readFile|fs_listFiles|notebook_read|context_|memory_read)/, "read"],
  [/^(?:fs_glob|fs_grep|memory_search|web_search)/, "search"],
  [/^fs_delete/, "delete"],
  [/^fs_move/, "move"],
  [/^(?:fs_|notebook_)/, "edit"],
  [/^(?:bash_|run_command|npm_|git_|ssh_|pm2_|github_)/, "execute"],
  [/^web_/, "fetch"],
];

function toKind(tool: string): ToolKind {
  return KINDS.find(([pattern]) => pattern.test(tool))?.[1] ?? "other";
}

/** Returns why a turn stopped, or the error it ended with. */
function toStop(outcome: ConversationOutcome): { stopReason: StopReason } | { error: string } {
  switch (outcome.how) {
    case "answer":
    case "finished":
    case "pending":
      return { stopReason: "end_turn" };
    case "clarify":
      if (!outcome.exhausted) return { stopReason: "end_turn" };
      return { stopReason: outcome.limit === "window" ? "max_tokens" : "max_turn_requests" };
    case "error":
      if (outcome.reason === "interrupted") return { stopReason: "cancelled" };
      return { error: outcome.error };
    default:
      return never(outcome);
  }
}

type Servers = ChapoSettings["mcp"]["servers"];

/** Joins the texts of a prompt. `images`: the texts that stand for them. */
export function toMessage(
  blocks: readonly ContentBlock[],
  root: string,
  images: ReadonlyMap<ContentBlock, string> = new Map(),
): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case "text":
          return block.text;
        case "resource_link":
          return nameFile(block.uri, root);
        case "resource": {
          const name = nameFile(block.resource.uri, root);
          return "text" in block.resource ? `${name}:\n${block.resource.text}` : name;
        }
        default:
          return images.get(block) ?? `(${block.type}: not supported)`;
      }
    })
    .join("\n");
}

/** The address of a file as its path, relative to the project if it is inside; other addresses stay. */
function nameFile(uri: string, root: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    const file = fileURLToPath(uri);
    const inside = path.relative(root, file);
    return inside === "" || inside.startsWith("..") || path.isAbsolute(inside) ? file : inside;
  } catch {
    return uri;
  }
}

/** Adds the client's MCP servers. A server of the settings with the same name stays. */
export function addServers(
  own: Servers,
  wanted: readonly McpServer[],
): { servers: Servers; problems: string[] } {
  const servers: Servers = { ...own };
  const problems: string[] = [];
  for (const server of wanted) {
    // The names of its tools begin with it.
    const name = server.name.replaceAll(/[^\w-]+/g, "_");
    if ("type" in server && server.type === "sse")
      problems.push(`the MCP server ${server.name} is left out: its transport is sse`);
    else if (!Object.hasOwn(servers, name)) servers[name] = toServer(server);
  }
  return { servers, problems };
}

function toServer(server: McpServer): Servers[string] {
  if ("url" in server) return { url: server.url, headers: toVariables(server.headers) };
  return { command: server.command, args: server.args, env: toVariables(server.env) };
}

function toVariables(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Adds up what a session costs, after each request. The cost is told only where every price is known. */
export function openMeter() {
  let cost = 0;
  let unpriced = 0;
  let size = 0;
  let used = 0;
  return {
    begin: (usage: Conversation["usage"]): void => {
      cost = usage.cost_usd;
      ({ unpriced } = usage);
    },
    take: ({ type, data, child }: ChapoEvent): SessionUpdate[] => {
      if (type === "thinking" && child === undefined) ({ used, limit: size } = data.tokenUsage);
      if (type !== "usage") return [];
      if (data.cost_usd === undefined) unpriced += 1;
      else cost += data.cost_usd;
      if (data.who === "looper" && child === undefined)
        used = data.input_tokens + data.cached_input_tokens + data.output_tokens;
      const priced = unpriced > 0 ? {} : { cost: { amount: cost, currency: "USD" } };
      return [{ sessionUpdate: "usage_update", used, size, ...priced }];
    },
  };
}
