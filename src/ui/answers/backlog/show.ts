// The answer of `looper show --json`. Pure. Leaves reading the logs to the caller.
import { given } from "../../../system/given.js";
import type { Explained } from "../../../loop/explain/explain.js";
import { isSetMarker, statusesOf, waitsFor } from "../../../todo/model/select.js";
import { bornAt, type Task } from "../../../todo/model/task.js";
import { acceptanceOf } from "../../../todo/model/verified.js";
import type { Found } from "../../view/read-doubts.js";
import type { ShowAnswer } from "../../shapes/runs.js";
import type { Current, Finished, StageVisitFacts } from "../../view/job-view.js";
import type { View } from "../../view/view.js";
import { isHeld, questionsAbout, spentByStage, workflowAnswer, type LoggedQuestions } from "./stages.js";
import { verdictAnswer } from "./verdict.js";

type Attempt = ShowAnswer["history"][number];

/**
 * A task of a file. `found`: what its last gate found; `logged`: its questions in the logs; `history`: its attempts. Both
 * lists have the oldest first.
 */
export function showAnswer(
  file: string,
  {
    task,
    tasks,
    found,
    explained,
    logged = { asked: [], answers: [] },
  }: {
    task: Task;
    tasks: readonly Task[];
    found: Found | undefined;
    explained?: Explained | undefined;
    logged?: LoggedQuestions;
  },
  history: ShowAnswer["history"],
): ShowAnswer {
  const questions = questionsAbout(task, logged);
  return {
    file,
    task: withRelations(task, tasks, found),
    history,
    ...(questions.length === 0 ? {} : { questions }),
    spent: spentByStage(task, history),
    explained: explained && explainedAnswer(explained),
  };
}

function explainedAnswer(explained: Explained): ShowAnswer["explained"] {
  const { verdict, because, needs, on, reasons, changed } = explained;
  return {
    verdict,
    because: because ?? null,
    needs: [...needs],
    on: [...on],
    reasons: [...reasons],
    changed: changed.map(({ path, kind, row, why }) => ({ path, kind, row, why })),
  };
}

function withRelations(task: Task, tasks: readonly Task[], found: Found | undefined): ShowAnswer["task"] {
  const waits = task.status === "done" ? [] : waitsFor(task, statusesOf(tasks));
  return {
    ...task,
    ready: task.status !== "done" && waits.length === 0 && !isHeld(task),
    waits_for: waits,
    needed_by: tasks.filter((one) => one.depends_on?.includes(task.id) === true).map((one) => one.id),
    ...(isSetMarker(task) ? { marker: true as const } : {}),
    ...verdictAnswer(task, found),
    evidence: evidenceOf(found, tasks),
    // A key of the task file by this name stays.
    ...given({ by_exit_code: byExitCode(found) }),
    ...workflowAnswer(task),
  };
}

function byExitCode(found: Found | undefined): string[] | undefined {
  return found === undefined || found.byExitCode.length === 0 ? undefined : [...found.byExitCode];
}

function evidenceOf(found: Found | undefined, tasks: readonly Task[]): ShowAnswer["task"]["evidence"] {
  if (found === undefined) return null;
  const { because, evidence, needs, changedChecks, said } = found;
  const accepted = new Set<string>(
    tasks.filter((one) => acceptanceOf(one) !== undefined).map(({ id }) => id),
  );
  const on = found.on.filter((id) => !accepted.has(id));
  const isKnown = needs.length + on.length + changedChecks.length > 0 || said !== undefined;
  if (evidence === undefined && !isKnown) return null;
  return {
    fail_to_pass: [...(evidence?.fail_to_pass ?? [])],
    new_tests: [...(evidence?.new_tests ?? [])],
    because: because ?? null,
    needs: [...needs],
    on: [...on],
    changed_checks: [...changedChecks],
    agents_reason: said ?? null,
  };
}

/**
 * The attempts at a task in one run. An attempt in progress lasts until `now` (epoch ms), or without it until the run was
 * killed.
 */
export function attemptsIn(
  task: Pick<Task, "created_at"> & { readonly id: string },
  { run, finished, current, at }: View,
  { now, tasksDir }: { now: number | undefined; tasksDir: string },
): Attempt[] {
  const over = finished
    .filter(({ taskId, began }) => taskId === task.id && began >= bornAt(task))
    .map((one) => ({
      ...begunAs(run, one),
      ...stageOf(one, tasksDir),
      duration_ms: one.ms,
      // A review has no task, so no attempt at a task is one.
      result: one.result === "reviewed" ? null : one.result,
      why: one.why,
      ...verdictOfAttempt(one),
      commit: one.commit ?? null,
    }));
  if (current?.taskId !== task.id) return over;
  const duration = Math.max(0, (now ?? at) - current.began);
  const open = {
    duration_ms: duration,
    result: null,
    why: current.why ?? "",
    verdict: null,
    verified: false,
    commit: null,
  };
  return [...over, { ...begunAs(run, current), ...stageOf(current, tasksDir), ...open }];
}

function verdictOfAttempt({ result, judged }: Finished): Pick<Attempt, "verdict" | "verified"> {
  const verdict = result === "done" ? (judged?.verdict ?? null) : null;
  return { verdict, verified: verdict === "verified" };
}

/** The stage of an attempt, and how its visit ended; empty under `default`. */
function stageOf(
  { stage, visit, outcome, output, to }: StageVisitFacts & { to?: string },
  tasksDir: string,
): Pick<Attempt, "stage" | "visit" | "outcome" | "to" | "output"> {
  if (stage === undefined) return {};
  const file = output === undefined ? undefined : `${tasksDir}/${output}`;
  return { stage, visit, outcome, to, output: file };
}

type Begun = Pick<
  Attempt,
  "warnings" | "run" | "job" | "attempt" | "agent" | "started" | "rescue" | "tokens" | "cost_usd"
>;

function begunAs(
  run: string,
  { job, attempt, agent, began, rescue, spent, warnings = [] }: Current | Finished,
): Begun {
  return {
    warnings: [...warnings],
    run,
    job,
    attempt,
    agent,
    started: new Date(began).toISOString(),
    rescue: rescue ?? null,
    tokens: spent.tokens,
    cost_usd: spent.cost ?? null,
  };
}
