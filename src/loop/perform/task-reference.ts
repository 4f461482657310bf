// The state at the start of the run, which the gate compares attempts with. It goes back to the start of killed runs, whose
// agents' changes were never checked. src/gate/influence/reference.ts makes the comparison.
import { performAs } from "./perform-as.js";
import { join } from "node:path";
import {
  findReference,
  noteLeft,
  trustAllowed,
  type Reference,
  type RunStart,
} from "../../gate/influence/reference.js";
import { matchAllowed } from "../../gate/influence/allowed.js";
import { pathFromTop } from "../../gate/rooms/cold-room.js";
import { toText } from "../../git/base/bytes.js";
import { readRecords } from "../../git/attempt/attempts.js";
import { diffTrees } from "../../git/index/index-file.js";
import { startRef, taskOfAttempt } from "../../git/base/names.js";
import type { Repository } from "../../git/base/repository.js";
import { hasEnded } from "../../logging/last-lines.js";
import { listRuns } from "../../logging/read.js";
import { readPatterns } from "../../todo/model/changes.js";
import type { JobFacts } from "../step/effects.js";
import type { Task } from "../../todo/model/task.js";
import { acceptanceOf } from "../../todo/model/verified.js";
import { THE_REVIEW } from "./keep-attempt.js";
import type { World } from "./world.js";

/** The reference of a task that starts with this commit. */
export async function findTaskReference(world: World, repo: Repository, base: string): Promise<Reference> {
  const runStart = await findRunStart(world, repo, base);
  const reference = await performAs("run-gate", () => findReference(repo, runStart, base));
  const { backlog, places } = world.memory;
  const project = places === undefined ? "" : pathFromTop(places.rooms, places.projectDir);
  const changes = new Map<string, readonly string[]>(
    backlog?.tasks.map(({ id, changes: patterns = [] }) => [id, patterns]),
  );
  return trustAllowed(reference, (task, { path }) => {
    const { allowed } = readPatterns(changes.get(task) ?? []);
    return matchAllowed(allowed, project)(toText(path));
  });
}

/** Notes the changes of an attempt, whatever its verdict will be. */
export async function noteAttempt(
  world: World,
  repo: Repository,
  base: string,
  job: JobFacts,
): Promise<void> {
  const changes = world.memory.snapshots.get(job.job)?.changes ?? [];
  noteLeft(await findRunStart(world, repo, base), changes, job.task_id ?? THE_REVIEW);
}

async function findRunStart(world: World, repo: Repository, base: string): Promise<RunStart> {
  const { memory, ports, project, log } = world;
  if (memory.runStart !== undefined) return memory.runStart;
  const runStart: RunStart = { start: base, left: new Map() };
  const accepted = listAccepted(memory.backlog?.tasks ?? []);
  const runs = (await listRuns(ports, project.logDir)).reverse();
  for (const run of [log.run, ...runs.filter((one) => one !== log.run)]) {
    if (run !== log.run && (await hasEnded(ports, join(project.logDir, "runs", run)))) break;
    await addRun(repo, runStart, { run, accepted });
  }
  memory.runStart = runStart;
  return runStart;
}

/** The tasks whose changes a person accepted: they are the person's from then on. */
function listAccepted(tasks: readonly Task[]): ReadonlySet<string> {
  return new Set(tasks.filter((task) => acceptanceOf(task) !== undefined).map(({ id }) => id));
}

/** Adds the attempts of a run; starts one git process for each. */
async function addRun(
  repo: Repository,
  runStart: RunStart,
  { run, accepted }: { run: string; accepted: ReadonlySet<string> },
): Promise<void> {
  const records = await performAs("run-gate", () => readRecords(repo, run));
  if (records === undefined) return;
  runStart.start = records.start.base;
  for (const [ref, commit] of records.attempts) {
    if (ref === startRef(run)) continue;
    const task = taskOfAttempt(run, ref);
    if (accepted.has(task)) continue;
    const changes = await performAs("run-gate", () => diffTrees(repo, commit));
    noteLeft(runStart, changes, task);
  }
}
