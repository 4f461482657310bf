// Reads the lines that `opencode run --format json` prints (as of 1.18). Pure. Leaves its arguments to opencode.ts.
//
// It reports a tool only when the tool has ended, and prints no result line: the reason of the last step takes its place.
// So silence may mean a running tool or a stalled stream. The two look alike, and the idle clock keeps running.
import { given } from "../../system/given.js";
import type { AgentEvent } from "../agent.js";
import { asText, field, numberField, textField, tokensField, usdField } from "../fields.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import { endFailed } from "../limits/explain-failure.js";
import {
  heard,
  sessionOf,
  strange,
  type Closing,
  type JsonReader,
  type Reading,
  type Terminal,
} from "../limits/reader.js";
import { toUsageEvents, toUsed } from "../usage.js";

export interface OpencodeState {
  /** That of its first line; other sessions are those of sub-agents. */
  session?: string;
  final: string;
  terminal?: Terminal;
  /** It asked so many times since its last deed without getting on, and why. */
  vain?: { times: number; facts: FailureFacts };
  /** Within the step at hand a tool was used. */
  acted?: true;
  /** The last tool that was refused; it may have ended the work there. */
  refused?: string;
  input: number;
  cached: number;
  output: number;
  /** It is 0 when no prices are configured. */
  cost: number;
}

/** Reads opencode's own lines. */
export const opencodeReader: JsonReader<OpencodeState> = {
  start: { final: "", input: 0, cached: 0, output: 0, cost: 0 },
  readLine(state, json) {
    const session = textField(json, "sessionID");
    const known = state.session ?? session;
    const next = known === undefined ? state : { ...state, session: known };
    if (session !== undefined && session !== known) return readOther(next, json, { parent: session });
    const reading = readOwn(next, json);
    const { vain } = reading.state;
    if (vain === undefined) return reading;
    const { times, facts } = vain;
    return { ...reading, waiting: facts, ...(times < MOST_IN_VAIN ? {} : { inVain: times }) };
  },
  busy: () => false,
  close,
};

/** A sub-agent's line: what it uses counts, how it ends does not. */
function readOther(state: OpencodeState, json: unknown, parent: { parent: string }): Reading<OpencodeState> {
  const { state: after, events, known } = readOwn(state, json);
  const { input, cached, output, cost } = after;
  return {
    state: { ...state, input, cached, output, cost },
    events: events.map((event) =>
      "role" in event || "output" in event || "input" in event || "command" in event
        ? { ...event, ...parent }
        : event,
    ),
    known,
  };
}

/** A step begins with a request; where the one before failed, that is told by its log alone. */
const ASKS: FailureFacts = {};
/** It would ask for ever: ten times in a second where streams are cut off, and with a summary in between where they are too long. */
const MOST_IN_VAIN = 5;
const CUT_OFF: FailureFacts = { isRetryable: true, text: "streams without an end" };

function askInVain(state: OpencodeState, facts: FailureFacts): OpencodeState {
  return { ...state, vain: { times: (state.vain?.times ?? 0) + 1, facts } };
}

function readOwn(state: OpencodeState, json: unknown): Reading<OpencodeState> {
  const part = field(json, "part");
  switch (textField(json, "type") ?? "") {
    case "step_start": {
      // Work continues: the earlier end was not the last.
      const { terminal: _ended, refused: _refused, acted: _acted, ...going } = state;
      return { state: going, events: [], known: true, waiting: ASKS };
    }
    case "text": {
      const content = textField(part, "text") ?? "";
      return heard({ ...state, final: content }, { type: "message", role: "assistant", content });
    }
    case "reasoning":
      return heard(state, { type: "message", role: "reasoning", content: textField(part, "text") ?? "" });
    case "tool_use":
      return readTool(act(state), part);
    case "step_finish":
      return heard(endStep(state, part));
    case "error":
      return readError(state, field(json, "error"));
    default:
      return strange(state);
  }
}

/** Records an action: after an earlier cut-off the work has continued. */
function act(state: OpencodeState): OpencodeState {
  const { vain: _over, ...going } = state;
  return { ...going, acted: true };
}

const REFUSED = /rejected permission|a rule which prevents you from using this/;

function readTool(state: OpencodeState, part: unknown): Reading<OpencodeState> {
  const tool = field(part, "state");
  const name = textField(part, "tool") ?? "";
  const input = field(tool, "input") ?? {};
  const failed = textField(tool, "status") === "error";
  const output = failed ? (textField(tool, "error") ?? "") : asText(field(tool, "output"));
  const command = name === "bash" ? textField(input, "command") : undefined;
  const id = textField(part, "callID") ?? "";
  const told: AgentEvent[] =
    command === undefined
      ? [
          { type: "tool_use", name, input, id },
          { type: "tool_result", id, output, is_error: failed },
        ]
      : [endedCommand(command, tool)];
  if (!failed || (command === undefined && !REFUSED.test(output))) return heard(state, ...told);
  const refused = REFUSED.test(output);
  const error: AgentEvent = {
    type: "error",
    error: `${command ?? name}: ${output}`,
    reason: refused ? "refused" : "warning",
  };
  return heard(refused ? { ...state, refused: error.error } : state, ...told, error);
}

function endedCommand(command: string, tool: unknown): AgentEvent {
  const code = numberField(field(tool, "metadata"), "exit");
  const time = field(tool, "time");
  const ms = (numberField(time, "end") ?? 0) - (numberField(time, "start") ?? 0);
  return {
    type: "command",
    command,
    ...given({ exit_code: code }),
    duration_ms: Math.max(0, Math.round(ms)),
  };
}

function endStep(state: OpencodeState, part: unknown): OpencodeState {
  const tokens = field(part, "tokens");
  const cache = field(tokens, "cache");
  const count = (of: unknown, key: string): number => tokensField(of, key) ?? 0;
  const reason = textField(part, "reason") ?? "";
  const terminal = terminalOf(reason);
  const isCut = CUT.has(reason) && state.acted === undefined;
  return {
    ...(isCut ? askInVain(state, CUT_OFF) : state),
    input: state.input + count(tokens, "input") + count(cache, "write"),
    cached: state.cached + count(cache, "read"),
    output: state.output + count(tokens, "output") + count(tokens, "reasoning"),
    cost: state.cost + (usdField(part, "cost") ?? 0),
    ...given({ terminal }),
  };
}

/** The reasons it gives for a stream that ended without one, by version. */
const CUT: ReadonlySet<string> = new Set(["unknown", "other"]);

/** After "tool-calls" another step follows. */
function terminalOf(reason: string): Terminal | undefined {
  if (reason === "stop") return { good: true };
  if (reason === "length")
    return { good: false, reason: "incomplete", evidence: "the model's answer broke off at its longest" };
  if (reason === "content-filter")
    return { good: false, reason: "incomplete", evidence: "the model's answer was filtered" };
  return undefined;
}

function readError(state: OpencodeState, error: unknown): Reading<OpencodeState> {
  const data = field(error, "data");
  const name = textField(error, "name") ?? "";
  const message = textField(data, "message") ?? textField(error, "message") ?? name;
  const status = numberField(data, "statusCode");
  const evidence = status === undefined ? message : `${message} (${status})`;
  const facts = { codes: [name], text: message, ...answerOf(data) };
  const terminal = endFailed(facts, evidence);
  // It writes a summary and continues.
  const after = terminal.reason === "context-full" ? askInVain(state, facts) : state;
  return {
    state: { ...after, terminal },
    events: [{ type: "error", error: evidence, reason: terminal.reason }],
    known: true,
    ...(after === state ? {} : { waiting: facts }),
  };
}

/** The provider's answer, if there was one. */
function answerOf(data: unknown): FailureFacts {
  const status = numberField(data, "statusCode");
  const body = textField(data, "responseBody");
  const isRetryable = field(data, "isRetryable");
  const headers = Object.entries(field(data, "responseHeaders") ?? {}).filter(isText);
  return {
    ...given({ status, body }),
    ...(typeof isRetryable === "boolean" ? { isRetryable } : {}),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}

function close(state: OpencodeState): Closing {
  const { input, cached, output, cost, refused } = state;
  const stopped: Terminal | undefined =
    refused === undefined
      ? undefined
      : { good: false, reason: "incomplete", evidence: `stopped there: ${refused}` };
  const terminal = state.terminal ?? stopped;
  return {
    events: toUsageEvents(toUsed({ input, cached, output, ...(cost > 0 ? { cost } : {}) })),
    final: state.final,
    ...given({ terminal }),
    ...sessionOf(state.session),
  };
}
