// The cold room's gate: the commands run in fresh rooms, on the work with the tests there were, and, where the attempt changed
// those, on its own tests as they are. Leaves what is protected to cold-study.ts, and rooms to cold-room.ts.
import { posix } from "node:path";
import { asResult, type GitFailure } from "../git/git.js";
import type { Result } from "../system/result.js";
import { runPass, type ColdOrder, type Gate, type Seen } from "./cold-pass.js";
import { withDoubts } from "./cold-doubts.js";
import { baseRoom, inRoom, pathFromTop, type ColdPlaces, type InRoom } from "./cold-room.js";
import { roomOrder, studyAttempt } from "./cold-study.js";
import { judge } from "./compare.js";
import { baselineAfter, interruptedGate, measureBaseline, type Runs } from "./gate.js";
import { simpleCommands } from "./command-words.js";
import { planRoom, type RoomPlan } from "./protected-room.js";
import { addedTests, passingWithoutWork } from "./red-first.js";
import { runCommands, type GatePlan } from "./run-commands.js";
import type { Baseline, CommandVerdict, GateReport, GateVerdict } from "./verdict.js";

/** `now`: as in a warm gate; `undefined` where the next task's base differs from what was measured. */
export interface ColdVerdict {
  report: GateReport;
  now: Baseline | undefined;
  warnings: readonly string[];
}

type Judged = Omit<ColdVerdict, "warnings">;

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
    const commands = { project: plan.commands, own: plan.own };
    const study = await studyAttempt(places, { base, changes, commands, patterns });
    if (study.tampered.length > 0) {
      const { tampered } = study;
      const report = judge({ baseline, ran: [], again: [], strict, cold: true, tampered });
      return { report, now: undefined, warnings: [] };
    }
    const { report, now } = await judgeWork({ places, order, study, stop });
    return { ...withDoubts(report, study), now };
  });
}

async function judgeWork(gate: Gate): Promise<Judged> {
  const { changes, protection } = gate.study;
  const plan = planRoom(changes, protection, "work");
  const hasOwnTests = plan.heldBack.some((path) => protection.kindOf(path) === "test");
  const work = await runPass(gate, { pass: "work", room: plan, plan: withoutMissing(gate, plan) });
  const { strict, redFirst } = gate.order;
  if (!mayGoOn(work, { hasOwnTests, strict })) return verdictOf(work);
  const tests = hasOwnTests
    ? await runPass(gate, {
        pass: "tests",
        room: planRoom(changes, protection, "tests"),
        plan: gate.order.plan,
      })
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
  return !/\bcoverage\b|\bthreshold\b|\bno tests?\b|\bran 0 tests?\b|\bcollected 0\b|^Could not find /im.test(
    tail,
  );
}

/** A command that names a test of the attempt's own has nothing to run where that is left out. */
function withoutMissing({ places, study, order: { plan } }: Gate, { heldBack }: RoomPlan): GatePlan {
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
async function proveRed(gate: Gate, last: Seen, runs: Runs): Promise<Judged> {
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

function verdictOf({ report, runs, exact }: Seen): Judged {
  return { report, now: exact ? baselineAfter(runs) : undefined };
}

const BY_WEIGHT: readonly GateVerdict[] = ["passed", "unverified", "failed", "tampered", "interrupted"];

/** Of two passes what is said in the end; where both say the same, the later one: it saw all tests. */
function worse(work: Seen, tests: Seen): Seen {
  if (work.report.verdict === "failed") return tests;
  const isWorse = BY_WEIGHT.indexOf(work.report.verdict) > BY_WEIGHT.indexOf(tests.report.verdict);
  return isWorse && work.runs.ran.length > 0 ? { ...tests, report: work.report } : tests;
}
