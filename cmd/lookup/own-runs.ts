// Selects the runs a command shows, since several projects may share a log folder. Leaves telling them apart to src/loop/runs/own-runs.ts.
import type { Project } from "../../src/config/project/open-project.js";
import { readStart, filterOwnRuns } from "../../src/loop/runs/own-runs.js";
import { listRuns } from "../../src/logging/read.js";
import { hasFlag, type CommandContext, type Typed } from "../context/command-context.js";

const ALL = "--all";

/** Keeps the runs to show, in their order. */
export type RunFilter = (runs: readonly string[]) => Promise<readonly string[]>;

/** This project's runs; with `--all` every one. */
export function runFilter({ ports }: CommandContext, project: Project, typed?: Typed): RunFilter {
  if (typed !== undefined && hasFlag(typed, ALL)) return (runs) => Promise.resolve(runs);
  return (runs) => filterOwnRuns({ ports, project }, runs);
}

/** The project that a run's log names; only with `--all`. */
export async function projectOfRun(
  { ports }: CommandContext,
  typed: Typed,
  folder: string,
): Promise<string | undefined> {
  return hasFlag(typed, ALL) ? (await readStart(ports, folder)).project : undefined;
}

/** Run ids, oldest first. */
export async function listOwnRuns(
  context: CommandContext,
  project: Project,
  filter: RunFilter = runFilter(context, project),
): Promise<readonly string[]> {
  return filter(await listRuns(context.ports, project.logDir));
}
