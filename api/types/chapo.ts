// The declarations of `import { openSession } from "looper/chapo"`. Copied into the package; only the module of the events is
// replaced.
import type { ChapoEvent as AnyEvent } from "../../src/chapo/engine/events.js";
import { UserError, type CommonOptions, type StopSignal } from "./shared.js";

/** An event of a session (schemas/cli/chapo.schema.json). */
export type ChapoEvent = AnyEvent;

export { UserError };

export interface SessionOptions extends CommonOptions {
  /** `provider/model`. Default: the settings, else the provider whose key is in the environment. */
  model?: string;
  /** The permission mode. */
  mode?:
    | "default"
    | "plan"
    | "acceptEdits"
    | "staged"
    | "dontAsk"
    | "bypassPermissions"
    | "auto"
    | "trusted"
    | "claude"
    | "anvil"
    | "dangerous";
  /** The names of the tools that the model sees. */
  tools?: "chapo" | "claude" | "anvil";
  /** How much the model thinks. */
  effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** The most turns of the model for one message. */
  maxIterations?: number;
  /** The ids of skills. */
  skills?: readonly string[];
  /** The id of the session to resume; `"last"`: the one that changed last. Default: a new session. */
  resume?: string;
  /** Called before a call that needs a person's yes. Without it, the call waits in the session (`how: "pending"`). */
  ask?: (question: Question) => Reply | Promise<Reply>;
  /** Called with each event in order. */
  onEvent?: (event: ChapoEvent) => void;
  /** Aborted: opening stops, and so does each message that is worked on. */
  signal?: StopSignal;
}

/** A call that needs a person's yes. */
export interface Question {
  /** E.g. `fs_writeFile`. */
  tool: string;
  /** `looper` for Chapo itself, or a sub-agent. */
  agent: string;
  args: unknown;
  /** The unified diff or the exact command. Untrusted text. */
  preview: string;
  /** Why a person is asked. */
  because: string;
  /** Whether `always` is possible. */
  mayRemember: boolean;
  /** The file, if `edits` is possible. */
  edits?: string;
}

/** The answer to a call that waits. */
export type Answer = Approval | Rejection;

/** The answer to a question before a call. */
export type Reply =
  | (Approval & {
      /** Also the same call again in this session. */
      always?: true;
      /** Also every edit of the file in this session. */
      edits?: true;
    })
  | Rejection;

export interface Approval {
  verdict: "approve";
  /** The arguments as the person changed them. */
  args?: unknown;
  /** For the model. */
  remark?: string;
  /** The person's name. */
  by?: string;
}

export interface Rejection {
  verdict: "reject";
  /** For the model. */
  remark?: string;
  /** The person's name. */
  by?: string;
}

/** A call that waits in the session. */
export interface WaitingCall {
  tool: string;
  agent: string;
  args: unknown;
  preview: string;
  because: string;
  /** ISO 8601. */
  asked_at: string;
}

/** How a message ended. */
export type Outcome =
  | { how: "answer"; answer: string; validated: boolean }
  /** The model asks; `exhausted`: a limit is reached, and `question` sums up. The next message is the answer. */
  | { how: "clarify"; question: string; exhausted: boolean }
  /** `answer` resumes it. */
  | { how: "pending"; pending: WaitingCall }
  /** `retryAt`: ISO 8601, when the provider can be asked again, if it is known. */
  | { how: "error"; error: string; reason: string; retryAt?: string };

export interface Session {
  readonly id: string;
  /** Works on a message until there is an outcome; one message at a time. A model that fails is an outcome, not an exception. */
  send(message: string, options?: { signal?: StopSignal }): Promise<Outcome>;
  /** The call that waits for a person, if any. */
  pending(): WaitingCall | undefined;
  /** Answers the call that waits, once, and continues the conversation. */
  answer(answer: Answer, options?: { signal?: StopSignal }): Promise<Outcome>;
  /** Ends what the session left running. The session stays on the disk and can be resumed. */
  close(): Promise<void>;
}

/** Opens a session of Chapo in a project. Throws a `UserError` if it cannot be opened. */
export declare function openSession(options?: SessionOptions): Promise<Session>;
