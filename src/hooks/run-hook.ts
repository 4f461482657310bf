// Runs one hook: a command of the user's, in the shell, with what happened on stdin. Its failure changes nothing.
import type { Ports } from "../system/ports.js";

/** A hook to run. */
export interface HookOrder {
  /** A line for `sh -c`. */
  command: string;
  /** Absolute. */
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** What happened, as JSON on stdin. */
  event: unknown;
  /** Upstream's `$1`-`$4`: task id, status, last message path, label. */
  words: readonly [string, string, string, string];
  /** 0 = none. */
  timeoutMs: number;
  /** Takes secrets out of its output before that is cut. */
  redact(text: string): string;
}

export interface HookEnd {
  outcome: "ok" | "failed" | "timed-out";
  exitCode?: number;
  /** The end of what it printed, both streams, at most 4 KiB. */
  output: string;
}

const MOST_OUTPUT = 4096;
const MOST_HELD = 64 * 1024;

/** Runs a hook to its end. Aborting `stop` ends it and all it started. */
export async function runHook(
  { processes, clock }: Pick<Ports, "processes" | "clock">,
  order: HookOrder,
  stop: AbortSignal,
): Promise<HookEnd> {
  let output = "";
  const keep = (chunk: Uint8Array): void => {
    output = (output + Buffer.from(chunk).toString("utf8")).slice(-MOST_HELD);
  };
  const child = processes.start({
    command: "/bin/sh",
    args: ["-c", order.command, "looper-hook", ...order.words],
    cwd: order.cwd,
    env: order.env,
    input: JSON.stringify(order.event) + "\n",
    onStdout: keep,
    onStderr: keep,
  });
  const limits = { reached: false };
  const end = (): void => {
    child.signal("SIGKILL", "group");
  };
  const limit =
    order.timeoutMs === 0
      ? undefined
      : clock.after(order.timeoutMs, () => {
          limits.reached = true;
          end();
        });
  if (stop.aborted) end();
  else stop.addEventListener("abort", end, { once: true });
  const ended = await child.ended;
  limit?.cancel();
  stop.removeEventListener("abort", end);
  output = order.redact(output).slice(-MOST_OUTPUT);
  if (limits.reached) return { outcome: "timed-out", output };
  if (ended.how === "exited") {
    return { outcome: ended.code === 0 ? "ok" : "failed", exitCode: ended.code, output };
  }
  return { outcome: "failed", output: ended.how === "not-found" ? ended.message : output };
}
