// Reads streams in our own vocabulary: one event of event.ts a line, or a summary. Spoken by commands with jsonl
// output and by the hosts of modules and scripts, who also say how the work ended. Pure.
import { z } from "zod";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import { FAILURE_REASONS, WaitingCall, type AgentEvent } from "../agent.js";
import { AgentEventLine } from "../event.js";
import { isOver } from "../process/listen.js";
import { field, textField } from "../fields.js";
import {
  heard,
  sessionOf,
  strange,
  withoutTool,
  withTool,
  type Closing,
  type Complaint,
  type JsonReader,
  type OpenTools,
  type Reading,
  type Terminal,
} from "../limits/reader.js";

const Moment = z.iso.datetime({ offset: true });
/** The session that a later request can resume. */
const session = z.exactOptional(z.string());

/** A host's last line. Without it the host did not get to the end. */
export const EndLine = z.discriminatedUnion("ok", [
  z.object({
    type: z.literal("end"),
    ok: z.literal(true),
    session,
    waiting_call: z.exactOptional(WaitingCall),
  }),
  z.object({
    type: z.literal("end"),
    ok: z.literal(false),
    reason: z.enum(FAILURE_REASONS),
    evidence: z.string(),
    /** From when it can be asked again. */
    retry_at: z.exactOptional(Moment),
    session,
  }),
]);
export type EndLine = z.infer<typeof EndLine>;

export interface OwnState {
  open: OpenTools;
  final: string;
  summary?: unknown;
  terminal?: Terminal;
  session?: string;
  waitingCall?: WaitingCall;
  /** The last error it told of; what it began to do after it has undone it. */
  complaint?: Complaint;
}

/** `host`: an end line must come. Without it (a command) the stream says nothing bad: the exit code alone decides. */
export function createOwnReader(from: "host" | "command"): JsonReader<OwnState> {
  return {
    start: { open: new Map(), final: "" },
    readLine: (state, json, at) => readLine(state, json, { at, host: from === "host" }),
    busy: (state) => state.open.size > 0,
    close: (state) =>
      from === "host"
        ? close(state, undefined)
        : { ...close(state, { good: true, assumed: true }), ...given({ complaint: state.complaint }) },
  };
}

function readLine(
  state: OwnState,
  json: unknown,
  { at, host }: { at: number; host: boolean },
): Reading<OwnState> {
  if (textField(json, "type") === "summary" || (!host && isBareSummary(json))) {
    return heard({ ...state, summary: json });
  }
  if (host && textField(json, "type") === "end") return readEnd(state, json);
  const event = AgentEventLine.safeParse(json);
  if (!event.success) return strange(state);
  const after = follow(state, event.data, at);
  if (host || event.data.type !== "error") return heard(after, event.data);
  return heard({ ...after, complaint: readComplaint(json, event.data) }, event.data);
}

/** As the prompt asks for it, without our word for what it is. */
function isBareSummary(json: unknown): boolean {
  return (
    ["task_id", "status"].every((key) => field(json, key) !== undefined) && field(json, "type") === undefined
  );
}

const Reason = z.enum(FAILURE_REASONS);

/** Reads a complaint. An unknown reason is ignored. The text may also hold the time when a limit ends. */
function readComplaint(json: unknown, { error, reason }: Extract<AgentEvent, { type: "error" }>): Complaint {
  const known = Reason.safeParse(reason);
  const until = Moment.safeParse(field(json, "retry_at"));
  return {
    reason: known.success ? known.data : "exited",
    evidence: error,
    facts: { text: error, ...(until.success ? { resetsAt: Date.parse(until.data) } : {}) },
  };
}

function readEnd(state: OwnState, json: unknown): Reading<OwnState> {
  const end = EndLine.safeParse(json);
  if (!end.success) return strange(state);
  const terminal: Terminal = end.data.ok ? { good: true } : readFailure(end.data);
  const { session: id } = end.data;
  return heard({
    ...state,
    terminal,
    ...given({ session: id, waitingCall: end.data.ok ? end.data.waiting_call : undefined }),
  });
}

function readFailure({ reason, evidence, retry_at }: Extract<EndLine, { ok: false }>): Terminal {
  const facts = retry_at === undefined ? {} : { facts: { text: evidence, resetsAt: Date.parse(retry_at) } };
  return { good: false, reason, evidence, ...facts };
}

function follow(state: OwnState, event: AgentEvent, at: number): OwnState {
  switch (event.type) {
    case "message":
      return event.role === "assistant" && event.parent === undefined
        ? { ...state, final: event.content }
        : state;
    case "tool_use":
      return event.id === undefined
        ? goOn(state)
        : { ...goOn(state), open: withTool(state.open, event.id, { name: event.name, at }) };
    case "tool_result":
      return event.id === undefined ? state : { ...state, open: withoutTool(state.open, event.id) };
    case "command":
      return { ...(isOver(event) ? state : goOn(state)), open: followCommand(state.open, event, at) };
    case "error":
    case "usage":
      return state;
    default:
      return never(event);
  }
}

function goOn({ complaint: _over, ...state }: OwnState): OwnState {
  return state;
}

type Command = Extract<AgentEvent, { type: "command" }>;

/** A command is said twice: as it starts, and with its exit code or duration as it ends. */
function followCommand(open: OpenTools, event: Command, at: number): OpenTools {
  const id = `command ${event.command}`;
  return isOver(event) ? withoutTool(open, id) : withTool(open, id, { name: event.command, at });
}

function close(state: OwnState, assumed: Terminal | undefined): Closing {
  const terminal = state.terminal ?? assumed;
  const summary = state.summary === undefined ? {} : { summary: state.summary };
  const final =
    state.final === "" && field(state, "summary") !== undefined ? JSON.stringify(state.summary) : state.final;
  return {
    events: [],
    final,
    ...summary,
    ...sessionOf(state.session),
    ...given({ terminal, waitingCall: state.waitingCall }),
  };
}
