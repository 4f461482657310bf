// How the checks of a run are run: in the project itself, or in a cold room. Leaves the verdict to the gate floor, and what
// becomes of it to perform-gate.ts.
import { resolve } from "node:path";
import { measureColdBaseline, runColdGate } from "../../gate/rooms/cold-gate.js";
import { openColdPlaces, type ColdPlaces } from "../../gate/rooms/cold-room.js";
import { measureBaseline, runGate } from "../../gate/commands/gate.js";
import { runCommands, type GatePlan, type Room } from "../../gate/commands/run-commands.js";
import type { Baseline, GateReport, Ran } from "../../gate/verdict.js";
import type { DiffEntry } from "../../git/base/diff.js";
import { putBack } from "../../git/restore/undo-gate-changes.js";
import { listSome } from "../../system/text/cut.js";
import { baseEnvironment, gateEnvironment } from "./environment.js";
import type { JobFacts } from "../step/effects.js";
import { footingOf, noteAttempt } from "./run-start.js";
import { unwrap } from "./unwrap.js";
import { workFolder } from "./prompt-for.js";
import type { World } from "./world.js";

/** What the project's commands say of a base; `unprepared`: why they could not be run there. */
export type Measured = { baseline: Baseline } | { unprepared: string } | "interrupted";

/** What the checks say of an attempt. */
export interface Checked {
  report: GateReport;
  /** The next task's baseline, once this one is done; `undefined` where that has to be measured. */
  now: Baseline | undefined;
  warnings: readonly string[];
}

/** Finds out how rooms are to be made. Contract: before an agent works in the project. */
export async function openCold(world: World): Promise<void> {
  const { repo, project, memory, env, log } = world;
  const { verify } = project.resolved.settings;
  if (!verify.cold || repo === undefined || memory.cold !== undefined) return;
  const places = {
    projectDir: project.folder,
    workDir: await workFolder(world),
    env: baseEnvironment(env, {}),
    redact: log.redact,
    setup: verify.setup,
    setupTimeoutMs: verify.timeout,
  };
  memory.cold = unwrap("checkpoint", await openColdPlaces(repo, places));
}

/** Runs the project's commands on what a task begins with. */
export async function measure(world: World, job: JobFacts, stop: AbortSignal): Promise<Measured> {
  const { memory } = world;
  const plan = planOf(world, []);
  const checkpoint = memory.checkpoints.get(job.job);
  const measured =
    memory.cold !== undefined && checkpoint !== undefined
      ? await measureCold(world, memory.cold, { base: checkpoint.base, plan }, stop)
      : await measureHere(world, job, plan, stop);
  // A person may have worked on since an older checkpoint was made: then nothing is put back.
  const traces = checkpoint?.reused === true ? [] : await takeBack(world, job, []);
  for (const message of traces) await world.log.tell({ type: "warning", ...job, message });
  return measured;
}

async function measureHere(
  world: World,
  job: JobFacts,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<Measured> {
  const room = await roomOf(world, job);
  const reports = await absentReports(world, room, plan);
  const baseline = await measureBaseline(world.ports, room, plan, stop);
  await reports.remove();
  return baseline === "interrupted" ? baseline : { baseline };
}

async function measureCold(
  world: World,
  cold: ColdPlaces,
  { base, plan }: { base: string; plan: GatePlan },
  stop: AbortSignal,
): Promise<Measured> {
  const footing = await footingOf(world, cold.rooms.repo, base);
  const patterns = world.project.resolved.settings.verify.protected;
  const measured = unwrap("run-baseline", await measureColdBaseline(cold, { footing, plan, patterns }, stop));
  if (measured.how === "interrupted") return "interrupted";
  if (measured.how === "done") return { baseline: measured.value };
  return { unprepared: `${measured.ran.command}: ${measured.ran.tail}` };
}

/** Runs all commands on what an attempt left, and takes back what they did to the tree. */
export async function check(
  world: World,
  job: JobFacts,
  own: readonly string[],
  stop: AbortSignal,
): Promise<Checked> {
  const { ports, memory, project } = world;
  const { strict, protected: patterns, red_first: redFirst } = project.resolved.settings.verify;
  const plan = planOf(world, own);
  const baseline = memory.baseline?.baseline;
  const base = memory.checkpoints.get(job.job)?.base;
  const changes = memory.snapshots.get(job.job)?.changes ?? [];
  const isEmpty = plan.commands.length + plan.own.length === 0;
  const repo = memory.cold?.rooms.repo;
  if (repo !== undefined && base !== undefined) await noteAttempt(world, repo, base, job.job);
  if (memory.cold !== undefined && base !== undefined && !isEmpty) {
    const footing = await footingOf(world, memory.cold.rooms.repo, base);
    const order = { base, footing, changes, plan, strict, baseline, patterns, redFirst };
    const { warnings, ...verdict } = unwrap("run-gate", await runColdGate(memory.cold, order, stop));
    // A room keeps what runs in it from no path that it knows.
    return { ...verdict, warnings: [...warnings, ...(await takeBack(world, job, changes))] };
  }
  const room = await roomOf(world, job);
  const reports = await absentReports(world, room, plan);
  const verdict = await runGate(ports, room, { ...plan, strict, baseline }, stop);
  await reports.remove();
  return { ...verdict, warnings: isEmpty ? [] : await takeBack(world, job, changes) };
}

/** Runs the project's commands in the project as it is, each to its end, and takes back what they did to the tree. */
export async function runAll(
  world: World,
  job: JobFacts,
  stop: AbortSignal,
): Promise<{ ran: readonly Ran[]; warnings: readonly string[] } | "interrupted"> {
  const room = await roomOf(world, job);
  const plan = planOf(world, []);
  const reports = await absentReports(world, room, plan);
  const ran = await runCommands(world.ports, room, plan, stop);
  await reports.remove();
  const changes = world.memory.snapshots.get(job.job)?.changes ?? [];
  const warnings = await takeBack(world, job, changes);
  return ran === "interrupted" ? ran : { ran, warnings };
}

function planOf({ project }: World, own: readonly string[]): GatePlan {
  const { verify } = project.resolved.settings;
  return { commands: verify.commands, own, timeoutMs: verify.timeout, reports: verify.report };
}

async function roomOf(world: World, job: JobFacts): Promise<Room> {
  const { log, env } = world;
  return { cwd: await workFolder(world), env: gateEnvironment(env, log.run, job), redact: log.redact };
}

/** Report files that were not there before are the gate's own: read, then removed, with no word to anybody. */
async function absentReports(
  { ports: { files } }: World,
  room: Room,
  { reports }: GatePlan,
): Promise<{ remove: () => Promise<void> }> {
  const absent: string[] = [];
  for (const report of reports.filter((one) => one !== "stdout")) {
    const path = resolve(room.cwd, report);
    if ((await files.stat(path, { link: true })) === undefined) absent.push(path);
  }
  return {
    remove: async () => {
      for (const path of absent) {
        if ((await files.stat(path, { link: true }))?.kind === "file") await files.remove(path);
      }
    },
  };
}

/** Puts back what the commands did to the tree, and says so. */
async function takeBack(world: World, job: JobFacts, changes: readonly DiffEntry[]): Promise<string[]> {
  const { repo, memory, log } = world;
  const checkpoint = memory.checkpoints.get(job.job);
  if (repo === undefined || checkpoint === undefined) return [];
  const order = { checkpoint, changes, run: log.run, label: `gate-${String(job.iteration)}` };
  const { paths, rescue, warnings } = unwrap("run-gate", await putBack(repo, order));
  if (paths.length === 0) return [...warnings];
  return [
    ...warnings,
    `changed while the checks ran and put back (kept: git show ${rescue ?? ""}): ${listSome(paths)}; what checks write belongs in .gitignore`,
  ];
}
