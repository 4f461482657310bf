// The rooms of a verdict: the whole attempt, and the reference with some of its changes. judge-work.ts runs them.
import { posix } from "node:path";
import { toBytes, toText } from "../../git/base/bytes.js";
import type { DiffEntry } from "../../git/base/read/diff.js";
import type { Gate, PassOrder } from "./cold-pass.js";
import { pathFromTop, type ColdPlaces } from "./cold-room.js";
import { roomOrder, type Study } from "./cold-study.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import type { GatePlan } from "../commands/run-commands.js";
import { planRoom } from "./room-plan.js";
import type { Baseline } from "../verdict.js";

type InGate = Pick<Gate, "places" | "study" | "order">;

/** The tree that would be committed. */
export function wholeOrder({ places, study, order }: InGate): PassOrder {
  const content = roomOrder(
    places,
    study,
    planRoom(study.changes, () => true),
    false,
  );
  return { content, plan: order.plan, baseline: withAllTests(order.baseline) };
}

/** The reference with the changes of these paths (text). Every other test is as at the reference. */
export function orderWith({ places, study, order }: InGate, kept: ReadonlySet<string>): PassOrder {
  const room = planRoom(study.changes, (path) => kept.has(path));
  const content = roomOrder(places, study, room, true);
  return {
    content,
    plan: withoutMissing(places, study, { ...room, plan: order.plan }),
    baseline: order.baseline,
  };
}

/** The reference with the kept changes, the influence of earlier tasks, and more changes of this attempt. */
export function orderWithEarlier(
  { places, study, order }: InGate,
  {
    kept,
    earlier,
    more,
  }: { kept: ReadonlySet<string>; earlier: readonly DiffEntry[]; more: ReadonlySet<string> },
): PassOrder {
  const before = new Map(earlier.map((entry) => [entry.path, entry]));
  const changes = study.changes.map((entry) =>
    kept.has(toText(entry.path)) || more.has(toText(entry.path)) ? entry : (before.get(entry.path) ?? entry),
  );
  const isIn = (path: string): boolean => kept.has(path) || more.has(path);
  const room = planRoom(changes, (path) => isIn(path) || earlier.some((one) => toText(one.path) === path));
  const content = roomOrder(places, study, room, true);
  const plan = withoutMissing(places, study, { ...room, plan: order.plan });
  return { content, plan, baseline: withAllTests(order.baseline) };
}

/** The baseline that was measured with every test that agents added in this run. */
export function withAllTests(baseline: Baseline | undefined): Baseline | undefined {
  return baseline?.all === undefined ? baseline : { commands: baseline.all };
}

/** Leaves out commands that name a new file which is not in this room. */
export function withoutMissing(
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
