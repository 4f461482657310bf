// A client's side of `looper mcp`: the lines it sends, and the answers by their id.
import { z } from "zod";

const Answer = z.looseObject({
  id: z.union([z.int(), z.string(), z.null()]),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});
export type McpAnswer = z.infer<typeof Answer>;

const HELLO = [
  {
    jsonrpc: "2.0",
    id: "hello",
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

/** A tool and its arguments. */
export type Call = readonly [tool: string, args?: Record<string, unknown>];

/** The input of a client that greets, then sends these lines, texts as they are. */
export function mcpInput(...lines: readonly (string | object)[]): string {
  return [...HELLO, ...lines]
    .map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
    .join("");
}

/** Calls of tools, with the ids 0, 1, 2 … */
export function mcpCalls(...calls: readonly Call[]): string {
  return mcpInput(
    ...calls.map(([name, args = {}], id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: args },
    })),
  );
}

/** Every line of the server, which must be a message. */
export function mcpAnswers(stdout: string): McpAnswer[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Answer.parse(JSON.parse(line)));
}

const Result = z.object({
  isError: z.boolean().default(false),
  content: z.tuple([z.object({ text: z.string() })]),
  structuredContent: z.looseObject({}).optional(),
});

/** The results of `mcpCalls`, in their order: what a tool returned, or the text of its error. */
export function mcpResults(stdout: string): unknown[] {
  const answers = mcpAnswers(stdout).filter(({ id }) => typeof id === "number");
  answers.sort((a, b) => Number(a.id) - Number(b.id));
  return answers.map(({ result }) => {
    const { isError, content, structuredContent } = Result.parse(result);
    return isError ? content[0].text : structuredContent;
  });
}
