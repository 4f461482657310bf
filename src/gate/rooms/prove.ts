// Finds the evidence for work whose checks pass: what failed at the reference, and which tests fail without the work. Runs further
// rooms only where the rooms of the verdict do not show it. proof.ts compares the runs.
import { toText } from "../../git/base/bytes.js";
import { exists } from "../../git/base/read/diff.js";
import { isGreen } from "../verdict/compare.js";
import {
  countPassing,
  findProvingTests,
  findTurnedGreen,
  makeProof,
  whyNotProven,
} from "../verdict/proof.js";
import { endsWell } from "../verdict/runs.js";
import type { Because, GateReport, Proof, Ran, Turned } from "../verdict.js";
import { runPass, runTwice, type Gate, type PassResult } from "./cold-pass.js";
import type { RoomOrder } from "./cold-room.js";
import { kindOf, roomOrder } from "./study.js";
import { runAtReference, wholeOrder } from "./room-orders.js";

/**
 * The evidence; a report if the attempt's own new tests fail; `undefined` if the gate was stopped. `source`:
 * the room of the reference with the source; `whole`: that of the whole attempt if it is more.
 */
export async function findProof(
  gate: Gate,
  { source, whole }: { source: PassResult; whole: PassResult | undefined },
): Promise<{ proof: Proof } | { failed: GateReport } | undefined> {
  const { order, study } = gate;
  const own = await runUnmeasured(gate);
  if (own === undefined) return undefined;
  const before = [...(order.baseline?.commands ?? []), ...own];
  let turned = withoutWritten(gate, findTurnedGreen(before, source.now));
  let added: Turned[] = [];
  const checks = changedChecks(gate);
  // Tests of the task's `changes`, or that are source by a setting, are in the room of the source as the attempt left them.
  const isMixed = checks.some(({ kept }) => kept);
  const hasTests = checks.length + study.withNewTests.length > 0;
  // Without changes to the program, new tests fail without it for another reason.
  const hasWork = order.changes.some(({ path }) => isWork(gate, path));
  if (hasTests && hasWork && (turned.length === 0 || isMixed)) {
    const all = whole ?? (study.withNewTests.length === 0 ? source : await runPass(gate, wholeOrder(gate)));
    if (all.report.verdict === "interrupted") return undefined;
    if (!isGreen(all.report)) return { failed: all.report };
    gate.count.rooms++;
    const done = await runTwice(gate.places, withoutWork(gate), order.plan, gate.stop);
    if (done.how === "interrupted") return undefined;
    const without = done.how === "done" ? done.value : [];
    const byCommand = checks.every(({ row, kept }) => row === 6 || kept);
    if (isMixed) turned = turned.filter((one) => isRed(without, one));
    if (turned.length === 0) added = findProvingTests({ before, without, whole: all.now, byCommand });
  }
  // The whole attempt has the tests of earlier tasks too.
  const passing =
    whole === undefined
      ? countPassing(before, source.now)
      : countPassing(order.baseline?.all ?? before, whole.now);
  return { proof: makeProof(turned, added, passing) };
}

/** Why work without evidence is unbroken. */
export function whyUnbroken({ order, study }: Gate, report: GateReport): Because {
  if (order.changes.length === 0) return "nothing-changed";
  const isCheck = order.changes.every(({ path }) => study.sorter.isCheck(toText(path)));
  return isCheck ? "only-checks" : whyNotProven(report);
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
  return runs.some(
    (ran) =>
      ran.command === command && (name === undefined ? !endsWell(ran.end) : ran.tests?.[name] !== "passed"),
  );
}

/** Runs at the reference what was not measured there: all without a baseline, else the own ones. */
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

/** Leaves out the task's own commands that run a file which the attempt wrote or changed: they end as it decided. */
function withoutWritten({ study, order }: Gate, turned: Turned[]): Turned[] {
  const decided = new Set(
    order.changes.flatMap(({ path: bytes, from }) => {
      const path = toText(bytes);
      return !exists(from) || kindOf(study, path) === "source" ? study.sorter.ownCommandsWith(path) : [];
    }),
  );
  return turned.filter(({ command, name }) => name !== undefined || !decided.has(command));
}

/** Whether a changed path (bytes) is the program's, and no test that a setting calls source. */
function isWork({ study }: Pick<Gate, "study">, bytes: string): boolean {
  const path = toText(bytes);
  const { kind, row } = study.kinds.get(path) ?? { kind: "doubt", row: 0 };
  return kind === "source" && !(row === 2 && study.sorter.isTest(path));
}

/** The whole attempt without its source; of a file that is program and test, its program as before. */
function withoutWork(gate: Gate): RoomOrder {
  const { study, order } = gate;
  const before = new Map(order.reference.since.map((entry) => [entry.path, entry]));
  const own = new Set(order.changes.map(({ path }) => path));
  const changes = study.changes.flatMap((entry) =>
    own.has(entry.path) && isWork(gate, entry.path) ? (before.get(entry.path) ?? []) : [entry],
  );
  const texts = study.withNewTests.filter(({ path }) => own.has(path) && !before.has(path));
  return { ...roomOrder(study, changes), texts };
}
