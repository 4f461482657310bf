// Effects of the gate: runs the checks before and after an attempt. The gate floor gives the verdict.
import { performAs } from "../perform-as.js";
import { join } from "node:path";
import { describeRedCheck } from "../../../gate/verdict/red-check.js";
import { noteNeeded } from "../../../gate/influence/reference.js";
import type { RedHidden } from "../../../gate/rooms/hidden.js";
import { tableOf } from "../../../gate/sort/program-folders.js";
import { isGreen } from "../../../gate/verdict/compare.js";
import type { Baseline, GateReport, Ran } from "../../../gate/verdict.js";
import { NOT_TRUSTED, NOT_VERIFIED } from "../../../gate/verdict/reasons.js";
import { checkpoint, dropCheckpoint } from "../../../git/checkpoint/checkpoint.js";
import { isTreeAfter } from "../../../git/index/index-file.js";
import type { CheckedCommand } from "../../../logging/events/event-parts.js";
import type { StepEvent, EventOf } from "../../../logging/events/events.js";
import { parseJson } from "../../../system/text/json.js";
import { listSome } from "../../../system/text/cut.js";
import { readPatterns } from "../../../todo/model/changes/changes.js";
import { statusesOf, waitsFor } from "../../../todo/model/select.js";
import { check, measure, measureOwnCommands, openCold } from "./checks.js";
import { checkHidden, measureHiddenChecks } from "./hidden.js";
import type { JobFacts, EffectOf } from "../../step/effects.js";
import { THE_PREFLIGHT } from "../tree/keep-attempt.js";
import { makeRescueLabel, takeSnapshot } from "../tree/perform-tree.js";
import { getTask } from "../stage-of.js";
import { getStageGate } from "./stage-gate.js";
import type { StoredBaseline, World } from "../world.js";
import { readBlobs } from "../../../git/base/objects.js";
import { toText } from "../../../git/base/bytes.js";
import type { DiffEntry } from "../../../git/base/read/diff.js";

/** Measures the project's commands on the tree a task starts with, or takes an earlier measurement of the same tree. */
export async function performBaseline(
  world: World,
  { job, reuse }: EffectOf<"run-baseline">,
  stop: AbortSignal,
): Promise<StepEvent> {
  const began = world.ports.clock.monotonic();
  const answer = (outcome: EventOf<"baseline_finished">["outcome"], found: Found = {}): StepEvent => {
    const facts = { base: found.known?.base, file: found.known?.file };
    return { type: "baseline_finished", ...job, outcome, ...facts, ...describeFound(world, began, found) };
  };
  const { memory } = world;
  const base = memory.of(job.job).checkpoint?.base;
  const kept = await reuseBaseline(world, base);
  if (kept === undefined && mayHoldWork(world, job, reuse)) {
    memory.baseline = undefined;
    return answer("unknown");
  }
  const found = kept === undefined ? await measureAll(world, job, base, stop) : { known: kept };
  if (found.hidden === "interrupted") return answer("interrupted");
  if (found.known === undefined) {
    memory.baseline = undefined;
    const message = `the cold room could not be prepared: ${found.unprepared ?? ""}`;
    await world.log.tell({ type: "warning", ...job, message });
    return answer("unknown", found);
  }
  await nameIdleChecks(world, job, stop);
  const own = await measureOwn(world, job, kept, stop);
  if (own === "interrupted") return answer(own);
  memory.baseline = withOwn(found.known, own);
  return answer(kept === undefined ? "measured" : "kept", { ...found, known: memory.baseline });
}

/** The results of the checks before any work. `unprepared`: why they could not run. */
interface Found {
  known?: StoredBaseline;
  hidden?: readonly RedHidden[] | "interrupted";
  unprepared?: string;
}

/** Runs the project's commands and the hidden checks on the tree as it is. */
async function measureAll(
  world: World,
  job: JobFacts,
  base: string | undefined,
  stop: AbortSignal,
): Promise<Found> {
  const measured = await measure(world, job, stop);
  if (measured === "interrupted") return { hidden: measured };
  if ("unprepared" in measured) return measured;
  const known = await writeBaseline(world, measured.baseline, base);
  return { known, hidden: await measureHiddenChecks(world, base, stop) };
}

function describeFound({ ports }: World, began: number, { known, hidden = [], unprepared }: Found) {
  const own = (known?.baseline.commands ?? []).map(toCheckedCommand);
  // A hidden check is named by its position in the settings, and its output is not logged.
  const others = hidden === "interrupted" ? [] : hidden;
  const commands = [...own, ...others.map(({ name, red }) => ({ command: name, passed: false, red }))];
  return { commands, unprepared, duration_ms: Math.round(ports.clock.monotonic() - began) };
}

/** How many checks of further tasks are looked at when a run begins, and for how long each. */
const LOOKED_AT = 10;
const LOOK_MS = 5_000;

/** Names at the start of a run which checks of further ready tasks pass already: the first ones, where they run in a room. */
async function nameIdleChecks(world: World, job: JobFacts, stop: AbortSignal): Promise<void> {
  const { memory } = world;
  if (memory.cold === undefined || memory.idle !== undefined) return;
  memory.idle = new Set();
  const tasks = memory.backlog?.tasks ?? [];
  const statusOf = statusesOf(tasks);
  const ready = tasks.filter((one) => one.status === "todo" && waitsFor(one, statusOf).length === 0);
  const checks = ready
    .filter(({ id }) => id !== job.task_id)
    .flatMap(({ id }) =>
      listTrustedCommands(world, { ...job, task_id: id }, []).map((command) => ({ id, command })),
    )
    .slice(0, LOOKED_AT);
  if (checks.length === 0) return;
  const commands = checks.map(({ command }) => command);
  const ran = await measureOwnCommands(world, job, { own: commands, most: LOOK_MS }, stop);
  if (ran === "interrupted") return;
  for (const { id, command } of checks)
    await tellIdle(
      world,
      { job, id },
      ran.filter((one) => one.command === command),
    );
}

/** Names checks of a task that pass before the work, each once a run. */
async function tellIdle(
  { memory, log }: World,
  { job, id = "the task" }: { job: JobFacts; id: string | undefined },
  measured: readonly Ran[],
): Promise<void> {
  const told = (memory.idle ??= new Set<string>());
  for (const ran of measured) {
    const message = `the check of ${id} passes already, so it can prove nothing: ${ran.command}`;
    if (describeRedCheck(ran) !== undefined || told.has(message)) continue;
    told.add(message);
    await log.tell({ type: "warning", ...job, message });
  }
}

/** Runs the task's own checks unless their results are known, and names those that pass before the work. */
async function measureOwn(
  world: World,
  job: JobFacts,
  known: StoredBaseline | undefined,
  stop: AbortSignal,
): Promise<readonly Ran[] | "interrupted"> {
  const commands = listTrustedCommands(world, job, []);
  const { own = [] } = known?.baseline ?? {};
  if (commands.every((one) => own.some(({ command }) => command === one))) return own;
  const measured = await measureOwnCommands(world, job, { own: commands }, stop);
  if (measured !== "interrupted") await tellIdle(world, { job, id: job.task_id }, measured);
  return measured;
}

function withOwn({ baseline, ...known }: StoredBaseline, own: readonly Ran[]): StoredBaseline {
  const { own: _own, ...rest } = baseline;
  return { ...known, baseline: own.length === 0 ? rest : { ...rest, own: [...own] } };
}

function toCheckedCommand(ran: Ran): CheckedCommand {
  const red = describeRedCheck(ran);
  return {
    command: ran.command,
    passed: red === undefined,
    tests: ran.tests && Object.keys(ran.tests).length,
    red,
  };
}

/** Runs the project's commands before the run starts work, and reverts what they changed in the tree. */
export async function performPreflight(
  world: World,
  { job }: EffectOf<"preflight">,
  stop: AbortSignal,
): Promise<StepEvent> {
  const { memory, repo, ports, log } = world;
  const began = ports.clock.monotonic();
  const own = memory.of(job.job);
  const order = { id: THE_PREFLIGHT, run: log.run, reuse: false };
  await openCold(world);
  if (repo !== undefined) own.checkpoint = await performAs("checkpoint", () => checkpoint(repo, order));
  try {
    const found = await measureAll(world, job, own.checkpoint?.base, stop);
    const { known, hidden } = found;
    // Without git the run cannot tell whether the tree is still the same when the first task starts.
    if (known !== undefined && repo !== undefined) memory.baseline = known;
    const outcome = hidden === "interrupted" ? hidden : known === undefined ? "unknown" : "measured";
    return { type: "preflight_finished", outcome, ...describeFound(world, began, found) };
  } finally {
    // The reference is set again with the first task.
    memory.runStart = undefined;
    own.checkpoint = undefined;
    if (repo !== undefined) await performAs("checkpoint", () => dropCheckpoint(repo, THE_PREFLIGHT));
  }
}

/** Runs the project's commands and the task's own, and reverts what they changed in the tree. */
export async function performGate(
  world: World,
  { job }: EffectOf<"run-gate">,
  stop: AbortSignal,
): Promise<StepEvent> {
  const { ports } = world;
  const began = ports.clock.monotonic();
  const warnings: string[] = [];
  const known = world.memory.of(job.job);
  if (job.stage !== undefined && known.snapshot === undefined)
    await takeSnapshot(world, job, makeRescueLabel(job));
  const own = listTrustedCommands(world, job, warnings);
  const allowed = listAllowed(world, job, warnings);
  const visible = await check(world, job, { own, allowed }, stop);
  const isWhole = getStageGate(world, job).how === "verify";
  const { report, now, warnings: more } = isWhole ? await checkHidden(world, job, visible, stop) : visible;
  warnings.push(...more);
  if (now !== undefined) await keepForNext(world, job, now);
  const inside = warnOfUncheckedInside(world, job, report);
  warnings.push(...inside);
  const settings = isGreen(report) ? await warnOfChangedSettings(world, job) : [];
  warnings.push(...settings);
  const judged = weaken(report, { inside, settings });
  known.gate = judged;
  const { runStart } = world.memory;
  if (runStart !== undefined && job.task_id !== undefined) noteNeeded(runStart, job.task_id, judged);
  const duration_ms = Math.round(ports.clock.monotonic() - began);
  const left = judged.verdict === "failed" ? (known.snapshot?.leftOut ?? []) : [];
  // The agent learns of its files that the checks did not see.
  const unseen = `\nNot in the commit, so not in the room of the checks either: ${listSome(left)}`;
  const evidence = `${judged.evidence}${left.length === 0 ? "" : unseen}`;
  return { type: "gate_finished", ...job, ...judged, evidence, warnings, duration_ms };
}

/** Passing checks that do not verify the work for these reasons leave it unverified. */
function weaken(
  report: GateReport,
  { inside, settings }: { inside: readonly string[]; settings: readonly string[] },
): GateReport {
  if (settings.length > 0) return { ...report, verdict: "unverified", because: "influence" };
  if (inside.length === 0) return report;
  const { because: _because, ...rest } = report;
  return { ...rest, verdict: "unverified" };
}

/** Warns of changes inside submodules, which were checked but are not in the commit. A cold room has only the commit. */
function warnOfUncheckedInside(
  { memory }: World,
  { job }: JobFacts,
  { verdict }: { verdict: string },
): string[] {
  const inside = memory.of(job).snapshot?.inside ?? [];
  if (verdict !== "passed" && verdict !== "unbroken") return [];
  if (memory.cold !== undefined || inside.length === 0) return [];
  return [
    `${NOT_VERIFIED}the checks passed with changes inside ${inside.join(", ")}, which the commit does not hold`,
  ];
}

/** The task's own commands, without those that were not approved. */
function listTrustedCommands(world: World, job: JobFacts, warnings: string[]): string[] {
  const { trusted } = world;
  const all = getTask(world, job)?.verify ?? [];
  if (trusted === "all") return all;
  for (const command of all)
    if (!trusted.has(command)) warnings.push(`${NOT_TRUSTED}verify of ${job.task_id ?? ""}: ${command}`);
  return all.filter((command) => trusted.has(command));
}

/** The checks that the task may change, without patterns that must not count. */
function listAllowed(world: World, job: JobFacts, warnings: string[]): string[] {
  const { allowed, wrong } = readPatterns(getTask(world, job)?.changes ?? []);
  for (const { pattern, why } of wrong)
    warnings.push(`changes of ${job.task_id ?? ""}: ${JSON.stringify(pattern)} does not count: ${why}`);
  return allowed;
}

/** Keeps the gate's results as the next task's baseline, in case this task becomes done. */
async function keepForNext(world: World, job: JobFacts, now: Baseline): Promise<void> {
  const { memory } = world;
  if (now.commands.length === 0) return;
  const base = memory.of(job.job).checkpoint?.base;
  const changes = memory.of(job.job).snapshot?.changes ?? [];
  memory.of(job.job).nextBaseline = { ...(await writeBaseline(world, now, base)), changes };
}

/** The last baseline, if the tree is still the one it was measured on. Without git it is assumed to be. */
async function reuseBaseline(world: World, commit: string | undefined): Promise<StoredBaseline | undefined> {
  const { memory, repo } = world;
  const known = memory.baseline;
  if (known === undefined || repo === undefined || commit === undefined || known.base === undefined)
    return known;
  const order = { base: known.base, changes: known.changes, commit };
  const same = await performAs("run-baseline", () => isTreeAfter(repo, order));
  return same ? { ...known, base: commit, changes: [] } : undefined;
}

async function writeBaseline(
  world: World,
  baseline: Baseline,
  base: string | undefined,
): Promise<StoredBaseline> {
  const { log, memory, ports } = world;
  const file = join(log.folder, `baseline-${String(++memory.baselineCount)}.json`);
  await ports.files.writeAtomic(file, log.redact(JSON.stringify(baseline)), { mode: 0o600 });
  return { baseline, file, changes: [], base };
}

/** Whether the tree may hold part of a task's work. A cold room has the base as it was, whatever the tree holds by now. */
function mayHoldWork({ memory, repo }: World, { job }: JobFacts, reuse: boolean): boolean {
  const { checkpoint } = memory.of(job);
  if (repo === undefined || checkpoint === undefined) return reuse;
  return checkpoint.reused && memory.cold === undefined;
}

// Finds changes of an attempt to Looper's own settings: they choose the checks of later runs, so passing checks do
// not verify them.

const SETTINGS = /(?:^|\/)(?:\.looper\/(?:config\.[^/]*|workflows\/.*)|looper\.config\.[^/]*)$/iu;
const MANIFEST = /(?:^|\/)package\.json$/u;
/** Bytes of a manifest that is read. */
const MOST = 4 * 1024 * 1024;

/** The warning that keeps the task from being verified; none if its settings are as they were. */
async function warnOfChangedSettings(world: World, { job }: JobFacts): Promise<string[]> {
  const changes = world.memory.of(job).snapshot?.changes ?? [];
  const named = changes.map(({ path }) => toText(path)).filter((path) => SETTINGS.test(path));
  const all = [...named, ...(await findManifests(world, changes))].sort();
  if (all.length === 0) return [];
  return [`${NOT_VERIFIED}it changes settings of Looper, which decide about later checks: ${all.join(", ")}`];
}

/** The manifests whose key `looper` changed. */
async function findManifests({ repo }: World, changes: readonly DiffEntry[]): Promise<string[]> {
  const manifests = changes.filter(({ path }) => MANIFEST.test(path));
  if (repo === undefined || manifests.length === 0) return [];
  const oids = manifests.flatMap(({ from, to }) => [from.oid, to.oid]).filter((oid) => /[1-9a-f]/u.test(oid));
  const blobs = await performAs("run-gate", () => readBlobs(repo, oids, MOST));
  return manifests
    .filter(({ from, to }) => keyOf(blobs.get(from.oid)) !== keyOf(blobs.get(to.oid)))
    .map(({ path }) => toText(path));
}

/** The value of `looper`, as text; "" without one. */
function keyOf(bytes: string | undefined): string {
  return JSON.stringify(tableOf(parseJson(toText(bytes ?? "{}")))["looper"] ?? "");
}
