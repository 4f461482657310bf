// The request to open a session, and the open session. Types only: open-session.ts opens it.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { PermissionMode } from "../../config/settings/modes.js";
import type { Permissions } from "../../workflow/words.js";
import type { Network } from "../../system/network.js";
import type { Ports } from "../../system/ports.js";
import type { Redact } from "../../system/text/secrets/redact.js";
import type { Conversation } from "../engine/conversation.js";
import type { ChapoEvent } from "../engine/events.js";
import type { CallAnswer, Reply, UserQuestion } from "../engine/calls/pending.js";
import type { Finish, ConversationOutcome, StoredInbox } from "../engine/world.js";
import type { Tool } from "../tool.js";
import type { OpenTrees } from "./checkpoints.js";

/** The parts a session is opened with. */
export interface SessionRequest {
  ports: Ports;
  network: Network;
  /** The folder of the tools, absolute: the project's. */
  root: string;
  /** The project's folder where the root is a folder inside it: skills, commands and agents are read there. */
  project?: string;
  /** The folder that the user is in, absolute: guides for agents are read down to it. Absent: the project's. */
  from?: string;
  /** The environment. The models' keys are read from it and removed for the tools' processes. */
  env: Readonly<Record<string, string>>;
  /** The user's home folder, absolute. */
  home: string;
  settings: ChapoSettings;
  /** `provider/model`. */
  model: string;
  permissions: Permissions;
  /** Absolute path of the bundled prompts. */
  promptsFolder: string;
  /** Absolute path of the folder with the sessions. */
  sessionsFolder: string;
  /** The session to resume; `last`: the newest; absent: a new session. */
  resume?: string;
  /** Ids of skills, which are stored with the session. */
  skills: readonly string[];
  /** Asks a person; absent if no person can answer. */
  ask?: (question: UserQuestion) => Promise<Reply>;
  /** Called before each request: returns what the user sent while the model worked, and forgets it. */
  takeMessages?: () => readonly string[];
  /** Further messages that other processes store for the session. */
  inbox?: StoredInbox;
  /** Set for a task of a backlog: the session ends with this report, no person answers, and the memory is read-only. */
  task?: {
    finish: Finish;
    /** Whether a call can wait in the session for a person. */
    mayWait: boolean;
  };
  redact: Redact;
  /** Keeps the project's files around each message; absent: nothing is kept, and /undo is refused. */
  trees?: OpenTrees;
  /** Aborted to cancel the opening. */
  signal: AbortSignal;
  /** Called with each event, redacted, in order. */
  onEvent: (event: ChapoEvent) => void;
  /** Called with each problem that was skipped: a skill, a server, or a file of an agent. */
  onWarning: (text: string) => void;
}

/** An open session. */
export interface Chapo {
  readonly id: string;
  /** All tools of the session. */
  readonly tools: readonly Tool[];
  /** Works on a message until there is an outcome; one message at a time. Expected failures are outcomes, not exceptions. */
  send(message: string, signal: AbortSignal): Promise<ConversationOutcome>;
  /** Resumes the conversation where it was, without a message: carries out the answer to a call that waits, or asks again. */
  proceed(signal: AbortSignal): Promise<ConversationOutcome>;
  /** Other sessions of the project, as /resume lists them. */
  others(): Promise<readonly { id: string; title: string }[]>;
  /** The conversation as it is now: its messages, its usage, and what waits in it for a person. */
  readonly conversation: Conversation;
  /** The mode: it decides about calls without a rule. */
  mode(): PermissionMode;
  /** The modes that a person can change to; no other is taken. */
  readonly modes: readonly PermissionMode[];
  setMode(mode: PermissionMode): Promise<void>;
  /** Keeps an image for the next message; returns the text that stands for it there, or `undefined` if it cannot be sent. */
  keepImage(bytes: Uint8Array): Promise<string | undefined>;
  /** Runs a command that a person typed, unasked. The model sees its output with the next message. */
  runTyped(command: string, signal: AbortSignal): Promise<void>;
  /**
   * Stores the answer to the call that waits; `proceed` carries it out. Each call is answered once: throws a `usage` error if
   * no call waits, or if it was answered differently. A call that may have run already is not answered; `proceed` asks again.
   */
  answer(answer: Omit<CallAnswer, "at">): Promise<void>;
  /** Ends the processes it left running. */
  close(): Promise<void>;
}
