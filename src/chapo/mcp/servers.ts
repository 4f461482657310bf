// The MCP servers of a session: starts all configured servers together, in the background, and ends them with the session. A
// server that does not start is a warning, and its tools are missing; calls to one that has ended fail. connect.ts, which opens a
// connection, is imported only if there is a server.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Hidden } from "../paths.js";
import type { Tool } from "../tool.js";
import type { SessionRequest } from "../session/session-request.js";
import { createToolEnv } from "../tool-env.js";
import type { Connection, ServerSpec, WirePorts } from "./connect.js";
import { createMcpTools } from "./mcp-tools.js";

type Servers = ChapoSettings["mcp"]["servers"];

/** The session of the servers. The keys of models are removed from its environment, and its signal cancels servers that are starting. */
export interface McpPlace extends Pick<SessionRequest, "root" | "env" | "onWarning" | "signal"> {
  ports: WirePorts;
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
