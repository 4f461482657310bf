// Finds in the logs the last verdict of the gate on a task, with what it takes to reach it again.
import { basename, dirname, join } from "node:path";
import type { CheckBefore } from "../../gate/verdict/reasons.js";
import { StepEvent, type EventOf } from "../../logging/events/events.js";
import { isOfTaskFile, type LogPlace } from "../../logging/is-of-task-file.js";
import { listRuns, readLines } from "../../logging/read.js";
import type { Ports } from "../../system/ports.js";

/** A verdict on an attempt at a task. */
export interface JudgedAttempt {
  run: string;
  /** The runs before it, newest first. */
  earlier: readonly string[];
  gate: EventOf<"gate_finished">;
  /** The commit of the checkpoint, where the log has it. */
  base?: string;
  /** The results of the checks before the task: their file (absolute), and what the log has of them. */
  baseline?: string;
  before: readonly CheckBefore[];
}

const TELLING = ["run_started", "checkpoint", "baseline_finished", "gate_finished"].map(
  (type) => `"type":"${type}"`,
);

/** Finds the last one that was not interrupted, in the newest run that has one. */
export async function findJudged(
  ports: Pick<Ports, "files">,
  place: LogPlace,
  task: string,
): Promise<JudgedAttempt | undefined> {
  const { logDir } = place;
  const runs = (await listRuns(ports, logDir)).reverse();
  for (const [at, run] of runs.entries()) {
    const judged = await judgedIn(ports, join(logDir, "runs", run), { place, task });
    if (judged === undefined) continue;
    const { baseline: file, ...rest } = judged;
    // The file is always in the logs: a log from another machine must not make us read any other path.
    const baseline =
      file === undefined ? undefined : join(logDir, "runs", basename(dirname(file)), basename(file));
    return { run, earlier: runs.slice(at + 1), ...rest, baseline };
  }
  return undefined;
}

type Found = Omit<JudgedAttempt, "run" | "earlier">;

async function judgedIn(
  ports: Pick<Ports, "files">,
  folder: string,
  { place, task }: { place: LogPlace; task: string },
): Promise<Found | undefined> {
  let begun: Omit<Found, "gate"> = { before: [] };
  let judged: Found | undefined;
  for await (const { value } of readLines(ports, folder, 0, { holding: TELLING })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "run_started" && !isOfTaskFile(event, place)) return undefined;
    if (event === undefined || !("task_id" in event) || event.task_id !== task) continue;
    if (event.type === "checkpoint") begun = { ...begun, base: event.base ?? begun.base };
    if (event.type === "baseline_finished")
      begun = { before: event.commands, base: begun.base, baseline: event.file };
    if (event.type === "gate_finished" && event.verdict !== "interrupted") judged = { ...begun, gate: event };
  }
  return judged;
}
