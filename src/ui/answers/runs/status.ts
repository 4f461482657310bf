// The answer of `looper status --json`. Pure. Leaves finding the run and the estimate to the caller.
import type { LiveRun } from "../../../loop/runs/live-run.js";
import { withoutMarker } from "../../../todo/model/select.js";
import type { Task } from "../../../todo/model/task.js";
import { acceptanceOf, isVerified, verdictOf } from "../../../todo/model/verified.js";
import { isRejected } from "../../../workflow/question.js";
import type { StatusAnswer } from "../../shapes/runs.js";
import { listQuestions } from "../../view/open-questions.js";
import { countVerdicts } from "../../view/judged.js";
import { looksOf, rowsOf } from "../../view/rows.js";
import type { View } from "../../view/view.js";
import { openAnswer } from "../backlog/stages.js";

/** The run in progress, or the last one. */
export interface SeenRun {
  run: string;
  folder: string;
  view: View;
  /** The run's process; absent when the run is over. */
  live: LiveRun | undefined;
  /** Estimated milliseconds until the backlog is done. */
  eta: number | null;
}

/** `now`: epoch ms; `tasksDir`: the folder of outputs, as shown. */
export function statusAnswer(
  file: string,
  tasks: readonly Task[],
  { now, seen, tasksDir = "" }: { now: number; seen?: SeenRun; tasksDir?: string },
): StatusAnswer {
  const looks = looksAt(tasks, seen?.view);
  const inWorkflow = tasks.filter(({ progress }) => progress !== undefined);
  const questions = inWorkflow.length === 0 ? [] : listQuestions(inWorkflow, tasksDir).map(openAnswer);
  const paused = tasks.filter(({ progress }) => progress?.paused !== undefined).map(({ id }) => id);
  const rejected = inWorkflow.filter(({ progress }) => isRejected(progress)).map(({ id }) => id);
  return {
    file,
    tasks: countTasks(tasks),
    ...looks,
    ...(questions.length === 0 ? {} : { questions }),
    ...(paused.length === 0 ? {} : { paused }),
    ...(rejected.length === 0 ? {} : { rejected }),
    // A log without a line is that of a run that begins, or was taken away.
    run: seen === undefined || (seen.view.began === 0 && seen.live === undefined) ? null : runOf(seen, now),
  };
}

/** The verdicts on the tasks of a run, those that a person must look at, and those that a person accepted since. */
function looksAt(
  tasks: readonly Task[],
  view: View | undefined,
): Pick<StatusAnswer, "verdicts" | "need_a_look" | "accepted"> {
  const rows = view === undefined ? [] : rowsOf(view);
  const now = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  const done = rows.flatMap(({ taskId = "", last }) => {
    const task = now.get(taskId);
    return task?.status === "done" && last.result === "done" ? [{ verdict: verdictOf(task) }] : [];
  });
  const open = rows.filter(({ taskId = "" }) => {
    const task = now.get(taskId);
    return task?.status === "done" && !isVerified(task);
  });
  const accepted = rows.flatMap(({ taskId = "" }) => {
    const task = now.get(taskId);
    return task === undefined || acceptanceOf(task) === undefined ? [] : [task.id];
  });
  return { verdicts: countVerdicts(done), need_a_look: looksOf(open), accepted };
}

/** Counts the tasks by status, without the completion marker. */
export function countTasks(tasks: readonly Task[]): StatusAnswer["tasks"] {
  const counts = { todo: 0, doing: 0, blocked: 0, done: 0 };
  for (const task of withoutMarker(tasks)) counts[task.status]++;
  return counts;
}

function runOf({ run, folder, view, live, eta }: SeenRun, at: number): NonNullable<StatusAnswer["run"]> {
  const { current, waiting, ended, spent } = view;
  const began = view.began || at;
  const now = live === undefined ? view.at : at;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    run,
    folder,
    state: ended !== undefined ? "ended" : live === undefined ? "killed" : "running",
    stopping: ended === undefined && live !== undefined && view.interrupts > 0,
    pid: live?.pid ?? null,
    started: time(began),
    elapsed_ms: ended?.totals.ms ?? now - began,
    ending: ended?.ending ?? null,
    current:
      current === undefined
        ? null
        : {
            job: current.job,
            phase: current.phase,
            task: current.taskId ?? null,
            agent: current.agent,
            attempt: current.attempt,
            started: time(current.began),
            doing: current.doing,
            stage: current.stage,
            visit: current.visit,
          },
    waiting:
      waiting === undefined || live === undefined
        ? null
        : { until: waiting.until ?? null, agent: waiting.agent ?? null, reason: waiting.reason },
    eta_ms: eta,
    tokens: ended?.totals.tokens ?? spent.tokens,
    cost_usd: ended?.totals.cost ?? spent.cost ?? null,
    cost_partly: spent.partly === true,
  };
}
