// Serves tools over the Model Context Protocol. Only this file, stdio.ts and check-request.ts load the protocol's library.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { errorCode, errorMessage, UserError } from "../../../src/system/errors.js";
import { StdioTransport, type Pipe } from "./stdio.js";
import type { McpTool } from "./tool.js";

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
