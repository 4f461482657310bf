// Checks the files that a workflow names, its prompts and the schemas of its outputs, and the settings of its agents.
import { findUserFolder } from "../../config/read/places.js";
import { resolveSettings } from "../../config/read/resolve.js";
import { findOutputSchema } from "../../config/workflows/find-output-schema.js";
import type { LoadedWorkflow } from "../../config/workflows/load-workflow.js";
import { layerOfAgents } from "../../config/workflows/workflow-agents.js";
import { hasPrompt } from "../../prompts/store.js";
import { UserError } from "../../system/errors.js";
import type { SourcePath } from "../../system/text/source-text.js";
import type { PlacedProblem } from "../../workflow/read-workflow.js";
import type { Stage } from "../../workflow/workflow.js";
import type { RunRequest } from "../runs/run-request.js";

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
    return [
      {
        ...loaded.reading.source.placeOf(["agents"]),
        message: error.message.replaceAll(`${layer.file.name}:`, "line "),
      },
    ];
  }
}

interface StageProblem {
  key: "prompt" | "output";
  message: string;
  suggestion: string;
}

async function problemsOfStage(
  { ports, project, promptsFolder, env, home }: FilePlaces,
  name: string,
  stage: Stage,
): Promise<StageProblem[]> {
  if (stage.kind !== "work" && stage.kind !== "analyze") return [];
  const { prompt, output } = stage;
  const problems: StageProblem[] = [];
  const instead = project.paths.prompts;
  const prompts = { bundled: promptsFolder, instead, folders: project.paths.promptFolders };
  if (!(await hasPrompt(ports.files, prompts, prompt)))
    problems.push({
      key: "prompt",
      message: `the stage ${name} names the prompt ${prompt}, which is not there`,
      suggestion: `write .looper/prompts/${prompt}.md, or name another prompt`,
    });
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
