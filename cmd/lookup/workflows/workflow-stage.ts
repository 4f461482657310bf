// Whether a task's workflow has a stage. Leaves finding the workflow's file to src/config/workflows.
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { requireTask } from "../../../src/todo/change/person-edits.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import { textFlag, type CommandContext, type Typed } from "../../context/command-context.js";
import { projectOf } from "../project.js";
import { readTasks } from "../read-tasks.js";
import { workflowPlaces } from "../../../src/config/workflows/workflow-places.js";

/** A `usage` error where the task's workflow has no such stage. */
export async function mustHaveStage(
  context: CommandContext,
  typed: Typed,
  { id, stage }: { id: string; stage: string },
): Promise<void> {
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  const { tasks } = await readTasks(context, project);
  const { progress, workflow } = requireTask(tasks, id);
  const begun = progress === undefined || progress.digest === "" ? undefined : progress.workflow;
  const name = begun ?? workflow ?? project.resolved.settings.workflow;
  const places = workflowPlaces({ ...context, project });
  const namedBy = begun === undefined && workflow === undefined ? "the setting workflow" : `task ${id}`;
  const { reading } = await loadWorkflow(context.ports.files, places, { name, namedBy });
  const stages = Object.keys(reading.workflow.stages);
  if (stages.includes(stage)) return;
  throw new UserError(
    "usage",
    `the workflow ${name} has no stage ${stage}`,
    didYouMean(nearest(stage, stages), `its stages are ${stages.join(", ")}`),
  );
}
