// Finds the runs of a log folder that belong to this project. clean-logs.ts decides which of them are still needed.
import { join, relative } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import { readLines, type RawLine } from "../../logging/read.js";
import type { JobFacts } from "../step/effects.js";
import type { Ports } from "../../system/ports.js";
import type { ProjectSite } from "./run-request.js";

/** The folder of a run. */
export function getRunFolder({ project }: Pick<ProjectSite, "project">, run: string): string {
  return join(project.logDir, "runs", run);
}

/** The lines of one visit of a stage in the log of a run. */
export async function* readVisit(
  { ports, project }: { ports: Pick<Ports, "files">; project: Project },
  run: string,
  visit: Pick<JobFacts, "task_id" | "stage" | "visit">,
  holding: readonly string[],
): AsyncGenerator<RawLine> {
  for await (const line of readLines(ports, getRunFolder({ project }, run), 0, { holding })) {
    const { task_id, stage, visit: number } = line.value;
    if (task_id === visit.task_id && stage === visit.stage && number === visit.visit) yield line;
  }
}

/** The project and the task file that the first line of a log names. */
export async function readStart(
  ports: Ports,
  folder: string,
): Promise<{ project?: string | undefined; todoFile?: string | undefined }> {
  for await (const { value } of readLines(ports, folder)) {
    const textOf = (one: unknown): string | undefined => (typeof one === "string" ? one : undefined);
    return { project: textOf(value["project"]), todoFile: textOf(value["todo_file"]) };
  }
  return {};
}

/**
 * Keeps the runs of this project. A log folder inside the project is its own. One outside may be shared, or named by a hostile
 * clone, so there only runs whose log names this project count.
 */
export async function filterOwnRuns(site: ProjectSite, runs: readonly string[]): Promise<readonly string[]> {
  const { ports, project } = site;
  const { files } = ports;
  const [home, logs] = [await files.realPath(project.folder), await files.realPath(project.logDir)];
  const inside = relative(home ?? project.folder, logs ?? project.logDir);
  if (inside !== ".." && !inside.startsWith("../")) return runs;
  const own: string[] = [];
  for (const run of runs) {
    const { project: named } = await readStart(ports, getRunFolder(site, run));
    if (named !== undefined && ((await files.realPath(named)) ?? named) === home) own.push(run);
  }
  return own;
}
