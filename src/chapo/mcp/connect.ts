// A connection to one MCP server: starts its process contained, lists and calls its tools, closes it. Only this file loads the
// protocol's library, and it is imported only if a server is configured. servers.ts converts the tools.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { JSONRPCMessageSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../../system/errors.js";
import type { CallContext } from "../tool.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { waitForEnd } from "../../system/processes/wait-for-end.js";
import { splitLines } from "../../agents/process/lines.js";
import type { ContainedProcess, Ports, ProcessEnd, ProcessSpec } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";

/** A server: a process to start, or a URL. */
export type ServerSpec =
  | { command: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }
  | { url: string; headers: Readonly<Record<string, string>> };

/** A tool as its server describes it. */
export type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

/** The result of a call; `gone`: the server has ended. */
export type Called = { content: unknown } | { gone: string } | { failed: string };

export interface Connection {
  listed: readonly ListedTool[];
  /** Never throws. */
  call(name: string, args: Record<string, unknown>, context: CallContext): Promise<Called>;
  /** Resolves when all of the server's processes have ended. Never throws. */
  close(): Promise<void>;
}

/** The timeout of the handshake and of each page of tools. */
const HANDSHAKE_MS = 15_000;
const MOST_PAGES = 20;
/** Longer than the gate's timeout, which ends a call before. */
const CALL_MS = 600_000;
/** How long ending an HTTP session may take. */
const CLOSING_MS = 2_000;

/** Connects to a server, or returns why it cannot and ends everything it started. */
export async function connect(
  spec: ServerSpec,
  ports: WirePorts,
  signal: AbortSignal,
): Promise<Connection | { problem: string }> {
  const client = new Client({ name: "looper", version: "1" });
  const wire =
    "command" in spec
      ? new ProcessTransport(spec, ports)
      : new StreamableHTTPClientTransport(new URL(spec.url), {
          requestInit: { headers: { ...spec.headers } },
        });
  const endMessage = (): string => (wire instanceof ProcessTransport ? wire.endMessage : "");
  const close = async (): Promise<void> => {
    if (wire instanceof StreamableHTTPClientTransport)
      await Promise.race([wire.terminateSession().catch(() => undefined), ports.clock.sleep(CLOSING_MS)]);
    await client.close().catch(() => undefined);
    // The library closes without waiting until the process has ended.
    await wire.close().catch(() => undefined);
  };
  try {
    await client.connect(wire, { timeout: HANDSHAKE_MS, signal });
    return {
      listed: await listAll(client, signal),
      call: async (name, args, { signal: stop }) => {
        try {
          const limits = { signal: stop, timeout: CALL_MS };
          return { content: await client.callTool({ name, arguments: args }, undefined, limits) };
        } catch (error) {
          const gone = endMessage();
          return gone === "" ? { failed: toShortLine(error) } : { gone };
        }
      },
      close,
    };
  } catch (error) {
    const problem = endMessage() || toShortLine(error);
    await close();
    return { problem };
  }
}

/** Lists the tools of all pages. */
async function listAll(client: Client, signal: AbortSignal): Promise<ListedTool[]> {
  const listed: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const limits = { timeout: HANDSHAKE_MS, signal };
    // Not `client.listTools`, which also compiles the schemas of results.
    const found = await client.request({ method: "tools/list", params }, ListToolsResultSchema, limits);
    listed.push(...found.tools);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return listed;
}

function toShortLine(error: unknown): string {
  return errorMessage(error).replaceAll(/\s+/g, " ").slice(0, 500);
}

/** A longer message is discarded, and the requests that wait fail. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;
/** The most characters of stderr that are kept, from its end. */
const KEPT_STDERR = 2_000;
/** The wait from the end of its input to SIGTERM, and from SIGTERM to SIGKILL. */
const ENDING_MS = 1_000;

/** The ports of a connection. */
export type WirePorts = Pick<Ports, "clock" | "processes">;

/** A server's process. The library starts and closes it, and receives its messages. */
class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: ReturnType<typeof JSONRPCMessageSchema.parse>) => void;
  readonly #ports: WirePorts;
  readonly #spec: Pick<ProcessSpec, "command" | "args" | "cwd" | "env">;
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  #process: ContainedProcess | undefined;
  #stderrEnd = "";
  /** The requests without an answer. */
  readonly #waiting = new Set<string | number>();
  #end: ProcessEnd | undefined;

  constructor(spec: Pick<ProcessSpec, "command" | "args" | "cwd" | "env">, ports: WirePorts) {
    this.#spec = spec;
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const lines = splitLines(LONGEST_MESSAGE);
    const { command, env, cwd } = this.#spec;
    const found = await this.#ports.processes.which(command, env.PATH ?? "", cwd);
    if (found === undefined) throw new Error(`cannot start ${command}: program not found`);
    const running = await this.#ports.processes.contain(
      {
        ...this.#spec,
        command: found,
        input: this.#input.readable,
        onStdout: (chunk) => {
          for (const line of lines.push(chunk)) this.#take(line);
        },
        onStderr: (chunk) => {
          this.#stderrEnd = (this.#stderrEnd + Buffer.from(chunk).toString("utf8")).slice(-KEPT_STDERR);
        },
      },
      "auto",
    );
    this.#process = running;
    void running.ended.then((end) => {
      this.#end = end;
      this.onclose?.();
    });
  }

  /** Passes on a message. Other lines are ignored, because some servers print them. */
  #take(line: string): void {
    const message = JSONRPCMessageSchema.safeParse(parseJson(line));
    if (message.success) {
      if ("id" in message.data && !("method" in message.data)) this.#waiting.delete(message.data.id ?? "");
      this.onmessage?.(message.data);
    } else if (line.endsWith(" bytes of this line were dropped]")) this.#failWaiting();
  }

  /** It is not known which request a message that is too long answers. */
  #failWaiting(): void {
    const error = { code: -32_000, message: `its answer is longer than ${LONGEST_MESSAGE} bytes` };
    for (const id of this.#waiting) this.onmessage?.({ jsonrpc: "2.0", id, error });
    this.#waiting.clear();
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    if ("id" in message && "method" in message) this.#waiting.add(message.id);
    await this.#writer.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** Ends the process. Resolves when all its processes have ended. */
  async close(): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    // The process may have closed its end of the pipe before.
    this.#writer.close().catch(() => undefined);
    await waitForEnd(running, { clock: this.#ports.clock, timeoutMs: ENDING_MS, graceMs: ENDING_MS });
    await running.gone;
  }

  /** How the process ended, with its last line on stderr; "" while it is running. */
  get endMessage(): string {
    if (this.#end === undefined) return "";
    const last = this.#stderrEnd.trim().split("\n").at(-1) ?? "";
    return `${describeEnd(this.#end)}${last === "" ? "" : `: ${last.slice(0, 300)}`}`;
  }
}

function describeEnd(end: ProcessEnd): string {
  if (end.how === "exited") return `it ended with exit code ${end.code}`;
  return end.how === "killed" ? `it was killed by ${end.signal}` : `it could not be started: ${end.message}`;
}
