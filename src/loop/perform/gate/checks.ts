// Runs the checks, in the project itself or in a cold room. The gate floor gives the verdict; perform-gate.ts reports it.
import { performAs } from "../perform-as.js";
import {
  allowedBy,
  sortAttempt,
  type JudgedWork,
  judgeWithoutRooms,
  runColdGate,
} from "../../../gate/rooms/judge-work.js";
import { referenceAt } from "../../../gate/influence/reference.js";
import type { ColdOrder } from "../../../gate/rooms/cold-pass.js";
import { openColdPlaces, type ColdPlaces } from "../../../gate/rooms/cold-room.js";
import { studyRunners } from "../../../gate/rooms/study.js";
import { measureColdBaseline, runAtReference } from "../../../gate/rooms/room-orders.js";
import { findUnfit, guessSetup } from "../../../gate/rooms/room-fitness.js";
import { measureBaseline, runGate, type GateRules } from "../../../gate/commands/gate.js";
import { describeRedCheck } from "../../../gate/verdict/red-check.js";
import { runCommands, type GatePlan, type Room } from "../../../gate/commands/run-commands.js";
import type { Baseline, Ran } from "../../../gate/verdict.js";
import { exists, type DiffEntry } from "../../../git/base/read/diff.js";
import { undoGateChanges } from "../../../git/restore/restore.js";
import { toText } from "../../../git/base/bytes.js";
import { quoteIfNeeded } from "../../../shell/quote.js";
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import type { Project } from "../../../config/project/open-project.js";
import { makeBaseEnvironment, makeGateEnvironment } from "../environment.js";
import type { JobFacts } from "../../step/effects.js";
import {
  findProtected,
  getStageGate,
  judgeCheck,
  judgeProtected,
  judgeRed,
  NOT_CHECKED,
  withProtected,
  type ProtectedTests,
} from "./stage-gate.js";
import { listWorkInTree } from "../tree/stage-tree.js";
import { findTaskReference, noteAttempt } from "./run-start.js";
import { listPlacesToHide, findWorkFolder } from "../agent/prompt-for.js";
import type { World } from "../world.js";

/** The results of the project's commands on a base. `unprepared`: why they could not run there. */
export type Measured = { baseline: Baseline } | { unprepared: string } | "interrupted";

/** Prepares the making of cold rooms. Contract: called before an agent works in the project. */
export async function openCold(world: World): Promise<void> {
  const { repo, project, memory, env, log } = world;
  if (repo === undefined || memory.places !== undefined) return;
  const places = {
    ...coldSettings(project),
    workDir: await findWorkFolder(world),
    env: makeBaseEnvironment(env, {}),
    redact: log.redact,
    hide: listPlacesToHide(world),
    noteSetup: (facts: { how: "made" | "copied"; duration_ms: number }) =>
      log.tell({ type: "room_prepared", ...facts }),
  };
  memory.places = await performAs("checkpoint", () => openColdPlaces(repo, places));
  if (project.resolved.settings.verify.cold !== false) memory.cold = memory.places;
}

/** The settings of cold rooms. */
export function coldSettings({ folder, resolved }: Project) {
  const { home, protected: kept, source, setup, timeout } = resolved.settings.verify;
  return { projectDir: folder, home, protected: kept, source, setup, setupTimeoutMs: timeout };
}

/** Runs the project's commands on the tree a task starts with. */
export async function measure(world: World, job: JobFacts, stop: AbortSignal): Promise<Measured> {
  const { memory } = world;
  const plan = makePlan(world, []);
  const checkpoint = memory.of(job.job).checkpoint;
  const measured =
    memory.cold !== undefined && checkpoint !== undefined
      ? await measureCold(world, memory.cold, { base: checkpoint.base, plan, job }, stop)
      : await measureHere(world, job, plan, stop);
  await revertTraces(world, job);
  return measured;
}

/** Reverts what commands changed in the tree before a task's work, and says so. */
async function revertTraces(world: World, job: JobFacts): Promise<void> {
  // A person may have changed files since an older checkpoint was made, so nothing is reverted then.
  if (world.memory.of(job.job).checkpoint?.reused === true) return;
  // Beside that the tree holds only the work that was put into it.
  const held = job.stage === undefined ? [] : await listWorkInTree(world, job);
  for (const message of await revertChanges(world, job, held))
    await world.log.tell({ type: "warning", ...job, message });
}

async function measureHere(
  world: World,
  job: JobFacts,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<{ baseline: Baseline } | "interrupted"> {
  const baseline = await measureBaseline(world.ports, await makeRoom(world, job), plan, stop);
  return baseline === "interrupted" ? baseline : { baseline };
}

/** Runs a task's own commands on the tree it starts with. `most`: the longest time of one, ms. */
export async function measureOwnCommands(
  world: World,
  job: JobFacts,
  { own, most }: { own: readonly string[]; most?: number },
  stop: AbortSignal,
): Promise<readonly Ran[] | "interrupted"> {
  const { cold } = world.memory;
  const base = world.memory.of(job.job).checkpoint?.base;
  if (cold === undefined || base === undefined) {
    const measured = await measureHere(world, job, { ...makePlan(world, []), commands: own }, stop);
    if (measured === "interrupted") return measured;
    await revertTraces(world, job);
    return measured.baseline.commands.map((ran) => ({ ...ran, own: true }));
  }
  const reference = await findTaskReference(world, cold.rooms.repo, base);
  const plan = makePlan(world, own);
  const order = { reference, plan };
  const wanted = { ...plan, commands: [], timeoutMs: most ?? plan.timeoutMs };
  const ran = await performAs("run-baseline", () => runAtReference(cold, order, wanted, stop));
  return ran ?? "interrupted";
}

/** Has the checks run in rooms, and names once the check scripts that look for tests by themselves in folders of the program. */
async function settleRooms(
  world: World,
  cold: ColdPlaces,
  { base, job }: Pick<ColdMeasuring, "base" | "job">,
): Promise<void> {
  if (world.memory.roomsFit === true) return;
  world.memory.roomsFit = true;
  const { commands: project } = world.project.resolved.settings.verify;
  const order = { base, persons: [], changes: [], commands: { project, own: [] } };
  for (const { script, folders } of await performAs("run-baseline", () => studyRunners(cold, order))) {
    const globs = folders.map((folder) => `${folder}/**`);
    const message = `${script} looks for its tests by itself, and files in ${listSome(folders)} count as source: name the tests: looper config set verify.protected ${globs.map(quoteIfNeeded).join(" ")}`;
    await world.log.tell({ type: "warning", ...job, message });
  }
}

interface ColdMeasuring {
  base: string;
  plan: GatePlan;
  job: JobFacts;
}

/** Measures in a cold room; the first time in a run also finds out whether the checks can run in one. */
async function measureCold(
  world: World,
  cold: ColdPlaces,
  order: ColdMeasuring,
  stop: AbortSignal,
): Promise<Measured> {
  const { memory, project } = world;
  const reference = await findTaskReference(world, cold.rooms.repo, order.base);
  const { cold: wanted, strict } = project.resolved.settings.verify;
  const measured = await performAs("run-baseline", () =>
    measureColdBaseline(cold, { reference, plan: order.plan }, stop),
  );
  if (measured.how === "interrupted") return "interrupted";
  const unprepared =
    measured.how === "unprepared" ? `${measured.ran.command}: ${measured.ran.tail}` : undefined;
  const inRoom: Measured =
    measured.how === "done" ? { baseline: measured.value } : { unprepared: unprepared ?? "" };
  const like = measured.how === "done" ? { commands: measured.value.commands } : undefined;
  // Only a red check is a reason to look at it in the project as well.
  const isGreen = like?.commands.every((one) => describeRedCheck(one) === undefined) === true;
  const isSettled = memory.roomsFit === true || isGreen;
  if (isSettled) {
    await settleRooms(world, cold, order);
    return inRoom;
  }
  if ((wanted === true || strict) && unprepared !== undefined) return inRoom;
  const here = await measureHere(world, order.job, order.plan, stop);
  if (here === "interrupted") return here;
  const unfit =
    like === undefined ? { command: "verify.setup", line: unprepared ?? "" } : findUnfit(like, here.baseline);
  if (unfit === undefined) {
    await settleRooms(world, cold, order);
    return inRoom;
  }
  return leaveRooms(world, { job: order.job, unfit, here });
}

/** Has the checks run in the project for the rest of the run, and says how rooms would work; refuses where rooms are required. */
async function leaveRooms(
  world: World,
  { job, unfit, here }: { job: JobFacts; unfit: { command: string; line: string }; here: Measured },
): Promise<Measured> {
  const why = `"${unfit.command}" does not run in a cold room${unfit.line === "" ? "" : ` (${unfit.line})`}`;
  if (world.project.resolved.settings.verify.cold === true) return { unprepared: why };
  world.memory.cold = undefined;
  const names = new Set(await world.ports.files.list(await findWorkFolder(world)).catch(() => []));
  const setup = guessSetup((path) => names.has(path));
  const hint = `looper config set verify.setup ${JSON.stringify(setup ?? "<what installs the dependencies>")}`;
  const message = `${why}: the checks run in the project, where a change to a check leaves a task unverified; to use rooms: ${hint}`;
  await world.log.tell({ type: "warning", ...job, message });
  return here;
}

/** Runs the checks of the job's stage on its work; outside workflows, those of the project and the task. */
export async function check(
  world: World,
  job: JobFacts,
  { own, allowed }: { own: readonly string[]; allowed: readonly string[] },
  stop: AbortSignal,
): Promise<JudgedWork> {
  const { how, commands } = getStageGate(world, job);
  const ofStage: GatePlan = { ...makePlan(world, commands), commands: [], isOfStage: true };
  switch (how) {
    case "verify":
      return checkAll(world, job, { plan: makePlan(world, own), allowed }, stop);
    case "none":
      return { report: NOT_CHECKED, now: undefined, warnings: [] };
    case "commands":
      return { ...(await checkAll(world, job, { plan: ofStage, allowed }, stop)), now: undefined };
    case "check": {
      const checked = await checkHere(world, job, { ...ofStage, strict: true, baseline: undefined }, stop);
      const report = judgeCheck(checked.report);
      const reverted = await revertChanges(world, job);
      const own =
        report.verdict === "passed" ? await warnOfOwnChecks(world, job, { plan: ofStage, allowed }) : [];
      return { report, now: undefined, warnings: [...checked.warnings, ...own, ...reverted] };
    }
    case "red": {
      const checked = await checkAll(world, job, { plan: makePlan(world, own), allowed, isRed: true }, stop);
      const report = judgeRed(checked.report, checked.onlyTests === true);
      return { ...checked, report, now: undefined };
    }
    default:
      return never(how);
  }
}

interface CheckOrder {
  plan: GatePlan;
  allowed: readonly string[];
  /** The attempt writes tests that are to fail. */
  isRed?: true;
}

/** Runs all commands on an attempt's work, and reverts what they changed in the tree. `allowed`: the task's `changes`. */
async function checkAll(
  world: World,
  job: JobFacts,
  { plan, allowed, isRed }: CheckOrder,
  stop: AbortSignal,
): Promise<JudgedWork & { onlyTests?: boolean }> {
  const { memory, project } = world;
  const { cold, places } = memory;
  const { strict } = project.resolved.settings.verify;
  const baseline = memory.baseline?.baseline;
  const { base, changes } = listChanges(world, job);
  const hasCommands = plan.commands.length + plan.own.length > 0;
  if (!hasCommands || places === undefined || base === undefined) {
    const verdict = await checkHere(world, job, { ...plan, strict, baseline }, stop);
    const reverted = hasCommands ? await revertChanges(world, job) : [];
    return { ...verdict, warnings: [...verdict.warnings, ...reverted] };
  }
  await noteAttempt(world, places.rooms.repo, base, job);
  const reference = await findTaskReference(world, places.rooms.repo, base);
  const whole = { base, reference, changes, plan, strict, baseline, allowed };
  const tests = await findTests(world, places, job, whole);
  const order: ColdOrder = tests === undefined ? whole : { ...whole, ...withProtected(whole, tests.tests) };
  const verdict =
    cold === undefined
      ? await judgeInProject(world, job, { places, order }, stop)
      : await performAs("run-gate", () => runColdGate(cold, order, stop));
  const report = tests === undefined ? verdict.report : judgeProtected(verdict.report, tests, order.changes);
  const kinds = isRed === true ? await performAs("run-gate", () => sortAttempt(places, order)) : [];
  // A cold room does not protect the project's folder from commands that know its path.
  return {
    ...verdict,
    report,
    warnings: [...verdict.warnings, ...(await revertChanges(world, job))],
    onlyTests: isRed && kinds.every(({ kind }) => kind !== "source"),
  };
}

/** The commit of a job's checkpoint, and what was changed since, as its snapshot has it. */
function listChanges(
  { memory }: World,
  { job }: JobFacts,
): { base: string | undefined; changes: readonly DiffEntry[] } {
  const { checkpoint, snapshot } = memory.of(job);
  return { base: checkpoint?.base, changes: snapshot?.changes ?? [] };
}

/** The tests that earlier stages wrote and this one must not change. */
async function findTests(
  world: World,
  places: ColdPlaces,
  job: JobFacts,
  order: ColdOrder,
): Promise<ProtectedTests | undefined> {
  const { repo } = places.rooms;
  const found = await performAs("run-gate", () => findProtected(world, repo, job));
  if (found === undefined) return undefined;
  const { changes, stages } = found;
  const kinds = await performAs("run-gate", () => sortAttempt(places, { ...order, changes }));
  const source = new Set(kinds.filter(({ kind }) => kind === "source").map(({ path }) => path));
  return { tests: changes.filter(({ path }) => !source.has(toText(path))), stages };
}

/** A check stage passes by how its commands end: the warning names what they run and the work of the task itself changed. */
async function warnOfOwnChecks(
  world: World,
  job: JobFacts,
  { plan, allowed }: CheckOrder,
): Promise<string[]> {
  const { base, changes } = listChanges(world, job);
  const { places } = world.memory;
  if (places === undefined || base === undefined || changes.length === 0) return [];
  const { strict } = world.project.resolved.settings.verify;
  const rules = { reference: referenceAt(base), plan, strict, allowed, baseline: undefined };
  const kinds = await performAs("run-gate", () => sortAttempt(places, { base, changes, ...rules }));
  const existed = new Set(changes.filter(({ from }) => exists(from)).map(({ path }) => toText(path)));
  const isAllowed = allowedBy(places, rules);
  const own = kinds.filter(({ path, kind }) => kind === "check" && existed.has(path) && !isAllowed(path));
  if (own.length === 0) return [];
  const paths = listSome(own.map(({ path }) => path));
  return [
    `${job.stage ?? "the check"} passed with ${paths} as the work of ${job.task_id ?? "the task"} left it: a check that an agent changed proves nothing about its work`,
  ];
}

/** Runs the commands in the project; a pass with changes to what is not source is unverified. */
async function judgeInProject(
  world: World,
  job: JobFacts,
  { places, order }: { places: ColdPlaces; order: ColdOrder },
  stop: AbortSignal,
): Promise<JudgedWork> {
  const { plan, strict, baseline } = order;
  const checked = await checkHere(world, job, { ...plan, strict, baseline }, stop);
  if (checked.report.verdict !== "passed" && checked.report.verdict !== "unbroken") return checked;
  return {
    ...checked,
    ...(await performAs("run-gate", () => judgeWithoutRooms(places, order, checked.report))),
  };
}

async function checkHere(
  world: World,
  job: JobFacts,
  rules: GateRules,
  stop: AbortSignal,
): Promise<JudgedWork> {
  return runGate(world.ports, await makeRoom(world, job), rules, stop);
}

/** Runs each of the project's commands to its end in the project folder, and reverts what they changed in the tree. */
export async function runAll(
  world: World,
  job: JobFacts,
  stop: AbortSignal,
): Promise<{ ran: readonly Ran[]; warnings: readonly string[] } | "interrupted"> {
  const ran = await runCommands(world.ports, await makeRoom(world, job), makePlan(world, []), stop);
  const warnings = await revertChanges(world, job);
  return ran === "interrupted" ? ran : { ran, warnings };
}

/** The commands of the project, and those of a task. */
export function makePlan({ project }: Pick<World, "project">, own: readonly string[]): GatePlan {
  const { verify } = project.resolved.settings;
  return { commands: verify.commands, own, timeoutMs: verify.timeout, reports: verify.report };
}

async function makeRoom(world: World, job: JobFacts): Promise<Room> {
  const { log, env, memory } = world;
  return {
    cwd: await findWorkFolder(world),
    env: makeGateEnvironment(env, log.run, job),
    temporary: memory.places?.rooms.prefix,
    redact: log.redact,
    hide: listPlacesToHide(world),
  };
}

/** Reverts what the commands changed in the tree, and returns a warning that names it. `changes`: those that stay. */
export async function revertChanges(
  world: World,
  job: JobFacts,
  changes: readonly DiffEntry[] = listChanges(world, job).changes,
): Promise<string[]> {
  const { repo, memory, log } = world;
  const checkpoint = memory.of(job.job).checkpoint;
  if (repo === undefined || checkpoint === undefined) return [];
  const order = { checkpoint, changes, run: log.run, label: `gate-${String(job.iteration)}` };
  const { paths, rescue, warnings } = await performAs("run-gate", () => undoGateChanges(repo, order));
  if (paths.length === 0) return [...warnings];
  return [
    ...warnings,
    `changed while the checks ran and put back (kept: git show ${rescue ?? ""}): ${listSome(paths)}; what checks write belongs in .gitignore`,
  ];
}
