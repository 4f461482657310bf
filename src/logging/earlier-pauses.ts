// Which agents said in the last run that they cannot work until a later time: the next run knows it from its log.
// Leaves what follows from it to the loop.
import { join } from "node:path";
import type { Ports } from "../system/ports.js";
import { findRun, readLines } from "./read.js";

/** An agent that named the time (RFC 3339) from when it can be asked again. */
export interface ToldPause {
  agent: string;
  reason: string;
  until: string;
}

/** The end of a log, in bytes: what was said before it is old. */
const LOOKED_AT = 1 << 20;

/** What agents said in the newest run's log and that still holds at `now` (epoch ms). */
export async function readToldPauses(
  ports: Pick<Ports, "files">,
  logDir: string,
  now: number,
): Promise<ToldPause[]> {
  const folder = await findRun(ports, logDir);
  if (folder === undefined) return [];
  const told = new Map<string, ToldPause>();
  for (const one of await firstPauses(ports, folder)) told.set(one.agent, one);
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  for await (const { type, value } of readLines(ports, folder, Math.max(0, size - LOOKED_AT))) {
    const { agent, reason, retry_at: until } = value;
    if (type !== "agent_finished" || typeof agent !== "string") continue;
    if (value["outcome"] === "ok") told.delete(agent);
    if (typeof reason === "string" && typeof until === "string") told.set(agent, { agent, reason, until });
  }
  return [...told.values()].filter(({ until }) => Date.parse(until) > now);
}

/** What that run had been told in turn. */
async function firstPauses(ports: Pick<Ports, "files">, folder: string): Promise<ToldPause[]> {
  for await (const { type, value } of readLines(ports, folder)) {
    if (type !== "recovered" && type !== "run_started") return [];
    const pauses: unknown = value["pauses"];
    if (type === "recovered") return Array.isArray(pauses) ? pauses.filter(isToldPause) : [];
  }
  return [];
}

function isToldPause(value: unknown): value is ToldPause {
  if (typeof value !== "object" || value === null) return false;
  const { agent, reason, until } = value as Partial<Record<keyof ToldPause, unknown>>;
  return typeof agent === "string" && typeof reason === "string" && typeof until === "string";
}
