// `looper todo ID …`: still to do. `--restart`: their workflow begins again, at its start or at `--stage`.
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { loadWorkflow } from "../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../src/config/workflows/find-workflows.js";
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { restartTask } from "../../src/todo/change/person-answers.js";
import { requireTask, setStatus } from "../../src/todo/change/person-edits.js";
import { TASKS } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, statusLines, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";
import { projectOf } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";

interface Request {
  ids: readonly string[];
  restart?: boolean;
  stage?: string;
  file?: string;
}

export const command: EditingCommand<Request> = {
  ...EDITING,
  arguments: [TASKS],
  options: [
    new Option("--restart", "begin their workflow again, and keep its outputs"),
    new Option("--stage <stage>", "with --restart: begin at this stage, with the work so far"),
    ...EDITING.options,
  ],
  examples: [
    ["looper todo T3", "reopen T3 after its blockers are settled"],
    ["looper todo T3 --restart", "begin the workflow of T3 again"],
    ["looper todo T3 --restart --stage plan", "begin it again at the stage plan"],
  ],
  answer: async (context, request) => {
    const { stage, file } = request;
    if (request.restart !== true) {
      if (stage !== undefined) throw usageError("--stage is for --restart", "leave it out, or add --restart");
      return edit(context, request, { decide: setStatus(request.ids, "todo"), say: statusLines });
    }
    const ids = [...new Set(request.ids)];
    if (stage !== undefined) {
      const project = await projectOf(context, { file, quiet: true });
      for (const id of ids) await mustHaveStage(context, project, { id, stage });
    }
    const person = personOf(context);
    return edit(context, request, {
      decide: (backlog) => ids.flatMap((id) => restartTask(id, stage, person)(backlog)),
      say: ({ tasks }) =>
        tasks.map(({ id }) => `${id}: begins again${stage === undefined ? "" : ` at ${stage}`}`),
      refused: ["restart a task", "report what is left in the summary"],
    });
  },
};

/** A `usage` error where the task's workflow has no such stage. */
async function mustHaveStage(
  context: CommandContext,
  project: Project,
  { id, stage }: { id: string; stage: string },
): Promise<void> {
  const { tasks } = await readTasks(context, project);
  const { progress, workflow } = requireTask(tasks, id);
  const begun = progress === undefined || progress.digest === "" ? undefined : progress.workflow;
  const name = begun ?? workflow ?? project.resolved.settings.workflow;
  const places = workflowPlaces({ ...context, project });
  const namedBy = begun === undefined && workflow === undefined ? "the setting workflow" : `task ${id}`;
  const { reading } = await loadWorkflow(context.ports.files, places, { name, namedBy });
  const stages = Object.keys(reading.workflow.stages);
  if (stages.includes(stage)) return;
  throw usageError(
    `the workflow ${name} has no stage ${stage}`,
    hintOn(stage, stages, `its stages are ${stages.join(", ")}`),
  );
}
