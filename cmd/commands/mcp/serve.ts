// Serves tools over the Model Context Protocol. Only this file loads the protocol's library.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { splitLines } from "../../../src/agents/process/lines.js";
import { errorCode, errorMessage, UserError, usageError } from "../../../src/system/errors.js";

export interface McpOffer {
  version: string;
  /** The description of the whole server, for models. */
  instructions: string;
  tools: readonly McpTool[];
}

interface Pipe {
  chunks: AsyncIterable<Uint8Array>;
  write: (text: string) => Promise<void>;
}

/** Serves until the input ends or `stop` is aborted. */
export async function serve(offer: McpOffer, pipe: Pipe, stop: AbortSignal): Promise<void> {
  const { version, instructions, tools } = offer;
  const server = new McpServer({ name: "looper", version }, { capabilities: { tools: {} }, instructions });
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
  server.server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool !== undefined) return call(tool, params.arguments);
    return failure(`there is no tool ${params.name.slice(0, 100)} here`);
  });
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  stop.addEventListener("abort", () => void server.close(), { once: true });
  await server.connect(openTransport(pipe));
  await closed;
}

const LONGEST_MESSAGE = 16 * 1024 * 1024;

/** Reads a message a line; other lines are skipped. Requests before the end of the input are answered. */
function openTransport({ chunks, write }: Pipe): Transport {
  const lines = splitLines(LONGEST_MESSAGE);
  const unanswered = new Set<RequestId>();
  let isEnded = false;
  const take = (line: string): void => {
    let message;
    try {
      message = deserializeMessage(line);
    } catch {
      return;
    }
    if ("method" in message && "id" in message) unanswered.add(message.id);
    transport.onmessage?.(message);
  };
  const read = async (): Promise<void> => {
    for await (const chunk of chunks) for (const line of lines.push(chunk)) take(line);
    for (const line of lines.end()) take(line);
  };
  const closeIfDone = async (): Promise<void> => {
    if (isEnded && unanswered.size === 0) await transport.close();
  };
  const transport: Transport = {
    start: () => {
      void read()
        .catch(() => undefined)
        .then(() => {
          isEnded = true;
          return closeIfDone();
        });
      return Promise.resolve();
    },
    send: async (message) => {
      await write(serializeMessage(message));
      if (!("method" in message) && message.id !== undefined) unanswered.delete(message.id);
      await closeIfDone();
    },
    close: () => {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
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

/** Its arguments are checked before it runs; unknown ones are refused: a misspelled one would be lost. */
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
      const problems = read.error.issues.slice(0, 5).map(({ path, message }) => [path.join("."), message]);
      const lines = problems.map((parts) => parts.filter((part) => part !== "").join(": "));
      throw usageError(`${about.name}: ${lines.join("; ")}`);
    },
  };
}
