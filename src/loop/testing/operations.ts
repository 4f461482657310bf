// Performs effects on the simulated disk, one operation at a time.
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import type { TaskId } from "../../todo/model/task.js";
import { taskToSettle } from "../step/edits.js";
import type { Effect } from "../step/effects.js";
import { writeBacklog, type Commit, type Disk } from "./world/disk.js";
import type { Op, OpenEffect, Sim } from "./world/sim.js";

/** Whether the next operation of an effect may run now: the backlog and HEAD have one writer, which answers before the next. */
export function mayAdvance(sim: Sim, open: OpenEffect): boolean {
  return open.begun || !sim.open.some((other) => other !== open && other.begun && isBusy(other));
}

function isBusy({ effect, ops }: OpenEffect): boolean {
  return ops.length > 0 || effect.kind === "change-backlog" || effect.kind === "commit";
}

/** Performs the next operation of an effect. */
export function advance(sim: Sim, open: OpenEffect): Sim {
  const [op, ...ops] = open.ops;
  if (op === undefined) throw new Error(`${open.effect.kind} is done already`);
  const done = doOp(sim, { ...open, begun: true, ops }, op);
  return { ...done.sim, open: sim.open.map((one) => (one === open ? done.open : one)) };
}

function doOp(sim: Sim, open: OpenEffect, op: Op): { sim: Sim; open: OpenEffect } {
  const { disk } = sim;
  const { effect } = open;
  switch (op) {
    case "checkpoint":
      return { sim: write(sim, { ...disk, checkpoints: withTask(disk.checkpoints, effect) }), open };
    case "apply":
      return { sim: applyWork(sim, effect), open };
    case "save":
      return { sim: saveWork(sim, effect), open };
    case "shelve":
      return { sim: { ...sim, tree: sim.tree.filter((id) => id !== taskOf(effect)) }, open };
    case "pending": {
      if (effect.kind !== "commit") throw new Error(`${effect.kind} builds no commit`);
      const commit = makeCommit(sim, effect);
      return { sim: write(sim, { ...disk, pending: { commit, changes: effect.changes } }), open };
    }
    case "backlog":
      return doWrite(sim, open);
    case "head": {
      const commit = disk.pending?.commit;
      if (commit === undefined) throw new Error("no pending commit for HEAD");
      const tree = sim.tree.filter((id) => id !== commit.task);
      const there = disk.commits.some(({ made }) => made === commit.made);
      const clean = { ...sim, tree };
      const works = withoutWork(disk, commit.task);
      return {
        sim: there ? clean : write(clean, { ...disk, ...works, commits: [...disk.commits, commit] }),
        open,
      };
    }
    case "drop": {
      const commit = disk.pending?.commit;
      const isMade = disk.commits.some(({ made }) => made === commit?.made);
      const checkpoints = disk.checkpoints.filter((id) => !isMade || id !== commit?.task);
      return { sim: write(sim, { ...disk, pending: undefined, checkpoints }), open };
    }
    default:
      return never(op);
  }
}

function taskOf(effect: Effect): TaskId | undefined {
  return "job" in effect ? effect.job?.task_id : undefined;
}

/** Puts the saved work into the tree, unless it is there. */
function applyWork(sim: Sim, effect: Effect): Sim {
  const id = taskOf(effect);
  if (id === undefined || sim.disk.works?.[id] === undefined || sim.tree.includes(id)) return sim;
  return { ...sim, tree: [...sim.tree, id] };
}

/** Saves the work of a visit; a second time it is the same. */
function saveWork(sim: Sim, effect: Effect): Sim {
  const id = taskOf(effect);
  if (effect.kind !== "save-work" || id === undefined || !effect.work) return sim;
  const before = sim.disk.works?.[id] ?? [];
  const visit = `${effect.job.stage ?? ""} ${String(effect.job.visit)}`;
  if (before.includes(visit)) return sim;
  return write(sim, { ...sim.disk, works: { ...sim.disk.works, [id]: [...before, visit] } });
}

/** The disk's saved works without that of a task. */
export function withoutWork({ works }: Disk, task: TaskId): Pick<Disk, "works"> {
  if (works?.[task] === undefined) return {};
  return { works: Object.fromEntries(Object.entries(works).filter(([id]) => id !== task)) };
}

function withTask(checkpoints: readonly TaskId[], effect: Effect): readonly TaskId[] {
  const id = effect.kind === "checkpoint" ? effect.job.task_id : undefined;
  return id === undefined || checkpoints.includes(id) ? checkpoints : [...checkpoints, id];
}

function makeCommit(sim: Sim, { job }: Extract<Effect, { kind: "commit" }>): Commit {
  if (job.task_id === undefined) throw new Error("a commit without a task");
  return { task: job.task_id, made: `${job.task_id} in run ${sim.run}, job ${job.job}` };
}

/** Writes the backlog and syncs it, which makes all earlier writes safe as well. */
function doWrite(sim: Sim, open: OpenEffect): { sim: Sim; open: OpenEffect } {
  const { effect } = open;
  const pending = effect.kind === "finish-pending" ? sim.disk.pending : undefined;
  const asked = readChanges(effect, sim);
  if (pending !== undefined && asked.changes.length === 0) return { sim, open };
  const { rows, seen, outcome, ...by } = writeBacklog(sim.disk, sim.seen, asked);
  const { heard: _heard, ...kept } = sim.disk;
  const disk = { ...kept, rows, ...by };
  // If the backlog refuses the change, HEAD does not move either.
  const refused = effect.kind !== "change-backlog" && outcome.refused.length > 0;
  return {
    sim: { ...sim, disk, seen, journal: [disk] },
    open: { ...open, outcome, ops: refused && open.ops.includes("drop") ? ["drop"] : open.ops },
  };
}

function readChanges(effect: Effect, { disk }: Sim): Parameters<typeof writeBacklog>[2] {
  if (effect.kind === "change-backlog") return { ...effect, ...given({ inHand: taskToSettle(effect) }) };
  if (effect.kind === "commit") return effect;
  const row = disk.rows.find(({ id }) => id === disk.pending?.commit.task);
  const holds = row === undefined || row.status === "done";
  return { changes: holds ? [] : (disk.pending?.changes ?? []), during: "idle" };
}

/** Adds a version of the disk that is not safe from a power loss yet. */
export function write(sim: Sim, disk: Disk): Sim {
  return { ...sim, disk, journal: [...sim.journal, disk] };
}
