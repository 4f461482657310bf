// Converts an MCP server's tools to Chapo's: makes their names safe, checks their arguments, formats their results. Pure.
// connect.ts calls the server, and servers.ts opens all servers.
import { fileURLToPath } from "node:url";
import { findLeftOut, type Hidden } from "../paths.js";
import { compileUserSchema, type UserSchema } from "../../todo/check/user-schema.js";
import { field, textField } from "../../agents/fields.js";
import { covers, STAR } from "../rules/wildcard.js";
import { done, failed, type Subject, type ToolParameters, type Tool, type ToolResult } from "../tool.js";
import type { Called, Connection, ListedTool } from "./connect.js";

/** The longest name of a tool that providers accept. */
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 4_000;
const LONGEST_SCHEMA = 50_000;
const MOST_TOOLS = 200;
const TIMEOUT_MS = 120_000;
const MOST_OUTPUT = 30_000;

/** A server, and the limits of its tools and results. */
export interface McpServer {
  /** Its name in the settings. */
  server: string;
  connection: Connection;
  /** The names of the allowed tools, possibly with `*`; absent: all. */
  access: readonly string[] | undefined;
  /** The project's folder, absolute. */
  root: string;
  hidden: Hidden | undefined;
}

/** Creates the server's tools as `mcp_<server>_<tool>`. `problems`: why tools are missing. */
export function createMcpTools(of: McpServer): { tools: Tool[]; problems: string[] } {
  const { access, connection } = of;
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  const wanted = (name: string): boolean =>
    access === undefined || access.some((one) => covers(one.replaceAll("*", STAR), name));
  for (const listed of connection.listed.filter(({ name }) => wanted(name))) {
    const made = tools.size < MOST_TOOLS ? toTool(listed, of) : `is one of more than ${MOST_TOOLS}`;
    if (typeof made === "string")
      problems.push(`its tool ${JSON.stringify(listed.name.slice(0, 100))} ${made}`);
    else if (tools.has(made.name)) problems.push(`it has two tools that are both called ${made.name} here`);
    else tools.set(made.name, made);
  }
  for (const name of access ?? []) {
    const isThere = connection.listed.some((one) => covers(name.replaceAll("*", STAR), one.name));
    if (!isThere) problems.push(`it has no tool ${JSON.stringify(name)}`);
  }
  return { tools: [...tools.values()], problems };
}

function toSafeName(server: string, tool: string): string {
  return `mcp_${server}_${tool}`.replaceAll(/[^\w-]/g, "_").slice(0, LONGEST_NAME);
}

/** Returns the tool, or why it cannot be used. */
function toTool(listed: ListedTool, of: McpServer): Tool | string {
  const parameters: ToolParameters = listed.inputSchema;
  if (JSON.stringify(parameters).length > LONGEST_SCHEMA) return "has a schema that is too long";
  const schema = compileUserSchema(parameters);
  if (!schema.ok) return `has a schema that cannot be used: ${schema.error}`;
  const name = toSafeName(of.server, listed.name);
  return {
    name,
    description: (listed.description ?? listed.title ?? listed.name).slice(0, LONGEST_DESCRIPTION),
    parameters,
    maxOutput: MOST_OUTPUT,
    changes: listed.annotations?.readOnlyHint !== true,
    prepare: (raw) => {
      const args = readArguments(raw, schema.value);
      if ("problem" in args) return args;
      return {
        subjects: [
          { kind: "name", name: listed.name },
          ...findPaths(args.value, of.root).map((one): Subject => ({
            kind: "path",
            path: one,
            use: "mention",
          })),
        ],
        timeoutMs: TIMEOUT_MS,
        preview: () => Promise.resolve(`${name} ${JSON.stringify(args.value, undefined, 2)}`),
        run: async (context) =>
          await toResult(of, await of.connection.call(listed.name, args.value, context)),
      };
    },
  };
}

function readArguments(
  raw: unknown,
  schema: UserSchema,
): { value: Record<string, unknown> } | { problem: string } {
  const value = raw ?? {};
  if (typeof value !== "object" || Array.isArray(value))
    return { problem: "the arguments must be an object" };
  const [finding] = schema(value);
  if (finding === undefined) return { value: Object.fromEntries(Object.entries(value)) };
  const where = finding.pointer.replace(/^\//, "").replaceAll("/", ".");
  return { problem: where === "" ? finding.message : `${where}: ${finding.message}` };
}

const MOST_PATHS = 200;

/** Returns the texts among the arguments that may be paths of the project. */
function findPaths(value: unknown, root: string): string[] {
  const found = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && found.size < MOST_PATHS) {
    const one = waiting.pop();
    if (typeof one === "string" && one.trim() !== "" && one.length < 4096) found.add(toPath(one, root));
    else if (typeof one === "object" && one !== null)
      for (const inner of Object.values(one)) waiting.push(inner);
  }
  return [...found];
}

/** Returns the path of a `file:` address, relative to the project if it is inside it. */
function toPath(text: string, root: string): string {
  let named = text.trim();
  if (/^file:/i.test(named))
    try {
      named = fileURLToPath(named);
    } catch {
      // It is not a valid address.
    }
  return named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named;
}

async function toResult(of: McpServer, called: Called): Promise<ToolResult> {
  const { server } = of;
  if ("gone" in called)
    return failed(
      `the MCP server ${server} has ended (${called.gone}); its tools can no longer be used in this session`,
    );
  if ("failed" in called) return failed(`the MCP server ${server} reported: ${called.failed}`);
  const text = await formatContent(called.content, of);
  return field(called.content, "isError") === true
    ? failed(text || "the call failed without a reason")
    : done(text);
}

/** Formats a result as text. Images and audio are only named. */
async function formatContent(result: unknown, of: McpServer): Promise<string> {
  const content = field(result, "content");
  const parts = Array.isArray(content) ? await Promise.all(content.map((part) => formatPart(part, of))) : [];
  const structured = field(result, "structuredContent");
  if (parts.length === 0 && structured !== undefined) return JSON.stringify(structured);
  return parts.join("\n");
}

async function formatPart(part: unknown, { root, hidden }: McpServer): Promise<string> {
  const type = textField(part, "type") ?? "";
  if (type === "text") return textField(part, "text") ?? "";
  const resource = field(part, "resource");
  const address = textField(resource, "uri");
  if (address !== undefined && (await findLeftOut(hidden, "content", [toPath(address, root)])).size > 0)
    return `[resource ${address} is left out: reading it needs a permission]`;
  const text = textField(resource, "text");
  if (text !== undefined) return text;
  const uri = textField(resource, "uri") ?? textField(part, "uri");
  const what = textField(part, "mimeType") ?? textField(resource, "mimeType");
  return `[${[type, what, uri].filter((one) => one !== undefined && one !== "").join(" ")}; not shown]`;
}
