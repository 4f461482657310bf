// Runs a call that may run: within its time, again where that can help, and whatever it throws is a result.
// Leaves whether it may run, and what is told of it, to call-tool.ts.
import type { Clock, Random } from "../../system/ports.js";
import type { CallContext, ToolResult } from "../tool.js";
import type { FailureCode } from "./events.js";

/** How long a call whose time is over may take to say what it did so far. */
const GRACE_MS = 2000;
const FIRST_WAIT_MS = 500;

/** How a call ended, and why when it brought nothing. */
export interface CallRun {
  result: ToolResult;
  code?: FailureCode;
}

/** What is to be run. */
export interface Runnable {
  name: string;
  timeoutMs: number;
  /** Whether running it twice may do something twice. */
  changes: boolean;
  context: Omit<CallContext, "signal">;
  run(context: CallContext): Promise<ToolResult>;
}

/** What it needs. */
export interface RunPorts {
  clock: Clock;
  random: Random;
  /** Aborted when the session ends. */
  signal: AbortSignal;
}

/** Runs it at most `most` times, as long as it fails in a way that may pass; `tries`: how often it was run. */
export async function runWithRetries(
  ports: RunPorts,
  call: Runnable,
  most: number,
): Promise<CallRun & { tries: number }> {
  for (let tries = 1; ; tries += 1) {
    const ran = await runOnce(ports, call);
    if (!isWorthRetrying(ran, call) || tries >= most || ports.signal.aborted) return { ...ran, tries };
    await pause(ports, FIRST_WAIT_MS * 2 ** (tries - 1) * drawJitter(ports.random));
  }
}

/** Whether the very same call may succeed when it is made again. */
export function isWorthRetrying({ code }: CallRun, { changes }: Pick<Runnable, "changes">): boolean {
  // What a call did whose time was over nobody knows: doing it twice may do harm.
  return code === "transient" || (code === "timeout" && !changes);
}

/** From 0.5 to 1.5: those that failed together do not all come back together. */
function drawJitter(random: Random): number {
  return 0.5 + Number.parseInt(random.hex(1), 16) / 255;
}

async function runOnce(ports: RunPorts, call: Runnable): Promise<CallRun> {
  if (ports.signal.aborted)
    return {
      result: { success: false, error: `${call.name} was not run: the session ends.` },
      code: "interrupted",
    };
  const stop = new AbortController();
  const running = settle(call, { ...call.context, signal: stop.signal });
  const first = await waitForFirst(ports, call.timeoutMs, running);
  if (typeof first === "object") return first;
  stop.abort();
  const late = await waitForFirst({ clock: ports.clock }, GRACE_MS, running);
  if (typeof late === "object" && late.result.success) return late;
  const said = typeof late === "object" && !late.result.success ? ` It said: ${late.result.error}` : "";
  const why =
    first === "time"
      ? `${call.name} did not end within ${call.timeoutMs / 1000} s and was stopped; what it did until then is not undone.`
      : `${call.name} was stopped because the session ends.`;
  return {
    result: { success: false, error: why + said },
    code: first === "time" ? "timeout" : "interrupted",
  };
}

async function settle(call: Runnable, context: CallContext): Promise<CallRun> {
  try {
    const result = await call.run(context);
    if (result.success) return { result };
    return { result, code: result.transient === true ? "transient" : "failed" };
  } catch (error) {
    return {
      result: { success: false, error: `${call.name} failed: ${messageOf(error)}` },
      code: "exception",
    };
  }
}

/** What was thrown, as a line for a model. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What comes first: its end, the end of its time, or the end of the session. */
async function waitForFirst(
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
  ms: number,
  running: Promise<CallRun>,
): Promise<CallRun | "time" | "session"> {
  if (signal?.aborted === true) return "session";
  const over = new AbortController();
  const time = new Promise<"time">((resolve) => {
    const timer = clock.after(ms, () => {
      resolve("time");
    });
    over.signal.addEventListener("abort", () => {
      timer.cancel();
    });
  });
  const session = new Promise<"session">((resolve) => {
    const end = (): void => {
      resolve("session");
    };
    signal?.addEventListener("abort", end, { once: true, signal: over.signal });
  });
  const first = await Promise.race([running, time, session]);
  over.abort();
  return first;
}

/** Waits so long, or until the session ends. */
async function pause({ clock, signal }: RunPorts, ms: number): Promise<void> {
  const forever = new Promise<CallRun>(() => undefined);
  await waitForFirst({ clock, signal }, ms, forever);
}
