// Reads the lines that `gemini --output-format stream-json` prints (as of 0.61). Pure. Leaves its arguments to gemini.ts.
import { given } from "../../system/given.js";
import type { AgentEvent, FailureReason } from "../agent.js";
import { appendText } from "../process/bounds.js";
import { field, textField, tokensField } from "../fields.js";
import { endFailed } from "../limits/explain-failure.js";
import {
  beginUse,
  endUse,
  errorOf,
  heard,
  sessionOf,
  strange,
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
    if (textField(json, "type") === "message" && textField(json, "role") === "assistant")
      return heard({ ...state, said: appendText(state.said, textField(json, "content") ?? "") });
    const { state: quiet, events } = endMessage(state);
    const reading = readLine(quiet, json, at);
    return { ...reading, events: [...events, ...reading.events] };
  },
  busy: (state) => state.open.size > 0,
  close,
};

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
      return heard(next);
    }
    case "message":
      // The prompt, said back.
      return heard(state);
    case "tool_use":
      return beginTool(state, json, at);
    case "tool_result":
      return endTool(state, json, at);
    case "error":
      return readError(state, json);
    case "result":
      return readResult(state, json);
    default:
      return strange(state);
  }
}

function beginTool(state: GeminiState, json: unknown, at: number): Reading<GeminiState> {
  const name = textField(json, "tool_name") ?? "";
  const input = field(json, "parameters") ?? {};
  const command = name === "run_shell_command" ? textField(input, "command") : undefined;
  const use = { id: textField(json, "tool_id") ?? "", name, input, command, at };
  const { open, event } = beginUse(state.open, use);
  return heard({ ...state, open }, event);
}

/** A command that exits 3 has the status "success"; its code is told only where it printed nothing. */
function endTool(state: GeminiState, json: unknown, at: number): Reading<GeminiState> {
  const output = textField(json, "output") ?? "";
  const error = field(json, "error");
  const failed = textField(json, "status") === "error";
  const code = /^Command exited with code: (\d+)$/.exec(output)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const end = { id: textField(json, "tool_id") ?? "", output, failed, exitCode, at };
  const { open, event } = endUse(state.open, end);
  const isRefused = textField(error, "type") === "policy_violation";
  // A command that did not run at all: its end alone would not say so.
  const isTold = isRefused || (failed && event.type === "command");
  const evidence = textField(error, "message") ?? output;
  const told = isTold ? [errorOf({ evidence, reason: isRefused ? "refused" : "warning" })] : [];
  return heard({ ...state, open }, event, ...told);
}

const HALTS: readonly (readonly [FailureReason, RegExp])[] = [
  ["turns", /^Maximum session turns exceeded/],
  ["incomplete", /^Loop detected|^Agent execution (stopped|blocked)/],
];

function readError(state: GeminiState, json: unknown): Reading<GeminiState> {
  const message = textField(json, "message") ?? "";
  const halt = HALTS.find(([, words]) => words.test(message))?.[0];
  const warning = textField(json, "severity") === "warning";
  return heard(
    {
      ...state,
      ...(warning ? {} : { lastError: message }),
      ...(halt === undefined ? {} : { halted: { reason: halt, evidence: message } }),
    },
    { type: "error", error: message, ...(warning ? { reason: "warning" } : {}) },
  );
}

function readResult(state: GeminiState, json: unknown): Reading<GeminiState> {
  const usage = readUsage(field(json, "stats"));
  const next = { ...state, open: new Map(), usage };
  if (textField(json, "status") === "success") {
    const terminal: Terminal = state.halted === undefined ? { good: true } : { good: false, ...state.halted };
    return heard({ ...next, terminal });
  }
  const error = field(json, "error");
  const told = textField(error, "message");
  const evidence = told ?? state.lastError ?? "it failed without a word";
  const type = textField(error, "type");
  const terminal = endFailed({ ...(type === undefined ? {} : { codes: [type] }), text: evidence }, evidence);
  return heard(
    { ...next, terminal },
    ...(told === undefined ? [] : [errorOf({ ...terminal, evidence: told })]),
  );
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
