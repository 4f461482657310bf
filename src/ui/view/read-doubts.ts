// Finds in the logs what the last gate of a task found: why it is unverified, and the evidence. Leaves the reasons to the gate.
import { join } from "node:path";
import { describeDoubt } from "../../gate/verdict/reasons.js";
import { whyUnverified, type CheckBefore } from "../../gate/verdict/why-unverified.js";
import type { Because, Need } from "../../gate/verdict.js";
import { StepEvent } from "../../logging/events/events.js";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { listRuns, readLines } from "../../logging/read.js";
import { errorCode } from "../../system/errors.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";
import type { Look } from "./words/looks.js";

/** The findings of the last gate of a task. */
export interface Doubt {
  /** Why the task is unverified; empty if it is not. */
  reasons: readonly string[];
  /** Why a person must look at it. */
  look?: Look;
  because?: Because;
  needs: readonly Need[];
  on: readonly string[];
  changedChecks: readonly string[];
  /** Commands of which only the exit code counts, since none of their test cases are known. */
  byExitCode: readonly string[];
  /** The agent's reason to change its checks. */
  said?: string;
}

/** By the id of the task. */
export type Doubts = ReadonlyMap<string, Doubt>;

/** The parts of log lines that tell of a verdict. */
const TELLING = [
  ...["run_started", "baseline_finished", "gate_finished"].map((type) => `"type":"${type}"`),
  '"changes_checks"',
];

/**
 * The reasons for these tasks, each from the last gate of the task. A task without a verdict in any log is not in the
 * answer. Reads the newest run first, and stops when all are found; `most`: further limits, for quick answers.
 */
export async function readDoubts(
  ports: Pick<Ports, "files">,
  place: LogPlace,
  tasks: Iterable<string>,
  most: { runs?: number; bytes?: number } = {},
): Promise<Doubts> {
  const wanted = new Set(tasks);
  const doubts = new Map<string, Doubt>();
  if (wanted.size === 0) return doubts;
  const runs = (await listRuns(ports, place.logDir)).reverse();
  for (const run of runs.slice(0, most.runs)) {
    const size = (await ports.files.stat(join(place.logDir, "runs", run, "events.jsonl")))?.size ?? 0;
    if (size > (most.bytes ?? Infinity)) continue;
    const found = await readable(() => doubtsOfRun(ports, join(place.logDir, "runs", run), place));
    for (const [id, doubt] of found ?? []) if (wanted.delete(id)) doubts.set(id, doubt);
    if (wanted.size === 0) break;
  }
  return doubts;
}

/** The findings on all tasks that passed through the gate in this run. */
async function doubtsOfRun(
  ports: Pick<Ports, "files">,
  folder: string,
  place: LogPlace,
): Promise<Map<string, Doubt>> {
  const before = new Map<string, readonly CheckBefore[]>();
  const said = new Map<string, string | undefined>();
  const doubts = new Map<string, Doubt>();
  for await (const { value } of readLines(ports, folder, 0, { holding: TELLING })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "run_started" && !isOfTaskFile(event, place)) return new Map();
    if (event?.type === "baseline_finished" && event.task_id !== undefined)
      before.set(event.task_id, event.commands);
    if (event?.type === "agent_finished" && event.task_id !== undefined)
      said.set(event.task_id, event.changes_checks);
    if (event?.type === "gate_finished" && event.task_id !== undefined) {
      const { task_id: id } = event;
      doubts.set(id, doubtOf(event, before.get(id) ?? [], said.get(id)));
      said.delete(id);
    }
  }
  return doubts;
}

function doubtOf(
  gate: Extract<StepEvent, { type: "gate_finished" }>,
  before: readonly CheckBefore[],
  said: string | undefined,
): Doubt {
  const { because, needs = [], on = [], changed_checks: changedChecks = [] } = gate;
  const text = describeDoubt(gate);
  const look = text === undefined ? undefined : { on, text };
  const reasons = whyUnverified(gate, before);
  const byExitCode = gate.commands.filter((one) => one.by_exit_code === true).map(({ command }) => command);
  return { reasons, needs, on, changedChecks, byExitCode, ...given({ look, because, said }) };
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
