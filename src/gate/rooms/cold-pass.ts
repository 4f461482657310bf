// One pass of the cold gate: runs the commands in a fresh room, repeats those that may be flaky in another, and checks that
// they did not change the checks. judge-work.ts decides on the rooms.
import type { DiffEntry } from "../../git/base/read/diff.js";
import { changedFiles, lookAround, type Seen, type Traces } from "./integrity.js";
import { workInRoom, type ColdPlaces, type InRoom, type RoomOrder } from "./cold-room.js";
import { baseOrder, type Study } from "./cold-study.js";
import { judge, mustRepeat } from "../verdict/compare.js";
import { reportInterrupted, type Runs } from "../commands/gate.js";
import { settleRuns } from "../verdict/runs.js";
import { needsMore } from "../verdict/proof.js";
import type { Reference } from "../influence/reference.js";
import { runCommands, runOne, type GatePlan, type GatePorts, type Room } from "../commands/run-commands.js";
import type { Baseline, GateReport, Ran } from "../verdict.js";

/** One attempt for the gate to judge. */
export interface ColdOrder {
  /** The checkpoint's commit. */
  base: string;
  reference: Reference;
  /** The differences between the base and the snapshot. */
  changes: readonly DiffEntry[];
  plan: GatePlan;
  strict: boolean;
  baseline: Baseline | undefined;
  /** `verify.protected`. */
  patterns: readonly string[];
  /** `verify.source`. */
  source: readonly string[];
  /** The task's `changes`: patterns as in .gitignore, from the project's folder. */
  allowed: readonly string[];
}

/** A gate in progress. */
export interface Gate {
  places: ColdPlaces;
  order: ColdOrder;
  /** The study of all changes by agents since the start of the run, including this attempt. */
  study: Study;
  /** Whether the task's `changes` name a path (text, from the top). */
  isAllowed: (path: string) => boolean;
  stop: AbortSignal;
  /** How many rooms commands ran in so far. */
  count: { rooms: number };
}

/** The checks that run in a room, and the baseline that their results are compared with. */
export interface PassOrder {
  content: RoomOrder;
  plan: GatePlan;
  baseline: Baseline | undefined;
}

/** The result of one pass. */
export interface PassResult {
  report: GateReport;
  runs: Runs;
  /** Paths of the program that differed from the commit when the checks ended, unless they always do. */
  strays: readonly string[];
}

/** The runs in a room, and their changes to the checks. */
interface InOneRoom extends Traces {
  ran: Ran[];
}

/** Runs a pass to its verdict. Throws a `GitError`. */
export async function runPass(gate: Gate, { content, plan, baseline }: PassOrder): Promise<PassResult> {
  const { strict } = gate.order;
  const nothing = { runs: { ran: [], again: [] }, strays: [] };

  const first = await actIn(gate, content, (ports, inside) => runCommands(ports, inside, plan, gate.stop));
  if (first.how === "interrupted") return { report: reportInterrupted(true), ...nothing };
  if (first.how === "unprepared") return { report: unprepared(first.ran), ...nothing };
  const { ran } = first.value;
  // In a room of its own, so that files left by the first run do not affect the second.
  const repeated = ran.filter((one) => mustRepeat(baseline, one, strict));
  const second =
    repeated.length === 0
      ? undefined
      : await actIn(gate, content, (ports, inside) => repeat(ports, inside, { plan, repeated }, gate.stop));
  if (second?.how === "interrupted") return { report: reportInterrupted(true), ...nothing };
  const again = second?.how === "done" ? second.value : { ran: [], harm: [], strays: [] };
  const { harm, strays } = await withoutCustom(gate, plan, [first.value, again]);
  const runs = { ran, again: again.ran };
  const report = judge({ ...runs, baseline, strict, cold: true, tampered: harm });
  return { report, runs, strays };
}

/** Whether nothing fails in a room that passed before, or that passes with the whole attempt. */
export function passesAlone(result: PassResult, whole: PassResult | undefined): boolean {
  if (!isGreen(result.report)) return false;
  return whole === undefined || !needsMore(settleRuns(result.runs), settleRuns(whole.runs));
}

/** Whether no check fails that did not fail before. */
export function isGreen({ verdict }: GateReport): boolean {
  return verdict === "passed" || verdict === "unbroken" || verdict === "unverified";
}

async function actIn(
  gate: Gate,
  content: RoomOrder,
  act: (ports: GatePorts, room: Room) => Promise<Ran[] | "interrupted">,
): Promise<InRoom<InOneRoom>> {
  const { places, study, stop } = gate;
  const { ports } = places.rooms.repo;
  gate.count.rooms++;
  return workInRoom<InOneRoom>(
    places,
    content,
    async (room, open) => {
      const seen: Seen = { ever: new Set(), last: new Set(), isGone: false };
      const look = (): Promise<void> => lookAround(places, open, seen);
      if (places.setup.length > 0) await look();
      const ran = await act(ports, { ...room, onCommandEnd: look });
      if (ran === "interrupted") return ran;
      return { ran, ...(await changedFiles({ places, study, content }, open, seen)) };
    },
    stop,
  );
}

async function repeat(
  ports: GatePorts,
  room: Room,
  { plan, repeated }: { plan: GatePlan; repeated: readonly Ran[] },
  stop: AbortSignal,
): Promise<Ran[] | "interrupted"> {
  const again: Ran[] = [];
  for (const { command, own } of repeated) {
    const { timeoutMs, reports } = plan;
    const one = await runOne(ports, room, { timeoutMs, reports, command, own }, stop);
    if (one === "interrupted") return one;
    again.push(one);
  }
  return again;
}

/** Leaves out changes that the commands make on the base as well: they are normal for the project. */
async function withoutCustom(gate: Gate, plan: GatePlan, traces: readonly Traces[]): Promise<Traces> {
  const byPath = new Map(traces.flatMap(({ harm }) => harm).map((one) => [one.path, one]));
  const strays = new Set(traces.flatMap((one) => one.strays));
  if (byPath.size + strays.size === 0) return { harm: [], strays: [] };
  const asBase = baseOrder(gate.study);
  const onBase = await actIn(gate, asBase, (ports, room) => runCommands(ports, room, plan, gate.stop));
  if (onBase.how === "done") {
    for (const { path } of onBase.value.harm) byPath.delete(path);
    for (const path of onBase.value.strays) strays.delete(path);
  }
  return { harm: [...byPath.values()], strays: [...strays] };
}

function unprepared(ran: Ran): GateReport {
  const { command, end, tail } = ran;
  const how = end.how === "exited" ? `exited with ${end.code}` : end.how;
  const order = { baseline: undefined, ran: [ran], again: [], strict: false, cold: true, tampered: [] };
  return { ...judge(order), evidence: `the setup of the cold room failed: ${command} ${how}\n\n${tail}` };
}
