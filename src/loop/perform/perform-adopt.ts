// Adopts the backlog of a bootstrap or a repair if it is valid and loses nothing.
// src/todo/store/store.ts writes it and copies the old file.
import type { StepEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";
import { checkBacklog } from "../../todo/check/check.js";
import type { NewTask } from "../../todo/model/summary.js";
import { findObjections, withOldProgress } from "../../todo/understand/losses.js";
import type { Backlog } from "../../todo/model/task.js";
import { applyChanges } from "../../todo/change/update.js";
import { dropDraftCheckpoint, undoDraft } from "./tree/draft-tree.js";
import type { Effect, JobFacts } from "../step/effects.js";
import type { World } from "./world.js";

type Adopt = Extract<Effect, { kind: "adopt" }>;

/** Contract §4: validates the file an agent wrote, then adopts it; rejects a repair that loses a task. */
export async function performAdopt(world: World, { job }: Adopt): Promise<StepEvent> {
  const why = await adopt(world, job, job.phase === "repair");
  await (why === undefined ? dropDraftCheckpoint(world, job) : undoDraft(world, job));
  return { type: "adopted", ...job, adopted: why === undefined, ...given({ why }) };
}

/** Adopts the file; returns why it was rejected, or `undefined`. */
async function adopt(world: World, job: JobFacts, repairs: boolean): Promise<string | undefined> {
  const { ports, memory, project, store } = world;
  const draft = memory.of(job.job).draft;
  const written = draft === undefined ? undefined : await ports.files.read(draft);
  const bytes =
    written ?? (repairs ? undefined : makeBacklogOf(world, memory.of(job.job).summary?.new_tasks ?? []));
  if (bytes === undefined) return "the agent wrote no backlog";
  const checked = checkBacklog(bytes, world.check);
  if (checked.kind === "empty") return "the backlog the agent wrote has no tasks";
  if (checked.kind === "invalid") {
    const [first] = checked.problems;
    return `the backlog the agent wrote is not valid: line ${String(first?.line ?? 1)}: ${first?.message ?? ""}`;
  }
  const old = await ports.files.read(project.todoFile);
  const objections = repairs && old !== undefined ? findObjections(old, checked.backlog) : [];
  if (objections.length > 0) return `the repair would ${objections.join(", and ")}`;
  const keeps = project.resolved.settings.verify.from_agents;
  const known = repairs && old !== undefined ? Buffer.from(old).toString("utf8") : "";
  const unmoved = withOldProgress(checked.backlog, repairs ? old : undefined);
  if (unmoved !== checked.backlog) {
    const message =
      "the agent's own `progress` of tasks was dropped: only the runner and people move a task through its workflow";
    await world.log.tell({ type: "warning", ...job, message });
  }
  const unpermitted = removeOwnPermits(unmoved, known);
  if (unpermitted !== unmoved) {
    const message =
      "the agent's own `changes` of tasks were dropped: only people let a task change its checks";
    await world.log.tell({ type: "warning", ...job, message });
  }
  const own = keeps ? unpermitted : removeOwnChecks(unpermitted, known);
  if (own !== unpermitted) {
    const message =
      "the agent's own `verify` and `agent` of tasks were dropped: an agent may not choose its own checks";
    await world.log.tell({ type: "warning", ...job, message });
  }
  const taken = own === checked.backlog ? bytes : Buffer.from(`${JSON.stringify(own, null, 2)}\n`, "utf8");
  const adopted = await store.adopt(taken, { copyAside: true });
  return adopted.ok ? undefined : "the backlog is not valid";
}

/** L5: only people choose which checks a task may change, so only patterns in the old text are kept. */
function removeOwnPermits(backlog: Backlog, known: string): Backlog {
  const tasks = backlog.tasks.map((task) => {
    const { changes = [], ...rest } = task;
    const kept = changes.filter((pattern) => known.includes(JSON.stringify(pattern)));
    if (kept.length === changes.length) return task;
    return { ...rest, ...(kept.length === 0 ? {} : { changes: kept }) };
  });
  return tasks.some((task, at) => task !== backlog.tasks[at]) ? { ...backlog, tasks } : backlog;
}

/** L5: only people choose a task's checks and its agent, so only those in the old text are kept. */
function removeOwnChecks(backlog: Backlog, known: string): Backlog {
  const isKnown = (text: string): boolean => known.includes(JSON.stringify(text));
  const tasks = backlog.tasks.map((task) => {
    const { verify = [], agent, ...rest } = task;
    const kept = verify.filter(isKnown);
    const mayStay = agent === undefined || isKnown(agent);
    if (kept.length === verify.length && mayStay) return task;
    return {
      ...rest,
      ...(kept.length === 0 ? {} : { verify: kept }),
      ...(agent !== undefined && mayStay ? { agent } : {}),
    };
  });
  return tasks.some((task, at) => task !== backlog.tasks[at]) ? { ...backlog, tasks } : backlog;
}

/** Makes a backlog of the summary's new tasks if a bootstrap left no file (contract §4). */
function makeBacklogOf(world: World, tasks: readonly NewTask[]): Uint8Array | undefined {
  if (tasks.length === 0) return undefined;
  const empty: Backlog = { schema_version: 1, source_files: [], tasks: [] };
  const now = new Date(world.ports.clock.now()).toISOString();
  const keepVerify = world.project.resolved.settings.verify.from_agents;
  const { backlog } = applyChanges(empty, [{ op: "add", tasks, keepVerify }], now);
  return Buffer.from(JSON.stringify(backlog, null, 2) + "\n", "utf8");
}
