// Which agents said in the last run that they cannot work until a later time: the next run knows it from its log.
// Leaves what follows from it to the loop.
import { join } from "node:path";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { listRuns, readLines } from "./read.js";

/** An agent that named the time (RFC 3339) from when it can be asked again. */
export interface ToldPause {
  agent: string;
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
  for (const run of (await listRuns(ports, logDir)).reverse()) {
    const told = await toldIn(ports, join(logDir, "runs", run));
    if (told !== undefined) return told.filter(({ until }) => Date.parse(until) > now);
  }
  return [];
}

/** `undefined` of a run that ended before it began, or whose log cannot be read: it knows no more than the one before it. */
async function toldIn(ports: Pick<Ports, "files">, folder: string): Promise<ToldPause[] | undefined> {
  try {
    const first = await firstPauses(ports, folder);
    return first === undefined ? undefined : await laterPauses(ports, folder, first);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** What that run had been told in turn. */
async function firstPauses(ports: Pick<Ports, "files">, folder: string): Promise<ToldPause[] | undefined> {
  for await (const { type, value } of readLines(ports, folder)) {
    const pauses: unknown = value["pauses"];
    if (type === "recovered") return Array.isArray(pauses) ? pauses.filter(isToldPause) : [];
    if (type !== "run_started" && type !== "decided") return undefined;
  }
  return undefined;
}

async function laterPauses(
  ports: Pick<Ports, "files">,
  folder: string,
  first: readonly ToldPause[],
): Promise<ToldPause[]> {
  const told = new Map(first.map((one) => [one.agent, one]));
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  for await (const { type, value } of readLines(ports, folder, Math.max(0, size - LOOKED_AT))) {
    const { agent, reason, retry_at: until } = value;
    if (type !== "agent_finished" || typeof agent !== "string") continue;
    if (value["outcome"] === "ok") told.delete(agent);
    if (typeof reason === "string" && typeof until === "string") told.set(agent, { agent, reason, until });
  }
  return [...told.values()];
}

function isToldPause(value: unknown): value is ToldPause {
  if (typeof value !== "object" || value === null) return false;
  const { agent, reason, until } = value as Partial<Record<keyof ToldPause, unknown>>;
  return typeof agent === "string" && typeof reason === "string" && typeof until === "string";
}
