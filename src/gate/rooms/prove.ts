// Finds the evidence for work whose checks pass: what failed at the reference, and which tests fail without the work. Runs further
// rooms only where the rooms of the verdict do not show it. proof.ts compares the runs.
import { toText } from "../../git/base/bytes.js";
import { exists } from "../../git/base/read/diff.js";
import { runRepeating, type Runs } from "../commands/gate.js";
import type { GatePlan, Room } from "../commands/run-commands.js";
import { countPassing, findProvingTests, findTurnedGreen } from "../verdict/proof.js";
import { settleRuns } from "../verdict/runs.js";
import type { Because, GateReport, Proof, Ran, Turned } from "../verdict.js";
import { isGreen, runPass, type ColdOrder, type Gate, type PassResult } from "./cold-pass.js";
import { pathFromTop, workInRoom, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { baseOrder, kindOf } from "./cold-study.js";
import { namesAny, studyReference, wholeOrder } from "./room-orders.js";
import { planRoom } from "./room-plan.js";

/** The rooms of the verdict: the reference with the source, and the whole attempt if it is more. */
interface Rooms {
  source: PassResult;
  whole: PassResult | undefined;
}

const MOST_NAMES = 100;

/** The evidence; a report if the attempt's own new tests fail; `undefined` if the gate was stopped. */
export async function findProof(
  gate: Gate,
  { source, whole }: Rooms,
): Promise<{ proof: Proof } | { failed: GateReport } | undefined> {
  const { order, study } = gate;
  const own = await runUnmeasured(gate);
  if (own === undefined) return undefined;
  const before = [...(order.baseline?.commands ?? []), ...own];
  const now = settleRuns(source.runs);
  const turned = withoutWritten(gate, findTurnedGreen(before, now));
  const checks = changedChecks(gate);
  // Tests of the task's `changes`, or that are source by a setting, are in the room of the source as the attempt left them.
  const isMixed = checks.some(({ kept }) => kept);
  const hasTests = checks.length + study.withNewTests.length > 0;
  // The whole attempt has the tests of earlier tasks too.
  const both =
    whole === undefined
      ? { before, now }
      : { before: order.baseline?.all ?? before, now: settleRuns(whole.runs) };
  const passing = countPassing(both.before, both.now);
  let proof = { fail_to_pass: turned, new_tests: [] as Turned[], pass_to_pass: passing };
  if (hasTests && hasWork(gate) && (turned.length === 0 || isMixed)) {
    const all = whole ?? (study.withNewTests.length === 0 ? source : await runPass(gate, wholeOrder(gate)));
    if (all.report.verdict === "interrupted") return undefined;
    if (!isGreen(all.report)) return { failed: all.report };
    gate.count.rooms++;
    const without = await runIn(gate.places, withoutWork(gate), order.plan, gate.stop);
    if (without === undefined) return undefined;
    const byCommand = checks.every(({ row, kept }) => row === 6 || kept);
    const tests = findProvingTests({ before, without, whole: settleRuns(all.runs), byCommand });
    const stays = isMixed ? turned.filter((one) => isRed(without, one)) : turned;
    proof = { ...proof, fail_to_pass: stays, new_tests: stays.length > 0 ? [] : tests };
  }
  return {
    proof: {
      ...proof,
      fail_to_pass: proof.fail_to_pass.slice(0, MOST_NAMES),
      new_tests: proof.new_tests.slice(0, MOST_NAMES),
    },
  };
}

/** Why work without evidence is unbroken. */
export function whyUnbroken({ order, study }: Gate, { commands }: Pick<GateReport, "commands">): Because {
  if (order.changes.length === 0) return "nothing-changed";
  const paths = order.changes.map(({ path }) => toText(path));
  if (paths.every((path) => study.sorter.isCheck(path))) return "only-checks";
  return commands.some(({ verdict }) => verdict === "pre-existing") ? "red-before" : "not-covered";
}

/** The attempt's changes to checks. `kept`: it is in the room of the source. */
function changedChecks({ study, order, isAllowed }: Gate): { row: number; kept: boolean }[] {
  return order.changes.flatMap(({ path: bytes }) => {
    const path = toText(bytes);
    const row = study.kinds.get(path)?.row ?? 0;
    if (kindOf(study, path) === "check") return [{ row, kept: isAllowed(path) }];
    return row === 2 && study.sorter.isTest(path) ? [{ row, kept: true }] : [];
  });
}

function isRed(runs: readonly Ran[], { command, name }: Turned): boolean {
  const of = runs.filter((ran) => ran.command === command);
  return name === undefined
    ? of.some(({ end }) => end.how !== "exited" || end.code !== 0)
    : of.some(({ tests }) => tests?.[name] !== "passed");
}

/** Runs at the reference the commands whose results there are not known: all without a baseline, and own ones that it lacks. */
async function runUnmeasured({ places, order, stop, count }: Gate): Promise<readonly Ran[] | undefined> {
  const { baseline, plan } = order;
  const { own: known = [] } = baseline ?? {};
  const own = plan.own.filter((command) => !known.some((one) => one.command === command));
  const commands = baseline === undefined ? plan.commands : [];
  if (commands.length + own.length === 0) return known;
  count.rooms++;
  const ran = await runAtReference(places, order, { ...plan, commands, own }, stop);
  return ran && [...known, ...ran];
}

/** Runs commands at the reference; `undefined` if they were stopped. Throws a `GitError`. */
export async function runAtReference(
  places: ColdPlaces,
  { plan, reference, patterns, source }: Pick<ColdOrder, "reference" | "plan" | "patterns" | "source">,
  wanted: GatePlan,
  stop: AbortSignal,
): Promise<readonly Ran[] | undefined> {
  const commands = { project: plan.commands, own: plan.own };
  const room = await studyReference(places, { reference, patterns, source, commands });
  return runIn(places, room.content, room.planFor(wanted), stop);
}

/** Leaves out the task's own commands that run a file which the attempt wrote: they end as it decided. */
function withoutWritten({ places, study, order }: Gate, turned: Turned[]): Turned[] {
  const added = order.changes.filter(({ from }) => !exists(from)).map(({ path }) => toText(path));
  const written = new Set(added.filter((path) => study.sorter.isOfOwnCommand(path)));
  const work = pathFromTop(places.rooms, places.workDir);
  return turned.filter(({ command, name }) => name !== undefined || !namesAny(command, work, written));
}

/** Whether a changed path (bytes) is the program's, and no test that a setting calls source. */
function isWork({ study }: Pick<Gate, "study">, bytes: string): boolean {
  const path = toText(bytes);
  const { kind, row } = study.kinds.get(path) ?? { kind: "doubt", row: 0 };
  return kind === "source" && !(row === 2 && study.sorter.isTest(path));
}

/** Whether the attempt changed the program: else its new tests fail without it for another reason. */
function hasWork(gate: Gate): boolean {
  return gate.order.changes.some(({ path }) => isWork(gate, path));
}

/** The whole attempt without its source; of a file that is program and test, its program as before. */
function withoutWork(gate: Gate): RoomOrder {
  const { study, order } = gate;
  const before = new Map(order.reference.since.map((entry) => [entry.path, entry]));
  const own = new Set(order.changes.map(({ path }) => path));
  const changes = study.changes.flatMap((entry) => {
    const earlier = before.get(entry.path);
    return own.has(entry.path) && isWork(gate, entry.path)
      ? earlier === undefined
        ? []
        : [earlier]
      : [entry];
  });
  const { entries } = planRoom(changes, () => true);
  const texts = study.withNewTests.filter(({ path }) => own.has(path) && !before.has(path));
  return { ...baseOrder(study), entries, texts };
}

/** Runs commands in a room, those that fail twice; `undefined` if the gate was stopped, nothing if the room cannot be prepared. */
async function runIn(
  places: ColdPlaces,
  content: RoomOrder,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<readonly Ran[] | undefined> {
  const { ports } = places.rooms.repo;
  const rules = { ...plan, strict: false, baseline: undefined };
  const act = (room: Room): Promise<Runs | "interrupted"> => runRepeating(ports, room, rules, stop);
  const done = await workInRoom<Runs>(places, content, act, stop);
  if (done.how === "interrupted") return undefined;
  return done.how === "unprepared" ? [] : settleRuns(done.value);
}
