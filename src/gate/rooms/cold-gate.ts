// The gate in cold rooms: runs the commands in fresh rooms, on the work with the old tests, and, if the attempt changed
// tests, on the work with its own tests. cold-study.ts finds the protected files, and cold-room.ts makes rooms.
import { posix } from "node:path";
import { readBlobs } from "../../git/base/objects.js";
import { runPass, type ColdOrder, type Gate, type PassResult } from "./cold-pass.js";
import { listDoubts, addDoubts } from "./caveats.js";
import { workInRoom, pathFromTop, type ColdPlaces, type InRoom } from "./cold-room.js";
import { roomOrder, studyAttempt, type Study } from "./cold-study.js";
import { hasTests, mayBeForWant, type ReadTexts } from "./missing-tests.js";
import { judge } from "../verdict/compare.js";
import { joinChanges, type Reference } from "../influence/reference.js";
import { makeBaseline, reportInterrupted, measureBaseline, type Runs } from "../commands/gate.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import { planRoom, type Pass, type RoomPlan } from "./protected-room.js";
import { addedTests, passingWithoutWork } from "./red-first.js";
import { runCommands, type GatePlan, type Room } from "../commands/run-commands.js";
import type { Baseline, GateReport, GateVerdict } from "../verdict.js";

/** `now`: the next task's baseline; `undefined` if the attempt does not pass. */
export interface ColdVerdict {
  report: GateReport;
  now: Baseline | undefined;
  warnings: readonly string[];
}

interface Judged extends Omit<ColdVerdict, "warnings"> {
  /** The reasons why it is not verified although it passes. */
  doubts: readonly string[];
}

/** Measures the project's commands before a task: on the work with the old tests, and with all tests. */
export async function measureColdBaseline(
  places: ColdPlaces,
  { reference, plan, patterns }: Pick<ColdOrder, "reference" | "plan" | "patterns">,
  stop: AbortSignal,
): Promise<InRoom<Baseline>> {
  const commands = { project: plan.commands, own: [] };
  const study = await studyFrom(places, reference, { changes: reference.since, commands, patterns });
  const measureIn = async (pass: Pass, room: RoomPlan, some: GatePlan): Promise<InRoom<Baseline>> => {
    const { ports } = places.rooms.repo;
    const act = (inside: Room): ReturnType<typeof measureBaseline> =>
      measureBaseline(ports, inside, some, stop);
    const measured = await workInRoom(places, roomOrder(places, study, room, pass), act, stop);
    if (measured.how !== "done") return measured;
    const { value } = measured;
    return value === "interrupted" ? { how: "interrupted" } : { how: "done", value };
  };
  const { room, pass, hasOwnTests } = firstPass(study);
  const work = await measureIn(pass, room, withoutMissing(places, study, { room, plan }));
  if (work.how !== "done" || !hasOwnTests) return work;
  const all = await measureIn("tests", planRoom(study.changes, study.protection, "tests"), plan);
  if (all.how !== "done") return all;
  return { how: "done", value: { ...work.value, all: all.value.commands } };
}

/** Runs the gate on an attempt without reading the project's folder. */
export async function runColdGate(
  places: ColdPlaces,
  order: ColdOrder,
  stop: AbortSignal,
): Promise<ColdVerdict> {
  const { base, reference, changes, plan, patterns, strict, baseline } = order;
  const rules = { commands: { project: plan.commands, own: plan.own }, patterns };
  const attempt = await studyAttempt(places, { base, persons: [], changes, ...rules });
  if (attempt.tampered.length > 0) {
    const { tampered } = attempt;
    const report = judge({ baseline, ran: [], again: [], strict, cold: true, tampered });
    return { report, now: undefined, warnings: [] };
  }
  const all = joinChanges(reference.since, changes);
  const study =
    reference.start === base ? attempt : await studyFrom(places, reference, { changes: all, ...rules });
  const { report, now, doubts } = await judgeWork({ places, order, study, attempt, stop });
  return { ...addDoubts(report, { study, attempt, doubts }), now };
}

async function studyFrom(
  places: ColdPlaces,
  { start, persons }: Reference,
  order: Omit<Parameters<typeof studyAttempt>[1], "base" | "persons">,
): Promise<Study> {
  return studyAttempt(places, { base: start, persons, ...order });
}

async function judgeWork(gate: Gate): Promise<Judged> {
  const { places, study, order } = gate;
  const { room, pass, hasOwnTests } = firstPass(study);
  const plan = withoutMissing(places, study, { room, plan: order.plan });
  const work = await runPass(gate, { pass, room, plan });
  const { strict, redFirst } = order;
  const isWanting =
    hasOwnTests &&
    work.report.verdict === "failed" &&
    (await mayBeForWant(study, { commands: work.report.commands, strict }, textsIn(places)));
  if (!passes(work) && !isWanting) return { report: work.report, now: undefined, doubts: [] };
  const tests = hasOwnTests
    ? await runPass(gate, {
        pass: "tests",
        room: planRoom(study.changes, study.protection, "tests"),
        plan: order.plan,
      })
    : undefined;
  const last = tests === undefined ? work : worse(work, tests);
  if (!passes(last)) return { report: last.report, now: undefined, doubts: [] };
  const report = redFirst ? await proveRed(gate, last, (tests ?? work).runs) : last.report;
  const all = tests === undefined ? {} : { all: makeBaseline(tests.runs).commands };
  const strays = new Set([...work.strays, ...(tests?.strays ?? [])]);
  return { report, now: { ...makeBaseline(work.runs), ...all }, doubts: listDoubts(isWanting, [...strays]) };
}

/** Bigger files do not count as settings. */
const MOST_BYTES = 1024 * 1024;

function textsIn({ rooms }: ColdPlaces): ReadTexts {
  return async (oids) => [...(await readBlobs(rooms.repo, [...oids], MOST_BYTES)).values()];
}

/** The first pass uses the old tests, or the attempt's own tests if the base does not have any. */
function firstPass(study: Study): { room: RoomPlan; pass: Pass; hasOwnTests: boolean } {
  const { changes, protection } = study;
  const pass = hasTests(study) ? "work" : "tests";
  const room = planRoom(changes, protection, pass);
  const hasOwnTests = room.heldBack.some((path) => protection.kindOf(path) === "test");
  return { room, pass, hasOwnTests };
}

function passes({ report: { verdict } }: PassResult): boolean {
  return verdict === "passed" || verdict === "unverified";
}

/** Leaves out commands that name a test of the attempt which is not in this room. */
function withoutMissing(
  places: ColdPlaces,
  study: Study,
  { room, plan }: { room: RoomPlan; plan: GatePlan },
): GatePlan {
  const work = pathFromTop(places.rooms, places.workDir);
  const missing = new Set(
    room.heldBack.filter((path) => !study.baseFiles.has(Buffer.from(path).toString("latin1"))),
  );
  const canRun = (command: string): boolean => !namesAny(command, work, missing);
  return { ...plan, commands: plan.commands.filter(canRun), own: plan.own.filter(canRun) };
}

function namesAny(command: string, folder: string, paths: ReadonlySet<string>): boolean {
  return listSimpleCommands(command).some(({ words, reads, folder: inside }) =>
    [...words, ...reads].some((word) => paths.has(posix.normalize(posix.join(folder, inside, word)))),
  );
}

/** Checks that added tests fail on the base, or do not exist there. */
async function proveRed(gate: Gate, last: PassResult, runs: Runs): Promise<GateReport> {
  const { places, order, attempt: study, stop } = gate;
  const added = addedTests(study.changes, study.protection, study.blobs);
  if (added.length === 0) return last.report;
  const room = planRoom(study.changes, study.protection, "red");
  const { ports } = places.rooms.repo;
  const done = await workInRoom(
    places,
    roomOrder(places, study, room, "red"),
    (inside) => runCommands(ports, inside, order.plan, stop),
    stop,
  );
  if (done.how === "interrupted" || (done.how === "done" && done.value === "interrupted"))
    return reportInterrupted(true);
  // Tests cannot pass on a base that cannot be prepared.
  if (done.how === "unprepared" || done.value === "interrupted") return last.report;
  const work = pathFromTop(places.rooms, places.workDir);
  const names = (command: string): boolean => namesAny(command, work, new Set(added));
  const idle = passingWithoutWork({ runs, red: done.value, baseline: order.baseline, added, names });
  if (idle.length === 0) return last.report;
  const evidence = `passes without the work: ${idle.slice(0, 20).join(", ")}\n\nTests that a task adds must fail on the base (verify.red_first).`;
  return { ...last.report, verdict: "failed", evidence };
}

const BY_WEIGHT: readonly GateVerdict[] = ["passed", "unverified", "failed", "tampered", "interrupted"];

/** The worse of two passes; with equal verdicts the later one, because it ran all tests. */
function worse(work: PassResult, tests: PassResult): PassResult {
  if (work.report.verdict === "failed") return tests;
  const isWorse = BY_WEIGHT.indexOf(work.report.verdict) > BY_WEIGHT.indexOf(tests.report.verdict);
  return isWorse && work.runs.ran.length > 0 ? { ...tests, report: work.report } : tests;
}
