// A transport for the protocol's library that runs an MCP server's process and its pipes. The library's own transport starts
// processes that are not contained.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { endsWithin } from "../../agents/acp/acp-wire.js";
import { splitLines } from "../../agents/process/lines.js";
import { never } from "../../system/never.js";
import type { Clock, ContainedProcess, ProcessEnd, Processes, ProcessSpec } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";

/** Longer messages are discarded. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;
/** The most characters of stderr that are kept, from its end. */
const KEPT_STDERR = 2_000;
/** The wait from the end of its input to SIGTERM, and from SIGTERM to SIGKILL. */
const ENDING_MS = [1_000, 1_000] as const;

export interface WirePorts {
  clock: Clock;
  processes: Processes;
}

/** A server's process. The library starts and closes it, and receives its messages. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: ReturnType<typeof JSONRPCMessageSchema.parse>) => void;
  readonly #ports: WirePorts;
  readonly #spec: Pick<ProcessSpec, "command" | "args" | "cwd" | "env">;
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  #process: ContainedProcess | undefined;
  #stderrEnd = "";
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
    if (message.success) this.onmessage?.(message.data);
  }

  async send(message: object): Promise<void> {
    await this.#writer.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** Ends the process. Resolves when all its processes have ended. */
  async close(): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    // The process may have closed its end of the pipe before.
    this.#writer.close().catch(() => undefined);
    const { clock } = this.#ports;
    if (!(await endsWithin(clock, ENDING_MS[0], running.ended))) running.signal("SIGTERM", "group");
    if (!(await endsWithin(clock, ENDING_MS[1], running.ended))) running.signal("SIGKILL", "group");
    await running.ended;
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
  switch (end.how) {
    case "exited":
      return `it ended with exit code ${end.code}`;
    case "killed":
      return `it was killed by ${end.signal}`;
    case "not-found":
      return `it could not be started: ${end.message}`;
    default:
      return never(end);
  }
}
