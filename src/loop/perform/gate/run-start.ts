// The state at the start of the run, which the gate compares attempts with: what the agents of a run left, from the refs that keep
// their attempts, back to the start of killed runs, whose agents' changes were never checked, and what the verdicts on them say they
// need, from the logs. src/gate/influence/reference.ts makes the reference of it.
import { join } from "node:path";
import { matchAllowed } from "../../../gate/sort/files.js";
import {
  noteLeft,
  noteNeeded,
  type RunStart,
  findReference,
  type Reference,
} from "../../../gate/influence/reference.js";
import { readRecords } from "../../../git/commit/run-refs.js";
import { attemptOf, startRef } from "../../../git/base/names.js";
import type { Repository } from "../../../git/base/repository/repository.js";
import { diffTrees } from "../../../git/index/index-file.js";
import { StepEvent } from "../../../logging/events/events.js";
import { hasEnded } from "../../../logging/last-lines.js";
import { readLines, listRuns } from "../../../logging/read.js";
import type { Ports } from "../../../system/ports.js";
import { readPatterns } from "../../../todo/model/changes/changes.js";
import type { Task } from "../../../todo/model/task.js";
import { acceptanceOf } from "../../../todo/model/verified.js";
import { performAs } from "../perform-as.js";
import { pathFromTop } from "../../../gate/rooms/cold-room.js";
import type { JobFacts } from "../../step/effects.js";
import { THE_REVIEW } from "../tree/keep-attempt.js";
import type { World } from "../world.js";

/** Where runs keep their logs and refs. */
export interface RunSite {
  ports: Ports;
  logDir: string;
  repo: Repository;
}

export interface RunStartOrder {
  run: string;
  /** The start, if the run has no record of it yet. */
  base: string;
  /** The runs before it, newest first; those that were killed count as part of it. */
  earlier: readonly string[];
  /** Tasks whose changes are a person's. */
  accepted: ReadonlySet<string>;
  /** The last attempt of the run that counts. */
  upTo?: number;
}

/** Reads it. Starts a few git processes for each run, and one for each attempt. Throws a `GitError`. */
export async function readRunStart(
  { ports, logDir, repo }: RunSite,
  order: RunStartOrder,
): Promise<RunStart> {
  const { base: start, accepted } = order;
  const runStart: RunStart = { start, left: new Map(), needed: new Map(), accepted };
  await addRun({ ports, logDir, repo }, runStart, order);
  for (const run of order.earlier) {
    if (await hasEnded(ports, join(logDir, "runs", run))) break;
    await addRun({ ports, logDir, repo }, runStart, { run, accepted: order.accepted });
  }
  return runStart;
}

async function addRun(
  { ports, logDir, repo }: RunSite,
  runStart: RunStart,
  { run, accepted, upTo = Infinity }: Pick<RunStartOrder, "run" | "accepted" | "upTo">,
): Promise<void> {
  const records = await readRecords(repo, run);
  if (records === undefined) return;
  runStart.start = records.start.base;
  for (const [ref, commit] of records.attempts) {
    const { task, number = 0 } = attemptOf(run, ref);
    if (ref === startRef(run) || number > upTo) continue;
    if (accepted.has(task)) continue;
    // The commit of a task holds the backlog, which is the runner's own.
    const changes = (await diffTrees(repo, commit)).filter(({ path }) => path !== repo.todo?.path);
    noteLeft(runStart, changes, task);
  }
  const folder = join(logDir, "runs", run);
  for await (const { value } of readLines(ports, folder, 0, { holding: ['"type":"gate_finished"'] })) {
    const event = StepEvent.safeParse(value).data;
    if (event?.type === "gate_finished" && event.task_id !== undefined && event.job < upTo)
      noteNeeded(runStart, event.task_id, event);
  }
}

/** The tasks whose changes a person accepted: they are the person's from then on. `before`: epoch ms. */
export function acceptedTasks(tasks: readonly Task[], before = Infinity): ReadonlySet<string> {
  const accepted = tasks.filter((task) => {
    const acceptance = acceptanceOf(task);
    return acceptance !== undefined && !(Date.parse(acceptance.at) >= before);
  });
  return new Set(accepted.map(({ id }) => id));
}

/** Whether the `changes` of a task allow a path (text, from the top). `project`: its folder from the top of the repository. */
export function allowedByTasks(
  tasks: readonly Task[],
  project: string,
): (task: string, path: string) => boolean {
  const changes = new Map(tasks.map(({ id, changes: patterns = [] }) => [String(id), patterns]));
  return (task, path) => matchAllowed(readPatterns(changes.get(task) ?? []).allowed, project)(path);
}

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
