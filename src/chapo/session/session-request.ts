// What opening a session takes, and what an open one can do. Types only: open-session.ts puts it together.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Permissions } from "../../config/table/settings.js";
import type { Network } from "../../system/network.js";
import type { Ports } from "../../system/ports.js";
import type { Redact } from "../../system/text/redact.js";
import type { ChapoEvent } from "../engine/events.js";
import type { Finish, ConversationOutcome } from "../engine/world.js";
import type { Tool } from "../tool.js";

/** What a person is asked before a call runs. */
export interface UserQuestion {
  /** The canonical name. */
  tool: string;
  agent: string;
  /** A unified diff, or the exact command. Words of others. */
  preview: string;
  /** Why it is asked about, as it ends a sentence. */
  because: string;
  /** Whether `always` means more than `yes`: not where a rule wants to be asked each time. */
  mayRemember: boolean;
}

/** `always`: yes, and to the same again in this session. */
export type Reply = "yes" | "no" | "always";

/** What a session is opened with. */
export interface SessionRequest {
  ports: Ports;
  network: Network;
  /** Absolute; where its tools work. */
  root: string;
  /** Of the tools' processes; the models' keys are taken from it, and kept from them. */
  env: Readonly<Record<string, string>>;
  /** Of the user; absolute. */
  home: string;
  settings: ChapoSettings;
  /** `provider/model`. */
  model: string;
  permissions: Permissions;
  /** Absolute path of the bundled prompts. */
  promptsFolder: string;
  /** Absolute path of the folder sessions are kept in. */
  sessionsFolder: string;
  /** The session to go on with; `last`: the newest. Without it one is begun. */
  resume?: string;
  /** Ids of skills; they stay with the session. */
  skills: readonly string[];
  /** Asks a person; absent where nobody is there. */
  ask?: (question: UserQuestion) => Promise<Reply>;
  /** A task of a backlog: it ends with this report, nobody answers, and the memory is only read. */
  task?: { finish: Finish };
  redact: Redact;
  /** Aborted to give up opening it. */
  signal: AbortSignal;
  /** Told each event, redacted, in order. */
  onEvent(event: ChapoEvent): void;
  /** What is wrong and was left out: a skill, a server, a file of an agent. */
  onWarning: (text: string) => void;
}

/** A session that goes on until it is closed. */
export interface Chapo {
  readonly id: string;
  /** All it can call. */
  readonly tools: readonly Tool[];
  /** Hears a message and works until it has an outcome; one at a time. Never throws what can be expected. */
  hear(message: string, signal: AbortSignal): Promise<ConversationOutcome>;
  /** Ends what it left running. */
  close(): Promise<void>;
}
