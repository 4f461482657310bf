// Reads a workflow by its name, or a file, and what it says of agents. Leaves the rules of a workflow to the
// workflow floor, and the search to find-workflows.ts.
import { type UserError, usageError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { nearest } from "../../system/text/nearest.js";
import { readWorkflow, type PlacedProblem, type WorkflowReading } from "../../workflow/file/read-workflow.js";
import { readFileLayer } from "../read/layers.js";
import type { SettingsFile } from "../read/settings-text.js";
import { keyOf } from "../settings/setting-row.js";
import { readInside } from "../../system/files/read-inside.js";
import {
  findWorkflowFile,
  listWorkflowFiles,
  type WorkflowFile,
  type WorkflowPlaces,
} from "./find-workflows.js";

/** A workflow without problems, and where it comes from. */
export interface LoadedWorkflow extends WorkflowFile {
  reading: Extract<WorkflowReading, { digest: string }>;
}

/** Reads the file of a workflow, whatever is wrong with it. */
export async function readWorkflowFile(
  files: Files,
  places: Pick<WorkflowPlaces, "project">,
  { name, file, origin }: Pick<WorkflowFile, "file" | "origin"> & { name?: string },
): Promise<WorkflowReading> {
  const read = await readInside(files, file, origin === "project" ? places.project : undefined);
  if (!read.ok) return { problems: [{ line: 1, column: 1, message: `cannot read it: ${read.error}` }] };
  return readWorkflow(read.value, { name, yaml: /\.ya?ml$/u.test(file) });
}

/** A name, and what names it: a setting, flag or task. `wayOut`: what to do if there is no such workflow. */
export interface NamedWorkflow {
  name: string;
  namedBy: string;
  wayOut?: string;
}

/** The workflow of a name; an unknown one, and one with problems, are `usage` errors. */
export async function loadWorkflow(
  files: Files,
  places: WorkflowPlaces,
  named: NamedWorkflow,
): Promise<LoadedWorkflow> {
  const found = await findWorkflowFile(files, places, named.name);
  if (found === undefined) throw await unknownWorkflow(files, places, named);
  const reading = await readWorkflowFile(files, places, found);
  if (reading.workflow !== undefined) return { ...found, reading };
  throw refuseWorkflow(found, reading.problems);
}

/** The error of a workflow that is in use and has problems. */
export function refuseWorkflow(
  { name, shown }: Pick<WorkflowFile, "name" | "shown">,
  problems: readonly PlacedProblem[],
): UserError {
  return usageError(
    `the workflow ${name} cannot be used:\n${describeProblems(shown, problems).join("\n")}`,
    `correct the file; looper workflows check ${shown} checks it again`,
  );
}

async function unknownWorkflow(
  files: Files,
  places: WorkflowPlaces,
  { name, namedBy, wayOut }: NamedWorkflow,
): Promise<UserError> {
  const known = (await listWorkflowFiles(files, places)).map((one) => one.name);
  const near = nearest(name, known);
  const hint = near === undefined ? "" : `did you mean ${near}? `;
  return usageError(
    `there is no workflow ${JSON.stringify(name)}, which ${namedBy} names`,
    `${wayOut === undefined ? "" : `${wayOut}; `}${hint}known: ${known.join(", ")}`,
  );
}

/** `FILE:LINE:COLUMN: MESSAGE; SUGGESTION`, one for each problem. */
export function describeProblems(shown: string, problems: readonly PlacedProblem[]): string[] {
  return problems.map(({ line, column, message, suggestion }) => {
    const hint = suggestion === undefined ? "" : `; ${suggestion}`;
    return `${shown}:${String(line)}:${String(column)}: ${message}${hint}`;
  });
}

/** A layer of agents. */
export interface AgentsLayer {
  file: SettingsFile;
  layer: "user" | "project";
}

/** The layer of a workflow's agents; `undefined` if it has none. A project's is trusted as its settings are. */
export function layerOfAgents({ shown, origin, reading }: LoadedWorkflow): AgentsLayer | undefined {
  const { agents } = reading.workflow;
  if (agents === undefined) return undefined;
  const lineOf = (path: readonly string[]): number => reading.source.placeOf(path).line;
  return {
    file: { name: shown, value: { agents }, lineOf },
    layer: origin === "project" ? "project" : "user",
  };
}

/** A sentence if two workflows set one key of an agent to different values: a run has one set of agents. */
export function findAgentConflict(layers: readonly AgentsLayer[]): string | undefined {
  const seen = new Map<string, { value: string; where: string }>();
  for (const { file, layer } of layers) {
    for (const { path, value, source } of readFileLayer(file, layer).entries) {
      const [key, spelled] = [keyOf(path), JSON.stringify(value)];
      const other = seen.get(key);
      if (other !== undefined && other.value !== spelled)
        return `${source.where}: ${key} is ${spelled}, but ${other.value} in ${other.where}`;
      seen.set(key, { value: spelled, where: source.where });
    }
  }
  return undefined;
}
