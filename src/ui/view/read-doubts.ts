// Finds in the logs what the last gate of a task found: the verdict, its evidence, and why it is not verified.
import { join } from "node:path";
import { whyNotVerified, type CheckBefore } from "../../gate/verdict/reasons.js";
import type { Need, Proof } from "../../gate/verdict.js";
import { StepEvent } from "../../logging/events/events.js";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { listRuns, readLines } from "../../logging/read.js";
import { errorCode } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { judge, type GateFinished, type Judged } from "./judged.js";

/** The findings of the last gate of a task; without a verdict where its checks fail. */
export interface Found extends Partial<Judged> {
  /** Why the task is not verified; empty if it is. */
  reasons: readonly string[];
  /** The tests and commands that turned from red to green; absent where the log has none. */
  evidence?: Pick<Proof, "fail_to_pass" | "new_tests">;
  needs: readonly Need[];
  on: readonly string[];
  changedChecks: readonly string[];
  /** Commands of which only the exit code counts, since none of their test cases are known. */
  byExitCode: readonly string[];
  /** The agent's reason to change its checks. */
  said?: string;
}

/** By the id of the task. */
export type FoundByTask = ReadonlyMap<string, Found>;

/** The parts of log lines that tell of a verdict. */
const TELLING = [
  ...["run_started", "baseline_finished", "gate_finished"].map((type) => `"type":"${type}"`),
  '"changes_checks"',
];

/**
 * The findings on these tasks, each from the last gate of the task. A task without a verdict in any log is not in the
 * answer. Reads the newest run first, and stops when all are found; `most`: further limits, for quick answers.
 */
export async function readFound(
  ports: Pick<Ports, "files">,
  place: LogPlace,
  tasks: Iterable<string>,
  most: { runs?: number; bytes?: number } = {},
): Promise<FoundByTask> {
  const wanted = new Set(tasks);
  const all = new Map<string, Found>();
  if (wanted.size === 0) return all;
  const runs = (await listRuns(ports, place.logDir)).reverse();
  for (const run of runs.slice(0, most.runs)) {
    const size = (await ports.files.stat(join(place.logDir, "runs", run, "events.jsonl")))?.size ?? 0;
    if (size > (most.bytes ?? Infinity)) continue;
    const ofRun = await readable(() => findInRun(ports, join(place.logDir, "runs", run), place));
    for (const [id, found] of ofRun ?? []) if (wanted.delete(id)) all.set(id, found);
    if (wanted.size === 0) break;
  }
  return all;
}

/** The findings on all tasks that passed through the gate in this run. */
async function findInRun(
  ports: Pick<Ports, "files">,
  folder: string,
  place: LogPlace,
): Promise<Map<string, Found>> {
  const before = new Map<string, readonly CheckBefore[]>();
  const said = new Map<string, string | undefined>();
  const all = new Map<string, Found>();
  for await (const { value } of readLines(ports, folder, 0, { holding: TELLING })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "run_started" && !isOfTaskFile(event, place)) return new Map();
    if (event?.type === "baseline_finished" && event.task_id !== undefined)
      before.set(event.task_id, event.commands);
    if (event?.type === "agent_finished" && event.task_id !== undefined)
      said.set(event.task_id, event.changes_checks);
    if (event?.type === "gate_finished" && event.task_id !== undefined) {
      const { task_id: id } = event;
      all.set(id, findingsOf(event, before.get(id) ?? [], said.get(id)));
      said.delete(id);
    }
  }
  return all;
}

function findingsOf(gate: GateFinished, before: readonly CheckBefore[], said: string | undefined): Found {
  const { because, proof, needs = [], on = [], changed_checks: changedChecks = [] } = gate;
  const evidence = proof && { fail_to_pass: proof.fail_to_pass, new_tests: proof.new_tests };
  const byExitCode = gate.commands.filter((one) => one.by_exit_code === true).map(({ command }) => command);
  return {
    ...judge(gate),
    reasons: whyNotVerified(gate, before),
    ...{ needs, on, changedChecks, byExitCode },
    because,
    evidence,
    said,
  };
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
