// `looper chapo --serve-stdio`: the built-in engine as an agent of the Agent Client Protocol, for editors and for agents of
// kind acp. The protocol's own library reads and checks the messages; from-client.ts converts prompts, to-updates.ts events.
import path from "node:path";
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentContext,
  type AnyMessage,
  type ContentBlock,
  type McpServer,
} from "@agentclientprotocol/sdk";
import type { Reply, UserQuestion } from "../../../../src/chapo/engine/calls/pending.js";
import type { Chapo } from "../../../../src/chapo/session/session-request.js";
import { errorMessage, UserError } from "../../../../src/system/errors.js";
import { explainNoFolder } from "../../../../src/system/files/describe-kind.js";
import { given } from "../../../../src/system/given.js";
import { splitLines } from "../../../../src/agents/process/lines.js";
import { parseJson } from "../../../../src/system/text/json.js";
import { toDefinitionPlace } from "../../../../src/chapo/definitions.js";
import { listCommands } from "../../../../src/chapo/prompt/commands.js";
import { clean } from "../../../../src/ui/text.js";
import type { CommandContext, CommandOutcome, Typed } from "../../../context/command-context.js";
import { openHere } from "../open-here.js";
import { modelOf, siteOf, trustSite } from "../site.js";
import { addServers, toMessage } from "./from-client.js";
import { NOTHING_SENT, toBlock, toKind, toStop, toUpdates, type Sent } from "./to-updates.js";

/** An open session and the turn it is taking. */
interface Served {
  chapo: Chapo;
  /** The project's folder, absolute. */
  root: string;
  turn?: AbortController;
}

interface Server {
  context: CommandContext;
  typed: Typed;
  sessions: Map<string, Served>;
}

/** Serves a client on stdin and stdout until it closes its end. */
export async function serveStdio(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const server: Server = { context, typed, sessions: new Map() };
  const write = context.claimStdout();
  const ended = new AbortController();
  context.onSignal(() => {
    if (ended.signal.aborted) return false;
    ended.abort();
    return true;
  });
  const connection = createApp(server).connect({
    readable: readMessages(context, write, ended.signal),
    writable: new WritableStream({ write: (message) => write(`${JSON.stringify(message)}\n`) }),
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
        promptCapabilities: { embeddedContext: true },
        mcpCapabilities: { http: true },
      },
      agentInfo: { name: "looper", title: "Chapo", version: server.context.version },
      authMethods: [],
    }))
    .onRequest(session.new, async ({ params, client }) => {
      const opened = await open(server, { params, client });
      // The client knows the session once it has the answer.
      server.context.ports.clock.after(0, () => void offerCommands(server, opened, client));
      return { sessionId: opened.chapo.id };
    })
    .onRequest(session.load, async ({ params, client }) => {
      const former = server.sessions.get(params.sessionId);
      former?.turn?.abort();
      server.sessions.delete(params.sessionId);
      await former?.chapo.close();
      const opened = await open(server, { params, client, resume: params.sessionId });
      await replay(opened.chapo, client);
      await offerCommands(server, opened, client);
      return {};
    })
    .onRequest(session.prompt, ({ params }) => prompt(server, params.sessionId, params.prompt))
    .onNotification(session.cancel, ({ params }) => {
      server.sessions.get(params.sessionId)?.turn?.abort();
    });
}

/** Opens a session in the client's folder. An error of opening is the request's error. */
async function open(
  server: Server,
  {
    params: { cwd, mcpServers },
    client,
    resume,
  }: { params: { cwd: string; mcpServers: readonly McpServer[] }; client: AgentContext; resume?: string },
): Promise<Served> {
  const { typed } = server;
  const context = { ...server.context, cwd };
  try {
    const problem = path.isAbsolute(cwd)
      ? await explainNoFolder(context.ports.files, cwd)
      : `${cwd} is not an absolute path`;
    if (problem !== undefined) throw new UserError("usage", problem, "cwd is the absolute path of a folder");
    const site = await siteOf(context, typed);
    await trustSite(context, typed, site);
    const model = await modelOf(context, typed, site);
    const { servers, problems } = addServers(site.settings.mcp.servers, mcpServers);
    const warn = (text: string): void => {
      void context.report({ level: "warn", lines: [`looper: ${clean(site.redact(text))}`] });
    };
    for (const problem of problems) warn(problem);
    const root = site.project.folder;
    const updates = createUpdates(client, root);
    const { signal } = new AbortController();
    const withServers = { ...site, settings: { ...site.settings, mcp: { servers } } };
    const chapo = await openHere(
      context,
      typed,
      { site: withServers, model, signal, ...given({ resume }) },
      {
        ask: (question) => updates.ask(question),
        onEvent: (event) => {
          if (event.type === "action_pending") updates.pending(event.data.callId);
          updates.add(event);
        },
        onWarning: warn,
      },
    );
    updates.begin(chapo.id);
    const served = { chapo, root };
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

/** Sends the commands that a person can type. */
async function offerCommands(
  { context }: Server,
  { chapo, root }: Served,
  client: AgentContext,
): Promise<void> {
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

type Event = Parameters<typeof toUpdates>[0];

interface Updates {
  begin(id: string): void;
  add(event: Event): void;
  pending(callId: string): void;
  ask(question: UserQuestion): Promise<Reply>;
}

/** Sends a session's updates in order, and its questions. */
function createUpdates(client: AgentContext, root: string): Updates {
  let sessionId = "";
  let sent: Sent = NOTHING_SENT;
  let toolCallId = "";
  return {
    begin: (id) => {
      sessionId = id;
    },
    add: (event) => {
      const converted = toUpdates(event, sent, root);
      ({ sent } = converted);
      // Notifications are written in the order in which they are sent. A client that is gone ends the connection.
      for (const update of converted.updates)
        client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
    },
    pending: (callId) => {
      toolCallId = callId;
    },
    ask: (question) => askClient(client, { sessionId, toolCallId, question }),
  };
}

/** Asks the client. A client that cannot answer refuses. */
async function askClient(
  client: AgentContext,
  { sessionId, toolCallId, question }: { sessionId: string; toolCallId: string; question: UserQuestion },
): Promise<Reply> {
  const { tool, preview, args, mayRemember, edits } = question;
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
        content: [toBlock(preview)],
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

async function prompt(server: Server, id: string, blocks: readonly ContentBlock[]) {
  const served = server.sessions.get(id);
  if (served === undefined)
    throw RequestError.invalidParams(undefined, `no session ${JSON.stringify(id)} is open`);
  if (served.turn !== undefined)
    throw RequestError.invalidRequest(undefined, "the session is working on a prompt; cancel it first");
  const message = toMessage(blocks, served.root);
  if (message.trim() === "") throw RequestError.invalidParams(undefined, "the prompt has no text");
  const turn = new AbortController();
  served.turn = turn;
  try {
    const stop = toStop(await served.chapo.send(message, turn.signal));
    if (turn.signal.aborted) return { stopReason: "cancelled" as const };
    if ("error" in stop) throw RequestError.internalError(undefined, stop.error);
    return stop;
  } finally {
    delete served.turn;
  }
}

/** Sends what was said before. */
async function replay(chapo: Chapo, client: AgentContext): Promise<void> {
  for (const { role, text } of chapo.said()) {
    const sessionUpdate =
      role === "user" ? ("user_message_chunk" as const) : ("agent_message_chunk" as const);
    const update = { sessionUpdate, content: { type: "text" as const, text } };
    await client.notify(methods.client.session.update, { sessionId: chapo.id, update });
  }
}

/** Reads a message a line. A line that is not one is answered with an error, and the next is read. */
function readMessages(
  { stdin }: CommandContext,
  write: (text: string) => Promise<void>,
  signal: AbortSignal,
): ReadableStream<AnyMessage> {
  const lines = splitLines();
  return new ReadableStream<AnyMessage>({
    start: async (controller) => {
      let isOpen = true;
      const end = (): void => {
        if (isOpen) controller.close();
        isOpen = false;
      };
      signal.addEventListener("abort", end);
      const take = async (text: string): Promise<void> => {
        if (text.trim() === "" || !isOpen) return;
        const message = parseJson(Buffer.from(text));
        if (isMessage(message)) controller.enqueue(message);
        else await write(`${JSON.stringify(NOT_A_MESSAGE)}\n`);
      };
      const read = async (): Promise<void> => {
        for await (const chunk of stdin.chunks()) for (const text of lines.push(chunk)) await take(text);
        for (const text of lines.end()) await take(text);
      };
      void read().finally(end);
      await Promise.resolve();
    },
  });
}

const NOT_A_MESSAGE = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32700, message: "Parse error: a line must be one message of JSON-RPC 2.0" },
};

function isMessage(value: unknown): value is AnyMessage {
  return (
    typeof value === "object" && value !== null && "jsonrpc" in value && ("method" in value || "id" in value)
  );
}
