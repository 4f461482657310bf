// The events of a session as the documents have them, made from the engine's own. Pure.
import type { ChapoEvent } from "../../../src/chapo/engine/events.js";
import type { SessionCall } from "../../../src/chapo/engine/calls/pending.js";
import { parseLine } from "../../../src/logging/read.js";
import { isRecord } from "../../../src/system/text/json.js";

/** An event of the documents, without its number and time. */
export interface SaidEvent {
  type: string;
  data: Readonly<Record<string, unknown>>;
}

/** A turn so far, for its last event. */
export interface TurnSeen {
  iterations: number;
  steps: readonly unknown[];
}

export const NEW_TURN: TurnSeen = { iterations: 0, steps: [] };

/** The last event of a turn, exactly one. */
export const ENDS: ReadonlySet<string> = new Set(["answer", "clarify", "error"]);

/** Those of a sub-agent that belong to the turn around it. */
const OF_CHILDREN: ReadonlySet<string> = new Set(["tool_call", "tool_result", "action_pending", "usage"]);

/** Those that the documents do not have: sent to a client that asks for `stream=all`. */
const EXTRA: ReadonlySet<string> = new Set("delta message retry waiting delivered attached".split(" "));

/** The event as the documents have it; `undefined`: it is not told. `session`: its id. */
export function toSaid(event: ChapoEvent, session: string, seen: TurnSeen): SaidEvent | undefined {
  if (event.child !== undefined && !OF_CHILDREN.has(event.type)) return undefined;
  // Thoughts are not kept.
  if (event.type === "thought") return undefined;
  return { type: event.type, data: { ...dataOf(event, session, seen), sessionId: session } };
}

function dataOf(event: ChapoEvent, session: string, seen: TurnSeen): object {
  switch (event.type) {
    case "status":
      return { status: event.data.status };
    case "thinking": {
      const { iteration, event: cause, tokenUsage } = event.data;
      const { messages = 0, used, limit, remaining } = tokenUsage;
      const usage = { messageCount: messages, estimatedTokens: used, remaining, limit };
      return { iteration, event: cause, tokenUsage: usage };
    }
    case "step":
      return toStep(event.data);
    case "action_pending": {
      const { callId, agent } = event.data;
      return { actionId: actionId(session, callId), callId, agent, ...sayPending(event.data) };
    }
    case "answer":
      return { ...event.data, steps: seen.steps, totalIterations: seen.iterations };
    case "error": {
      const { error, reason } = event.data;
      return { ...event.data, message: error, recoverable: reason !== "bad-request" };
    }
    default:
      return event.data;
  }
}

const MOST_PREVIEW = 12_000;

/** A call that waits; its preview has a bounded length, and says first what is not shown. */
export function sayPending({
  tool,
  args,
  preview,
  because,
  agent,
}: Pick<SessionCall, "tool" | "args" | "preview" | "because" | "agent">) {
  const more = preview.length - MOST_PREVIEW;
  const mark = more <= 0 ? "" : `[the last ${more} characters are not shown]\n`;
  return {
    toolName: tool,
    toolArgs: args,
    description: `${agent} wants to use ${tool} (${because})`,
    preview: mark + preview.slice(0, MOST_PREVIEW),
  };
}

/** A step without what its model left out. */
function toStep({ iteration, decision }: Extract<ChapoEvent, { type: "step" }>["data"]) {
  const said = Object.entries(decision).filter(([, one]) => one !== null);
  return { iteration, decision: Object.fromEntries(said) as object };
}

/** The turn with one more event. */
export function seeEvent(seen: TurnSeen, event: ChapoEvent): TurnSeen {
  if (event.child !== undefined) return seen;
  if (event.type === "thinking") return { ...seen, iterations: seen.iterations + 1 };
  return event.type === "step" ? { ...seen, steps: [...seen.steps, toStep(event.data)] } : seen;
}

/** The id of a call that waits: its session and its own id, which may repeat in another session. */
export function actionId(session: string, call: SessionCall["call"]): string {
  return `${session}.${call}`;
}

/** The names that an older client knows, with their fields. */
const OLDER: Readonly<Record<string, (data: SaidEvent["data"]) => SaidEvent>> = {
  step: ({ sessionId, decision }) => ({ type: "looper_step", data: { sessionId, step: decision } }),
  thinking: ({ sessionId, ...rest }) => ({
    type: "looper_thinking",
    data: { sessionId, ...rest, status: `iteration ${String(rest["iteration"])}` },
  }),
  clarify: (data) => ({ type: "looper_clarify", data }),
};

export const STREAMS = ["agents", "all"] as const;
export type StreamNames = (typeof STREAMS)[number] | undefined;

export interface StoredEvent extends SaidEvent {
  timestamp: string;
}

/** The event of a stored line; `undefined`: it is none. */
export function readStoredEvent(line: string): StoredEvent | undefined {
  const read = parseLine(line);
  const data = read?.value["data"];
  if (read === undefined || !isRecord(data)) return undefined;
  return { type: read.type, data, timestamp: String(read.value["timestamp"]) };
}

/** A stored line as a client wants it; none where it is not for this client. */
export function forClient(line: string, names: StreamNames): string[] {
  const event = readStoredEvent(line);
  if (event === undefined) return [];
  const { type, data } = event;
  if (names !== "all" && EXTRA.has(type)) return [];
  const older = names === "agents" ? OLDER[type]?.(data) : undefined;
  return [older === undefined ? line : JSON.stringify({ ...parseLine(line)?.value, ...older })];
}
