// The cold room's gate: the commands run in fresh rooms, on the work with the tests there were, and, where the attempt changed
// those, on its own tests as they are. Leaves what is protected to cold-study.ts, and rooms to cold-room.ts.
import { posix } from "node:path";
import type { DiffEntry } from "../git/diff.js";
import { asResult, type GitFailure } from "../git/git.js";
import type { Result } from "../system/result.js";
import { idleTestFiles } from "./cold-idle.js";
import { baseRoom, inRoom, pathFromTop, type ColdPlaces, type InRoom } from "./cold-room.js";
import { roomOrder, studyAttempt, type Study } from "./cold-study.js";
import { judge } from "./compare.js";
import { baselineAfter, interruptedGate, measureBaseline, runRepeating, type Runs } from "./gate.js";
import { simpleCommands } from "./protected-commands.js";
import { planRoom, type Pass, type RoomPlan } from "./protected-room.js";
import { addedTests, passingWithoutWork } from "./red-first.js";
import { runCommands, type GatePlan } from "./run-commands.js";
import type { Baseline, CommandVerdict, GateReport, GateVerdict, Ran } from "./verdict.js";

/** One attempt for the gate to look at. */
export interface ColdOrder {
  /** The checkpoint's commit. */
  base: string;
  /** What differs from it: a snapshot's. */
  changes: readonly DiffEntry[];
  plan: GatePlan;
  strict: boolean;
  baseline: Baseline | undefined;
  /** `verify.protected`. */
  patterns: readonly string[];
  /** `verify.red_first`. */
  redFirst: boolean;
}

/** `now`: as in a warm gate; `undefined` where the next task's base differs from what was measured. */
export interface ColdVerdict {
  report: GateReport;
  now: Baseline | undefined;
}

/** The project's commands in a room of a base. */
export async function measureColdBaseline(
  places: ColdPlaces,
  order: { base: string; plan: GatePlan },
  stop: AbortSignal,
): Promise<Result<InRoom<Baseline>, GitFailure>> {
  const { ports } = places.rooms.repo;
  return asResult(async () => {
    const measured = await inRoom(
      places,
      await baseRoom(places, order.base),
      (room) => measureBaseline(ports, room, order.plan, stop),
      stop,
    );
    if (measured.how !== "done") return measured;
    const { value } = measured;
    return value === "interrupted" ? { how: "interrupted" } : { how: "done", value };
  });
}

/** The gate on an attempt, without looking at the project's folder at all. */
export async function runColdGate(
  places: ColdPlaces,
  order: ColdOrder,
  stop: AbortSignal,
): Promise<Result<ColdVerdict, GitFailure>> {
  return asResult(async () => {
    const { base, changes, plan, patterns, strict, baseline } = order;
    const commands = [...plan.commands, ...plan.own];
    const study = await studyAttempt(places, { base, changes, commands, patterns });
    if (study.tampered.length > 0) {
      const { tampered } = study;
      const report = judge({ baseline, ran: [], again: [], strict, cold: true, tampered });
      return { report, now: undefined };
    }
    return judgeWork({ places, order, study, stop });
  });
}

interface Gate {
  places: ColdPlaces;
  order: ColdOrder;
  study: Study;
  stop: AbortSignal;
}

/** What one pass came to. */
interface Seen {
  report: GateReport;
  runs: Runs;
  /** The room was, file for file, what would be committed. */
  exact: boolean;
}

async function judgeWork(gate: Gate): Promise<ColdVerdict> {
  const { changes, protection } = gate.study;
  const plan = planRoom(changes, protection, "work");
  const hasOwnTests = plan.heldBack.some((path) => protection.kindOf(path) === "test");
  const work = await runPass(gate, "work", plan);
  const { strict, redFirst } = gate.order;
  if (!mayGoOn(work, { hasOwnTests, strict })) return verdictOf(work);
  const tests = hasOwnTests
    ? await runPass(gate, "tests", planRoom(changes, protection, "tests"))
    : undefined;
  const last = tests === undefined ? work : worse(work, tests);
  if (!redFirst || !mayGoOn(last, { hasOwnTests: false, strict })) return verdictOf(last);
  return proveRed(gate, last, (tests ?? work).runs);
}

/** An attempt that failed has failed; but what it failed by may be that its own tests are not there. */
function mayGoOn(
  { report }: Seen,
  { hasOwnTests, strict }: { hasOwnTests: boolean; strict: boolean },
): boolean {
  if (report.verdict === "passed" || report.verdict === "unverified") return true;
  return (
    hasOwnTests && report.verdict === "failed" && report.commands.every((one) => !failsByTests(one, strict))
  );
}

/** Whether it failed by more than how many tests there are, which is all it may speak of. */
function failsByTests({ verdict, tests, tail }: CommandVerdict, strict: boolean): boolean {
  if (verdict !== "regressed" && verdict !== "new" && !(strict && verdict === "pre-existing")) return false;
  const failing = [tests?.regressed, tests?.new, strict ? tests?.pre_existing : []];
  if (failing.some((names) => names !== undefined && names.length > 0)) return true;
  return !/\bcoverage\b|\bthreshold\b|\bno tests?\b|\bran 0 tests?\b|\bcollected 0\b/i.test(tail);
}

async function runPass(gate: Gate, pass: Pass, room: RoomPlan): Promise<Seen> {
  const { places, order, study, stop } = gate;
  const { ports } = places.rooms.repo;
  const { strict, baseline } = order;
  const plan = pass === "work" ? withoutMissing(order.plan, gate, room) : order.plan;
  const content = roomOrder(places, study, room, pass);
  const done = await inRoom(
    places,
    content,
    (inside) => runRepeating(ports, inside, { ...plan, strict, baseline }, stop),
    stop,
  );
  const runs = done.how === "done" && done.value !== "interrupted" ? done.value : { ran: [], again: [] };
  const exact = room.heldBack.length === 0 && content.texts.length === 0;
  if (done.how === "unprepared") return { report: unprepared(done.ran), runs, exact };
  if (done.how === "interrupted" || done.value === "interrupted")
    return { report: interruptedGate(true), runs, exact };
  const report = judge({ ...runs, baseline, strict, cold: true, tampered: [] });
  const isGood = report.verdict === "passed" || report.verdict === "unverified";
  const idle = isGood ? await idleTestFiles(places, content, { ran: runs.ran, baseline }) : [];
  if (idle.length === 0) return { report, runs, exact };
  const evidence = `ended before any of its tests ran: ${idle.slice(0, 20).join(", ")}`;
  return { report: { ...report, verdict: "failed", evidence }, runs, exact };
}

/** A command that names a test of the attempt's own has nothing to run where that is left out. */
function withoutMissing(plan: GatePlan, { places, study }: Gate, { heldBack }: RoomPlan): GatePlan {
  const work = pathFromTop(places.rooms, places.workDir);
  const missing = new Set(
    heldBack.filter((path) => !study.baseFiles.has(Buffer.from(path).toString("latin1"))),
  );
  const canRun = (command: string): boolean => !namesAny(command, work, missing);
  return { ...plan, commands: plan.commands.filter(canRun), own: plan.own.filter(canRun) };
}

function namesAny(command: string, folder: string, paths: ReadonlySet<string>): boolean {
  return simpleCommands(command).some(({ words }) =>
    words.some((word) => paths.has(posix.normalize(posix.join(folder, word)))),
  );
}

/** Tests that are added must fail on the base, or be missed there. */
async function proveRed(gate: Gate, last: Seen, runs: Runs): Promise<ColdVerdict> {
  const { places, order, study, stop } = gate;
  const added = addedTests(study.changes, study.protection, study.blobs);
  if (added.length === 0) return verdictOf(last);
  const room = planRoom(study.changes, study.protection, "red");
  const { ports } = places.rooms.repo;
  const done = await inRoom(
    places,
    roomOrder(places, study, room, "red"),
    (inside) => runCommands(ports, inside, order.plan, stop),
    stop,
  );
  if (done.how === "interrupted" || (done.how === "done" && done.value === "interrupted"))
    return { report: interruptedGate(true), now: undefined };
  // A base that cannot even be prepared shows nothing, and tests cannot pass in it.
  if (done.how === "unprepared" || done.value === "interrupted") return verdictOf(last);
  const work = pathFromTop(places.rooms, places.workDir);
  const names = (command: string): boolean => namesAny(command, work, new Set(added));
  const idle = passingWithoutWork({ runs, red: done.value, baseline: order.baseline, added, names });
  if (idle.length === 0) return verdictOf(last);
  const evidence = `passes without the work: ${idle.slice(0, 20).join(", ")}\n\nTests that a task adds must fail on the base (verify.red_first).`;
  return { report: { ...last.report, verdict: "failed", evidence }, now: undefined };
}

function verdictOf({ report, runs, exact }: Seen): ColdVerdict {
  return { report, now: exact ? baselineAfter(runs) : undefined };
}

const BY_WEIGHT: readonly GateVerdict[] = ["passed", "unverified", "failed", "tampered", "interrupted"];

/** Of two passes what is said in the end; where both say the same, the later one: it saw all tests. */
function worse(work: Seen, tests: Seen): Seen {
  if (work.report.verdict === "failed") return tests;
  const isWorse = BY_WEIGHT.indexOf(work.report.verdict) > BY_WEIGHT.indexOf(tests.report.verdict);
  return isWorse && work.runs.ran.length > 0 ? { ...tests, report: work.report } : tests;
}

function unprepared(ran: Ran): GateReport {
  const { command, end, duration_ms, tail } = ran;
  const how = end.how === "exited" ? `exited with ${end.code}` : end.how;
  const shown = {
    command,
    own: false,
    verdict: "new" as const,
    end: end.how,
    ...(end.how === "exited" ? { exit_code: end.code } : {}),
    duration_ms,
    tail,
  };
  const evidence = `the setup of the cold room failed: ${command} ${how}\n\n${tail}`;
  return { verdict: "failed", cold: true, commands: [shown], tampered: [], evidence };
}
