// Reads from the last run's log which agents are limited until a later time, for the next run. The loop decides what
// follows.
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../system/errors.js";
import type { Ports } from "../system/ports.js";
import { ToldPause } from "./events/event-parts.js";
import { listRuns, readLines } from "./read.js";

/** How many bytes at the end of a log are read; pauses before them are too old to matter. */
const TAIL_BYTES = 1 << 20;

/** The parts of lines that tell of limits. */
const Told = z.object({
  pauses: z.array(ToldPause).optional(),
  agents: z.array(z.object({ name: z.string(), model: z.string().optional() })).optional(),
});
const Ended = z.object({
  agent: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  retry_at: z.string().optional(),
});

/** Returns the pauses of the newest run that recovered, as far as they still hold at `now` (epoch ms). */
export async function readToldPauses(
  ports: Pick<Ports, "files">,
  logDir: string,
  now: number,
): Promise<ToldPause[]> {
  for (const run of (await listRuns(ports, logDir)).toReversed()) {
    const told = await toldIn(ports, join(logDir, "runs", run)).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
    });
    if (told !== undefined) return told.filter(({ until }) => Date.parse(until) > now);
  }
  return [];
}

/** `undefined` for a run that ended before it recovered: the run before it knows as much. */
async function toldIn(ports: Pick<Ports, "files">, folder: string): Promise<ToldPause[] | undefined> {
  const models = new Map<string, string | undefined>();
  for await (const { type, value } of readLines(ports, folder)) {
    const { agents = [], pauses = [] } = Told.safeParse(value).data ?? {};
    if (type === "recovered") return laterPauses(ports, folder, { pauses, models });
    if (type !== "run_started" && type !== "decided") return undefined;
    for (const { name, model } of agents) models.set(name, model);
  }
  return undefined;
}

/** The pauses that the run knew from the run before it, and those it met. */
async function laterPauses(
  ports: Pick<Ports, "files">,
  folder: string,
  { pauses, models }: { pauses: readonly ToldPause[]; models: ReadonlyMap<string, string | undefined> },
): Promise<ToldPause[]> {
  const told = new Map(pauses.map((one) => [one.agent, one]));
  const size = (await ports.files.stat(join(folder, "events.jsonl")))?.size ?? 0;
  for await (const { type, value } of readLines(ports, folder, Math.max(0, size - TAIL_BYTES))) {
    const ended = type === "agent_finished" ? Ended.safeParse(value).data : undefined;
    if (ended === undefined) continue;
    const { agent, outcome, reason, retry_at: until } = ended;
    if (outcome === "ok") told.delete(agent);
    else if (reason !== undefined && until !== undefined)
      told.set(agent, { agent, model: models.get(agent), reason, until });
  }
  return [...told.values()];
}
