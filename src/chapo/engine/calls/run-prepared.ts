// Runs a call that passed the gate: with a timeout, with retries where they can help. An exception becomes a failed result.
// call-tool.ts decides whether a call may run, and reports its result.
import { errorCode } from "../../../system/errors.js";
import type { Clock, Random } from "../../../system/ports.js";
import type { CallContext, ToolResult } from "../../tool.js";
import type { FailureCode } from "../events.js";

/** How long a call may take after its timeout to return what it has done so far. */
const GRACE_MS = 2000;
const FIRST_WAIT_MS = 500;

/** The result of a call, with a code if it failed. */
export interface CallRun {
  result: ToolResult;
  code?: FailureCode;
}

/** A call as it is run. */
export interface Runnable {
  name: string;
  timeoutMs: number;
  /** Whether a second run may repeat a change. */
  changes: boolean;
  context: Omit<CallContext, "signal">;
  run(context: CallContext): Promise<ToolResult>;
}

/** The parts of the system that running a call uses. */
export interface RunPorts {
  clock: Clock;
  random: Random;
  /** Aborted when the session ends. */
  signal: AbortSignal;
}

/** Runs the call at most `most` times while its failure may be temporary. `tries`: how often it was run. */
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

/** Returns whether the same call may succeed when it is repeated. */
function isWorthRetrying({ code }: CallRun, { changes }: Pick<Runnable, "changes">): boolean {
  // A call that timed out may have made its change already, so that repeating it could do harm.
  return code === "transient" || (code === "timeout" && !changes);
}

/** Returns a factor from 0.5 to 1.5, so that calls that failed together are not all retried together. */
function drawJitter(random: Random): number {
  return 0.5 + Number.parseInt(random.hex(1), 16) / 255;
}

async function runOnce(ports: RunPorts, call: Runnable): Promise<CallRun> {
  if (ports.signal.aborted)
    return {
      result: { success: false, error: `${call.name} was not run: the session is ending.` },
      code: "interrupted",
    };
  const stop = new AbortController();
  const running = settle(call, { ...call.context, signal: stop.signal });
  const first = await waitForFirst(ports, call.timeoutMs, running);
  if (typeof first === "object") return first;
  stop.abort();
  const late = await waitForFirst({ clock: ports.clock }, GRACE_MS, running);
  if (typeof late === "object" && late.result.success) return late;
  const said = typeof late === "object" && !late.result.success ? ` It reported: ${late.result.error}` : "";
  const why =
    first === "time"
      ? `${call.name} did not end within ${call.timeoutMs / 1000} s and was stopped; its changes until then are not undone.`
      : `${call.name} was stopped because the session is ending.`;
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

/** Describes a thrown value in one line for a model. */
export function messageOf(error: unknown): string {
  const code = errorCode(error);
  if (code === "E2BIG") return "the command is too long; put it into a file";
  if (code === "ENAMETOOLONG") return "a name or the command is too long; put a long command into a file";
  return error instanceof Error ? error.message : String(error);
}

/** Waits for the call, the timeout or the end of the session, whichever comes first. */
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

/** Waits for `ms`, or until the session ends. */
async function pause({ clock, signal }: RunPorts, ms: number): Promise<void> {
  const forever = new Promise<CallRun>(() => undefined);
  await waitForFirst({ clock, signal }, ms, forever);
}
