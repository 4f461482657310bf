// The parts of the world that the engine's loop needs, a running conversation, and its outcomes.
// session/session-world.ts builds a world; converse.ts and call-tool.ts use it.
import type { FailureReason } from "../../agents/agent.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Clock, Random } from "../../system/ports.js";
import type { Model, OfferedTool } from "../model.js";
import type { FireHooks } from "../hooks/hook-answer.js";
import type { PreparedCall, Subject, Tool } from "../tool.js";
import type { Conversation, SessionSpent } from "./conversation.js";
import type { ChapoNews, FailureCode, TurnEvent } from "./events.js";
import type { AskQueue } from "./calls/ask-queue.js";
import type { SubAgent } from "./children/sub-agents.js";
import type { CallAnswer, PermitQuestion, SessionCall, Reply, UserQuestion } from "./calls/pending.js";

/** A running conversation. Only one turn at a time changes it. */
export interface LiveConversation {
  readonly world: EngineWorld;
  conversation: Conversation;
  /** Lets one call of the session at a time ask a person; absent: nothing else asks. */
  readonly asks?: AskQueue<ConversationOutcome>;
  /** Why calls of this turn have no result yet, by their ids: the sub-agents that they started wait, or were stopped. */
  readonly paused?: Map<string, ConversationOutcome>;
  /** A request by a command, carried out before the model's next turn. */
  requestedCommand?: "clear" | "compact";
}

/** A call in canonical words. */
export interface ReadCall {
  id: string;
  /** The name as it was offered, which its result carries too. */
  offered: string;
  /** The tool's canonical name. */
  name: string;
  /** The arguments without the field `agent`. */
  args: unknown;
  tool: Tool | undefined;
  /** The agent that makes the call. */
  agent: string;
  /** Why the call cannot be made at all. */
  problem?: string;
}

/** A call that is about to be run. */
export interface GateCall extends Pick<ReadCall, "id" | "agent" | "args"> {
  tool: Tool;
  prepared: PreparedCall;
  /** Set if a person allowed this very call. It is marked before it runs. */
  approved?: Approval;
}

/** A person's approval. */
export interface Approval {
  remark?: string;
  /** Set if the person changed the arguments. */
  edited?: true;
}

/** The tool a conversation must end with, and the check of its arguments. */
export interface Finish {
  /** The most turns of the attempt; absent: no limit of its own. */
  maxTurns?: number;
  tool: OfferedTool;
  /** Returns the report, or a problem that names the field. */
  read(args: unknown): { value: unknown } | { problem: string };
  /** Returns the report in a text reply, or a problem with it; `undefined` if the text contains none. */
  readText(text: string): ReturnType<Finish["read"]> | undefined;
}

/** The audit record of a call; `tries` is 0 for one that was refused. */
export interface AuditRecord {
  /** ISO 8601. */
  at: string;
  session: string;
  call_id: string;
  agent: string;
  tool: string;
  args: unknown;
  success: boolean;
  code?: FailureCode;
  /** How a call that may change something was allowed: the way of a person's answer, or `setting` for a rule, a mode or a hook. */
  via?: CallAnswer["via"] | "setting";
  tries: number;
  duration_ms: number;
  /** The length of the whole result, in characters. */
  output_chars: number;
}

/** Whether a call may run. `asks`: a person must allow it. */
export type Permit = { allowed: true } | { refused: string } | { asks: PermitQuestion };

/** The checks of calls, and the storage of their results. */
export interface Gatekeepers {
  /** Returns why a call's subjects are out of bounds; `undefined` if they are not. */
  checkSubjects(subjects: readonly Subject[]): Promise<string | undefined>;
  /** Returns whether a call may run, or that a person must be asked first. */
  permit(call: GateCall): Promise<Permit>;
  /** Allows the same call with the same arguments until the session ends; `edits`: every edit of its file. */
  remember(call: GateCall, scope: "call" | "edits"): void;
  /** Asks a person and waits; absent if no person can be asked now. */
  ask?: (question: UserQuestion) => Promise<Reply>;
  /** Returns whether the session file can hold the value exactly: without secrets. */
  canStore(value: unknown): boolean;
  /** Returns a tool's result without what the rules keep out of results, and without the models' keys. */
  screen(tool: string, text: string): Promise<string>;
  /** Saves a text that is too long for the model. Returns the path of its file. */
  keepOutput(callId: string, text: string): Promise<string>;
  audit(record: AuditRecord): Promise<void>;
}

/** Stored messages of the user. A message is removed once the session file holds it. */
export interface StoredInbox {
  read(): Promise<readonly { name: string; text: string }[]>;
  remove(name: string): Promise<void>;
}

/** Everything the loop needs. */
export interface EngineWorld {
  clock: Clock;
  random: Random;
  settings: ChapoSettings;
  model: Model;
  /** The usage of the session so far, children's included. */
  spent: SessionSpent;
  /** The caller of the model: `looper`, or the type of a sub-agent with a task of its own. */
  who: string;
  /** The tools a sub-agent with a task of its own may call. Its calls are not routed to other agents. */
  limits?: readonly string[];
  system: string;
  /** The prompts besides the conversation's own system prompt. */
  prompts: Readonly<Record<"looper.validation" | "looper.summary" | "looper.compaction", string>>;
  /** Returns all registered tools for one conversation. */
  tools(live: LiveConversation): readonly Tool[];
  /** Returns tools in the words of the vocabulary. `agents`: the values of the field `agent` that each tool gets; empty: no such field. */
  offer(tools: readonly Tool[], agents: readonly string[]): readonly OfferedTool[];
  /** Translates a model's call to canonical words. */
  canonical(name: string, args: unknown): { name: string; args: unknown };
  /** The sub-agents that calls are routed to. */
  agents: readonly SubAgent[];
  gate: Gatekeepers;
  /** Whether a call can wait in the session file for a person who cannot be asked now. */
  mayWait: boolean;
  finish?: Finish;
  emit(news: ChapoNews): void;
  /** The conversation is on disk when the promise resolves. */
  save(conversation: Conversation): Promise<void>;
  /** Stores the summary of compacted turns in the memory. */
  remember(summary: string): Promise<void>;
  /** Keeps the project's files as they are; called before each call that may change something. */
  keepFiles?: () => Promise<unknown>;
  /** Returns the messages that the user sent while the model worked, and forgets them. */
  takeMessages(): readonly string[] | Promise<readonly string[]>;
  /** Returns the stored conversation of a sub-agent; `undefined` if there is none. */
  load(id: string): Promise<Conversation | undefined>;
  /** Opens a shell of a sub-agent's own; absent: it has the session's. */
  openShell?: (child: string) => { tools: readonly Tool[]; close(): Promise<void> };
  /** The calls that may run at the same time; absent: none. */
  together?: {
    most: number;
    may(call: { name: string; args: unknown; tool: Tool | undefined }, tools: readonly Tool[]): boolean;
  };
  /** The messages that other processes stored for the session; none for a sub-agent. */
  inboxes: readonly StoredInbox[];
  /** Runs the hooks of an event; absent if there are none. */
  hooks?: FireHooks;
  /** Aborted to end the conversation. */
  signal: AbortSignal;
}

/** The limit that stopped a conversation: `turns` of the attempt, or those of `max_iterations` (`idle`). */
export type UsedUpLimit = "turns" | "idle" | "window";

/** How a conversation ended, until the user sends another message. */
export type ConversationOutcome =
  | { how: "answer"; answer: string; validated: boolean }
  /** `exhausted`: a limit is used up, and the question contains the summary. */
  | { how: "clarify"; question: string; exhausted: false }
  | { how: "clarify"; question: string; exhausted: true; limit: UsedUpLimit }
  /** A call waits for a person's permission. */
  | { how: "pending"; pending: SessionCall }
  /** The value that was reported with the finish tool. */
  | { how: "finished"; value: unknown }
  | {
      how: "error";
      error: string;
      reason: FailureReason;
      /** The time in epoch ms from which the model can be asked again. */
      retryAt?: number;
    };

/** The result of a step: the conversation's end, or the event that the next turn responds to. */
export type StepResult = ConversationOutcome | TurnEvent;

/** A running conversation with its state between turns. */
export interface TurnContext extends LiveConversation {
  /** The event the next turn responds to. */
  event: TurnEvent;
  /** The parts of a reply that its provider paused. */
  parts: string[];
  /** The calls that succeeded, each once: a new one is progress. */
  readonly done: Set<string>;
  /** Turns without a call in a row. */
  stalls: number;
  /** The last refused call and how often it was made in a row. */
  refused?: { call: string; times: number };
  /** Whether the last request was already shortened because the provider rejected it as too long. */
  shortened: boolean;
}

/** The position of a turn. */
export interface TurnPosition {
  iteration: number;
  /** Whether it is the last turn. */
  last: boolean;
}

/** Changes the conversation and writes it to disk. */
export async function keep(live: LiveConversation, changed: Partial<Conversation> = {}): Promise<void> {
  live.conversation = { ...live.conversation, ...changed };
  await live.world.save(live.conversation);
}

/** The outcome of a conversation that was aborted. */
export const INTERRUPTED: ConversationOutcome = {
  how: "error",
  error: "the session was stopped",
  reason: "interrupted",
};
