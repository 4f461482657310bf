// Runs the tests that an attempt adds without its work: under `verify.red_first` they must fail there. red-first.ts judges.
import { toText } from "../../../git/base/bytes.js";
import { exists } from "../../../git/base/read/diff.js";
import type { Gate } from "../cold-pass.js";
import { pathFromTop, workInRoom } from "../cold-room.js";
import { roomOrder, studyChanges } from "../cold-study.js";
import { reportInterrupted, type Runs } from "../../commands/gate.js";
import { runCommands } from "../../commands/run-commands.js";
import { addedTests, passingWithoutWork } from "./red-first.js";
import { planRoom } from "../room-plan.js";
import { namesAny } from "../room-orders.js";
import type { GateReport } from "../../verdict.js";

/** The report on an attempt that adds tests which pass without its work; `undefined` if it adds none. Throws a `GitError`. */
export async function proveRed(
  { places, order, stop }: Gate,
  report: GateReport,
  runs: Runs,
): Promise<GateReport | undefined> {
  const { base, changes, plan, patterns, source } = order;
  const commands = { project: plan.commands, own: plan.own };
  const study = await studyChanges(places, { base, persons: [], changes, commands, patterns, source });
  const { sorter } = study;
  const added = addedTests(changes, (path) => sorter.isTest(path), study.blobs);
  if (added.length === 0) return undefined;
  const isNew = new Set(changes.filter(({ from }) => !exists(from)).map(({ path }) => toText(path)));
  const room = planRoom(changes, (path) => {
    return sorter.isTest(path) || (study.kinds.get(path)?.row === 5 && isNew.has(path));
  });
  const { ports } = places.rooms.repo;
  const done = await workInRoom(
    places,
    roomOrder(places, study, room, false),
    (inside) => runCommands(ports, inside, plan, stop),
    stop,
  );
  if (done.how === "interrupted" || (done.how === "done" && done.value === "interrupted"))
    return reportInterrupted(true);
  // Tests cannot pass on a base that cannot be prepared.
  if (done.how === "unprepared" || done.value === "interrupted") return undefined;
  const work = pathFromTop(places.rooms, places.workDir);
  const names = (command: string): boolean => namesAny(command, work, new Set(added));
  const idle = passingWithoutWork({ runs, red: done.value, baseline: order.baseline, added, names });
  if (idle.length === 0) return undefined;
  const evidence = `passes without the work: ${idle.slice(0, 20).join(", ")}\n\nTests that a task adds must fail on the base (verify.red_first).`;
  return { ...report, verdict: "failed", evidence };
}
