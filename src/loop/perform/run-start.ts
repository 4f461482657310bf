// How a run began, for the gate to hold attempts against: also where it goes on from runs that were killed, since nobody has
// looked at what their agents left. Leaves what follows from it to src/gate/influence/reference.ts.
import { join } from "node:path";
import { footingAt, noteLeft, type Footing, type Trust } from "../../gate/influence/reference.js";
import { readRecords } from "../../git/attempt/attempts.js";
import { diffTrees } from "../../git/index/index-file.js";
import { asResult } from "../../git/base/git.js";
import { startRef } from "../../git/base/names.js";
import type { Repository } from "../../git/base/repository.js";
import { hasEnded } from "../../logging/last-lines.js";
import { listRuns } from "../../logging/read.js";
import { unwrap } from "./unwrap.js";
import type { World } from "./world.js";

/** What a task that begins with this commit is held against. */
export async function footingOf(world: World, repo: Repository, base: string): Promise<Footing> {
  return unwrap("run-gate", await footingAt(repo, await trustOf(world, repo, base), base));
}

/** Notes what an attempt left, whatever becomes of it. */
export async function noteAttempt(world: World, repo: Repository, base: string, job: number): Promise<void> {
  noteLeft(await trustOf(world, repo, base), world.memory.snapshots.get(job)?.changes ?? []);
}

async function trustOf(world: World, repo: Repository, base: string): Promise<Trust> {
  const { memory, ports, project, log } = world;
  if (memory.trust !== undefined) return memory.trust;
  const trust: Trust = { start: base, left: new Map() };
  const runs = (await listRuns(ports, project.logDir)).reverse();
  for (const run of [log.run, ...runs.filter((one) => one !== log.run)]) {
    if (run !== log.run && (await hasEnded(ports, join(project.logDir, "runs", run)))) break;
    await takeUp(repo, trust, run);
  }
  memory.trust = trust;
  return trust;
}

/** One process for each attempt of the run. */
async function takeUp(repo: Repository, trust: Trust, run: string): Promise<void> {
  const records = unwrap("run-gate", await readRecords(repo, run));
  if (records === undefined) return;
  trust.start = records.start.base;
  for (const [ref, commit] of records.attempts) {
    if (ref !== startRef(run))
      noteLeft(trust, unwrap("run-gate", await asResult(() => diffTrees(repo, commit))));
  }
}
