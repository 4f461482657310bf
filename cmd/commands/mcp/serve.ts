// Serves tools over the Model Context Protocol. Only this file loads the protocol's library.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  JSONRPCMessageSchema,
  type JSONRPCMessage,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { errorCode, errorMessage, UserError, usageError } from "../../../src/system/errors.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { splitLines } from "../../../src/agents/process/lines.js";
import { parseJson } from "../../../src/system/text/json.js";

export interface McpOffer {
  version: string;
  /** The description of the whole server, for models. */
  instructions: string;
  tools: readonly McpTool[];
  /** Why a known tool is not offered here; `undefined`: there is none of that name. */
  refused: (name: string) => string | undefined;
}

/** Serves until the input ends or `stop` is aborted. */
export async function serve(offer: McpOffer, pipe: Pipe, stop: AbortSignal): Promise<void> {
  const { version, instructions, tools, refused } = offer;
  const server = new McpServer({ name: "looper", version }, { capabilities: { tools: {} }, instructions });
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool !== undefined) return call(tool, params.arguments);
    const why = refused(params.name);
    if (why !== undefined) return failure(why);
    throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name.slice(0, 100)}`);
  });
  const transport = new StdioTransport(pipe);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  stop.addEventListener("abort", () => void server.close(), { once: true });
  await server.connect(transport);
  await closed;
}

function describe({ name, description, input, reads }: McpTool) {
  const { $schema: _draft, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    annotations: { readOnlyHint: reads, destructiveHint: false, openWorldHint: false },
  };
}

/** An error that the caller can mend is a result; any other is the protocol's internal error. */
async function call(tool: McpTool, args: unknown): Promise<CallToolResult> {
  try {
    const value = await tool.call(args);
    return {
      content: [{ type: "text", text: JSON.stringify(value, undefined, 2) }],
      structuredContent: { ...value },
    };
  } catch (error) {
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    const hint = error instanceof UserError ? error.hint : undefined;
    return failure([errorMessage(error), ...(hint === undefined ? [] : [hint])].join("\n"));
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

const LONGEST_MESSAGE = 16 * 1024 * 1024;

interface Pipe {
  chunks: AsyncIterable<Uint8Array>;
  write(text: string): Promise<void>;
}

class StdioTransport implements Transport {
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

const AnyRequest = z.looseObject({ method: z.string(), id: z.union([z.string(), z.int()]) });

/** The requests whose params the server reads. */
const OWN: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** Describes the wrong params of a request, with the field's name; `undefined`: they are right, or it is not a request. */
function whyWrongParams(message: unknown): string | undefined {
  const request = AnyRequest.safeParse(message).data;
  if (request === undefined) return undefined;
  const read = JSONRPCRequestSchema.safeParse(message);
  const issues = read.success ? OWN.get(request.method)?.safeParse(message).error?.issues : read.error.issues;
  if (issues?.[0] === undefined || issues.some(({ path: [field] }) => field !== "params")) return undefined;
  return `${request.method.slice(0, 100)}: ${describeIssues(issues)}`;
}

/** The first problems in a line, each with the name of its parameter, in zod's words. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const told = issues.slice(0, 5).map(({ path, message }) => [path.join("."), message]);
  return told.map((parts) => parts.filter((part) => part !== "").join(": ")).join("; ");
}

/** A tool; `call` gets whatever the client sent. */
export interface McpTool {
  name: string;
  description: string;
  reads: boolean;
  input: z.ZodType;
  /** Throws a `UserError` for what the caller can mend. */
  call(args: unknown): Promise<object>;
}

export function makeReader<S extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: S,
  run: (args: z.infer<z.ZodObject<S, z.core.$strict>>) => Promise<object>,
): McpTool {
  return makeTool({ name, description, reads: true }, shape, run);
}

/** A tool whose arguments are checked before it runs; unknown ones are refused, since a misspelled one would be lost. */
export function makeTool<S extends z.ZodRawShape>(
  about: Pick<McpTool, "name" | "description"> & { reads?: boolean },
  shape: S,
  run: (args: z.infer<z.ZodObject<S, z.core.$strict>>) => Promise<object>,
): McpTool {
  const input = z.strictObject(shape);
  return {
    name: about.name,
    description: about.description,
    reads: about.reads ?? false,
    input,
    call: async (args) => {
      const read = input.safeParse(args ?? {});
      if (read.success) return run(read.data);
      throw usageError(`${about.name}: ${describeIssues(read.error.issues)}`);
    },
  };
}
