// Runs one hook, a command of the user, with the event on stdin. Its failure does not affect the run. read-hook.ts decides how
// it is started.
import { resolve } from "node:path";
import { errorCode } from "../../system/errors.js";
import type { Files, Ports, ProcessEnd } from "../../system/ports.js";
import { findHookTrouble } from "./hook-trouble.js";
import { planHookCall, type Hook, type HookArguments, type HookCall } from "./read-hook.js";

/** A hook to run. */
export interface HookOrder {
  hook: Hook;
  /** Absolute. */
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Written to stdin as JSON. */
  event: unknown;
  /** Its four arguments. */
  given: HookArguments;
  /** 0: no limit. */
  timeoutMs: number;
  /** Redacts the output before it is truncated. */
  redact(text: string): string;
}

export interface HookEnd {
  outcome: "ok" | "failed" | "timed-out";
  exitCode?: number;
  /** The end of both output streams, at most 4 KiB. */
  output: string;
}

const MOST_OUTPUT = 4096;
const MOST_HELD = 64 * 1024;

/** Runs a hook to its end. Aborting `stop` kills it and all its processes. */
export async function runHook(
  { processes, clock, files }: Pick<Ports, "processes" | "clock" | "files">,
  order: HookOrder,
  stop: AbortSignal,
): Promise<HookEnd> {
  let output = "";
  const keep = (chunk: Uint8Array): void => {
    output = (output + Buffer.from(chunk).toString("utf8")).slice(-MOST_HELD);
  };
  const call = planHookCall(order.hook, order.given, await findNamedFile(files, order));
  const { cwd, env } = order;
  const input = `${JSON.stringify(order.event)}\n`;
  const spec = { command: call.command, args: call.args, cwd, env, input, onStdout: keep, onStderr: keep };
  const child = await processes.contain(spec, "auto");
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
  await child.gone;
  limit?.cancel();
  stop.removeEventListener("abort", end);
  const printed = order.redact(output).slice(-MOST_OUTPUT);
  if (limits.reached) return { outcome: "timed-out", output: printed };
  const trouble = mayBeTrouble(ended) ? await findTrouble(files, call, order) : undefined;
  const shown = trouble ?? (ended.how === "not-found" ? ended.message : printed);
  // A program that cannot start has exit code 126 or 127 in a namespace and none elsewhere, so only the reason is reported.
  if (ended.how !== "exited" || trouble !== undefined) return { outcome: "failed", output: shown };
  return { outcome: ended.code === 0 ? "ok" : "failed", exitCode: ended.code, output: shown };
}

/** Whether the program may not have started: a shell that cannot start a command exits with 126 or 127. */
function mayBeTrouble(ended: ProcessEnd): boolean {
  return ended.how === "not-found" || (ended.how === "exited" && (ended.code === 126 || ended.code === 127));
}

async function findTrouble(
  files: Files,
  { program }: HookCall,
  order: HookOrder,
): Promise<string | undefined> {
  return program === undefined ? undefined : findHookTrouble(files, program, order);
}

/** The file that a hook's whole text names; its path may have spaces. */
async function findNamedFile(files: Files, { hook, cwd, env }: HookOrder): Promise<string | undefined> {
  if (typeof hook !== "string" || !/\s/.test(hook.trim()) || hook.includes("\n")) return undefined;
  const file = resolve(cwd, hook.trim().replace(/^~(?=\/)/, env["HOME"] ?? "~"));
  try {
    return (await files.stat(file))?.kind === "file" ? file : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
