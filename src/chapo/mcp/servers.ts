// The MCP servers of a session: all that are set are started together, and ended with it. One that does not start is a warning,
// and its tools are absent. Leaves one connection to connect.ts, which is loaded only where there is a server.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Tool } from "../tool.js";
import { createToolEnv } from "../tool-env.js";
import type { Connection, ServerSpec } from "./connect.js";
import { createMcpTools } from "./tools.js";
import type { WirePorts } from "./wire.js";

type Servers = ChapoSettings["mcp"]["servers"];

export interface McpPlace {
  ports: WirePorts;
  /** Absolute; where servers are started. */
  root: string;
  /** The session's; the keys of models are kept from the servers. */
  env: Readonly<Record<string, string>>;
  /** What is wrong, in a sentence that names the server. */
  onWarning(text: string): void;
  /** Aborted to give up on servers that have not started yet. */
  signal: AbortSignal;
}

/** What is open; `close` resolves once nothing is left of any server. */
export interface McpServers {
  tools: readonly Tool[];
  close(): Promise<void>;
}

/** Starts or reaches them all. Never throws; takes no longer than the slowest may take to say hello. */
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
      warn(`${connection.problem}; its tools are not there`);
      continue;
    }
    connections.push(connection);
    const made = createMcpTools(name, connection, access);
    for (const problem of made.problems) warn(problem);
    for (const tool of made.tools) {
      // Names of a server and a tool can run into those of another: a_b, c and a, b_c.
      if (tools.has(tool.name)) warn(`another server has a tool ${tool.name} already`);
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

/** How to reach it; `${NAME}` in what it is given stands for a variable of the environment, so that no key need be in a file. */
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
    return { problem: `${spec.url} is no http or https address` };
  if (absent.size > 0) return { problem: `the environment has no ${[...absent].join(", ")}` };
  return spec;
}
