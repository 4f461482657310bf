// Ends a run: stops every process it started, removes logs beyond the settings' limits, and syncs its own log.
// clean-logs.ts decides which logs are removed.
import { removeSetupCache } from "../../gate/rooms/setup/setup.js";
import type { StepEvent } from "../../logging/events/events.js";
import { markOf } from "../../system/processes/mark.js";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { isRejected } from "../../workflow/question.js";
import { applyLimits, mayHaveRepository } from "../runs/clean-logs.js";
import type { EffectOf } from "../step/effects.js";
import { shareAndTell } from "./outputs/share-questions.js";
import type { RunEnding, World } from "./world.js";

/** Ends the run. */
export async function performEndRun(world: World, effect: EffectOf<"finish">): Promise<StepEvent> {
  const { ports, log, memory, began } = world;
  const { kind: _kind, done, tasks, iterations, ...end } = effect;
  const rejected = (memory.backlog?.tasks ?? []).filter(({ progress }) => isRejected(progress));
  const ended: RunEnding = {
    ...end,
    rejected: rejected.length === 0 ? undefined : rejected.map(({ id }) => id),
    totals: {
      done,
      tasks,
      iterations,
      duration_ms: Math.round(ports.clock.monotonic() - began.monotonic),
      ...memory.used,
      ...(memory.unpriced && memory.used.cost_usd !== undefined ? { cost_partly: true } : {}),
    },
  };
  await shareAndTell(world, effect.ending === "interrupted" ? "now" : "with-this");
  // Before the sweep, which ends the commands that are told.
  await world.notifier?.end(ended);
  const swept = await ports.processes.sweep(markOf(log.folder));
  if (swept.left.length > 0) {
    const message = `processes of this run could not be ended: ${swept.left.join(", ")}`;
    await log.tell({ type: "warning", message });
  }
  if (memory.places !== undefined) await removeSetupCache(ports, memory.places);
  // An interrupted run must end at once; the next run cleans the logs.
  if (effect.ending !== "interrupted") await cleanLogs(world);
  await log.sync();
  const duration_ms = Math.round(ports.clock.monotonic() - began.monotonic);
  return { type: "run_ended", ...ended, totals: { ...ended.totals, duration_ms } };
}

/** Removes old logs; a failure is only a warning. */
async function cleanLogs(world: World): Promise<void> {
  const { ports, project, repo, log } = world;
  const { keep, max_bytes: most } = project.resolved.settings.log;
  if (keep === undefined && most === 0) return;
  try {
    if (repo === undefined && (await mayHaveRepository(ports.files, project.folder))) return;
    const limits = { keep, maxBytes: most === 0 ? undefined : most };
    const { removed, refs } = await applyLimits({ ports, project, repo }, limits);
    if (removed.length === 0) return;
    const bytes = removed.reduce((sum, one) => sum + one.bytes, 0);
    await log.tell({ type: "logs_cleaned", runs: removed.map(({ run }) => run), bytes, refs });
  } catch (error) {
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
    await log.tell({ type: "warning", message: `old logs: ${errorMessage(error)}` });
  }
}
