// Checks a run's request before anything starts: the task file, its root, the requested task, the templates.
import {
  bootstrapVariables,
  iterationVariables,
  pushVariables,
  repairVariables,
  reviewVariables,
} from "../../../prompts/compose.js";
import { render } from "../../../prompts/render.js";
import { PROMPTS, readTemplate, type PromptName } from "../../../prompts/store.js";
import { errorCode, errorMessage, usageError } from "../../../system/errors.js";
import { explainExhausted } from "../../../system/exhausted.js";
import { describeKind } from "../../../system/files/describe-kind.js";
import { checkUnderstood } from "../../../todo/understand/understand.js";
import type { Backlog, Task } from "../../../todo/model/task.js";
import { hintOnTask, findNearTask } from "../../../todo/change/person-edits.js";
import { whyNotRoot, describeWorkFolder } from "../../../config/project/project.js";
import { SAMPLE_FACTS } from "./check-stage-files.js";
import { findHiddenChecks, type FoundHiddenChecks } from "./find-hidden-checks.js";
import type { RunRequest } from "../../runs/run-request.js";

/** The tasks of a run, and what is to be said of it. */
export interface Requested {
  /** The tasks that can be read. */
  tasks: readonly Task[];
  /** The file is there and not valid, so that it is repaired instead of drafted. */
  isBroken: boolean;
  /** A note that names the folder of agents and checks, if it is not the project's. */
  note?: string;
  hidden: FoundHiddenChecks;
}

/** Checks without locks; throws a `usage` error if the run cannot start. */
export async function checkRequest(request: RunRequest): Promise<Requested> {
  const { backlog, tasks, isBroken } = await readTasks(request);
  checkTask(request, tasks);
  const { files } = request.ports;
  const { todoFile } = request.project;
  const wrong = await whyNotRoot(files, request.project, backlog?.project?.root);
  if (wrong !== undefined) throw usageError(`${todoFile}: ${wrong.message}`, wrong.hint);
  await checkTemplates(request);
  const hidden = await findHiddenChecks(request);
  const note = await describeWorkFolder(files, request.project, backlog?.project?.root);
  return { tasks, isBroken, hidden, note };
}

async function readTasks({
  ports,
  project,
}: RunRequest): Promise<{ backlog?: Backlog } & Pick<Requested, "tasks" | "isBroken">> {
  const { todoFile } = project;
  const stat = await ports.files.stat(todoFile);
  if (stat !== undefined && stat.kind !== "file") {
    throw usageError(
      `${todoFile} is ${describeKind(stat.kind)}, not a file`,
      "name the task file: looper run FILE",
    );
  }
  const bytes = await ports.files.read(todoFile).catch((error: unknown) => {
    if (errorCode(error) === undefined || explainExhausted(error) !== undefined) throw error;
    const message = `cannot read ${todoFile}: ${errorMessage(error)}`;
    throw usageError(message, "name a file that can be read", { cause: error });
  });
  if (bytes === undefined) return { tasks: [], isBroken: false };
  // Corrected as the run would correct it, so that approval is asked for the commands the run will use.
  const checked = checkUnderstood(bytes);
  if (checked.kind === "ok")
    return { backlog: checked.backlog, tasks: checked.backlog.tasks, isBroken: false };
  const isBroken = checked.kind === "invalid";
  return { tasks: isBroken ? checked.readable : [], isBroken };
}

function checkTask({ project, idea, only }: RunRequest, tasks: readonly Task[]): void {
  if (tasks.length === 0) return;
  if (idea !== undefined) {
    const message = `--prompt is for a new backlog, and ${project.todoFile} has tasks`;
    throw usageError(message, 'use add: looper add "what is to be done"');
  }
  if (only === undefined || tasks.some(({ id }) => id === only)) return;
  const near = findNearTask(tasks, only);
  const hint = near === undefined ? hintOnTask(tasks, only) : `did you mean ${near}?`;
  throw usageError(`there is no task ${only} in ${project.todoFile}`, hint);
}

/** Renders the user's templates with sample values, so that an unknown name is found before a task is claimed. */
async function checkTemplates({ ports, project, promptsFolder }: RunRequest): Promise<void> {
  const places = { bundled: promptsFolder, instead: project.paths.prompts };
  for (const name of PROMPTS) {
    if (places.instead[name] !== undefined)
      render(await readTemplate(ports.files, places, name), SAMPLE_VARIABLES[name]());
  }
}

const NOTHING = { outputFile: "", idea: "", from: "", wanted: "", versionFile: "", tag: "", count: 0 };

const SAMPLE_VARIABLES: Readonly<Record<PromptName, () => Readonly<Record<string, string>>>> = {
  iteration: () => iterationVariables(SAMPLE_FACTS),
  review: () => reviewVariables({ ...SAMPLE_FACTS, done: [], open: [], changes: "" }),
  bootstrap: () => bootstrapVariables({ ...SAMPLE_FACTS, ...NOTHING, documents: [], entries: [] }),
  repair: () =>
    repairVariables({ ...SAMPLE_FACTS, ...NOTHING, brokenText: "", brokenFile: "", problems: [] }),
  push: () => pushVariables({ ...SAMPLE_FACTS, ...NOTHING, changes: [], changelog: "", changelogHead: "" }),
};
