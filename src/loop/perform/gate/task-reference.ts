// The state at the start of the run, which the gate compares attempts with. run-start.ts reads what earlier attempts left, and
// src/gate/influence/reference.ts makes the comparison.
import { performAs } from "../perform-as.js";
import { findReference, noteLeft, type Reference, type RunStart } from "../../../gate/influence/reference.js";
import { pathFromTop } from "../../../gate/rooms/cold-room.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import { listRuns } from "../../../logging/read.js";
import type { JobFacts } from "../../step/effects.js";
import { THE_REVIEW } from "../tree/keep-attempt.js";
import { acceptedTasks, allowedByTasks, readRunStart } from "./run-start.js";
import type { World } from "../world.js";

/** The reference of a task that starts with this commit. */
export async function findTaskReference(world: World, repo: Repository, base: string): Promise<Reference> {
  const runStart = await findRunStart(world, repo, base);
  const { backlog, places } = world.memory;
  const project = places === undefined ? "" : pathFromTop(places.rooms, places.projectDir);
  const isAllowed = allowedByTasks(backlog?.tasks ?? [], project);
  return performAs("run-gate", () => findReference(repo, runStart, base, isAllowed));
}

/** Notes the changes of an attempt, whatever its verdict will be. */
export async function noteAttempt(
  world: World,
  repo: Repository,
  base: string,
  job: JobFacts,
): Promise<void> {
  const changes = world.memory.of(job.job).snapshot?.changes ?? [];
  noteLeft(await findRunStart(world, repo, base), changes, job.task_id ?? THE_REVIEW);
}

async function findRunStart(world: World, repo: Repository, base: string): Promise<RunStart> {
  const { memory, ports, project, log } = world;
  if (memory.runStart !== undefined) return memory.runStart;
  const accepted = acceptedTasks(memory.backlog?.tasks ?? []);
  const { logDir } = project;
  const runs = (await listRuns(ports, logDir)).reverse();
  const earlier = runs.filter((one) => one !== log.run);
  const runStart = await performAs("run-gate", () =>
    readRunStart({ ports, logDir, repo }, { run: log.run, base, earlier, accepted }),
  );
  memory.runStart = runStart;
  return runStart;
}
