// The answers and failures of a model, independent of any provider's protocol. Types only.

/** One answer to one request that offers tools. */
export type Step =
  | { do: "shell"; command: string }
  /** `path` relative to the folder the agent works in. */
  | { do: "write"; path: string; content: string }
  | { do: "read"; path: string }
  | { do: "say"; text: string }
  /** Calls a tool of the MCP server `looper`, under the name that the client gives it. */
  | { do: "mcp"; tool: string; input: Record<string, unknown> }
  /** Hands over a value: by the tool for it where one is offered, else as text. */
  | { do: "structured"; value: unknown }
  /** Not an answer but a failure, `times` over (once, unless told); then the step behind it. */
  | { do: "fail"; how: Fault; times?: number | "always" };

/** The errors of a provider; each protocol spells them in its own way. */
export type Problem =
  | "bad-request"
  | "unauthorized"
  | "model-unknown"
  | "context-full"
  | "rate-limit"
  | "quota"
  | "credit"
  | "server"
  | "overloaded";

export type Fault =
  | {
      fault: "refused";
      problem: Problem;
      retryAfterSeconds?: number;
      /** When the limit is over, in seconds since 1970. */
      resetsAtSeconds?: number;
    }
  /** An answer that goes wrong halfway. `text` is what it was about to say. */
  | {
      fault: "mid-stream";
      how: "overloaded" | "ends" | "disconnects" | "malformed" | "stalls";
      text?: string;
    }
  /** 200, and a page for people. */
  | { fault: "html" }
  /** The connection stays open, and nothing comes. */
  | { fault: "no-headers" };

/** Tokens of one answer, each counted once: input without what was cached, output without the reasoning. */
export interface Usage {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

/** A scripted model, for any protocol. */
export interface Scenario {
  /**
   * One script for each conversation, in the order they begin; the last stands for all that follow. A conversation begins with
   * a request that holds no answer yet, after one that was answered: a client that asks again continues the same one.
   */
  sessions: readonly (readonly Step[])[];
  /** The text for requests that offer no tools: titles, classifiers. */
  side?: string;
  usage?: Usage;
}
