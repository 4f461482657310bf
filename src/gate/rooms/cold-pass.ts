// One pass of the cold gate: runs the commands in a fresh room, repeats those that may be flaky in another,
// and checks that they did not change the checks. judge-work.ts decides on the rooms.
import type { DiffEntry } from "../../git/base/read/diff.js";
import { workInRoom, type ColdPlaces, type InRoom, type RoomOrder } from "./cold-room.js";
import { roomOrder, type Study } from "./study.js";
import { isGreen, judge, mustRepeat } from "../verdict/compare.js";
import { reportInterrupted, runRepeating } from "../commands/gate.js";
import { settleRuns } from "../verdict/runs.js";
import { needsMore } from "../verdict/proof.js";
import type { Reference } from "../influence/reference.js";
import { runCommands, type GatePlan } from "../commands/run-commands.js";
import type { Baseline, GateReport, Ran, Tampering } from "../verdict.js";
import { toText } from "../../git/base/bytes.js";
import { findChangedInRoom } from "../../git/room/room.js";
import { familyOf } from "../sort/languages.js";

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
  /** Of each command the better of its two runs. */
  now: readonly Ran[];
  /** Paths of the program that differed from the commit when the checks ended, unless they always do. */
  strays: readonly string[];
}

/** Runs a pass to its verdict. Throws a `GitError`. */
export async function runPass(gate: Gate, { content, plan, baseline }: PassOrder): Promise<PassResult> {
  const { strict } = gate.order;
  const end = (report: GateReport): PassResult => ({ report, now: [], strays: [] });
  const first = await runIn(gate, content, plan);
  if (first.how === "interrupted") return end(reportInterrupted(true));
  if (first.how === "unprepared") return end(unprepared(first.ran));
  const { ran } = first.value;
  // In a room of its own, so that files left by the first run do not affect the second.
  const repeated = ran.filter((one) => mustRepeat(baseline, one, strict));
  const listed = (isOwn: boolean): string[] =>
    repeated.filter(({ own }) => own === isOwn).map(({ command }) => command);
  const second =
    repeated.length === 0
      ? undefined
      : await runIn(gate, content, { ...plan, commands: listed(false), own: listed(true) });
  if (second?.how === "interrupted") return end(reportInterrupted(true));
  const again = second?.how === "done" ? second.value : { ran: [], harm: [], strays: [] };
  const { harm, strays } = await withoutCustom(gate, plan, [first.value, again]);
  const runs = { ran, again: again.ran };
  const report = judge({ ...runs, baseline, strict, cold: true, tampered: harm });
  return { report, now: settleRuns(runs), strays };
}

/** Runs commands in a room, those that fail twice, whatever they change there. Throws a `GitError`. */
export function runTwice(
  places: ColdPlaces,
  content: RoomOrder,
  plan: GatePlan,
  stop: AbortSignal,
): Promise<InRoom<Ran[]>> {
  const rules = { ...plan, strict: false, baseline: undefined };
  return workInRoom<Ran[]>(places, content, stop, async (room) => {
    const runs = await runRepeating(places.rooms.repo.ports, room, rules, stop);
    return runs === "interrupted" ? runs : settleRuns(runs);
  });
}

/** Whether nothing fails in a room that passed before, or that passes with the whole attempt. */
export function passesAlone(result: PassResult, whole: PassResult | undefined): boolean {
  if (!isGreen(result.report)) return false;
  return whole === undefined || !needsMore(result.now, whole.now);
}

/** The changes that the commands made to a room's files. `strays`: paths (text) of the program that differ from the commit. */
interface Traces {
  harm: readonly Tampering[];
  strays: readonly string[];
}

const CHANGED = "changed while the checks ran";

/**
 * Runs commands in a room of its own, and looks at what they change there after the setup and after each command: code under test could
 * weaken tests while they run, and the next command could use a file that is put back later.
 */
async function runIn(
  gate: Gate,
  content: RoomOrder,
  plan: GatePlan,
): Promise<InRoom<Traces & { ran: Ran[] }>> {
  const { places, study, stop } = gate;
  gate.count.rooms++;
  return workInRoom(places, content, stop, async (room, open) => {
    // Tracked paths (bytes) that differed from the checkout at any look, with whether they had lost lines.
    const ever = new Map<string, boolean>();
    const seen = { last: new Set<string>(), isGone: false };
    const look = async (): Promise<void> => {
      const changed = await findChangedInRoom(places.rooms, open);
      seen.isGone ||= changed === undefined;
      seen.last = new Set(changed?.keys());
      for (const [path, losesLines] of changed ?? []) ever.set(path, losesLines || ever.get(path) === true);
    };
    if (places.setup.length > 0) await look();
    const ran = await runCommands(places.rooms.repo.ports, { ...room, onCommandEnd: look }, plan, stop);
    if (ran === "interrupted") return ran;
    if (seen.isGone)
      return { ran, harm: [{ what: "deleted", detail: "the checks removed all files" }], strays: [] };
    const isCheck = (bytes: string): boolean => study.sorter.isCheck(toText(bytes));
    const harmed = [...ever].filter(([path, losesLines]) => {
      // A file of expected results that only grew is harmless: snapshot tools add to theirs.
      const onlyGrew = !losesLines && seen.last.has(path) && familyOf(toText(path)) === undefined;
      return isCheck(path) && !onlyGrew;
    });
    return {
      ran,
      harm: harmed.map(([path]) => ({ path: toText(path), what: "settings", detail: CHANGED })),
      strays: [...ever.keys()].filter((path) => !isCheck(path)).map(toText),
    };
  });
}

/** Leaves out changes that the commands make on the base as well: they are normal for the project. */
async function withoutCustom(gate: Gate, plan: GatePlan, traces: readonly Traces[]): Promise<Traces> {
  const byPath = new Map(traces.flatMap(({ harm }) => harm).map((one) => [one.path, one]));
  const strays = new Set(traces.flatMap((one) => one.strays));
  if (byPath.size + strays.size === 0) return { harm: [], strays: [] };
  const onBase = await runIn(gate, roomOrder(gate.study), plan);
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
