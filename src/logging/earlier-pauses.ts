// Reads from the last run's log which agents are limited until a later time, for the next run. The loop decides what
// follows.
import { join } from "node:path";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { listRuns, readLines } from "./read.js";

/** An agent that is limited until the time (RFC 3339) that its client named. */
export interface ToldPause {
  agent: string;
  /** The model it was started with, if one was named. */
  model?: string;
  reason: string;
  until: string;
}

/** How many bytes at the end of a log are read; pauses before them are too old to matter. */
const TAIL_BYTES = 1 << 20;

/** Returns the pauses of the newest run that recovered, as far as they still hold at `now` (epoch ms). */
export async function readToldPauses(
  ports: Pick<Ports, "files">,
  logDir: string,
  now: number,
): Promise<ToldPause[]> {
  for (const run of (await listRuns(ports, logDir)).toReversed()) {
    const told = await toldIn(ports, join(logDir, "runs", run));
    if (told !== undefined) return told.filter(({ until }) => Date.parse(until) > now);
  }
  return [];
}

/** `undefined` for a run that ended before it recovered or has an unreadable log: the run before it knows as much. */
async function toldIn(ports: Pick<Ports, "files">, folder: string): Promise<ToldPause[] | undefined> {
  try {
    const first = await beginning(ports, folder);
    return first === undefined ? undefined : await laterPauses(ports, folder, first);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

interface Beginning {
  /** The pauses that this run knew from the run before it. */
  pauses: readonly ToldPause[];
  /** Models by agent name. */
  models: ReadonlyMap<string, string>;
}

async function beginning(ports: Pick<Ports, "files">, folder: string): Promise<Beginning | undefined> {
  const models = new Map<string, string>();
  for await (const { type, value } of readLines(ports, folder)) {
    if (type === "recovered") return { pauses: listOf(value["pauses"]).filter(isToldPause), models };
    if (type !== "run_started" && type !== "decided") return undefined;
    for (const one of listOf(value["agents"])) {
      const { name, model } = fieldsOf(one);
      if (typeof name === "string" && typeof model === "string") models.set(name, model);
    }
  }
  return undefined;
}

async function laterPauses(
  ports: Pick<Ports, "files">,
  folder: string,
  { pauses, models }: Beginning,
): Promise<ToldPause[]> {
  const told = new Map(pauses.map((one) => [one.agent, one]));
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  for await (const { type, value } of readLines(ports, folder, Math.max(0, size - TAIL_BYTES))) {
    const { agent, reason, retry_at: until } = value;
    if (type !== "agent_finished" || typeof agent !== "string") continue;
    if (value["outcome"] === "ok") told.delete(agent);
    if (typeof reason !== "string" || typeof until !== "string") continue;
    const model = models.get(agent);
    told.set(agent, { agent, model, reason, until });
  }
  return [...told.values()];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function isToldPause(value: unknown): value is ToldPause {
  const { agent, model = "", reason, until } = fieldsOf(value);
  return [agent, model, reason, until].every((field) => typeof field === "string");
}
