// Adopts the backlog of a bootstrap or a repair if it is valid and loses nothing; otherwise the tree is put back, and what the agent
// changed is a rescue. src/todo/store/store.ts writes the backlog and copies the old file.
import type { StepEvent } from "../../logging/events/events.js";
import { checkBacklog } from "../../todo/check/check.js";
import type { NewTask } from "../../todo/model/summary.js";
import { findObjections, withOldProgress } from "../../todo/understand/losses.js";
import type { Backlog, Task } from "../../todo/model/task.js";
import { applyChanges } from "../../todo/change/update.js";
import type { JobFacts, EffectOf } from "../step/effects.js";
import type { World } from "./world.js";
import { performAs } from "./perform-as.js";
import { checkpoint, dropCheckpoint } from "../../git/checkpoint/checkpoint.js";
import { RESCUES, THE_DRAFT } from "../../git/base/names.js";
import { restoreTo } from "../../git/restore/restore.js";
import { listSome } from "../../system/text/cut.js";
import { forget, takeSnapshot } from "./tree/perform-tree.js";

/** Contract §4: validates the file an agent wrote, then adopts it; rejects a repair that loses a task. */
export async function performAdopt(world: World, { job }: EffectOf<"adopt">): Promise<StepEvent> {
  const why = await adopt(world, job, job.phase === "repair");
  await (why === undefined ? dropDraftCheckpoint(world, job) : undoDraft(world, job));
  return { type: "adopted", ...job, adopted: why === undefined, why };
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
  const isKnown = (text: string): boolean => known.includes(JSON.stringify(text));
  // L5: only people choose a task's checks and its agent, and which checks it may change.
  const keep = (texts: string[] | undefined): string[] | undefined => {
    const kept = texts?.filter(isKnown) ?? [];
    return kept.length === 0 && texts?.length !== 0 ? undefined : kept;
  };
  const removals: [string, (backlog: Backlog) => Backlog][] = [
    [
      "`progress` of tasks was dropped: only the runner and people move a task through its workflow",
      (backlog) => withOldProgress(backlog, repairs ? old : undefined),
    ],
    [
      "`changes` of tasks were dropped: only people let a task change its checks",
      (backlog) => changeTasks(backlog, ({ changes }) => ({ changes: keep(changes) })),
    ],
    [
      "`verify` and `agent` of tasks were dropped: an agent may not choose its own checks",
      (backlog) =>
        keeps
          ? backlog
          : changeTasks(backlog, ({ verify, agent }) => ({
              verify: keep(verify),
              agent: agent === undefined ? undefined : keep([agent])?.[0],
            })),
    ],
  ];
  let own = checked.backlog;
  for (const [what, remove] of removals) {
    const left = remove(own);
    if (left !== own) await world.log.tell({ type: "warning", ...job, message: `the agent's own ${what}` });
    own = left;
  }
  const taken = own === checked.backlog ? bytes : Buffer.from(`${JSON.stringify(own, null, 2)}\n`, "utf8");
  const adopted = await store.adopt(taken);
  return adopted.ok ? undefined : "the backlog is not valid";
}

/** The backlog itself, if no task differs. */
function changeTasks(backlog: Backlog, change: (task: Task) => Partial<Task>): Backlog {
  const tasks = backlog.tasks.map((task) => ({ ...task, ...change(task) }));
  return JSON.stringify(tasks) === JSON.stringify(backlog.tasks) ? backlog : { ...backlog, tasks };
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

/** Makes a checkpoint of the tree before the agent starts; does nothing without git. */
export async function checkpointDraft({ repo, log, memory }: World, { job }: JobFacts): Promise<void> {
  if (repo === undefined) return;
  const order = { id: THE_DRAFT, run: log.run, reuse: false };
  memory.of(job).checkpoint = await performAs("checkpoint", () => checkpoint(repo, order));
}

/** Drops the checkpoint of an accepted draft; its agent's other changes stay. */
export async function dropDraftCheckpoint(world: World, job: JobFacts): Promise<void> {
  forget(world, job);
  const { repo } = world;
  if (repo !== undefined) await performAs("checkpoint", () => dropCheckpoint(repo, THE_DRAFT));
}

/** Restores the tree after a rejected draft, and logs the rescue that keeps the agent's changes. */
export async function undoDraft(world: World, job: JobFacts): Promise<void> {
  const { repo, log, memory } = world;
  const before = memory.of(job.job).checkpoint;
  if (repo === undefined || before === undefined) return;
  const kind = job.phase === "repair" ? "repair" : "draft";
  const label = `${kind}-${String(job.attempt)}`;
  const { warnings: seen = [] } = (await takeSnapshot(world, job, label)) ?? {};
  const back = await performAs("restore", () => restoreTo(repo, { checkpoint: before, run: log.run, label }));
  await dropDraftCheckpoint(world, job);
  for (const message of [...seen, ...back.warnings]) await log.tell({ type: "warning", ...job, message });
  if (back.rescue === undefined) return;
  const shown = back.rescue.slice(RESCUES.length + 1);
  const what = back.paths.length === 0 ? "changes" : listSome(back.paths, 3);
  const message = `the failed ${kind} left ${what}: put back, and kept as looper rescue show ${shown}`;
  await log.tell({ type: "warning", ...job, message });
}
