// Finds in the logs why done tasks are unverified. Leaves the reasons to the gate.
import { join } from "node:path";
import { whyUnverified, type CheckBefore } from "../../gate/verdict/why-unverified.js";
import { StepEvent } from "../../logging/events.js";
import { listRuns, readLines } from "../../logging/read.js";
import { errorCode } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";

/** Reasons by the id of the task. */
export type Doubts = ReadonlyMap<string, readonly string[]>;

/** The beginnings of the log lines with a verdict. */
const TELLING = ["run_started", "baseline_finished", "gate_finished"].map((type) => `"type":"${type}"`);

/**
 * The reasons for these tasks, each from the last gate of the task. A task without a verdict in any log is not in the
 * answer. Reads the newest run first, and stops when all are found; `most`: further limits, for quick answers.
 */
export async function readDoubts(
  ports: Pick<Ports, "files">,
  { logDir, todoFile }: { logDir: string; todoFile: string },
  tasks: Iterable<string>,
  most: { runs?: number; bytes?: number } = {},
): Promise<Doubts> {
  const wanted = new Set(tasks);
  const doubts = new Map<string, readonly string[]>();
  if (wanted.size === 0) return doubts;
  const runs = (await listRuns(ports, logDir)).reverse();
  for (const run of runs.slice(0, most.runs)) {
    const size = (await ports.files.stat(join(logDir, "runs", run, "events.jsonl")))?.size ?? 0;
    if (size > (most.bytes ?? Infinity)) continue;
    const found = await readable(() => doubtsOfRun(ports, join(logDir, "runs", run), todoFile));
    for (const [id, reasons] of found ?? []) if (wanted.delete(id)) doubts.set(id, reasons);
    if (wanted.size === 0) break;
  }
  return doubts;
}

/** The reasons of all tasks that passed through the gate in this run. */
async function doubtsOfRun(
  ports: Pick<Ports, "files">,
  folder: string,
  todoFile: string,
): Promise<Map<string, string[]>> {
  const before = new Map<string, readonly CheckBefore[]>();
  const doubts = new Map<string, string[]>();
  for await (const { value } of readLines(ports, folder, 0, { holding: TELLING })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "run_started" && event.todo_file !== todoFile) return new Map();
    if (event?.type === "baseline_finished" && event.task_id !== undefined)
      before.set(event.task_id, event.commands);
    if (event?.type === "gate_finished" && event.task_id !== undefined)
      doubts.set(event.task_id, whyUnverified(event, before.get(event.task_id) ?? []));
  }
  return doubts;
}

/** `undefined` when the log cannot be read, because a list of tasks does not depend on it. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
