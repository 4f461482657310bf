// What the loop needs of the world, and how a conversation ends. Types only: open-session puts a world together, converse.ts
// and call-tool.ts use it.
import type { FailureReason } from "../../agents/agent.js";
import type { Clock, Random } from "../../system/ports.js";
import type { Model, OfferedTool } from "../model.js";
import type { PreparedCall, Subject, Tool, ToolResult } from "../tool.js";
import type { Conversation } from "./conversation.js";
import type { ChapoNews, FailureCode } from "./events.js";

/** How the engine is set: `agents.<name>.chapo.*`. */
export interface EngineSettings {
  maxIterations: number;
  maxConversationTokens: number;
  maxToolRetries: number;
  minValidationConfidence: number;
  selfValidation: boolean;
  /** The share of the window at which older turns are compacted. */
  compactAt: number;
  /** Of the model, tokens; where it is set it goes before what the model says. */
  contextWindow?: number;
  budgets: CallBudgets;
  /** Pieces of the model's text are told as they come. */
  stream: boolean;
}

/** The most calls that are run, in a session with its sub-agents. */
export interface CallBudgets {
  total?: number;
  /** By the tool's canonical name. */
  tools: Readonly<Record<string, number>>;
}

/** A conversation while it goes on. There is one at a time that changes it. */
export interface LiveConversation {
  conversation: Conversation;
  /** How often a call failed in a way that may pass, by name and arguments. */
  readonly failures: Map<string, number>;
  /** What a command asked for; done before the model's next turn. */
  wish?: "clear" | "compact";
}

/** A call that is about to be run. */
export interface GateCall {
  callId: string;
  /** `looper`, or a sub-agent's type. */
  agent: string;
  tool: Tool;
  /** As the tool takes them. */
  args: unknown;
  prepared: PreparedCall;
}

/** What a sub-agent is given with a call it is to make. */
export interface SubAgentContext {
  userMessage: string;
  toolName: string;
  toolArgs: unknown;
  /** The last five of the conversation, oldest first. */
  previousResults: readonly { tool: string; success: boolean; output: string }[];
  /** Says that a person must allow what it is about to do. */
  onActionPending(preview: string): void;
  /** Runs the call: it has passed the gate. */
  run(): Promise<ToolResult>;
}

/** A sub-agent: what it may call, and how it makes a call. */
export interface SubAgent {
  type: string;
  /** For the model. */
  description: string;
  /** Canonical names of tools; `fs_*` is all that begin so. */
  tools: readonly string[];
  execute(context: SubAgentContext): Promise<ToolResult>;
}

/** The tool a conversation must end with, and what is right for it. */
export interface Finish {
  tool: OfferedTool;
  /** A problem names the field. */
  read(args: unknown): { value: unknown } | { problem: string };
}

/** What is written down of a call that was run. */
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
  tries: number;
  duration_ms: number;
  /** Characters of the result, whole. */
  output_chars: number;
}

/** Who decides about calls and keeps what they bring. */
export interface Gatekeepers {
  /** Why what a call would touch is out of bounds; `undefined` when it is not. */
  checkSubjects(subjects: readonly Subject[]): Promise<string | undefined>;
  /** Whether it may run; asks a person where it must, and says so before. */
  permit(
    call: GateCall,
    onActionPending: (preview: string) => void,
  ): Promise<{ allowed: true } | { refused: string }>;
  /** Keeps a text that is too long for the model; where it lies. */
  keepOutput(callId: string, text: string): Promise<string>;
  audit(record: AuditRecord): Promise<void>;
}

/** The words the engine sends beside the conversation's own system prompt. */
export interface EnginePrompts {
  validation: string;
  summary: string;
  compaction: string;
}

/** Everything the loop needs. */
export interface EngineWorld {
  clock: Clock;
  random: Random;
  settings: EngineSettings;
  model: Model;
  /** On whose behalf the model is asked: `looper`, or the type of a sub-agent that works by itself. */
  who: string;
  /** Of a sub-agent that works by itself: what it may call. Its calls are routed to nobody else. */
  limits?: readonly string[];
  system: string;
  prompts: EnginePrompts;
  /** All that are registered, for one conversation. */
  tools(live: LiveConversation): readonly Tool[];
  /** As a model is shown them, in the vocabulary; `agents`: the values of the `agent` field each of them gets, none where it is empty. */
  offer(tools: readonly Tool[], agents: readonly string[]): readonly OfferedTool[];
  /** What a model's call is, in our words. */
  canonical(name: string, args: unknown): { name: string; args: unknown };
  /** Who calls are routed to. */
  agents: readonly SubAgent[];
  gate: Gatekeepers;
  /** Whether the model is offered `ask_user`. */
  mayAsk: boolean;
  finish?: Finish;
  emit(news: ChapoNews): void;
  /** Contract: on disk when it resolves. */
  save(conversation: Conversation): Promise<void>;
  /** The summary of compacted turns, for the memory. */
  remember(summary: string): Promise<void>;
  /** Aborted to end it. */
  signal: AbortSignal;
}

/** How a conversation ended for now. */
export type ConversationOutcome =
  | { how: "answer"; answer: string; validated: boolean }
  /** `exhausted`: not a question of the model's; its turns or its window are used up, and this is what it says of it. */
  | { how: "clarify"; question: string; exhausted: boolean }
  /** What was reported with the finish tool. */
  | { how: "finished"; value: unknown }
  | {
      how: "error";
      error: string;
      reason: FailureReason;
      /** Epoch ms from when the model can be asked again. */
      retryAt?: number;
    };
