// Reads the lines that `claude -p --output-format stream-json --verbose` prints (as of 2.0.76 to 2.1.329). Pure.
// Leaves its arguments to claude.ts, and the result line to claude-result.ts.
import { given } from "../../system/given.js";
import type { AgentEvent, Session, Used } from "../agent.js";
import { closeResult, usedOfMessage } from "./claude-result.js";
import { asText, field, listField, numberField, textField } from "../fields.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import {
  beginUse,
  endUse,
  heard,
  strange,
  type JsonReader,
  type OpenTools,
  type Reading,
} from "../limits/reader.js";
import { addUsed, NOTHING_USED } from "../usage.js";

interface Message {
  id: string;
  used: Used;
}

export interface ClaudeState {
  /** By the id of the tool's use. */
  open: OpenTools;
  lastText: string;
  session?: string;
  /** The last result line; a second one is legal, and then the first is not the end. */
  result?: unknown;
  /** The `error` of a synthetic message: the client's own words for an API failure. */
  apiError?: string;
  /** When the limit that was met ends, by the provider's word; epoch seconds. */
  resetsAt?: number;
  /** By the messages of this run: those that are over together, and of each speaker (the agent, or one it started, by the
   * id of the tool's use) the last, which is said again as it grows. */
  spoken: Used;
  speaking: ReadonlyMap<string, Message>;
  /** Uses whose denial was already told. */
  denied: ReadonlySet<string>;
}

/** Creates the reader of claude's lines; `resumed`: the session it resumes. */
export function claudeReader(resumed?: Session): JsonReader<ClaudeState> {
  return {
    start: {
      open: new Map(),
      lastText: "",
      denied: new Set(),
      spoken: NOTHING_USED,
      speaking: new Map(),
    },
    readLine,
    busy: (state) => state.open.size > 0,
    close: (state) => closeResult({ ...state, spoken: usedSoFar(state) }, resumed),
    soFar: usedSoFar,
  };
}

const QUIET_SYSTEM = new Set([
  "status",
  "thinking_tokens",
  "task_started",
  "task_updated",
  "task_notification",
  "background_tasks_changed",
  "informational",
  "ui_invalidate",
]);

function readLine(state: ClaudeState, json: unknown, at: number): Reading<ClaudeState> {
  switch (textField(json, "type") ?? "") {
    case "system":
      return readSystem(state, json);
    case "assistant":
      return isSynthetic(json) ? readSynthetic(state, json) : readAssistant(state, json, at);
    case "user":
      return readUser(state, json, at);
    case "result":
      return heard({ ...state, open: new Map(), result: json });
    case "rate_limit_event":
      return heard(readLimit(state, field(json, "rate_limit_info")));
    case "stream_event":
      return heard(state);
    default:
      return strange(state);
  }
}

function readSystem(state: ClaudeState, json: unknown): Reading<ClaudeState> {
  const subtype = textField(json, "subtype") ?? "";
  if (subtype === "init") {
    const session = textField(json, "session_id");
    // Work continues: an earlier result was not the end.
    const next = { ...state, result: undefined, ...given({ session }) };
    return heard(next);
  }
  if (subtype === "api_retry") {
    return {
      state,
      events: [{ type: "error", error: describeRetry(json), reason: "retrying" }],
      known: true,
      waiting: waitingFor(json),
    };
  }
  if (subtype === "permission_denied") {
    const id = textField(json, "tool_use_id");
    const denied = id === undefined ? state.denied : new Set(state.denied).add(id);
    const error = `${textField(json, "tool_name") ?? "a tool"}: ${textField(json, "message") ?? "denied"}`;
    return heard({ ...state, denied }, { type: "error", error, reason: "refused" });
  }
  return { state, events: [], known: QUIET_SYSTEM.has(subtype) };
}

/** Only a limit that was met counts, not how much of it is used. */
function readLimit({ resetsAt: _before, ...state }: ClaudeState, info: unknown): ClaudeState {
  const resetsAt = numberField(info, "resetsAt");
  return textField(info, "status") !== "rejected" || resetsAt === undefined ? state : { ...state, resetsAt };
}

function waitingFor(json: unknown): FailureFacts {
  const status = numberField(json, "error_status");
  const delay = numberField(json, "retry_delay_ms");
  return {
    codes: [textField(json, "error") ?? ""],
    // Without an answer or a status, the network is at fault.
    ...(status === undefined ? { isRetryable: true } : { status }),
    ...given({ retryDelayMs: delay }),
  };
}

function describeRetry(json: unknown): string {
  const attempt = numberField(json, "attempt") ?? 0;
  const most = numberField(json, "max_retries") ?? 0;
  const delay = numberField(json, "retry_delay_ms") ?? 0;
  const status = numberField(json, "error_status");
  const why = `${textField(json, "error") ?? "error"}${status === undefined ? "" : ` (${status})`}`;
  return `retry ${attempt} of ${most} in ${Math.round(delay)} ms: ${why}`;
}

function isSynthetic(json: unknown): boolean {
  return (
    field(json, "is_api_error_message") === true ||
    textField(field(json, "message"), "model") === "<synthetic>"
  );
}

/** Error text, not model output. The result line says it again, as the end. */
function readSynthetic(state: ClaudeState, json: unknown): Reading<ClaudeState> {
  const error = textField(json, "error");
  return heard(error === undefined ? state : { ...state, apiError: error });
}

function readAssistant(state: ClaudeState, json: unknown, at: number): Reading<ClaudeState> {
  const parent = parentOf(json);
  let next = countMessage(state, field(json, "message"), parent.parent ?? "");
  const events: AgentEvent[] = [];
  let known = true;
  for (const block of listField(field(json, "message"), "content")) {
    const type = textField(block, "type") ?? "";
    if (type === "text") {
      const content = textField(block, "text") ?? "";
      if (parent.parent === undefined) next = { ...next, lastText: content };
      events.push({ type: "message", role: "assistant", content, ...parent });
    } else if (type === "thinking") {
      events.push({
        type: "message",
        role: "reasoning",
        content: textField(block, "thinking") ?? "",
        ...parent,
      });
    } else if (type === "tool_use") {
      const begun = beginTool(next, block, at);
      next = begun.state;
      events.push({ ...begun.event, ...parent });
    } else if (!QUIET_BLOCK.test(type)) {
      known = false;
    }
  }
  return { state: next, events, known };
}

/** Blocks of tools that the provider runs itself, and blocks with hidden content. */
const QUIET_BLOCK = /^(?:redacted_thinking|(?:server|mcp)_tool_use|\w+_tool_result|container_upload)$/;

/** A message comes block by block, each with what the whole of it has used so far. */
function countMessage(state: ClaudeState, message: unknown, speaker: string): ClaudeState {
  const id = textField(message, "id") ?? "";
  const before = state.speaking.get(speaker);
  const spoken = before === undefined || before.id === id ? state.spoken : addUsed(state.spoken, before.used);
  const speaking = new Map(state.speaking).set(speaker, { id, used: usedOfMessage(message) });
  return { ...state, spoken, speaking };
}

function usedSoFar({ spoken, speaking }: ClaudeState): Used {
  return [...speaking.values()].map(({ used }) => used).reduce(addUsed, spoken);
}

type Parent = { parent?: string };

function parentOf(json: unknown): Parent {
  const parent = textField(json, "parent_tool_use_id");
  return parent === undefined ? {} : { parent };
}

function beginTool(
  state: ClaudeState,
  block: unknown,
  at: number,
): { state: ClaudeState; event: AgentEvent } {
  const name = textField(block, "name") ?? "";
  const input = field(block, "input") ?? {};
  const command = name === "Bash" ? textField(input, "command") : undefined;
  const use = { id: textField(block, "id") ?? "", name, input, command, at };
  const { open, event } = beginUse(state.open, use);
  return { state: { ...state, open }, event };
}

function readUser(state: ClaudeState, json: unknown, at: number): Reading<ClaudeState> {
  const parent = parentOf(json);
  const content = field(field(json, "message"), "content");
  const texts = typeof content === "string" ? [{ type: "text", text: content }] : [];
  let next = state;
  const events: AgentEvent[] = [];
  for (const block of [...texts, ...listField(field(json, "message"), "content")]) {
    const type = textField(block, "type");
    if (type === "tool_result") {
      const ended = endTool(next, block, at);
      next = ended.state;
      events.push({ ...ended.event, ...parent });
    } else if (type === "text" && field(json, "isSynthetic") !== true) {
      events.push({ type: "message", role: "user", content: textField(block, "text") ?? "", ...parent });
    }
  }
  return heard(next, ...events);
}

function endTool(state: ClaudeState, block: unknown, at: number): { state: ClaudeState; event: AgentEvent } {
  const output = asText(field(block, "content"));
  const failed = field(block, "is_error") === true;
  const told = /^Exit code (\d+)/.exec(output)?.[1];
  const exitCode = told !== undefined ? Number(told) : failed ? undefined : 0;
  const end = { id: textField(block, "tool_use_id") ?? "", output, failed, exitCode, at };
  const { open, event } = endUse(state.open, end);
  return { state: { ...state, open }, event };
}
