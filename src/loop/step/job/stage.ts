// Where a task is in its workflow, and which stage comes now. Pure. start-stage.ts starts its job, advance.ts moves the task on.
import { parseDuration } from "../../../system/text/duration.js";
import type { Budget } from "../../../agents/agent.js";
import type { Rules } from "../../../logging/rules.js";
import type { IndexRow } from "../../../todo/model/task.js";
import type { ProgressRow, Spent } from "../../../workflow/progress.js";
import { DEFAULT_WORKFLOW } from "../../../workflow/words.js";
import type { Stage, Workflow } from "../../../workflow/workflow.js";
import type { Job, Work, Route } from "../state.js";
import { STAGE_KINDS } from "../../../workflow/stage-kinds.js";

/** The position of a task in its workflow. */
export type Position =
  /** Its workflow is `default`. */
  | { kind: "default" }
  /** It is in no stage yet, and begins at `to`. */
  | { kind: "enter"; workflow: Workflow; digest: string; to: string }
  | { kind: "stage"; workflow: Workflow; digest: string; stage: Stage; progress: ProgressRow }
  /** It is at an end, which a job has to carry out. */
  | { kind: "end"; end: "finish" | "block"; workflow?: Workflow; progress: ProgressRow }
  /** Its workflow or its stage is not there any more. */
  | { kind: "lost"; why: string; progress?: ProgressRow };

type Row = Pick<IndexRow, "status" | "workflow" | "progress">;
type Workflows = Pick<Rules, "workflow" | "workflows">;

/**
 * Whether a task is in a stage or at an end. At `block` it is only until the work is out of the tree. Without a digest it has
 * entered nothing: a person paused it, or left a note.
 */
export function isInWorkflow({ status, progress }: Row): boolean {
  return progress?.digest !== undefined && (progress.stage !== "block" || status === "doing");
}

/** Finds the position of a task. A workflow or a stage that is gone is never passed silently. */
export function locate(rules: Workflows, row: Row): Position {
  const { progress } = row;
  return isInWorkflow(row) && progress !== undefined ? locateIn(rules, progress) : locateBefore(rules, row);
}

function locateBefore(
  { workflow: usual, workflows = {} }: Workflows,
  { workflow: own, progress }: Row,
): Position {
  const before = progress?.workflow === DEFAULT_WORKFLOW ? undefined : progress?.workflow;
  const name = own ?? before ?? usual ?? DEFAULT_WORKFLOW;
  const known = workflows[name];
  // A project may have a `default` of its own.
  if (name === DEFAULT_WORKFLOW && known === undefined) return { kind: "default" };
  if (known === undefined) return { kind: "lost", why: `there is no workflow ${name}` };
  const { workflow, digest } = known;
  const to = progress?.restart ?? workflow.start;
  return workflow.stages[to] === undefined
    ? { kind: "lost", why: `the workflow ${name} has no stage ${to}` }
    : { kind: "enter", workflow, digest, to };
}

function locateIn({ workflows = {} }: Workflows, progress: ProgressRow): Position {
  const { workflow: name, stage: at } = progress;
  const known = workflows[name];
  if (at === "finish" || at === "block") return { kind: "end", end: at, progress, workflow: known?.workflow };
  const stage = known?.workflow.stages[at];
  if (known !== undefined && stage !== undefined) return { kind: "stage", ...known, stage, progress };
  const why =
    known === undefined
      ? `it is in the stage ${at} of the workflow ${name}, which is not there any more`
      : `it is in the stage ${at}, which the workflow ${name} does not have any more`;
  return { kind: "lost", progress, why };
}

/** The stage of a job in a workflow; `undefined` at an end, and if the workflow is gone. */
export function findStage(
  rules: Workflows,
  { progress }: { progress?: ProgressRow | undefined },
): { workflow: Workflow; stage: Stage } | undefined {
  if (progress === undefined) return undefined;
  const workflow = rules.workflows?.[progress.workflow]?.workflow;
  const stage = workflow?.stages[progress.stage];
  return workflow === undefined || stage === undefined ? undefined : { workflow, stage };
}

/** The row of a job's task, if the task still is where the job found it. */
export function findRow(
  { index }: Pick<Work, "index">,
  { facts }: Job,
): (IndexRow & { progress: ProgressRow }) | undefined {
  const row = facts.task_id === undefined ? undefined : index.get(facts.task_id);
  const { progress } = row ?? {};
  if (row === undefined || progress === undefined) return undefined;
  return progress.stage === facts.stage && progress.visit === facts.visit ? { ...row, progress } : undefined;
}

/** The stage that a job is in, if the row still says so. */
export function stageOf(work: Pick<Work, "index" | "rules">, job: Job): Stage | undefined {
  const row = findRow(work, job);
  return row === undefined ? undefined : findStage(work.rules, row)?.stage;
}

/** The route of a stage's job; one that asks a person has none. */
export function routeOf({ kind }: Stage): Route | undefined {
  return STAGE_KINDS[kind].activities.length === 0 ? undefined : kind;
}

/** How often a stage may be tried in one visit. */
export function countAttemptsOf(
  { max_attempts }: Pick<Rules, "max_attempts">,
  stage: Stage | undefined,
): number {
  return stage?.limits?.attempts ?? max_attempts;
}

/** L20: the limits of a stage and its workflow as budgets, so that an agent that goes beyond one is stopped. */
export function listStageBudgets(rules: Workflows, progress: ProgressRow | undefined): Budget[] {
  const found = findStage(rules, { progress });
  if (found === undefined || progress === undefined) return [];
  const { workflow, stage } = found;
  return [
    ...toBudgets(stage.limits, progress.spent?.[progress.stage], progress.stage),
    ...toBudgets(workflow.limits, progress.spent?.["*"], workflow.name),
  ];
}

function toBudgets(limits: Workflow["limits"], spent: Spent | undefined, name: string): Budget[] {
  const { tokens, cost_usd, duration } = limits ?? {};
  const amounts: [string, Budget["unit"], number | undefined, number | undefined][] = [
    ["tokens", "tokens", tokens, spent?.tokens],
    ["cost_usd", "usd", cost_usd, spent?.cost_usd],
    ["duration", "ms", duration === undefined ? undefined : parseDuration(duration), spent?.duration_ms],
  ];
  return amounts.flatMap(([key, unit, most, used = 0]): Budget[] =>
    most === undefined ? [] : [{ of: "task", key: `limits.${key} of ${name}`, unit, most, spent: used }],
  );
}
