// The child's side of hosted agents: runs a user's module, speaks our events on stdout, and says how it ended.
// Leaves the scripted agent to play.ts, and the real stdin, stdout and signals to the command that starts it.
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { errorMessage } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import type { AgentReport, StageAgentReport } from "../../todo/model/summary.js";
import { WaitingCall, type AgentEvent } from "../agent.js";
import { AgentEventLine } from "../event.js";
import { HostRequest } from "./hosted.js";
import type { EndLine } from "./own-lines.js";
import { parseJson } from "../../system/text/json.js";

/** The interface of a host to its process. */
export interface HostIo {
  ports: Ports;
  env: Readonly<Record<string, string>>;
  /** Absolute path of node. */
  node: string;
  /** All of stdin, to its end. */
  readInput(): Promise<string>;
  /** To the real stdout, in order; whatever else prints on it must have been led to stderr. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  writeError(text: string): Promise<void>;
  /** Aborted when the host is told to end (SIGTERM, SIGINT). */
  stop: AbortSignal;
}

/** The report of a module, in a stage of a workflow too; without one nothing is reported. */
type ModuleReport = AgentReport | StageAgentReport | ModuleCall | null | undefined;

/** In place of a report: the turn ends with a call that a person must allow first. */
interface ModuleCall {
  /** The next request names it beside the answer. */
  session: string;
  waiting_call: WaitingCall;
}

/** The type of the default export of a user's module. */
export interface ModuleAgent {
  /** `emit` takes events as contract §6 has them; `signal` is aborted when the agent shall end. */
  run(
    request: HostRequest,
    tools: { emit: (event: AgentEvent) => Promise<void>; signal: AbortSignal },
  ): Promise<ModuleReport> | ModuleReport;
}

const STOPPED = 143;

/** Runs the module at an absolute path; the exit code. Its failures are said on stdout, with the stack on stderr. */
export async function hostModule(file: string, io: HostIo): Promise<number> {
  return runHost(io, HostRequest, async (request) => {
    const agent = await loadModule(file);
    const emit = async (event: AgentEvent): Promise<void> => {
      await writeLine(io, AgentEventLine.parse(event));
    };
    const summary = await agent.run(request, { emit, signal: io.stop });
    if (summary !== undefined && summary !== null && "waiting_call" in summary)
      return {
        type: "end",
        ok: true,
        session: summary.session,
        waiting_call: WaitingCall.parse(summary.waiting_call),
      };
    if (summary !== undefined && summary !== null) await writeLine(io, { ...summary, type: "summary" });
    return { type: "end", ok: true };
  });
}

/** Runs a host: reads the request, works, and prints how it ended. A number is the exit code, without an end line. */
export async function runHost<T>(
  io: HostIo,
  shape: z.ZodType<T>,
  work: (request: T) => Promise<EndLine | number>,
): Promise<number> {
  try {
    const end = await work(shape.parse(JSON.parse(await io.readInput())));
    if (typeof end === "number") return io.stop.aborted ? STOPPED : end;
    await writeLine(io, end);
    if (io.stop.aborted) return STOPPED;
    return end.ok ? 0 : 1;
  } catch (error) {
    if (io.stop.aborted) return STOPPED;
    await io.writeError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await writeLine(io, { type: "end", ok: false, reason: "exited", evidence: errorMessage(error) });
    return 1;
  }
}

/** Writes one line of JSON. */
export async function writeLine(io: HostIo, line: unknown): Promise<void> {
  await io.write(`${JSON.stringify(line)}\n`);
}

async function loadModule(file: string): Promise<ModuleAgent> {
  const loaded: unknown = await import(pathToFileURL(file).href);
  const agent: unknown =
    typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : null;
  if (isModuleAgent(agent)) return agent;
  throw new Error(`${file} has no default export with a function run(request, { emit, signal })`);
}

function isModuleAgent(value: unknown): value is ModuleAgent {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    "run" in value &&
    typeof value.run === "function"
  );
}

/** The one line that the child prints. */
export const PickLine = z.union([z.object({ agent: z.string() }), z.object({ error: z.string() })]);

/** Calls the function that a module exports with the request on stdin; the exit code. */
export async function hostPick(file: string, io: HostIo): Promise<number> {
  try {
    const loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    const choose = [loaded["default"], ...Object.values(loaded)].find((one) => typeof one === "function");
    if (choose === undefined) throw new Error("it exports no function");
    const agent: unknown = await (choose as (order: unknown) => unknown)(parseJson(await io.readInput()));
    if (typeof agent !== "string") throw new Error(`it returned ${String(agent)}, not an agent's name`);
    await writeLine(io, { agent: agent.trim() });
    return 0;
  } catch (error) {
    await writeLine(io, { error: errorMessage(error) });
    return 1;
  }
}
