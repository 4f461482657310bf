// Changes of the backlog alone. Leaves the file to perform-backlog.ts.
import type { StepEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";
import { taskToSettle } from "../step/edits.js";
import type { Effect } from "../step/effects.js";
import { keepAttempt, noteStart } from "./tree/keep-attempt.js";
import { changeBacklog } from "./perform-backlog.js";
import { forgetCheckpoints } from "./tree/perform-tree.js";
import type { World } from "./world.js";

type Do<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** Changes only the backlog, and drops the checkpoints of tasks it blocks. */
export async function performChange(world: World, effect: Do<"change-backlog">): Promise<StepEvent> {
  await noteStart(world);
  const { changes, during } = effect;
  const { outcome } = await changeBacklog(world, changes, during, given({ inHand: taskToSettle(effect) }));
  if (effect.job?.job === world.memory.reader) world.memory.reader = undefined;
  if (effect.job !== undefined) await keepAttempt(world, effect.job);
  const isRefused = (id: string): boolean => outcome.refused.some((one) => one.id === id);
  await forgetCheckpoints(
    world,
    changes.flatMap((change) => (change.op === "block" && !isRefused(change.id) ? [change.id] : [])),
  );
  return { type: "backlog_changed", ...effect.job, ...outcome };
}
