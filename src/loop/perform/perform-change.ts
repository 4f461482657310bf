// Changes of the backlog alone: those the loop decides, and edits that a person asks for. Leaves the file to perform-backlog.ts.
import { dropCheckpoint } from "../../git/checkpoint/checkpoint.js";
import type { StepEvent } from "../../logging/events/events.js";
import { endsAttempt, taskOfChange } from "../../todo/model/changes/person-change.js";
import type { Effect } from "../step/effects.js";
import { keepAttempt, noteStart } from "./tree/keep-attempt.js";
import { performAs } from "./perform-as.js";
import { changeBacklog, makeEdit } from "./perform-backlog.js";
import { forgetCheckpoints, forgetOwnRefs } from "./tree/perform-tree.js";
import type { World } from "./world.js";

type Do<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** Changes only the backlog, and drops the checkpoints of tasks it blocks. */
export async function performChange(world: World, effect: Do<"change-backlog">): Promise<StepEvent> {
  await noteStart(world);
  if (effect.request !== undefined) return performEdit(world, effect.request, effect.during);
  const { outcome } = await changeBacklog(world, effect.changes, effect.during);
  if (effect.job !== undefined) await keepAttempt(world, effect.job);
  await forgetCheckpoints(
    world,
    effect.changes.flatMap((change) => (change.op === "block" ? [change.id] : [])),
  );
  return { type: "backlog_changed", ...effect.job, ...outcome };
}

/** Makes a requested edit, and drops the checkpoints of its tasks; the next claim makes new ones. */
async function performEdit(world: World, request: string, during: "agent" | "idle"): Promise<StepEvent> {
  const changes = world.memory.asked.get(request);
  if (changes === undefined) throw new Error(`the edit ${request} is unknown`);
  const statuses = new Map(world.memory.backlog?.tasks.map(({ id, status }) => [id, status]));
  const outcome = await makeEdit(world, changes, during);
  world.memory.asked.delete(request);
  if (outcome.refused.length === 0) {
    const ended = changes.filter((change) => endsAttempt(change, statuses.get(taskOfChange(change))));
    const { repo } = world;
    forgetOwnRefs(world, ended.map(taskOfChange));
    if (repo !== undefined)
      for (const id of ended.map(taskOfChange)) await performAs("checkpoint", () => dropCheckpoint(repo, id));
  }
  return { type: "backlog_changed", request, ...outcome };
}
