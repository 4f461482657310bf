// The server's end of the pipe: one JSON message per line. The library's own transport keeps a message of any length in memory
// and is silent about one that it cannot read.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, JSONRPCMessageSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { splitLines } from "../../../src/agents/process/lines.js";
import { parseJson } from "../../../src/system/text/json.js";
import { whyWrongParams } from "./check-request.js";

/** Longer messages are refused. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

/** Where the messages come from, and where the answers go. */
export interface Pipe {
  chunks: AsyncIterable<Uint8Array>;
  write(text: string): Promise<void>;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #pipe: Pipe;
  readonly #lines = splitLines(LONGEST_MESSAGE);
  readonly #unanswered = new Set<string | number>();
  #ended = false;
  #idle: (() => void) | undefined;
  #closed = false;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  /** Reads to the end of the input; then the requests that came before it are still answered. */
  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#pipe.chunks)
        for (const line of this.#lines.push(chunk)) this.#take(line);
      for (const line of this.#lines.end()) this.#take(line);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    this.#ended = true;
    if (this.#unanswered.size > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    await this.close();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    const value = parseJson(line);
    if (value === undefined) {
      this.#refuse(null, ErrorCode.ParseError, "not a line of JSON, or longer than 16 MiB");
      return;
    }
    const wrong = whyWrongParams(value);
    if (wrong !== undefined) {
      this.#refuse(idOf(value), ErrorCode.InvalidParams, wrong);
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (!message.success) {
      this.#refuse(idOf(value), ErrorCode.InvalidRequest, "not a message of JSON-RPC 2.0");
      return;
    }
    if ("method" in message.data && "id" in message.data) this.#unanswered.add(message.data.id);
    this.onmessage?.(message.data);
  }

  #refuse(id: string | number | null, code: ErrorCode, message: string): void {
    void this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if (!("method" in message) && "id" in message && message.id !== undefined)
      this.#unanswered.delete(message.id);
    if (this.#ended && this.#unanswered.size === 0) this.#idle?.();
  }

  #write(message: object): Promise<void> {
    return this.#pipe.write(`${JSON.stringify(message)}\n`);
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.onclose?.();
    }
    return Promise.resolve();
  }
}

function idOf(value: unknown): string | number | null {
  const id: unknown = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
