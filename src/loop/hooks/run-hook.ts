// Runs one hook, a command of the user, with the event on stdin (docs/notifications.md): which program it is, and the data that it gets
// about an attempt. Its failure does not affect the run.
import type { Ports } from "../../system/ports.js";
import type { Summary } from "../../todo/model/summary.js";
import { findOnlyCommand } from "../../shell/only-command.js";
import { quoteIfNeeded } from "../../shell/quote.js";

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
  { processes, clock }: Pick<Ports, "processes" | "clock">,
  order: HookOrder,
  stop: AbortSignal,
): Promise<HookEnd> {
  let output = "";
  const keep = (chunk: Uint8Array): void => {
    output = (output + Buffer.from(chunk).toString("utf8")).slice(-MOST_HELD);
  };
  const call = planHookCall(order.hook, order.given);
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
  // A command that cannot start has exit code 126 or 127 in a namespace and none elsewhere.
  if (ended.how !== "exited")
    return { outcome: "failed", output: ended.how === "not-found" ? ended.message : printed };
  return { outcome: ended.code === 0 ? "ok" : "failed", exitCode: ended.code, output: printed };
}

/** The content of the file. Without a summary it has only the task and the status. */
export interface HookSummary extends Omit<Partial<Summary>, "status"> {
  task_id: string | null;
  /** The status the runner decided, as in the second argument. */
  status: string;
  /** The status the agent reported, if it is different. */
  reported_status?: Summary["status"];
}

/** The agent's summary of a job, under the status that the runner gave the attempt. */
export function makeHookSummary(
  taskId: string | undefined,
  status: string,
  found: Summary | undefined,
): HookSummary {
  const about = { task_id: taskId ?? null, status };
  if (found === undefined) return about;
  const { summary = "", files = [], blockers = [], new_tasks = [] } = found;
  const reported = found.status === status ? {} : { reported_status: found.status };
  return { ...about, ...reported, summary, files, blockers, new_tasks };
}

/** The event on stdin, with the agent's report. */
export function makeHookEvent(
  facts: object,
  { summary = "", files = [], blockers = [], new_tasks = [] }: HookSummary,
) {
  return { ...facts, summary, files, blockers, new_tasks };
}

/** A hook as the settings have it: a shell line, or a command as a list of words. */
export type Hook = string | readonly string[];

/** Task id, status, the file with the summary, label: `$1` to `$4` of every hook; a notification has none. */
export type HookArguments = readonly string[];

/** The command to start. */
export interface HookCall {
  command: string;
  args: readonly string[];
}

/** A line that uses `$1`, `$@` and the like itself, quoted or not, is left unchanged. */
const NAMES_ARGUMENTS = /\$(?:[1-9@*]|\{[#!]?[1-9@*])/;

/** Shell builtins that reject further words, or give them another meaning. */
const TAKES_NO_MORE = new Set(
  "[ [[ test : . source break cd continue eval exit export kill read readonly return set shift trap umask unset wait".split(
    " ",
  ),
);

/**
 * A list of words is started directly; a line that is one simple command gets the arguments appended; every other line keeps
 * them as its positional parameters.
 */
export function planHookCall(hook: Hook, given: HookArguments): HookCall {
  if (typeof hook !== "string") {
    const [command = "", ...words] = hook;
    return { command, args: [...words, ...given] };
  }
  const only = findOnlyCommand(hook);
  const [program = "", ...rest] = only?.words ?? [];
  // `exec` alone would start the first argument as a program; before a command it passes all arguments on.
  const takesNoMore = TAKES_NO_MORE.has(program) || (program === "exec" && rest.length === 0);
  const keeps = only === undefined || NAMES_ARGUMENTS.test(hook) || takesNoMore;
  const line = keeps ? hook : `${hook.slice(0, only.end)} "$@"${hook.slice(only.end)}`;
  return { command: "/bin/sh", args: ["-c", line, "looper-hook", ...given] };
}

/** Formats a hook on one line, for people and for the log; words are quoted if the shell needs it. */
export function formatHook(hook: Hook): string {
  if (typeof hook === "string") return hook;
  return hook.map(quoteIfNeeded).join(" ");
}
