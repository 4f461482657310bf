// Runs the gate's commands in a folder, one after the other, and says how each ended and what it reported.
// Leaves judging to compare.ts, and finding and reading reports to report-files.ts.
import type { Ports } from "../../system/ports.js";
import { FirstBytes, LastBytes } from "../report/output.js";
import { MOST_STDOUT, readReports, watchReports } from "../report/report-files.js";
import type { CommandEnd, Ran } from "../verdict.js";

/** What is to be run. */
export interface GatePlan {
  /** The project's commands: lines for `sh -c`. */
  commands: readonly string[];
  /** The task's own, run after them. */
  own: readonly string[];
  /** The longest one command may take; 0 = none. */
  timeoutMs: number;
  /** Where commands report test cases: `stdout`, or files and folders relative to the room. */
  reports: readonly string[];
}

/** Where commands run. */
export interface Room {
  /** Absolute. */
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Takes secrets out of what they print, and out of the names of their tests. */
  redact(text: string): string;
}

/** What the gate needs of the world. */
export type GatePorts = Pick<Ports, "processes" | "clock" | "files">;

const TERM_GRACE_MS = 5_000;
/** Time is what ticks tell of it: neither a new time of day nor a suspend, of the machine or of us, ends a command. */
const TICK_MS = 100;
const MOST_TICK_MS = 1_000;

/**
 * Runs every command of the plan, also after one that failed; a line that stands twice in a list runs once.
 * Aborting `stop` ends the one that runs, with all it started, at once.
 */
export async function runCommands(
  ports: GatePorts,
  room: Room,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<Ran[] | "interrupted"> {
  const ran: Ran[] = [];
  for (const own of [false, true]) {
    for (const command of new Set(own ? plan.own : plan.commands)) {
      const one = await runOne(ports, room, { ...plan, command, own }, stop);
      if (one === "interrupted") return one;
      ran.push(one);
    }
  }
  return ran;
}

/** One command of a plan. */
export interface CommandOrder extends Pick<GatePlan, "timeoutMs" | "reports"> {
  command: string;
  own: boolean;
}

/** Runs one command, as `runCommands` does. */
export async function runOne(
  ports: GatePorts,
  room: Room,
  order: CommandOrder,
  stop: AbortSignal,
): Promise<Ran | "interrupted"> {
  const { command, own } = order;
  const watched = await watchReports(ports, room.cwd, order.reports);
  const output = new LastBytes();
  const stdout = new FirstBytes(order.reports.includes("stdout") ? MOST_STDOUT : 0);
  const began = ports.clock.monotonic();
  const end = await runShell(ports, { ...order, room, output, stdout }, stop);
  if (end === "interrupted") return end;
  const duration_ms = Math.round(ports.clock.monotonic() - began);
  const redact = (text: string): string => room.redact(text);
  const { tests, problems } = await readReports(ports, watched, { stdout, redact });
  const ran = { command, own, end, duration_ms, tail: output.tail(redact, problems) };
  return tests === undefined ? ran : { ...ran, tests };
}

interface ShellOrder extends CommandOrder {
  room: Room;
  output: LastBytes;
  stdout: FirstBytes;
}

async function runShell(
  { processes, clock }: GatePorts,
  { command, room, timeoutMs, output, stdout }: ShellOrder,
  stop: AbortSignal,
): Promise<CommandEnd | "interrupted"> {
  if (isStopped(stop)) return "interrupted";
  const spec = {
    command: "/bin/sh",
    args: ["-c", command],
    cwd: room.cwd,
    env: room.env,
    onStdout: (chunk: Uint8Array) => {
      output.add(chunk);
      stdout.add(chunk);
    },
    onStderr: (chunk: Uint8Array) => {
      output.add(chunk);
    },
  };
  const child = await processes.contain(spec, "auto");
  const kill = (): void => {
    child.signal("SIGKILL", "group");
  };
  const told = { timedOut: false, stopped: false };
  let spent = 0;
  let last = clock.monotonic();
  const watch = clock.every(TICK_MS, () => {
    const now = clock.monotonic();
    spent += Math.min(now - last, MOST_TICK_MS);
    last = now;
    if (timeoutMs === 0 || spent < timeoutMs) return;
    if (spent >= timeoutMs + TERM_GRACE_MS) kill();
    else if (!told.timedOut) child.signal("SIGTERM", "group");
    told.timedOut = true;
  });
  const onStop = (): void => {
    told.stopped = true;
    kill();
  };
  stop.addEventListener("abort", onStop, { once: true });
  if (isStopped(stop)) onStop();
  const end = await child.ended;
  stop.removeEventListener("abort", onStop);
  watch.cancel();
  // What it left running would go on changing files under the next command, and under its report.
  kill();
  await child.gone;
  if (told.stopped) return "interrupted";
  return told.timedOut ? { how: "timed-out" } : end;
}

/** Asked anew after every wait. */
function isStopped(stop: AbortSignal): boolean {
  return stop.aborted;
}
