// Runs the hidden checks: in a room of their own, with the tree that would be committed and with their files,
// which no other room has. The results stay in memory: an agent can read the log.
// src/loop/start/before/find-hidden-checks.ts finds the checks.
import { join, basename } from "node:path";
import type { DiffEntry } from "../../git/base/read/diff.js";
import { measureBaseline, runRepeating, type Runs } from "../commands/gate.js";
import type { GatePlan, Room } from "../commands/run-commands.js";
import { isGreen, judge } from "../verdict/compare.js";
import { findMissingCases } from "../verdict/compare-cases.js";
import { settleRuns } from "../verdict/runs.js";
import { findTurnedGreen } from "../verdict/proof.js";
import { describeRedCheck } from "../verdict/red-check.js";
import type { Baseline, GateReport, Ran, RedCheck } from "../verdict.js";
import type { Reference } from "../influence/reference.js";
import {
  pathFromTop,
  readBase,
  workInRoom,
  type ColdPlaces,
  type InRoom,
  type RoomOrder,
} from "./cold-room.js";
import { UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";

/** The usual place of a hidden check's files in a room, from the folder in which checks run. */
export const USUAL_FOLDER = "hidden";

/** A check that no agent is shown. */
export interface HiddenCheck {
  /** Its position in the settings, the only name of it that is logged. */
  name: string;
  /** A line for `sh -c`. */
  command: string;
  /** Absolute: a file, or a folder whose content is copied. */
  files?: string;
  /** Relative to the folder in which checks run. */
  into: string;
  /** Absolute: the file that a command without `files` runs. */
  hides?: string;
  /** The only tasks it is for: then it must pass, whatever it did before. */
  tasks?: readonly string[];
}

/** The hidden checks of a run. */
export interface HiddenRules extends Pick<GatePlan, "timeoutMs" | "reports"> {
  checks: readonly HiddenCheck[];
}

/** A hidden check before the work. */
export interface RedHidden {
  name: string;
  /** Without its output. */
  red: RedCheck;
}

/** The result of the hidden checks on an attempt. */
export interface HiddenVerdict {
  failed: boolean;
  /** The checks that failed before the work and still fail. */
  stillRed: readonly string[];
  /** The checks that failed before the work and pass now: evidence of the work. */
  turned: readonly string[];
  /** The failed tests, or commands without reports; an agent reads them only if the user wants so. */
  names: readonly string[];
  /** Everything that is known about failures, for a file that only the user reads. */
  details: string;
}

/** The files and folders that agents and other checks must not see, absolute. */
export function listHiddenPlaces(checks: readonly HiddenCheck[]): string[] {
  return [...new Set(checks.flatMap(({ files, hides }) => files ?? hides ?? []))];
}

/** Runs the checks that are for every task on the reference. */
export async function measureHidden(
  places: ColdPlaces,
  rules: HiddenRules,
  { start, persons }: Pick<Reference, "start" | "persons">,
  stop: AbortSignal,
): Promise<InRoom<Baseline>> {
  const checks = rules.checks.filter(({ tasks }) => tasks === undefined);
  if (checks.length === 0) return { how: "done", value: { commands: [] } };
  const { ports } = places.rooms.repo;
  const tree = { base: await readBase(places, start, persons), entries: [] };
  const plan = planOf(rules, checks);
  return workWithFiles(places, { ...tree, checks }, (room) => measureBaseline(ports, room, plan, stop), stop);
}

/** The checks that fail before any work. */
export function listRedHidden(checks: readonly HiddenCheck[], { commands }: Baseline): RedHidden[] {
  return commands.flatMap((ran) => {
    const red = describeRedCheck(ran);
    if (red === undefined) return [];
    return namesOf(checks, ran).map((name) => ({ name, red: { ...red, line: "" } }));
  });
}

/** An attempt whose other checks passed: the checkpoint's commit, and the changes to it. */
interface HiddenOrder {
  base: string;
  changes: readonly DiffEntry[];
  task: string | undefined;
  baseline: Baseline | undefined;
}

const NOTHING_FAILED: HiddenVerdict = { failed: false, stillRed: [], turned: [], names: [], details: "" };

/** Runs the checks for this task on the tree that would be committed. Throws a `GitError`. */
export async function runHidden(
  places: ColdPlaces,
  rules: HiddenRules,
  { base, changes, task, baseline }: HiddenOrder,
  stop: AbortSignal,
): Promise<HiddenVerdict | "interrupted"> {
  const checks = rules.checks.filter(({ tasks }) => tasks === undefined || tasks.includes(task ?? ""));
  if (checks.length === 0) return NOTHING_FAILED;
  const { ports } = places.rooms.repo;
  const plan = planOf(rules, checks);
  const before = baseline ?? allRed(plan);
  const ordered = { ...plan, strict: false, baseline: before };
  const tree = { base: await readBase(places, base), entries: changes };
  const act = (room: Room): Promise<Runs | "interrupted"> => runRepeating(ports, room, ordered, stop);
  const done = await workWithFiles(places, { ...tree, checks }, act, stop);
  if (done.how === "interrupted") return "interrupted";
  if (done.how === "unprepared")
    return { ...NOTHING_FAILED, stillRed: ["verify.setup"], details: describe(done.ran) };
  const report = judge({ ...done.value, baseline: before, strict: false, cold: true, tampered: [] });
  const isMeasured = baseline !== undefined;
  return verdictOf(checks, report, { ran: settleRuns(done.value), before: before.commands, isMeasured });
}

/** A check whose result before the work is unknown fails no attempt, and verifies none. */
function allRed({ commands }: GatePlan): Baseline {
  const end = { how: "exited", code: 1 } as const;
  return { commands: commands.map((command) => ({ command, own: false, end, duration_ms: 0, tail: "" })) };
}

function verdictOf(
  checks: readonly HiddenCheck[],
  report: GateReport,
  { ran, before, isMeasured }: { ran: readonly Ran[]; before: readonly Ran[]; isMeasured: boolean },
): HiddenVerdict {
  // An attempt cannot change the tests, so one that does not run any more was ended or left out by the attempt.
  const lost = findMissingCases({ before, whole: ran });
  const green = isMeasured ? findTurnedGreen(before, ran).map(({ command }) => command) : [];
  const turned = ran.filter(({ command }) => green.includes(command));
  const named = (some: readonly Ran[]): string[] => [...new Set(some.flatMap((one) => namesOf(checks, one)))];
  const failed = !isGreen(report) || lost.length > 0;
  const failing = ran.filter((one) => describeRedCheck(one) !== undefined);
  const tests = report.commands.flatMap((one) => [
    ...(one.tests?.regressed ?? []),
    ...(one.tests?.new ?? []),
  ]);
  const commands = report.commands.filter(({ verdict }) => verdict === "regressed" || verdict === "new");
  const names = [...(tests.length > 0 ? tests : commands.map(({ command }) => command)), ...lost];
  return {
    failed,
    stillRed: failed ? [] : named(failing),
    turned: failed ? [] : named(turned),
    names: failed ? [...new Set(names)].slice(0, MOST_NAMES) : [],
    details: [...failing.map(describe), ...(failed ? [report.evidence, ...lost] : [])].join("\n"),
  };
}

const MOST_NAMES = 100;

/** One run of a command, for the user. */
function describe(ran: Ran): string {
  const how = describeRedCheck(ran)?.how ?? "passed";
  return `$ ${ran.command}\n${ran.tail.trimEnd()}\n(${how})\n`;
}

function namesOf(checks: readonly HiddenCheck[], ran: Ran): string[] {
  return checks
    .filter(({ command, tasks }) => command === ran.command && (tasks !== undefined) === ran.own)
    .map(({ name }) => name);
}

function planOf({ timeoutMs, reports }: HiddenRules, checks: readonly HiddenCheck[]): GatePlan {
  const commandsOf = (own: boolean): string[] =>
    checks.filter(({ tasks }) => (tasks !== undefined) === own).map(({ command }) => command);
  return { commands: commandsOf(false), own: commandsOf(true), timeoutMs, reports };
}

/** Acts in a room that has the files of the checks, where they can be seen. */
async function workWithFiles<T>(
  places: ColdPlaces,
  { checks, ...tree }: Omit<RoomOrder, "texts"> & { checks: readonly HiddenCheck[] },
  act: (room: Room) => Promise<T | "interrupted">,
  stop: AbortSignal,
): Promise<InRoom<T>> {
  const { files } = places.rooms.repo.ports;
  const work = pathFromTop(places.rooms, places.workDir);
  return workInRoom<T>(places, { ...tree, texts: [] }, stop, async ({ hide: _hide, ...room }, { cwd }) => {
    for (const { files: from, into } of checks)
      if (from !== undefined) await copyInto(files, from, { room: cwd, into: join(work, into) });
    return act(room);
  });
}

/**
 * Copies a file, or the content of a folder, into a folder below the top of a room (absolute, a real folder).
 * A file that is in the way is removed. Symlinks of the attempt in the room are replaced and never followed:
 * one could lead back into the project, where an agent would find a copy.
 */
async function copyInto(
  files: Files,
  from: string,
  { room, into }: { room: string; into: string },
): Promise<void> {
  const kind = (await files.stat(from))?.kind;
  if (kind === undefined)
    throw new UserError(
      "environment",
      "the files of a hidden check were removed while the run was in progress",
    );
  let folder = room;
  for (const part of into.split("/").filter((one) => one !== "" && one !== ".")) {
    folder = join(folder, part);
    await makeWay(files, folder, "folder");
  }
  await copyTo(files, from, kind === "folder" ? folder : join(folder, basename(from)));
}

/** Copies a file or a folder; symlinks in `from` are followed. */
async function copyTo(files: Files, from: string, to: string): Promise<void> {
  const kind = (await files.stat(from))?.kind;
  if (kind !== "folder" && kind !== "file") return;
  await makeWay(files, to, kind);
  if (kind === "file") await files.copy(from, to);
  else for (const name of await files.list(from)) await copyTo(files, join(from, name), join(to, name));
}

/** Makes a real folder at a path, or frees the path for a file. */
async function makeWay(files: Files, path: string, wanted: "folder" | "file"): Promise<void> {
  const kind = (await files.stat(path, { link: true }))?.kind;
  if (kind !== "folder" || wanted === "file") await files.removeTree(path);
  if (wanted === "folder") await files.makeFolder(path);
}
