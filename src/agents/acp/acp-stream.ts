// Reads the stream of an agent of the Agent Client Protocol (version 1), as its host passes it on: each message unchanged on
// a line, and the host's own lines between them (acp-host.ts). Pure. Leaves tool calls to acp-tools.ts.
import { z } from "zod";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import type { AgentEvent, Session, Used } from "../agent.js";
import { toToolUse, readDenial, endOf, isTold, mergeTool, type AcpTool } from "./acp-tools.js";
import { HostRequest } from "../hosted/hosted.js";
import { appendText } from "../process/bounds.js";
import { field, listField, textField, usdField, numberField, tokensField } from "../fields.js";
import {
  errorOf,
  heard,
  sessionOf,
  strange,
  type Closing,
  type JsonReader,
  type Reading,
  type Terminal,
} from "../limits/reader.js";
import { toUsageEvents, findUsedBefore, toUsed } from "../usage.js";
import { isStatus, readErrorBody } from "../limits/limit-facts.js";
import { endFailed } from "../limits/explain-failure.js";

/** The request to the host, on its stdin. */
export const AcpRequest = HostRequest.extend({
  args: z.array(z.string()),
  model: z.string().optional(),
  reasoning: z.string().optional(),
  /** The session to resume. */
  resume: z.exactOptional(z.string()),
});
export type AcpRequest = z.infer<typeof AcpRequest>;

/** The host's own lines. A line of the agent has `jsonrpc`, and is not one of these. */
export const AcpHostLine = z.discriminatedUnion("type", [
  z.object({ type: z.literal("refused"), tool: z.string() }),
  z.object({ type: z.literal("not-set"), what: z.string() }),
  z.object({
    type: z.literal("request-failed"),
    method: z.string(),
    message: z.string(),
    code: z.exactOptional(z.number()),
    data: z.exactOptional(z.unknown()),
  }),
  z.object({ type: z.literal("unanswered"), method: z.string(), seconds: z.number() }),
  /** All messages up to the next answer repeat the earlier session. */
  z.object({ type: z.literal("replay") }),
  z.object({ type: z.literal("killed"), signal: z.string() }),
]);
export type AcpHostLine = z.infer<typeof AcpHostLine>;

interface Call {
  tool: AcpTool;
  /** Its beginning was said. */
  told: boolean;
  at: number;
  parent: Parent;
}
type Parent = { parent?: string };

export interface AcpState {
  session?: string;
  resumable: boolean;
  /** The messages repeat the earlier session. */
  replaying?: boolean;
  /** The message it is saying, piece by piece. */
  said?: { role: "assistant" | "reasoning"; id: string | undefined; text: string; parent: Parent };
  final: string;
  open: ReadonlyMap<string, Call>;
  /** The last calls that ended: more may be said of them. */
  ended: readonly string[];
  /** The last call that was refused; some agents end their work there. */
  refused?: string;
  terminal?: Terminal;
  tokens?: Tokens;
  /** Of the whole session. */
  cost?: number;
}

/** Creates the reader of an agent's stream; `resumed`: the session it resumes. */
export function acpReader(resumed?: Session): JsonReader<AcpState> {
  return {
    start: {
      resumable: resumed !== undefined,
      ...(resumed === undefined ? {} : { session: resumed.id }),
      final: "",
      open: new Map(),
      ended: [],
    },
    readLine,
    busy: (state) => state.open.size > 0,
    close: (state) => close(state, resumed),
    soFar: (state) => usedSoFar(state, resumed),
  };
}

function readLine(state: AcpState, json: unknown, at: number): Reading<AcpState> {
  if (field(json, "jsonrpc") === undefined) return readHost(state, json);
  const method = textField(json, "method");
  if (method === undefined) return readAnswer(state, field(json, "result"));
  if (method === "session/update") {
    const update = field(field(json, "params"), "update");
    return state.replaying === true ? readPast(state, update, at) : readUpdate(state, update, at);
  }
  if (method === "session/request_permission")
    return readCall(state, { call: field(field(json, "params"), "toolCall"), at, asked: true });
  // Requests for files and terminals are refused by the host; methods that begin with `_` are the agent's own.
  const known = method.startsWith("_") || /^(fs|terminal|elicitation)\//.test(method);
  return { state, events: [], known };
}

function readHost(state: AcpState, json: unknown): Reading<AcpState> {
  const line = AcpHostLine.safeParse(json);
  if (!line.success) return strange(state);
  switch (line.data.type) {
    case "refused":
      return heard(
        { ...state, refused: line.data.tool },
        { type: "error", error: line.data.tool, reason: "refused" },
      );
    case "not-set":
      return heard(state, { type: "error", error: line.data.what, reason: "warning" });
    case "request-failed":
      return readFailure(state, line.data);
    case "unanswered": {
      const { method, seconds } = line.data;
      const evidence = `${method}: no answer in ${seconds} s; do its args make it speak the Agent Client Protocol?`;
      return heard({ ...state, terminal: { good: false, reason: "timed-out", evidence } });
    }
    case "replay":
      return heard({ ...state, replaying: true });
    case "killed": {
      const terminal = {
        good: false,
        reason: "killed",
        evidence: `ended by ${line.data.signal}, not by looper`,
      } as const;
      return heard({ ...state, terminal });
    }
    default:
      return never(line.data);
  }
}

function readFailure(
  state: AcpState,
  error: Extract<AcpHostLine, { type: "request-failed" }>,
): Reading<AcpState> {
  const terminal = describeFailedRequest(error);
  return heard({ ...state, terminal }, errorOf(terminal));
}

function readUpdate(state: AcpState, update: unknown, at: number): Reading<AcpState> {
  switch (textField(update, "sessionUpdate") ?? "") {
    case "agent_message_chunk":
      return readPiece(state, update, "assistant");
    case "agent_thought_chunk":
      return readPiece(state, update, "reasoning");
    case "tool_call":
    case "tool_call_update":
      return readCall(state, { call: update, at, asked: false });
    case "plan":
      return {
        ...flush(state, [{ type: "tool_use", name: "plan", input: listField(update, "entries") }]),
        known: true,
      };
    case "usage_update": {
      const cost = field(update, "cost");
      const amount = textField(cost, "currency") === "USD" ? usdField(cost, "amount") : undefined;
      return heard(amount === undefined ? state : { ...state, cost: amount });
    }
    case "user_message_chunk":
    case "available_commands_update":
    case "current_mode_update":
    case "config_option_update":
    case "session_info_update":
    case "notice":
    case "compaction_update":
    case "compaction_summary_chunk":
      return heard(state);
    default:
      return strange(state);
  }
}

/** Reads a repeated message: only the cost of the session is new. */
function readPast(state: AcpState, update: unknown, at: number): Reading<AcpState> {
  const { state: after, known } = readUpdate(state, update, at);
  return { state: after.cost === undefined ? state : { ...state, cost: after.cost }, events: [], known };
}

function readPiece(state: AcpState, update: unknown, role: "assistant" | "reasoning"): Reading<AcpState> {
  const piece = textField(field(update, "content"), "text") ?? "";
  // Gemini's own note, not a word of the model's.
  if (/^\[MODE_UPDATE\] \w+$/.test(piece)) return heard(state);
  const id = textField(update, "messageId");
  const parent = parentOf(update);
  const { said } = state;
  if (said?.role === role && said.id === id && said.parent.parent === parent.parent) {
    return heard({ ...state, said: { ...said, text: appendText(said.text, piece) } });
  }
  const { state: quiet, events } = flush(state, []);
  return heard({ ...quiet, said: { role, id, text: piece, parent } }, ...events);
}

function parentOf(update: unknown): Parent {
  const parent = textField(field(field(update, "_meta"), "claudeCode"), "parentToolUseId");
  return parent === undefined ? {} : { parent };
}

/** Ends the message it was saying; `events` come after it. */
function flush(
  state: AcpState,
  events: readonly AgentEvent[],
): { state: AcpState; events: readonly AgentEvent[] } {
  const { said, ...rest } = state;
  if (said === undefined) return { state, events };
  if (said.text === "") return { state: rest, events };
  const isFinal = said.role === "assistant" && said.parent.parent === undefined;
  return {
    state: isFinal ? { ...rest, final: said.text } : rest,
    events: [{ type: "message", role: said.role, content: said.text, ...said.parent }, ...events],
  };
}

const MOST_OPEN = 256;
const MOST_ENDED = 64;

/** Reads a tool call. `asked`: it is a request for permission; until the answer the call is only prepared. */
function readCall(
  state: AcpState,
  { call, at, asked }: { call: unknown; at: number; asked: boolean },
): Reading<AcpState> {
  const id = textField(call, "toolCallId") ?? "";
  if (state.ended.includes(id)) return heard(state);
  const before = state.open.get(id);
  const tool = mergeTool(before?.tool, call);
  const status = textField(call, "status");
  const over = status === "completed" || status === "failed";
  const parent = before?.parent.parent === undefined ? parentOf(call) : before.parent;
  const telling = before?.told !== true && isTold(tool, asked || over || status === "in_progress");
  const begun: Call = { tool, told: before?.told === true || telling, at: before?.at ?? at, parent };
  const said: AgentEvent[] = telling ? [{ ...toToolUse(id, tool), ...parent }] : [];
  if (!over) {
    const open =
      before === undefined && state.open.size >= MOST_OPEN ? state.open : new Map(state.open).set(id, begun);
    return { ...flush({ ...state, open }, said), known: true };
  }
  const open = new Map(state.open);
  open.delete(id);
  const ended = [...state.ended, id].slice(-MOST_ENDED);
  const end: AgentEvent = { ...endOf(id, tool, { call, ms: at - begun.at }), ...parent };
  const refused = readDenial(call);
  const denial: AgentEvent[] =
    refused === undefined ? [] : [{ type: "error", error: refused, reason: "refused" }];
  const after = { ...state, open, ended, ...given({ refused }) };
  return { ...flush(after, [...said, end, ...denial]), known: true };
}

/** The method that resumes a session of an agent with these capabilities, preferably without repeating its messages. */
export function resumeMethod(capabilities: unknown): "session/resume" | "session/load" | undefined {
  const resume = field(field(capabilities, "sessionCapabilities"), "resume") ?? undefined;
  if (resume !== undefined) return "session/resume";
  return field(capabilities, "loadSession") === true ? "session/load" : undefined;
}

/** Reads the answer to a request of the host. The answer's shape shows which request it was. */
function readAnswer({ replaying: _over, ...state }: AcpState, result: unknown): Reading<AcpState> {
  const stopReason = textField(result, "stopReason");
  if (stopReason !== undefined) return endTurn(state, stopReason, result);
  const capabilities = field(result, "agentCapabilities");
  if (capabilities !== undefined) {
    const resumable = resumeMethod(capabilities) !== undefined;
    return heard({ ...state, resumable });
  }
  const session = textField(result, "sessionId");
  return heard(session === undefined ? state : { ...state, session });
}

function endTurn(state: AcpState, stopReason: string, result: unknown): Reading<AcpState> {
  const { state: quiet, events } = flush(state, []);
  const terminal = endOfTurn(stopReason, result, quiet);
  const failure: AgentEvent[] = terminal.good ? [] : [errorOf(terminal)];
  const tokens = readTokens(result);
  return heard({ ...quiet, open: new Map(), terminal, ...given({ tokens }) }, ...events, ...failure);
}

/** Tokens are those of the turn and told at its end, dollars those of the session; of prices it does not know an agent says 0. */
function usedSoFar({ session, cost = 0, tokens }: AcpState, resumed: Session | undefined): Used {
  const before = findUsedBefore(resumed, session);
  return toUsed({
    ...(tokens ?? { input: 0, cached: 0, output: 0 }),
    ...(cost > 0 ? { cost: cost - (before?.cost_usd ?? 0) } : {}),
  });
}

function close(state: AcpState, resumed: Session | undefined): Closing {
  const { state: quiet, events } = flush(state, []);
  const now = usedSoFar(quiet, resumed);
  const used: Used = { ...now, ...(now.cost_usd === undefined ? {} : { cost_usd: quiet.cost ?? 0 }) };
  return {
    events: [...events, ...toUsageEvents(now)],
    final: quiet.final,
    ...given({ terminal: quiet.terminal }),
    ...(quiet.resumable ? sessionOf(quiet.session, used) : {}),
  };
}

// Why a request to an agent of the Agent Client Protocol failed. The protocol's own library says only "Internal
// error" of what an agent throws: its words, or all of its text where that is JSON, stand in the error's data.

type Failed = Pick<Extract<AcpHostLine, { type: "request-failed" }>, "code" | "message" | "data" | "method">;

const SIGN_IN = -32000;

/** `code` is one of JSON-RPC's, or the HTTP status; what kind of error it is some agents say in the data. */
export function describeFailedRequest({
  code = 0,
  message,
  data,
  method,
}: Failed): Extract<Terminal, { good: false }> {
  const body = bodyOf(data);
  const told = readErrorBody(body);
  const words = textField(data, "details") ?? told?.message ?? asWords(data);
  const text = words === undefined || message.includes(words) ? message : `${message}\n${words}`;
  const said = GENERIC.test(message) ? (words ?? message) : text.replace("\n", ": ");
  const evidence = `${method}: ${said}`;
  if (code === SIGN_IN) return { good: false, reason: "not-signed-in", evidence };
  const codes = ["errorKind", "errorName", "code", "type"].flatMap((key) => textField(data, key) ?? []);
  const status = [code, numberField(data, "statusCode"), numberField(data, "status")].find(isStatus);
  return endFailed(
    {
      codes,
      text,
      ...(told === undefined ? {} : { body: JSON.stringify(body) }),
      ...given({ status }),
    },
    evidence,
  );
}

/** JSON-RPC's own names of errors: they tell nothing beside other words. */
const GENERIC = /^(?:internal error|server error|unknown error|error)\.?$/i;

/** The data as the body of an answer: a bare error is put where bodies have it. */
function bodyOf(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return undefined;
  return field(data, "error") === undefined && textField(data, "message") !== undefined
    ? { error: data }
    : data;
}

function asWords(data: unknown): string | undefined {
  return typeof data === "string" && data.trim() !== "" ? data : undefined;
}

// How a turn of an agent of the Agent Client Protocol ended, and what it used.

/** Of one turn: `input` without what came from the cache, `output` with what was thought. */
interface Tokens {
  input: number;
  cached: number;
  output: number;
}

/** Whether a turn ended well; `stream`: what was said last, and what was refused. */
function endOfTurn(
  stopReason: string,
  result: unknown,
  stream: { final: string; refused?: string },
): Terminal {
  switch (stopReason) {
    case "end_turn":
      // Codex ends so when its provider fails, and says why as if the model did.
      if (field(result, "usage") !== null) return endedSilently(stream) ?? { good: true };
      return endFailed(
        { text: stream.final },
        stream.final === "" ? "it ended without having done anything" : stream.final,
      );
    case "max_tokens":
      return { good: false, reason: "incomplete", evidence: "the model's answer broke off at its longest" };
    case "max_turn_requests":
      return { good: false, reason: "turns", evidence: "it made as many requests as it may in a turn" };
    case "refusal":
      return { good: false, reason: "incomplete", evidence: "the model refused to go on" };
    case "cancelled": {
      const evidence =
        stream.refused === undefined ? "cancelled, not by looper" : `stopped there: ${stream.refused}`;
      return { good: false, reason: "incomplete", evidence };
    }
    default:
      return { good: false, reason: "incomplete", evidence: `it stopped: ${stopReason}` };
  }
}

/** Opencode ends its work, as if well, at the first call that is refused. */
function endedSilently({ final, refused }: { final: string; refused?: string }): Terminal | undefined {
  if (final !== "" || refused === undefined) return undefined;
  return { good: false, reason: "incomplete", evidence: `stopped there: ${refused}` };
}

/**
 * The tokens of a turn; `undefined` when the agent does not report them. All agents leave cached tokens out of the input.
 * Some leave reasoning tokens out of the output, but the total includes them.
 */
function readTokens(result: unknown): Tokens | undefined {
  const usage = field(result, "usage") ?? undefined;
  if (usage === undefined) return readQuota(field(field(field(result, "_meta"), "quota"), "token_count"));
  const count = (key: string): number => tokensField(usage, key) ?? 0;
  const input = count("inputTokens") + count("cachedWriteTokens");
  const cached = count("cachedReadTokens");
  return { input, cached, output: Math.max(count("outputTokens"), count("totalTokens") - input - cached) };
}

function readQuota(counted: unknown): Tokens | undefined {
  const input = tokensField(counted, "input_tokens");
  const output = tokensField(counted, "output_tokens");
  return input === undefined || output === undefined ? undefined : { input, cached: 0, output };
}
