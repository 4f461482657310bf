// The MCP servers of a session, and their tools as Chapo's: starts all configured servers together, in the background, and ends them
// with the session. A server that does not start is a warning, and its tools are missing; calls to one that has ended fail.
// connect.ts, which opens a connection, is imported only if there is a server.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { type Hidden, findLeftOut } from "../paths.js";
import { type Tool, done, failed, type Subject, type ToolParameters, type ToolResult } from "../tool.js";
import { createToolEnv } from "../tool-env.js";
import type { Connection, ServerSpec, WirePorts, Called, ListedTool } from "./connect.js";
import { fileURLToPath } from "node:url";
import { compileUserSchema, type UserSchema } from "../../todo/check/user-schema.js";
import { field, textField } from "../../agents/fields.js";
import { covers, STAR } from "../rules/wildcard.js";

type Servers = ChapoSettings["mcp"]["servers"];

/** The session of the servers. The keys of models are removed from its environment, and its signal cancels servers that are starting. */
export interface McpPlace {
  ports: WirePorts;
  root: string;
  env: Readonly<Record<string, string>>;
  onWarning: (text: string) => void;
  signal: AbortSignal;
  /** Texts that results leave out. */
  hidden?: Hidden;
}

/** The servers of a session. */
export interface McpServers {
  /** The tools of the servers that have started. */
  readonly tools: readonly Tool[];
  /** Resolves when each server has started or failed. Names those it waits for, once, if that takes long. Never rejects. */
  ready(): Promise<void>;
  /** Resolves when all their processes have ended. */
  close(): Promise<void>;
}

/** How long to wait for servers before a line names them. */
const QUIET_MS = 1000;

/** Starts or connects to all servers in the background. Never throws; `ready` takes at most the timeout of one handshake. */
export function openServers(servers: Servers, place: McpPlace): McpServers {
  const named = Object.entries(servers);
  const tools = new Map<string, Tool>();
  if (named.length === 0)
    return { tools: [], ready: () => Promise.resolve(), close: () => Promise.resolve() };
  const stop = new AbortController();
  const starting = new Set(named.map(([name]) => name));
  const opened = named.map(async ([name, server]) => {
    const spec = resolveSpec(server, place);
    const { connect } = await import("./connect.js");
    const ends = AbortSignal.any([place.signal, stop.signal]);
    const connection = "problem" in spec ? spec : await connect(spec, place.ports, ends);
    starting.delete(name);
    return { name, access: server.tools, connection };
  });
  const all = Promise.all(opened).then((list) => {
    for (const one of stop.signal.aborted ? [] : list) addTools(tools, one, place);
    return list;
  });
  // A session that is never used does not wait for its servers.
  all.catch(() => undefined);
  return {
    get tools() {
      return [...tools.values()];
    },
    ready: async () => {
      const timer = place.ports.clock.after(QUIET_MS, () => {
        if (starting.size > 0) place.onWarning(`waiting for MCP servers: ${[...starting].join(", ")}`);
      });
      await all.finally(() => {
        timer.cancel();
      });
    },
    close: async () => {
      stop.abort();
      const list = await all;
      await Promise.all(
        list.map(async ({ connection }) => {
          if (!("problem" in connection)) await connection.close();
        }),
      );
    },
  };
}

interface OpenedServer {
  name: string;
  access: readonly string[] | undefined;
  connection: Connection | { problem: string };
}

/** Adds the tools of a server, and reports what is missing. */
function addTools(
  tools: Map<string, Tool>,
  { name, access, connection }: OpenedServer,
  place: McpPlace,
): void {
  const warn = (text: string): void => {
    place.onWarning(`MCP server ${name}: ${text}`);
  };
  if ("problem" in connection) {
    warn(`${connection.problem}; its tools are missing`);
    return;
  }
  const { root, hidden } = place;
  const made = createMcpTools({ server: name, connection, access, root, hidden });
  for (const problem of made.problems) warn(problem);
  for (const tool of made.tools) {
    // The names of two tools can be equal: of server a_b and tool c, and of server a and tool b_c.
    if (tools.has(tool.name)) warn(`another server already has a tool ${tool.name}`);
    else tools.set(tool.name, tool);
  }
}

/** Fills in a server's settings: `${NAME}` in its environment and headers is a variable, so that keys need not be in a file. */
function resolveSpec(server: Servers[string], { env, root }: McpPlace): ServerSpec | { problem: string } {
  const known = createToolEnv(env);
  const absent = new Set<string>();
  const filled = (values: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
          const found = Object.hasOwn(known, variable) ? known[variable] : undefined;
          if (found === undefined) absent.add(variable);
          return found ?? "";
        }),
      ]),
    );
  const spec: ServerSpec =
    "url" in server
      ? { url: server.url, headers: filled(server.headers) }
      : {
          command: server.command,
          args: server.args ?? [],
          cwd: root,
          env: { ...known, ...filled(server.env) },
        };
  if ("url" in spec && !/^https?:$/.test(URL.canParse(spec.url) ? new URL(spec.url).protocol : ""))
    return { problem: `${spec.url} is not an http or https address` };
  if (absent.size > 0) return { problem: `not set in the environment: ${[...absent].join(", ")}` };
  return spec;
}

/** The longest name of a tool that providers accept. */
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 4_000;
const LONGEST_SCHEMA = 50_000;
const MOST_TOOLS = 200;
const TIMEOUT_MS = 120_000;
const MOST_OUTPUT = 30_000;

/** A server, and the limits of its tools and results. */
interface McpServer {
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
function createMcpTools(of: McpServer): { tools: Tool[]; problems: string[] } {
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

/** Returns the tool, or why it cannot be used. */
function toTool(listed: ListedTool, of: McpServer): Tool | string {
  const parameters: ToolParameters = listed.inputSchema;
  if (JSON.stringify(parameters).length > LONGEST_SCHEMA) return "has a schema that is too long";
  const schema = compileUserSchema(parameters);
  if (!schema.ok) return `has a schema that cannot be used: ${schema.error}`;
  const name = `mcp_${of.server}_${listed.name}`.replaceAll(/[^\w-]/g, "_").slice(0, LONGEST_NAME);
  return {
    name,
    description: (listed.description ?? listed.title ?? listed.name).slice(0, LONGEST_DESCRIPTION),
    parameters,
    maxOutput: MOST_OUTPUT,
    changes: listed.annotations?.readOnlyHint !== true,
    reachesOut: listed.annotations?.openWorldHint === true,
    prepare: (raw) => {
      const args = readArguments(raw, schema.value);
      if ("problem" in args) return args;
      return {
        subjects: [{ kind: "name", name: listed.name }, ...findPaths(args.value, of.root)],
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
function findPaths(value: unknown, root: string): Subject[] {
  const found = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && found.size < MOST_PATHS) {
    const one = waiting.pop();
    if (typeof one === "string" && one.trim() !== "" && one.length < 4096) found.add(toPath(one, root));
    else if (typeof one === "object" && one !== null)
      for (const inner of Object.values(one)) waiting.push(inner);
  }
  return [...found].map((path) => ({ kind: "path", path, use: "mention" }));
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
