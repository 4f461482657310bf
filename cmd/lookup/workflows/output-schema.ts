// The schema of the output that a person changes, from the task's workflow. Leaves finding its file to src/config/workflows.
import type { Project } from "../../../src/config/project/open-project.js";
import { findOutputSchema } from "../../../src/config/workflows/find-output-schema.js";
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../../src/config/workflows/workflow-places.js";
import { UserError } from "../../../src/system/errors.js";
import type { Task } from "../../../src/todo/model/task.js";
import type { OutputSchema } from "../../../src/workflow/outputs/check-output.js";
import type { CommandContext } from "../../context/command-context.js";

/** The schema of a stage of the task's workflow; `undefined` where the stage has none, or is gone. */
export async function findSchemaOf(
  context: CommandContext,
  project: Project,
  { id, progress, stage }: Pick<Task, "id" | "progress"> & { stage: string },
): Promise<OutputSchema | undefined> {
  if (progress === undefined) return undefined;
  const { files } = context.ports;
  const places = workflowPlaces({ ...context, project });
  const named = { name: progress.workflow, namedBy: `task ${id}` };
  const { reading } = await loadWorkflow(files, places, named);
  const found = Object.entries(reading.workflow.stages).find(([name]) => name === stage)?.[1];
  const name = found !== undefined && "output" in found ? found.output : undefined;
  if (name === undefined) return undefined;
  const schema = await findOutputSchema(files, places, name);
  if (schema.ok) return schema.value;
  throw new UserError("usage", schema.error.message, schema.error.hint);
}
