// The interface of the readers, one for each kind of agent: a line in, events out, and the result of the whole stream.
import { given } from "../../system/given.js";
import { parseJson } from "../../system/text/json.js";
import type { AgentEvent, FailureReason, Session, Used, WaitingCall } from "../agent.js";
import type { FailureFacts } from "./limit-facts.js";

/**
 * How the work ended, according to the stream; `assumed`: the stream only implies it. `facts`: the source of the reason and
 * of the time when a limit ends.
 */
export type Terminal =
  | { good: true; assumed?: true }
  | { good: false; reason: FailureReason; evidence: string; facts?: FailureFacts };

/** Why it failed, by its own word, if it failed. */
export type Complaint = Pick<Extract<Terminal, { good: false }>, "reason" | "evidence" | "facts">;

/** The result of reading one line. */
export interface Reading<S> {
  state: S;
  events: readonly AgentEvent[];
  /** False for a line of a kind this version does not know. */
  known: boolean;
  /** Such a line is a sentence in plain text. */
  plain?: true;
  /** The client only waits to ask its provider again, and why: no sign of life. */
  waiting?: FailureFacts;
  /** So many times it asked, and would for ever: to be ended now. */
  inVain?: number;
}

/** A line that was understood: the state after it, and what it said. */
export function heard<S>(state: S, ...events: readonly AgentEvent[]): Reading<S> {
  return { state, events, known: true };
}

/** A line of a kind this version does not know. */
export function strange<S>(state: S): Reading<S> {
  return { state, events: [], known: false };
}

/** The event of a failure. */
export function errorOf({ evidence, reason }: { evidence: string; reason: string }): AgentEvent {
  return { type: "error", error: evidence, reason };
}

/** The result of the whole stream, once it has ended. */
export interface Closing {
  /** Said last, e.g. usage, of which only the last total counts. */
  events: readonly AgentEvent[];
  /** Absent: the stream ended without the event that ends a run of its kind. */
  terminal?: Terminal;
  /** Counts only where an exit code says that it failed, and nothing else says why. */
  complaint?: Complaint;
  /** The final message. */
  final: string;
  /** The end of the plain text it printed, when its output is not a stream of events. */
  printed?: string;
  /** A report handed over as a value rather than as text, not yet checked. */
  summary?: unknown;
  /** The session that a later request can resume. */
  session?: Session;
  /** The call that it ended its turn for: a person must allow it first. */
  waitingCall?: WaitingCall;
}

/** The session of this id; none where the id could be taken for anything but one (it becomes an argument). */
export function sessionOf(id: string | undefined, used?: Used): { session?: Session } {
  if (id === undefined || !/^[A-Za-z0-9][\w.:-]{0,199}$/.test(id)) return {};
  return { session: { id, ...given({ used }) } };
}

/** Pure. `at` is in milliseconds, of which only differences mean anything. */
export interface Reader<S> {
  readonly start: S;
  /** Its output is plain text: any character counts as a sign of life, not only whole lines. */
  readonly isText?: true;
  read(state: S, line: string, at: number): Reading<S>;
  /** A command or tool it started has not ended: the idle clock stands still. */
  busy(state: S): boolean;
  close(state: S): Closing;
  /** The usage so far that is reported only at the end; absent: it is reported on the way, or not known before the end. */
  soFar?(state: S): Used;
}

/** A reader of a stream of JSON values. */
export interface JsonReader<S> extends Omit<Reader<S>, "read" | "isText"> {
  readLine(state: S, json: unknown, at: number): Reading<S>;
}

/** Reads lines of JSON. A line that is not JSON changes nothing, and is taken as if it stood on stderr; an empty one means nothing. */
export function readJsonLines<S>(kind: JsonReader<S>): Reader<S> {
  return {
    ...kind,
    read(state, line, at) {
      const trimmed = line.trim();
      if (trimmed === "") return heard(state);
      const json = parseJson(trimmed);
      return json === undefined ? { ...strange(state), plain: true } : kind.readLine(state, json, at);
    },
  };
}

/** A command or tool that was started and has not ended. */
export interface OpenTool {
  /** Of a shell, the command it runs. */
  name: string;
  shell?: boolean;
  at: number;
}
export type OpenTools = ReadonlyMap<string, OpenTool>;

// No agent has so many tools going; a stream that never ends its tools must not cost quadratic time.
const MAX_OPEN = 256;

export function withTool(open: OpenTools, id: string, tool: OpenTool): OpenTools {
  return open.size >= MAX_OPEN ? open : new Map(open).set(id, tool);
}

export function withoutTool(open: OpenTools, id: string): OpenTools {
  if (!open.has(id)) return open;
  const rest = new Map(open);
  rest.delete(id);
  return rest;
}

/** A tool begins; `command`: what it runs, of a shell. */
export function beginUse(
  open: OpenTools,
  {
    id,
    name,
    input,
    command,
    at,
  }: { id: string; name: string; input: unknown; command?: string; at: number },
): { open: OpenTools; event: AgentEvent } {
  const shell = command !== undefined;
  const event: AgentEvent = shell ? { type: "command", command } : { type: "tool_use", name, input, id };
  return { open: withTool(open, id, { name: command ?? name, shell, at }), event };
}

/** A tool ends. */
export function endUse(
  open: OpenTools,
  end: { id: string; output: string; failed: boolean; exitCode: number | undefined; at: number },
): { open: OpenTools; event: AgentEvent } {
  const { id, output, failed, exitCode, at } = end;
  const begun = open.get(id);
  const event: AgentEvent =
    begun?.shell === true
      ? {
          type: "command",
          command: begun.name,
          ...given({ exit_code: exitCode }),
          duration_ms: Math.round(at - begun.at),
        }
      : { type: "tool_result", id, output, is_error: failed };
  return { open: withoutTool(open, id), event };
}
