// The process of an agent of the Agent Client Protocol, and its two pipes as streams of messages. Knows nothing of what is
// said on them, save that news are for the reader of its output alone.
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Clock, ProcessEnd, ProcessSpec } from "../../system/ports.js";
import { waitForEnd } from "../../system/processes/wait-for-end.js";
import { parseJson } from "../../system/text/json.js";
import { field, textField } from "../fields.js";
import { writeLine, type HostIo } from "../hosted/host.js";
import { splitLines } from "../process/lines.js";

export interface Wire {
  stream: Stream;
  /** Ends its input, on which it shall end itself, and sees to it that it does; how it ended. */
  close(): Promise<ProcessEnd>;
}

/** Starts it. Each message it says is written to stdout as it came, then told to `hear`, then handed to the stream. */
export function openWire(
  program: Pick<ProcessSpec, "command" | "args" | "cwd">,
  io: HostIo,
  hear: (message: object) => void,
): Wire {
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  const incoming = new TransformStream<AnyMessage, AnyMessage>();
  const heard = incoming.writable.getWriter();
  const lines = splitLines();
  const take = async (texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      const message = await takeLine(text, io, hear);
      // Once the reader has cancelled, what is said is dropped.
      if (message !== undefined) heard.write(message).catch(() => undefined);
    }
  };
  const running = io.ports.processes.start({
    ...program,
    env: io.env,
    input: input.readable,
    onStdout: (chunk) => take(lines.push(chunk)),
    onStderr: (chunk) => io.writeError(Buffer.from(chunk).toString("utf8")),
  });
  const ended = running.ended.then(async (end) => {
    await take(lines.end());
    heard.close().catch(() => undefined);
    return end;
  });
  return {
    stream: {
      readable: incoming.readable,
      writable: new WritableStream({
        write: (message) => writer.write(Buffer.from(`${JSON.stringify(message)}\n`)),
      }),
    },
    close: async () => {
      // It may have closed its end of the pipe before.
      writer.close().catch(() => undefined);
      const limits = io.stop.aborted ? STOPPING : ENDING;
      await waitForEnd(running, { clock: io.ports.clock, ...limits });
      return ended;
    },
  };
}

/** The time until SIGTERM, and from there until SIGKILL. Looper kills the host itself 5 s after it stops it. */
const STOPPING = { timeoutMs: 1_000, graceMs: 1_000 };
const ENDING = { timeoutMs: 5_000, graceMs: 2_000 };

/** Whether something came to its end in time. */
export async function endsWithin(clock: Clock, ms: number, something: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => {
      resolve(false);
    });
    void something.finally(() => {
      timer.cancel();
      resolve(true);
    });
  });
}

/** Takes one line; a message for the stream. A line that is not a message is kept too, and counts as not understood. */
async function takeLine(
  text: string,
  io: HostIo,
  hear: (message: object) => void,
): Promise<AnyMessage | undefined> {
  if (text.trim() === "") return undefined;
  const message = parseJson(text);
  if (!isMessage(message)) {
    await writeLine(io, { type: "stray", line: text });
    return undefined;
  }
  await io.write(`${text}\n`);
  hear(message);
  return textField(message, "method") === "session/update" ? undefined : message;
}

/** Checks the version only: the protocol's library checks the rest. */
function isMessage(json: unknown): json is AnyMessage {
  return field(json, "jsonrpc") === "2.0";
}
