// Checks the files that a workflow names, its prompts and the schemas of its outputs, and the settings of its agents.
import { findUserFolder } from "../../../config/read/places.js";
import { resolveSettings } from "../../../config/read/resolve.js";
import { findOutputSchema } from "../../../config/workflows/find-output-schema.js";
import { layerOfAgents, type LoadedWorkflow } from "../../../config/workflows/load-workflow.js";
import { stageVariables } from "../../../prompts/compose-stage.js";
import { render } from "../../../prompts/render.js";
import { readStageTemplate } from "../../../prompts/store.js";
import { UserError } from "../../../system/errors.js";
import { TaskId } from "../../../todo/model/task.js";
import type { SourcePath } from "../../../system/text/source-text.js";
import type { PlacedProblem } from "../../../workflow/file/read-workflow.js";
import type { Stage } from "../../../workflow/workflow.js";
import type { RunRequest } from "../../runs/run-request.js";

export type FilePlaces = Pick<RunRequest, "ports" | "project" | "env" | "home" | "promptsFolder">;

/** Every problem, in the file's order of stages. */
export async function checkStageFiles(places: FilePlaces, loaded: LoadedWorkflow): Promise<PlacedProblem[]> {
  const { source, workflow } = loaded.reading;
  const problems: PlacedProblem[] = [];
  for (const [name, stage] of Object.entries(workflow.stages)) {
    for (const { key, message, suggestion } of await problemsOfStage(places, name, stage)) {
      const path: SourcePath = ["stages", name, key];
      problems.push({ ...source.placeOf(path), message, suggestion });
    }
  }
  return problems;
}

/** A problem of the agents' settings, which a start would tell in its own words. */
export function checkAgentSettings(
  { project }: Pick<FilePlaces, "project">,
  loaded: LoadedWorkflow,
): PlacedProblem[] {
  const layer = layerOfAgents(loaded);
  if (layer === undefined) return [];
  try {
    resolveSettings({ ...project.layers, workflows: [layer] });
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return splitByLine(error.message, layer.file.name).map(({ line, message }) => ({
      ...(line === undefined ? loaded.reading.source.placeOf(["agents"]) : { line, column: 1 }),
      message,
    }));
  }
}

/** The lines `FILE:LINE: MESSAGE` of an error, each as a problem of its own. */
function splitByLine(text: string, file: string): { line?: number; message: string }[] {
  const start = `${file}:`;
  const lines = text.split("\n").map((one) => one.trim());
  if (!lines.every((one) => one.startsWith(start))) return [{ message: text.replaceAll(start, "line ") }];
  return lines.map((one) => {
    const [, line, message] = /^(\d+): ([^]*)$/u.exec(one.slice(start.length)) ?? [];
    return line === undefined || message === undefined ? { message: one } : { line: Number(line), message };
  });
}

interface StageProblem {
  key: "prompt" | "output";
  message: string;
  suggestion: string;
}

/** Facts for every variable of a prompt, so that an unknown name is found before an agent is started. */
export const SAMPLE_FACTS = {
  ...{ project: { folder: "/" }, iteration: 1, todoFile: "", logDir: "", sourceFiles: [] },
  ...{ checks: [], dependencies: [], earlierAttempts: [], history: [] },
  task: { id: TaskId.parse("T1"), title: "a", priority: 1, status: "todo" as const },
  ...{ attempt: 1, maxAttempts: 1, commitRule: "runner" as const },
};

const SAMPLE = stageVariables({
  ...SAMPLE_FACTS,
  stage: { kind: "work", name: "do", visit: 1, round: 1, outcomes: [{ name: "done", to: "finish" }] },
  document: { path: "", text: "" },
  ...{ inputs: [], answers: [], notes: [] },
});

async function problemsOfStage(
  { ports, project, promptsFolder, env, home }: FilePlaces,
  name: string,
  stage: Stage,
): Promise<StageProblem[]> {
  const { prompt, output } = stage;
  if (prompt === undefined) return [];
  const problems: StageProblem[] = [];
  const instead = project.paths.prompts;
  const prompts = { bundled: promptsFolder, instead, folders: project.paths.promptFolders };
  try {
    render(await readStageTemplate(ports.files, prompts, prompt), SAMPLE);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const message = `the stage ${name}: ${error.message.replaceAll(`${project.folder}/`, "")}`;
    const suggestion = (error.hint ?? "correct it").replaceAll(`${project.folder}/`, "");
    problems.push({ key: "prompt", message, suggestion });
  }
  if (output === undefined) return problems;
  const folders = { project: project.folder, user: findUserFolder(env, home) };
  const schema = await findOutputSchema(ports.files, folders, output);
  if (!schema.ok)
    problems.push({
      key: "output",
      message: `the stage ${name}: ${schema.error.message}`,
      suggestion: schema.error.hint,
    });
  return problems;
}
