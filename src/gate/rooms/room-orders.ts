// The rooms of a verdict: the whole attempt, and the reference with some of its changes. judge-work.ts runs them.
import { posix } from "node:path";
import { toBytes, toText } from "../../git/base/bytes.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import type { ColdOrder, Gate, PassOrder } from "./cold-pass.js";
import { pathFromTop, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { kindOf, roomOrder, studyChanges, type Study } from "./cold-study.js";
import type { Commands } from "../sort/loads.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import type { GatePlan } from "../commands/run-commands.js";
import { planRoom } from "./room-plan.js";
import type { Baseline } from "../verdict.js";

type InGate = Pick<Gate, "places" | "study" | "order">;

/** The tree that would be committed. */
export function wholeOrder({ study, order }: InGate): PassOrder {
  const room = planRoom(study.changes, () => true);
  return { content: roomOrder(study, room, false), plan: order.plan, baseline: withAllTests(order.baseline) };
}

/** The reference with the changes of these paths (text), and with those of earlier tasks. Every other test is as at the reference. */
export function orderWith(
  { places, study, order }: InGate,
  kept: ReadonlySet<string>,
  earlier?: readonly DiffEntry[],
): PassOrder {
  const before = new Map(earlier?.map((entry) => [toText(entry.path), entry]));
  const changes = study.changes.map((entry) => {
    const path = toText(entry.path);
    return kept.has(path) ? entry : (before.get(path) ?? entry);
  });
  const room = planRoom(changes, (path) => kept.has(path) || before.has(path));
  const plan = withoutMissing(places, study, { ...room, plan: order.plan });
  const baseline = earlier === undefined ? order.baseline : withAllTests(order.baseline);
  return { content: roomOrder(study, room, true), plan, baseline };
}

/** The baseline that was measured with every test that agents added in this run. */
function withAllTests(baseline: Baseline | undefined): Baseline | undefined {
  return baseline?.all === undefined ? baseline : { commands: baseline.all };
}

/** The rooms of a reference without an attempt. */
interface ReferenceRooms {
  /** With the source of earlier tasks, and with all that they changed if that is more. */
  content: RoomOrder;
  whole: RoomOrder | undefined;
  planFor: (plan: GatePlan) => GatePlan;
}

/** Studies what earlier tasks of the run changed. Throws a `GitError`. */
export async function studyReference(
  places: ColdPlaces,
  {
    reference,
    patterns,
    source,
    commands,
  }: Pick<ColdOrder, "reference" | "patterns" | "source"> & { commands: Commands },
): Promise<ReferenceRooms> {
  const { start: base, persons, since: changes } = reference;
  const study = await studyChanges(places, { base, persons, changes, commands, patterns, source });
  const room = planRoom(changes, (path) => kindOf(study, path) === "source");
  const all = planRoom(changes, () => true);
  return {
    content: roomOrder(study, room, true),
    whole: room.heldBack.length === 0 ? undefined : roomOrder(study, all, false),
    planFor: (plan) => withoutMissing(places, study, { ...room, plan }),
  };
}

/** Leaves out commands that name a new file which is not in this room. */
function withoutMissing(
  places: ColdPlaces,
  { baseFiles }: Pick<Study, "baseFiles">,
  { heldBack, plan }: { heldBack: readonly string[]; plan: GatePlan },
): GatePlan {
  const work = pathFromTop(places.rooms, places.workDir);
  const missing = new Set(heldBack.filter((path) => !baseFiles.has(toBytes(path))));
  const canRun = (command: string): boolean => !namesAny(command, work, missing);
  return { ...plan, commands: plan.commands.filter(canRun), own: plan.own.filter(canRun) };
}

/** Whether a command that runs in a folder names one of these paths (text, from the top). */
export function namesAny(command: string, folder: string, paths: ReadonlySet<string>): boolean {
  return listSimpleCommands(command).some(({ words, reads, folder: inside }) =>
    [...words, ...reads].some((word) => paths.has(posix.normalize(posix.join(folder, inside, word)))),
  );
}
