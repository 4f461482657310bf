// Reads the lines that `codex exec --json` prints (as of 0.100 to 0.169). Pure. Leaves its arguments to codex.ts.
import { given } from "../../system/given.js";
import type { AgentEvent, Session, Used } from "../agent.js";
import { asText, field, listField, numberField, textField, tokensField } from "../fields.js";
import { endFailed } from "../limits/explain-failure.js";
import {
  errorOf,
  heard,
  sessionOf,
  strange,
  withoutTool,
  withTool,
  type Closing,
  type JsonReader,
  type OpenTools,
  type Reading,
  type Terminal,
} from "../limits/reader.js";
import { toUsageEvents, findUsedBefore, toUsed, subtractUsed } from "../usage.js";

export interface CodexState {
  open: OpenTools;
  final: string;
  thread?: string;
  /** The thread's totals: the last ones stand for all, those of earlier runs of it among them. */
  used?: Used;
  terminal?: Terminal;
  /** The last `error` that was not a retry; `turn.failed` repeats it. */
  lastError?: string;
}

/** Creates the reader of codex's lines; `resumed`: the thread it resumes. */
export function codexReader(resumed?: Session): JsonReader<CodexState> {
  return {
    start: { open: new Map(), final: "" },
    readLine,
    busy: (state) => state.open.size > 0,
    close: (state) => close(state, resumed),
  };
}

function readLine(state: CodexState, json: unknown, at: number): Reading<CodexState> {
  switch (textField(json, "type") ?? "") {
    case "thread.started":
      return heard({ ...state, ...given({ thread: textField(json, "thread_id") }) });
    case "turn.started": {
      // The result of the turn before is forgotten, the usage of the thread is not.
      const { terminal: _ended, lastError: _told, ...going } = state;
      return heard(going);
    }
    case "item.started":
    case "item.updated":
    case "item.completed":
      return readItem(state, json, at);
    case "error":
      return readError(state, textField(json, "message") ?? asText(json));
    case "turn.failed":
      return readFailure(state, textField(field(json, "error"), "message") ?? "the turn failed");
    case "turn.completed":
      return heard({
        ...state,
        open: new Map(),
        terminal: { good: true },
        ...readUsed(field(json, "usage")),
      });
    default:
      return strange(state);
  }
}

function close(state: CodexState, resumed?: Session): Closing {
  if (state.terminal === undefined && state.lastError !== undefined) {
    const { events, state: failed } = readFailure(state, state.lastError);
    const closing = close(failed, resumed);
    return { ...closing, events: [...events, ...closing.events] };
  }
  const before = findUsedBefore(resumed, state.thread);
  return {
    events: state.used === undefined ? [] : toUsageEvents(subtractUsed(state.used, before)),
    final: state.final,
    ...given({ terminal: state.terminal }),
    ...sessionOf(state.thread, state.used ?? before),
  };
}

function readFailure(state: CodexState, message: string): Reading<CodexState> {
  const terminal = endFailed({ text: message }, message);
  return heard(
    { ...state, open: new Map(), terminal },
    { type: "error", error: message, reason: terminal.reason },
  );
}

function readError(state: CodexState, message: string): Reading<CodexState> {
  if (!message.startsWith("Reconnecting")) return heard({ ...state, lastError: message });
  const notice: AgentEvent = { type: "error", error: message, reason: "retrying" };
  return { state, events: [notice], known: true, waiting: { text: message } };
}

/** Codex counts what came from the cache among the input, and what was thought among the output. */
function readUsed(usage: unknown): { used?: Used } {
  const keys = ["input_tokens", "output_tokens"] as const;
  if (keys.some((key) => typeof field(usage, key) !== "number")) return {};
  const [input = 0, output = 0] = keys.map((key) => tokensField(usage, key));
  const cached = tokensField(usage, "cached_input_tokens") ?? 0;
  return { used: toUsed({ input: input - cached, cached, output }) };
}

function readItem(state: CodexState, json: unknown, at: number): Reading<CodexState> {
  const item = field(json, "item");
  const done = textField(json, "type") === "item.completed";
  switch (textField(item, "type") ?? "") {
    case "agent_message":
      return readMessage(state, done ? textField(item, "text") : undefined, "assistant");
    case "reasoning":
      return readMessage(state, done ? textField(item, "text") : undefined, "reasoning");
    case "command_execution":
      return readCommand(state, { item, done, at });
    case "file_change":
    case "mcp_tool_call":
    case "collab_tool_call":
    case "web_search":
      return readTool(state, { item, done, at });
    case "todo_list":
      // Stays open for the whole turn: it says nothing of whether codex is at work.
      return done ? heard(state) : heard(state, { type: "tool_use", ...toolOf(item) });
    case "error": {
      const evidence = textField(item, "message") ?? "";
      return done ? heard(state, errorOf({ evidence, reason: "warning" })) : heard(state);
    }
    default:
      return strange(state);
  }
}

function readMessage(
  state: CodexState,
  text: string | undefined,
  role: "assistant" | "reasoning",
): Reading<CodexState> {
  if (text === undefined) return heard(state);
  return heard(role === "assistant" ? { ...state, final: text } : state, {
    type: "message",
    role,
    content: text,
  });
}

interface Item {
  item: unknown;
  done: boolean;
  at: number;
}

function readCommand(state: CodexState, { item, done, at }: Item): Reading<CodexState> {
  const id = textField(item, "id") ?? "";
  const command = textField(item, "command") ?? "";
  const begun = state.open.get(id);
  if (!done) {
    if (begun !== undefined) return heard(state);
    const open = withTool(state.open, id, { name: command, at });
    return heard({ ...state, open }, { type: "command", command });
  }
  const exitCode = numberField(item, "exit_code");
  const ended: AgentEvent = {
    type: "command",
    command,
    ...given({ exit_code: exitCode }),
    ...(begun === undefined ? {} : { duration_ms: Math.round(at - begun.at) }),
  };
  const declined: AgentEvent[] =
    textField(item, "status") === "declined" ? [{ type: "error", error: command, reason: "refused" }] : [];
  return heard({ ...state, open: withoutTool(state.open, id) }, ended, ...declined);
}

function readTool(state: CodexState, { item, done, at }: Item): Reading<CodexState> {
  const tool = toolOf(item);
  const use: AgentEvent = { type: "tool_use", ...tool };
  // The search text is known only at the end; 0.100 reports no start of file changes.
  const late = tool.name === "web_search" || !state.open.has(tool.id);
  if (!done) {
    const open = withTool(state.open, tool.id, { name: tool.name, at });
    const said = state.open.has(tool.id) || tool.name === "web_search";
    return heard({ ...state, open }, ...(said ? [] : [use]));
  }
  const failed = textField(item, "status") === "failed" || (field(item, "error") ?? null) !== null;
  const result: AgentEvent = { type: "tool_result", id: tool.id, output: outputOf(item), is_error: failed };
  return heard({ ...state, open: withoutTool(state.open, tool.id) }, ...(late ? [use, result] : [result]));
}

function toolOf(item: unknown): { name: string; input: unknown; id: string } {
  const id = textField(item, "id") ?? "";
  const type = textField(item, "type") ?? "";
  switch (type) {
    case "mcp_tool_call":
      return {
        id,
        name: `${textField(item, "server") ?? ""}.${textField(item, "tool") ?? ""}`,
        input: field(item, "arguments") ?? {},
      };
    case "collab_tool_call":
      return {
        id,
        name: textField(item, "tool") ?? type,
        input: { prompt: textField(item, "prompt") ?? "" },
      };
    case "web_search":
      return { id, name: type, input: { query: textField(item, "query") ?? "" } };
    case "todo_list":
      return { id, name: type, input: { items: listField(item, "items") } };
    default:
      return { id, name: type, input: { changes: listField(item, "changes") } };
  }
}

function outputOf(item: unknown): string {
  const error = field(item, "error") ?? null;
  if (error !== null) return textField(error, "message") ?? asText(error);
  const result = field(item, "result") ?? field(item, "agents_states");
  return asText(field(result, "content") ?? result);
}
