// The MCP servers of a session: starts all configured servers together and ends them with the session. A server that does not
// start is a warning, and its tools are missing. connect.ts, which opens a connection, is imported only if there is a server.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Tool } from "../tool.js";
import { createToolEnv } from "../tool-env.js";
import type { Connection, ServerSpec } from "./connect.js";
import { createMcpTools } from "./tools.js";
import type { WirePorts } from "./wire.js";

type Servers = ChapoSettings["mcp"]["servers"];

export interface McpPlace {
  ports: WirePorts;
  /** The folder servers are started in, absolute. */
  root: string;
  /** The session's environment. The keys of models are removed for the servers. */
  env: Readonly<Record<string, string>>;
  /** Called with a problem, in a sentence that names the server. */
  onWarning(text: string): void;
  /** Aborted to cancel servers that are still starting. */
  signal: AbortSignal;
}

/** The open servers; `close` resolves when all their processes have ended. */
export interface McpServers {
  tools: readonly Tool[];
  close(): Promise<void>;
}

/** Starts or connects to all servers. Never throws, and takes at most the timeout of one handshake. */
export async function openServers(servers: Servers, place: McpPlace): Promise<McpServers> {
  const named = Object.entries(servers);
  if (named.length === 0) return { tools: [], close: () => Promise.resolve() };
  const { connect } = await import("./connect.js");
  const opened = await Promise.all(
    named.map(async ([name, server]) => {
      const spec = resolveSpec(server, place);
      const connection = "problem" in spec ? spec : await connect(spec, place.ports, place.signal);
      return { name, access: server.tools, connection };
    }),
  );
  const tools = new Map<string, Tool>();
  const connections: Connection[] = [];
  for (const { name, access, connection } of opened) {
    const warn = (text: string): void => {
      place.onWarning(`MCP server ${name}: ${text}`);
    };
    if ("problem" in connection) {
      warn(`${connection.problem}; its tools are missing`);
      continue;
    }
    connections.push(connection);
    const made = createMcpTools(name, connection, access);
    for (const problem of made.problems) warn(problem);
    for (const tool of made.tools) {
      // The names of two tools can be equal: of server a_b and tool c, and of server a and tool b_c.
      if (tools.has(tool.name)) warn(`another server already has a tool ${tool.name}`);
      else tools.set(tool.name, tool);
    }
  }
  return {
    tools: [...tools.values()],
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
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
