// Whether a workflow that a person names for a task exists and can be used. Leaves finding its file to src/config/workflows.
import type { Project } from "../../../src/config/project/open-project.js";
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../../src/config/workflows/workflow-places.js";
import type { CommandContext } from "../../context/command-context.js";

/** A `usage` error, with the known names, if the workflow is unknown or has problems. `namedBy`: `--workflow`. */
export async function mustKnowWorkflow(
  context: CommandContext,
  project: Project,
  { name, namedBy }: { name: string; namedBy: string },
): Promise<void> {
  const { ports, env, home, workflowsFolder } = context;
  const places = workflowPlaces({ project, env, home, workflowsFolder });
  await loadWorkflow(ports.files, places, { name, namedBy });
}
