// Reads the lines that `gemini --output-format stream-json` prints (as of 0.61). Pure. Leaves its arguments to gemini.ts.
import { given } from "../../system/given.js";
import type { AgentEvent, FailureReason } from "../agent.js";
import { appendText } from "../process/bounds.js";
import { field, textField, tokensField } from "../fields.js";
import { endFailed } from "../limits/limits.js";
import {
  sessionOf,
  withoutTool,
  withTool,
  type Closing,
  type JsonReader,
  type OpenTools,
  type Reading,
  type Terminal,
} from "../limits/reader.js";
import { toUsageEvents, toUsed } from "../usage.js";

export interface GeminiState {
  open: OpenTools;
  /** The message it is saying, piece by piece. */
  said: string;
  final: string;
  session?: string;
  /** Why it was stopped, by its own word: the result line says "success" all the same. */
  halted?: { reason: FailureReason; evidence: string };
  /** The last error that was not a warning: the result line may leave it out. */
  lastError?: string;
  terminal?: Terminal;
  usage?: readonly AgentEvent[];
}

/** Reads gemini's own lines. */
export const geminiReader: JsonReader<GeminiState> = {
  start: { open: new Map(), said: "", final: "" },
  readLine(state, json, at) {
    if (isPiece(json)) {
      return { state: { ...state, said: appendText(state.said, pieceOf(json)) }, events: [], known: true };
    }
    const { state: quiet, events } = endMessage(state);
    const reading = readLine(quiet, json, at);
    return { ...reading, events: [...events, ...reading.events] };
  },
  busy: (state) => state.open.size > 0,
  close,
};

function isPiece(json: unknown): boolean {
  return textField(json, "type") === "message" && textField(json, "role") === "assistant";
}

function pieceOf(json: unknown): string {
  return textField(json, "content") ?? "";
}

/** Any other line ends a message. */
function endMessage(state: GeminiState): { state: GeminiState; events: AgentEvent[] } {
  const { said } = state;
  if (said === "") return { state, events: [] };
  const event: AgentEvent = { type: "message", role: "assistant", content: said };
  return { state: { ...state, said: "", final: said }, events: [event] };
}

function readLine(state: GeminiState, json: unknown, at: number): Reading<GeminiState> {
  switch (textField(json, "type") ?? "") {
    case "init": {
      const session = textField(json, "session_id");
      const next = session === undefined ? state : { ...state, session };
      return { state: next, events: [], known: true };
    }
    case "message":
      // The prompt, said back.
      return { state, events: [], known: true };
    case "tool_use":
      return beginTool(state, json, at);
    case "tool_result":
      return endTool(state, json, at);
    case "error":
      return readError(state, json);
    case "result":
      return readResult(state, json);
    default:
      return { state, events: [], known: false };
  }
}

function beginTool(state: GeminiState, json: unknown, at: number): Reading<GeminiState> {
  const id = textField(json, "tool_id") ?? "";
  const name = textField(json, "tool_name") ?? "";
  const input = field(json, "parameters") ?? {};
  const command = name === "run_shell_command" ? textField(input, "command") : undefined;
  const shell = command !== undefined;
  const open = withTool(state.open, id, { name: command ?? name, shell, at });
  const event: AgentEvent = shell ? { type: "command", command } : { type: "tool_use", name, input, id };
  return { state: { ...state, open }, events: [event], known: true };
}

/** A command that exits 3 has the status "success"; its code is told only where it printed nothing. */
function endTool(state: GeminiState, json: unknown, at: number): Reading<GeminiState> {
  const id = textField(json, "tool_id") ?? "";
  const output = textField(json, "output") ?? "";
  const error = field(json, "error");
  const failed = textField(json, "status") === "error";
  const begun = state.open.get(id);
  const next = { ...state, open: withoutTool(state.open, id) };
  const told = textField(error, "message") ?? output;
  const refused: AgentEvent[] =
    textField(error, "type") === "policy_violation"
      ? [{ type: "error", error: told, reason: "refused" }]
      : [];
  if (begun?.shell !== true) {
    const result: AgentEvent = { type: "tool_result", id, output, is_error: failed };
    return { state: next, events: [result, ...refused], known: true };
  }
  // The command did not run at all: its end alone would not say so.
  const unmade: AgentEvent[] =
    failed && refused.length === 0 ? [{ type: "error", error: told, reason: "warning" }] : refused;
  const code = /^Command exited with code: (\d+)$/.exec(output)?.[1];
  const ended: AgentEvent = {
    type: "command",
    command: begun.name,
    ...(code === undefined ? {} : { exit_code: Number(code) }),
    duration_ms: Math.round(at - begun.at),
  };
  return { state: next, events: [ended, ...unmade], known: true };
}

const HALTS: readonly (readonly [FailureReason, RegExp])[] = [
  ["turns", /^Maximum session turns exceeded/],
  ["incomplete", /^Loop detected|^Agent execution (stopped|blocked)/],
];

function readError(state: GeminiState, json: unknown): Reading<GeminiState> {
  const message = textField(json, "message") ?? "";
  const halt = HALTS.find(([, words]) => words.test(message))?.[0];
  const warning = textField(json, "severity") === "warning";
  return {
    state: {
      ...state,
      ...(warning ? {} : { lastError: message }),
      ...(halt === undefined ? {} : { halted: { reason: halt, evidence: message } }),
    },
    events: [{ type: "error", error: message, ...(warning ? { reason: "warning" } : {}) }],
    known: true,
  };
}

function readResult(state: GeminiState, json: unknown): Reading<GeminiState> {
  const usage = readUsage(field(json, "stats"));
  const next = { ...state, open: new Map(), usage };
  if (textField(json, "status") === "success") {
    const terminal: Terminal = state.halted === undefined ? { good: true } : { good: false, ...state.halted };
    return { state: { ...next, terminal }, events: [], known: true };
  }
  const error = field(json, "error");
  const told = textField(error, "message");
  const evidence = told ?? state.lastError ?? "it failed without a word";
  const type = textField(error, "type");
  const terminal = endFailed({ ...(type === undefined ? {} : { codes: [type] }), text: evidence }, evidence);
  return {
    state: { ...next, terminal },
    events: told === undefined ? [] : [{ type: "error", error: told, reason: terminal.reason }],
    known: true,
  };
}

/** The input holds what came from the cache; of the output what was thought is left out, but the total has it. */
function readUsage(stats: unknown): AgentEvent[] {
  const count = (key: string): number => tokensField(stats, key) ?? 0;
  const input = count("input_tokens");
  const cached = count("cached");
  const output = Math.max(count("output_tokens"), count("total_tokens") - input);
  return toUsageEvents(toUsed({ input: input - cached, cached, output }));
}

function close(state: GeminiState): Closing {
  const { state: ended, events } = endMessage(state);
  return {
    events: [...events, ...(ended.usage ?? [])],
    final: ended.final,
    ...given({ terminal: ended.terminal }),
    ...sessionOf(ended.session),
  };
}
