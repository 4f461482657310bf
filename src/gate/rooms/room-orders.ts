// The rooms of a verdict: the whole attempt, and the reference with some of its changes, which judge-work.ts
// runs; and the reference alone, which is measured before a task.
import { posix } from "node:path";
import { foldersAbove, toBytes, toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/read/diff.js";
import { runTwice, type ColdOrder, type Gate, type PassOrder } from "./cold-pass.js";
import { pathFromTop, type ColdPlaces, type InRoom } from "./cold-room.js";
import { kindOf, roomOrder, studyChanges, type Study } from "./study.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import type { GatePlan } from "../commands/run-commands.js";
import type { Reference } from "../influence/reference.js";
import type { Baseline, Ran } from "../verdict.js";

type InGate = Pick<Gate, "places" | "study" | "order">;

/** The tree that would be committed. */
export function wholeOrder({ study, order }: InGate): PassOrder {
  return {
    content: roomOrder(study, study.changes),
    plan: order.plan,
    baseline: withAllTests(order.baseline),
  };
}

/** The reference with the changes of these paths (text), and with those of earlier tasks. */
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
  const { entries, heldBack } = planRoom(changes, (path) => kept.has(path) || before.has(path));
  const baseline = earlier === undefined ? order.baseline : withAllTests(order.baseline);
  const content = roomOrder(study, entries, true);
  const texts = content.texts.filter(({ path }) => {
    const name = toText(path);
    return !(before.has(name) && study.heldManifests.has(name));
  });
  return {
    content: { ...content, texts },
    plan: withoutMissing(order.plan, { places, study, heldBack }),
    baseline,
  };
}

/** The baseline that was measured with every test that agents added in this run. */
function withAllTests(baseline: Baseline | undefined): Baseline | undefined {
  return baseline?.all === undefined ? baseline : { commands: baseline.all };
}

/** Measures the project's commands before a task: with earlier tasks' source, and with all they changed. */
export async function measureColdBaseline(
  places: ColdPlaces,
  { reference, plan }: Pick<ColdOrder, "reference" | "plan">,
  stop: AbortSignal,
): Promise<InRoom<Baseline>> {
  const project = { ...plan, own: [] };
  const { study, entries, heldBack } = await studyReference(places, reference, project);
  const alone = await runTwice(places, roomOrder(study, entries, true), project, stop);
  if (alone.how !== "done") return alone;
  if (heldBack.length === 0) return { how: "done", value: { commands: alone.value } };
  const whole = await runTwice(places, roomOrder(study, study.changes), project, stop);
  return whole.how === "done" ? { how: "done", value: { commands: alone.value, all: whole.value } } : whole;
}

/** Runs commands at the reference; `undefined`: stopped; none if no room can be prepared. */
export async function runAtReference(
  places: ColdPlaces,
  { plan, reference }: Pick<ColdOrder, "reference" | "plan">,
  wanted: GatePlan,
  stop: AbortSignal,
): Promise<readonly Ran[] | undefined> {
  const { study, entries, heldBack } = await studyReference(places, reference, plan);
  const left = withoutMissing(wanted, { places, study, heldBack });
  const done = await runTwice(places, roomOrder(study, entries, true), left, stop);
  if (done.how === "interrupted") return undefined;
  return done.how === "unprepared" ? [] : done.value;
}

/** Studies what earlier tasks changed, and plans the room with their source. Throws a `GitError`. */
async function studyReference(
  places: ColdPlaces,
  { start: base, persons, since: changes }: Reference,
  { commands: project, own }: GatePlan,
): Promise<RoomPlan & { study: Study }> {
  const study = await studyChanges(places, { base, persons, changes, commands: { project, own } });
  return { study, ...planRoom(changes, (path) => kindOf(study, path) === "source") };
}

/** Leaves out own commands that name a new file which this room lacks: the whole attempt has it. */
function withoutMissing(
  plan: GatePlan,
  { places, study, heldBack }: Omit<InGate, "order"> & Pick<RoomPlan, "heldBack">,
): GatePlan {
  if (plan.isOfStage === true) return plan;
  const work = pathFromTop(places.rooms, places.workDir);
  const missing = new Set(heldBack.filter((path) => !study.base.files.has(toBytes(path))));
  return { ...plan, own: plan.own.filter((command) => !namesAny(command, work, missing)) };
}

/** Whether a command that runs in a folder names one of these paths (text, from the top). */
export function namesAny(command: string, folder: string, paths: ReadonlySet<string>): boolean {
  return listSimpleCommands(command).some(({ words, reads, folder: inside }) =>
    [...words, ...reads].some((word) => paths.has(posix.normalize(posix.join(folder, inside, word)))),
  );
}

/** The changes to apply to the reference. `heldBack`: paths (text) whose changes are left out. */
interface RoomPlan {
  entries: readonly DiffEntry[];
  heldBack: readonly string[];
}

/**
 * Plans a room with the changes that `isKept` selects by path (text), except those that cannot exist beside the others. The plan is
 * made on trees before any file is written, so that a folder that became a symlink is never followed.
 */
export function planRoom(changes: readonly DiffEntry[], isKept: (path: string) => boolean): RoomPlan {
  const isWanted = ({ path }: DiffEntry): boolean => isKept(toText(path));
  const isFree = freeOf(changes.filter((entry) => !isWanted(entry) && exists(entry.from)));
  const isIn = (entry: DiffEntry): boolean => isWanted(entry) && (!exists(entry.to) || isFree(entry.path));
  return {
    entries: changes.filter(isIn),
    heldBack: changes.filter((entry) => !isIn(entry)).map(({ path }) => toText(path)),
  };
}

/** Whether a path can exist beside files that stay: neither above nor below one of them. */
function freeOf(staying: readonly DiffEntry[]): (path: string) => boolean {
  const files = new Set(staying.map(({ path }) => path));
  const folders = foldersAbove(files);
  return (path) => !folders.has(path) && ![...foldersAbove([path])].some((folder) => files.has(folder));
}
