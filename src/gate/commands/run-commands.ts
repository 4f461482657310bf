// Runs the gate's commands in a folder, one after the other, and returns the end and the test report of each.
// compare.ts judges them, and report-files.ts finds and reads reports.
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import { FirstBytes, LastBytes } from "../report/output.js";
import { MOST_STDOUT, watchReports } from "../report/report-files.js";
import { cleanParts, type CleanPart } from "../report/test-names.js";
import { mayStartRunner, prepareOwnReport, readOwnReport, removeOwnReport } from "../runners/own-report.js";
import { endsWell } from "../verdict/runs.js";
import type { Ran } from "../verdict.js";

/** The commands to run, and how. */
export interface GatePlan {
  /** The project's commands: lines for `sh -c`. */
  commands: readonly string[];
  /** The task's own, run after them; those of a workflow's stage, alone. */
  own: readonly string[];
  isOfStage?: boolean;
  /** The time limit of one command; 0 = unlimited. */
  timeoutMs: number;
  /** Places of reports: `stdout`, files and folders in the room. Empty: known runners are made to report. */
  reports: readonly string[];
}

/** The folder and environment in which commands run. */
export interface Room {
  /** Absolute. */
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** How the names of temporary folders begin, so that the next run finds those of a killed one. */
  temporary?: string;
  /** Removes secrets from the output of the commands, and from the names of their tests. */
  redact(text: string): string;
  /** Absolute paths that the commands must not see, where their containment can hide them. */
  hide?: readonly string[];
  /** Called after each command, once its processes are gone. An error that it throws ends the gate. */
  onCommandEnd?(): Promise<void>;
}

/** The ports that the gate needs. */
export type GatePorts = Pick<Ports, "processes" | "clock" | "files">;

const TERM_GRACE_MS = 5_000;
/** A command's time is counted in ticks, so that neither a changed clock nor a suspended machine ends it. */
const TICK_MS = 100;
const MOST_TICK_MS = 1_000;

/**
 * Runs every command of the plan, even after one has failed; a command listed twice runs once.
 * Aborting `stop` kills the running command and all its processes at once.
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
export interface CommandOrder extends Pick<GatePlan, "timeoutMs"> {
  command: string;
  own: boolean;
  /** As in a plan. `none`: the command is not a check. */
  reports: readonly string[] | "none";
}

/** Runs one command, as `runCommands` does. */
export async function runOne(
  ports: GatePorts,
  room: Room,
  order: CommandOrder,
  stop: AbortSignal,
): Promise<Ran | "interrupted"> {
  const named = order.reports === "none" ? [] : order.reports;
  const mayReport = order.reports !== "none" && named.length === 0 && mayStartRunner(order.command);
  const report = mayReport ? await prepareOwnReport(ports, room) : undefined;
  try {
    const readReports = await watchReports(ports, room.cwd, named);
    const output = new LastBytes();
    const stdout = new FirstBytes(named.includes("stdout") ? MOST_STDOUT : 0);
    const inside = report === undefined ? room : { ...room, env: report.env };
    const ended = await runShell(ports, { ...order, room: inside, output, stdout }, stop);
    if (ended === "interrupted") return ended;
    const { end } = ended;
    const clean = await cleanIn(ports, room);
    const { tests, runner, problems } =
      report === undefined
        ? { ...(await readReports({ stdout, clean })), runner: undefined }
        : await readOwnReport(ports, { ...report, clean, endsWell: endsWell(end) });
    const isBroken = report !== undefined && !endsWell(end) && end.how !== "timed-out" && tests === undefined;
    // Whatever the report may have broken, the command counts as it is without one.
    if (isBroken && output.has(report.folder))
      return await runOne(ports, room, { ...order, reports: "none" }, stop);
    const redact = (text: string): string => withoutLinesOf(report?.folder, room.redact(text));
    return { ...ended, tail: output.tail(redact, problems), ...given({ tests, runner }) };
  } finally {
    if (report !== undefined) await removeOwnReport(ports, report);
  }
}

async function cleanIn({ files }: GatePorts, room: Room): Promise<CleanPart> {
  const real = await files.realPath(room.cwd);
  return cleanParts((text) => room.redact(text), real === undefined ? [room.cwd] : [room.cwd, real]);
}

/** Leaves out the lines in which a runner says where it wrote the report. */
function withoutLinesOf(folder: string | undefined, text: string): string {
  if (folder === undefined || !text.includes(folder)) return text;
  return text
    .split("\n")
    .filter((line) => !line.includes(folder))
    .join("\n");
}

async function runShell(
  { processes, clock }: GatePorts,
  order: CommandOrder & { room: Room; output: LastBytes; stdout: FirstBytes },
  stop: AbortSignal,
): Promise<Pick<Ran, "command" | "own" | "end" | "duration_ms"> | "interrupted"> {
  const { command, own, room, timeoutMs, output, stdout } = order;
  if (isStopped(stop)) return "interrupted";
  const spec = {
    command: "/bin/sh",
    args: ["-c", command],
    cwd: room.cwd,
    env: room.env,
    ...given({ hide: room.hide }),
    onStdout: (chunk: Uint8Array) => {
      output.add(chunk);
      stdout.add(chunk);
    },
    onStderr: (chunk: Uint8Array) => {
      output.add(chunk);
    },
  };
  const began = clock.monotonic();
  const child = await processes.contain(spec, "auto");
  const kill = (): void => {
    child.signal("SIGKILL", "group");
  };
  const told = { timedOut: false, stopped: false };
  let spent = 0;
  let last = began;
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
  // A process left running could change files while the next command runs or its report is read.
  kill();
  await child.gone;
  if (told.stopped) return "interrupted";
  await room.onCommandEnd?.();
  const duration_ms = Math.round(clock.monotonic() - began);
  return { command, own, end: told.timedOut ? { how: "timed-out" } : end, duration_ms };
}

/** A function, so that TypeScript does not assume the same answer after every wait. */
function isStopped(stop: AbortSignal): boolean {
  return stop.aborted;
}
