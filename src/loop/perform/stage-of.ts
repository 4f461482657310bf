// The stage of a job, from the workflows of the run's rules, and the progress of its task, from its row.
import type { Progress } from "../../workflow/progress.js";
import { doneBy, isWork } from "../../workflow/stage-kinds.js";
import { ENDS, type Stage, type Workflow } from "../../workflow/workflow.js";
import type { Task } from "../../todo/model/task.js";
import { EffectError } from "../step/drive.js";
import type { JobFacts } from "../step/effects.js";
import type { World } from "./world.js";

/** The stage a job is one visit of. `end`: the job is at finish or block, which are not stages. */
export interface JobStage {
  workflow: Workflow;
  name: string;
  /** The number of stages the task entered. */
  visit: number;
  stage?: Stage;
  end?: (typeof ENDS)[number];
}

type Of = Pick<JobFacts, "task_id" | "stage" | "visit">;

/** The stage of a job; `undefined` outside workflows. A stage that the workflow does not have is a failure of the effect. */
export function getStage(world: Pick<World, "memory" | "workflows">, job: Of): JobStage | undefined {
  const { stage: name, visit } = job;
  if (name === undefined || visit === undefined) return undefined;
  const wanted = getProgress(world, job)?.workflow ?? "";
  const workflow = world.workflows?.[wanted]?.workflow;
  if (workflow === undefined)
    throw new EffectError(
      "find-stage",
      `${job.task_id ?? "the task"} is in the workflow ${wanted}, which the run does not have`,
    );
  const end = ENDS.find((one) => one === name);
  if (end !== undefined) return { workflow, name, visit, end };
  const stage = Object.hasOwn(workflow.stages, name) ? workflow.stages[name] : undefined;
  if (stage === undefined)
    throw new EffectError("find-stage", `the workflow ${workflow.name} has no stage ${name}`);
  return { workflow, name, visit, stage };
}

/** The row of a task, for the messages that a person sends while its agent works. */
export function findRow(
  { project, memory }: Pick<World, "memory" | "project">,
  job: JobFacts,
): { file: string; after: number } | undefined {
  if (job.task_id === undefined || job.phase !== "iteration") return undefined;
  return { file: project.todoFile, after: getProgress({ memory }, job)?.notes?.length ?? 0 };
}

/** A task's progress, as its row was last read or written. */
export function getProgress(
  world: Pick<World, "memory">,
  job: Pick<JobFacts, "task_id">,
): Progress | undefined {
  return getTask(world, job)?.progress;
}

/** The task of a job. */
export function getTask(
  { memory }: Pick<World, "memory">,
  { task_id: id }: Pick<JobFacts, "task_id">,
): Task | undefined {
  return id === undefined ? undefined : memory.backlog?.tasks.find((task) => task.id === id);
}

/**
 * The approvals that a task's commit names: of each ask stage the last answer, if it has the stage's first outcome. `NAME (WAY, STAGE)`.
 */
export function listApprovals(
  world: Pick<World, "memory" | "workflows">,
  job: Pick<JobFacts, "task_id">,
): string[] {
  const progress = getProgress(world, job);
  const stages = world.workflows?.[progress?.workflow ?? ""]?.workflow.stages ?? {};
  const last = new Map((progress?.answers ?? []).map((answer) => [answer.stage, answer]));
  return [...last].flatMap(([name, { outcome, by, via }]) => {
    const stage = name === undefined ? undefined : stages[name];
    if (
      name === undefined ||
      doneBy(stage?.kind) !== "person" ||
      outcome !== Object.keys(stage?.next ?? {})[0]
    )
      return [];
    return [`${by} (${via}, ${name})`];
  });
}

/** The agent that a task's commit names: of a job at finish the one of the latest work, else the job's own. */
export function findCommitAgent(world: Pick<World, "memory" | "workflows">, job: JobFacts): string {
  if (job.stage !== "finish") return job.agent;
  const progress = getProgress(world, job);
  const stages = world.workflows?.[progress?.workflow ?? ""]?.workflow.stages ?? {};
  const outputs = Object.values(progress?.outputs ?? {}).sort((one, other) => other.visit - one.visit);
  const work = outputs.find(({ stage }) => isWork(stages[stage]?.kind)) ?? outputs[0];
  return work?.agent ?? job.agent;
}
