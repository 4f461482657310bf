// The child's side of the kind acp: talks to the agent as its client, answers what it asks by the permissions, and hands
// on what it says. Leaves understanding that to acp-stream.ts, the process to acp-wire.ts.
import path from "node:path";
import {
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { given } from "../../system/given.js";
import { AcpRequest, resumeMethod, type AcpHostLine } from "./acp-stream.js";
import { mergeTool, type AcpTool } from "./acp-tools.js";
import { openWire, endsWithin } from "./acp-wire.js";
import { field, numberField, textField, listField } from "../fields.js";
import { runHost, writeLine, type HostIo } from "../hosted/host.js";
import type { Permissions } from "../../workflow/words.js";
import { never } from "../../system/never.js";

/** Speaks with the agent at an absolute path; the exit code. */
export async function hostAcp(binary: string, io: HostIo): Promise<number> {
  return runHost(io, AcpRequest, async (request) => {
    const real = (await io.ports.files.realPath(request.cwd)) ?? request.cwd;
    const talk: Talk = { request, roots: [request.cwd, real], io, tools: new Map() };
    const wire = openWire({ command: binary, args: request.args, cwd: request.cwd }, io, (message) => {
      remember(talk.tools, message);
    });
    const connection = client()
      .onRequest(methods.client.session.requestPermission, ({ params }) => answer(talk, params))
      .onNotification("*", () => undefined)
      .connect(wire.stream);
    const outcome = await converse(talk, connection.agent);
    const end = await wire.close();
    connection.close();
    if (outcome === "done") return 0;
    if (outcome !== "gone") await say(io, outcome);
    else if (end.how === "exited") return end.code;
    else if (end.how === "killed") await say(io, { type: "killed", signal: end.signal });
    else await io.writeError(`${end.message}\n`);
    return 1;
  });
}

interface Talk {
  request: AcpRequest;
  /** The folder of the work, under each of its names. */
  roots: readonly string[];
  io: HostIo;
  /** The facts known about its tool calls, by id. */
  tools: Map<string, AcpTool>;
}

async function say(io: HostIo, line: AcpHostLine): Promise<void> {
  await writeLine(io, line);
}

/** Keeps the facts of a tool call: a later request for permission may refer to them. */
function remember(tools: Map<string, AcpTool>, message: object): void {
  const update = field(field(message, "params"), "update");
  const id = textField(update, "toolCallId");
  if (id === undefined) return;
  const status = textField(update, "status");
  if (status === "completed" || status === "failed") tools.delete(id);
  else tools.set(id, mergeTool(tools.get(id), update));
}

async function answer(talk: Talk, params: RequestPermissionRequest): Promise<RequestPermissionResponse> {
  const { toolCall, options } = params;
  const tool = mergeTool(talk.tools.get(toolCall.toolCallId), toolCall);
  const allowed = isAllowed(tool, talk.request.permissions, talk.roots);
  if (!allowed) {
    const name = tool.title ?? tool.name ?? tool.kind ?? toolCall.toolCallId;
    await say(talk.io, { type: "refused", tool: `${name}: not allowed with ${talk.request.permissions}` });
  }
  return { outcome: talk.io.stop.aborted ? { outcome: "cancelled" } : chooseAnswer(allowed, options) };
}

/** How a conversation ended: the turn is done, something failed, or the agent no longer answers. */
type Outcome = "done" | "gone" | AcpHostLine;

const CANCEL_MS = 2_000;

/** For the first answer. A program that speaks something else would keep silent until its limits are over. */
const GREETING_MS = 60_000;

/** Told to stop, it cancels the turn and gives the agent some time to end it. */
async function converse(talk: Talk, agent: ClientContext): Promise<Outcome> {
  const { io } = talk;
  const turn: { session?: string } = {};
  const talked = takeTurn(talk, agent, turn);
  const stopped = new Promise<Outcome>((resolve) => {
    const cancel = async (): Promise<void> => {
      if (turn.session !== undefined) {
        await agent.notify(methods.agent.session.cancel, { sessionId: turn.session }).catch(() => undefined);
        await endsWithin(io.ports.clock, CANCEL_MS, talked);
      }
      resolve("gone");
    };
    if (io.stop.aborted) void cancel();
    else io.stop.addEventListener("abort", () => void cancel(), { once: true });
  });
  return Promise.race([talked, stopped]);
}

/** `turn` gets the session once it is there. Never rejects. */
async function takeTurn(talk: Talk, agent: ClientContext, turn: { session?: string }): Promise<Outcome> {
  const { io, request } = talk;
  let method = "";
  const ask: Ask = (asked, params) => {
    method = asked;
    return agent.request<unknown, object>(asked, params);
  };
  try {
    const greeting = ask("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    const answered = await endsWithin(
      io.ports.clock,
      GREETING_MS,
      greeting.catch(() => undefined),
    );
    if (!answered) return { type: "unanswered", method, seconds: GREETING_MS / 1000 };
    const able = await greeting;
    const unfit = misfit(able, request);
    if (unfit !== undefined) return { type: "request-failed", method, message: unfit };
    const session = await beginSession(talk, ask, able);
    const sessionId = request.resume ?? textField(session, "sessionId") ?? "";
    turn.session = sessionId;
    const unset = await setUp(talk, ask, chooseSettings(sessionId, session, request));
    if (unset !== undefined) return unset;
    await ask("session/prompt", { sessionId, prompt: [{ type: "text", text: request.prompt }] });
    return "done";
  } catch (error) {
    if (!(error instanceof RequestError)) return "gone";
    const { code, message } = error;
    const data: unknown = error.data;
    return { type: "request-failed", method, message, code, ...given({ data }) };
  }
}

/** Why an agent that can do so much cannot be used. */
function misfit(able: unknown, request: AcpRequest): string | undefined {
  const version = numberField(able, "protocolVersion");
  if (version !== PROTOCOL_VERSION)
    return `it speaks version ${String(version)} of the protocol, not ${PROTOCOL_VERSION}`;
  const resumes = resumeMethod(field(able, "agentCapabilities"));
  return request.resume !== undefined && resumes === undefined ? "it cannot resume a session" : undefined;
}

type Ask = (method: string, params: object) => Promise<unknown>;

/** Begins or resumes a session, and returns the agent's answer. */
async function beginSession({ io, request }: Talk, ask: Ask, able: unknown): Promise<unknown> {
  const place = { cwd: request.cwd, mcpServers: [] };
  if (request.resume === undefined) return ask("session/new", place);
  const method = resumeMethod(field(able, "agentCapabilities")) ?? "session/resume";
  if (method === "session/load") await say(io, { type: "replay" });
  return ask(method, { ...place, sessionId: request.resume });
}

/** Without the model that was asked for nothing is begun; without the effort it is. Rejects where the mode is not taken. */
async function setUp(
  { io, request }: Talk,
  ask: Ask,
  { calls, missing }: ReturnType<typeof chooseSettings>,
): Promise<AcpHostLine | undefined> {
  const unset = new Map<string, string>(missing.map((what) => [what, "the agent lets none be chosen"]));
  for (const { sets, method, params } of calls) {
    try {
      await ask(method, params);
    } catch (error) {
      if (sets === "mode" || !(error instanceof RequestError)) throw error;
      unset.set(sets, error.message);
    }
  }
  const effort = unset.get("reasoning");
  if (effort !== undefined)
    await say(io, { type: "not-set", what: `reasoning ${request.reasoning ?? ""}: ${effort}` });
  const model = unset.get("model");
  if (model === undefined) return undefined;
  const message = `${request.model ?? ""}: ${model}; perhaps its args can name one`;
  return { type: "request-failed", method: "model", message, data: { code: "model_not_found" } };
}

// Answers an agent that asks for permission. It sees only the calls that the agent asks about, and only the agent's
// own description of them.

/** An answer that the agent offers. */
interface AcpOption {
  optionId: string;
  kind: string;
}

/** Answers of the protocol. */
type AcpAnswer = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

/** Whether a call is allowed. `roots`: the working directory, under each of its names. */
export function isAllowed(tool: AcpTool, permissions: Permissions, roots: readonly string[]): boolean {
  switch (permissions) {
    case "full":
      return true;
    case "read-only":
      return tool.kind !== undefined && READS.has(tool.kind);
    case "workspace":
      // A command's words do not tell which files it reaches.
      return READS.has(tool.kind ?? "") || tool.kind === "execute" || isInside(tool.paths, roots);
    default:
      return never(permissions);
  }
}

const READS: ReadonlySet<string> = new Set(["read", "search", "think"]);

function isInside(paths: readonly string[], roots: readonly string[]): boolean {
  return paths.every((one) =>
    roots.some((root) => {
      const relative = path.relative(root, path.resolve(root, one));
      return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
    }),
  );
}

/** This once rather than always: the next call shall be asked about again. Without a fitting option the call is cancelled. */
export function chooseAnswer(allowed: boolean, options: readonly AcpOption[]): AcpAnswer {
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return { outcome: "selected", optionId: option.optionId };
  }
  return { outcome: "cancelled" };
}

/** The options that the settings ask for. */
export interface AcpWishes {
  permissions: Permissions;
  model?: string;
  reasoning?: string;
}

/** A request to be made, and what it sets. */
export interface AcpCall {
  sets: "mode" | "model" | "reasoning";
  method: string;
  params: Readonly<Record<string, string>>;
}

/** Modes by the names agents give them, the most fitting first. Without any of them what the agent asks is all there is. */
const MODES: Readonly<Record<Permissions, readonly string[]>> = {
  "read-only": ["read-only", "plan"],
  workspace: ["workspace-write", "default"],
  full: ["agent-full-access"],
};

/** The requests, in order; `missing`: what was wanted and cannot be chosen. `session`: what the agent answered to its beginning. */
export function chooseSettings(
  sessionId: string,
  session: unknown,
  wishes: AcpWishes,
): { calls: AcpCall[]; missing: ("model" | "reasoning")[] } {
  const options = listField(session, "configOptions");
  const setOption = (sets: AcpCall["sets"], category: string, value: string): AcpCall | undefined => {
    const id = options
      .filter((option) => textField(option, "category") === category)
      .map((option) => textField(option, "id"))[0];
    return id === undefined
      ? undefined
      : { sets, method: "session/set_config_option", params: { sessionId, configId: id, value } };
  };
  const mode = modeCall(sessionId, session, wishes.permissions);
  const model =
    wishes.model === undefined
      ? undefined
      : (setOption("model", "model", wishes.model) ?? modelCall(sessionId, session, wishes.model));
  const effort =
    wishes.reasoning === undefined ? undefined : setOption("reasoning", "thought_level", wishes.reasoning);
  return {
    calls: [mode, model, effort].filter((call) => call !== undefined),
    missing: [
      ...(wishes.model !== undefined && model === undefined ? (["model"] as const) : []),
      ...(wishes.reasoning !== undefined && effort === undefined ? (["reasoning"] as const) : []),
    ],
  };
}

function modeCall(sessionId: string, session: unknown, permissions: Permissions): AcpCall | undefined {
  const modes = field(session, "modes");
  const offered = listField(modes, "availableModes").map((mode) => textField(mode, "id"));
  const fitting = MODES[permissions].find((mode) => offered.includes(mode));
  if (fitting !== undefined) {
    if (textField(modes, "currentModeId") === fitting) return undefined;
    return { sets: "mode", method: "session/set_mode", params: { sessionId, modeId: fitting } };
  }
  const option = listField(session, "configOptions").find((one) => textField(one, "category") === "mode");
  const values = listField(option, "options").map((one) => textField(one, "value"));
  const value = MODES[permissions].find((mode) => values.includes(mode));
  const id = textField(option, "id");
  if (value === undefined || id === undefined || textField(option, "currentValue") === value)
    return undefined;
  return { sets: "mode", method: "session/set_config_option", params: { sessionId, configId: id, value } };
}

/** An older way, which some agents have alone. */
function modelCall(sessionId: string, session: unknown, modelId: string): AcpCall | undefined {
  return field(session, "models") === undefined
    ? undefined
    : { sets: "model", method: "session/set_model", params: { sessionId, modelId } };
}
