// Which agents said in the last run that they cannot work until a later time: the next run knows it from its log.
// Leaves what follows from it to the loop.
import { join } from "node:path";
import { errorCode } from "../system/errors.js";
import { given } from "../system/given.js";
import type { Ports } from "../system/ports.js";
import { listRuns, readLines } from "./read.js";

/** An agent that named the time (RFC 3339) from when it can be asked again. */
export interface ToldPause {
  agent: string;
  /** The model it was asked for, where one was named. */
  model?: string;
  reason: string;
  until: string;
}

/** The end of a log, in bytes: what was said before it is old. */
const LOOKED_AT = 1 << 20;

/** What agents said in the newest run that got as far as to hear them, and that still holds at `now` (epoch ms). */
export async function readToldPauses(
  ports: Pick<Ports, "files">,
  logDir: string,
  now: number,
): Promise<ToldPause[]> {
  const runs = await listRuns(ports, logDir);
  return (await newestTold(ports, { logDir, runs, now }))?.told ?? [];
}

/** The same, out of these runs (the oldest first), with the run it is from; `undefined` when none got as far. */
export async function newestTold(
  ports: Pick<Ports, "files">,
  { logDir, runs, now }: { logDir: string; runs: readonly string[]; now: number },
): Promise<{ run: string; told: ToldPause[] } | undefined> {
  for (const run of runs.toReversed()) {
    const told = await toldIn(ports, join(logDir, "runs", run));
    if (told !== undefined) return { run, told: told.filter(({ until }) => Date.parse(until) > now) };
  }
  return undefined;
}

/** `undefined` of a run that ended before it began, or whose log cannot be read: it knows no more than the one before it. */
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
  /** What that run had been told in turn. */
  pauses: readonly ToldPause[];
  /** By the agents' names. */
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
  for await (const { type, value } of readLines(ports, folder, Math.max(0, size - LOOKED_AT))) {
    const { agent, reason, retry_at: until } = value;
    if (type !== "agent_finished" || typeof agent !== "string") continue;
    if (value["outcome"] === "ok") told.delete(agent);
    if (typeof reason !== "string" || typeof until !== "string") continue;
    const model = models.get(agent);
    told.set(agent, { agent, ...given({ model }), reason, until });
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
