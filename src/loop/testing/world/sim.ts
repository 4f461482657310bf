// Simulates a run with plain values: `step` with a disk, open effects and a clock that does not advance by itself.
// Effects on the disk are single operations, so that a test can stop everything between any two of them.
// operations.ts performs them, answers.ts makes the answers; moves.ts and transcript.ts choose what happens next.
import type { Sealed, StepEvent } from "../../../logging/events/events.js";
import type { Rules } from "../../../logging/rules.js";
import type { TaskId } from "../../../todo/model/task.js";
import type { Effect } from "../../step/effects.js";
import type { ChangeResult } from "../../step/jobs.js";
import type { RunState } from "../../step/state.js";
import { START, step } from "../../step/step.js";
import type { Next } from "../../step/decision.js";
import { computeDigest, type Disk, type SeenRows } from "./disk.js";

/** One operation on the disk. */
export type Op = "apply" | "save" | "shelve" | "checkpoint" | "pending" | "backlog" | "head" | "drop";

/** An effect that has no answer yet. */
export interface OpenEffect {
  effect: Effect;
  /** The operations left before it can succeed. */
  ops: readonly Op[];
  begun: boolean;
  outcome: ChangeResult;
}

export interface Sim {
  state: RunState;
  /** The number of the start; each crash adds one. */
  run: number;
  rules: Rules;
  git: boolean;
  /** The state of the backlog file. */
  file: "ok" | "missing" | "empty" | "broken";
  /** An older version of the backlog that a person may still save. */
  known?: string;
  disk: Disk;
  /**
   * Versions of the disk since the last sync, oldest (safe) first. A power loss leaves one of them: a file system with a journal
   * loses the newest renames, never only an older one.
   */
  journal: readonly Disk[];
  seen: SeenRows;
  open: readonly OpenEffect[];
  /** Tasks whose work is in the tree, neither committed nor reverted. It outlives the run. */
  tree: readonly TaskId[];
  /** Jobs that were told to stop. */
  told: readonly number[];
  /** Epoch ms. */
  now: number;
  timer?: number | undefined;
}

/** One call of `step`. */
export interface Taken {
  event: Sealed<StepEvent>;
  before: RunState;
  next: Next;
}

export interface Fed {
  sim: Sim;
  taken: Taken;
}

/** The default rules of a run: one agent `a`, one worker, a review at the end. */
export const RULES: Rules = {
  max_iterations: 50,
  max_attempts: 2,
  max_reviews: 3,
  delay_ms: 0,
  apply_summary: true,
  review: true,
  completion_marker: true,
  schedule: ["a"],
  roles: {},
  on_limit: "switch",
  budget: {},
  hooks: { pre_iteration: [], post_iteration: [], on_blocked: [], on_run_end: [] },
  commit: "runner",
  on_failure: "restore",
  baseline: false,
  verify_from_agents: false,
  bootstrap: { refused: "nothing to draft it from" },
  workers: 1,
};

/** The state of a run that has read, asked and started nothing. */
const IDLE: Pick<Sim, "seen" | "open" | "told"> = {
  seen: { rows: [], finished: new Set() },
  open: [],
  told: [],
};

/** A world before its first run. */
export function createSim(disk: Disk, rules: Partial<Rules> = {}): Sim {
  const all = { ...RULES, ...rules };
  return {
    state: START,
    run: 0,
    rules: all,
    git: true,
    file: "ok",
    disk,
    journal: [disk],
    ...IDLE,
    tree: [],
    now: 0,
  };
}

/** Starts a run on the disk as it is, without any open effect. */
export function startRun(sim: Sim): { sim: Sim; taken: Taken[] } {
  const { rules, git } = sim;
  const { heard: _heard, ...disk } = sim.disk;
  const fresh: Sim = {
    ...sim,
    disk,
    state: START,
    run: sim.run + 1,
    journal: [disk],
    ...IDLE,
    timer: undefined,
  };
  const started = feed(fresh, {
    type: "run_started",
    run: `run-${fresh.run}`,
    version: "0.0.0",
    project: "/project",
    todo_file: "/project/to-do.json",
    rules,
    // Stages choose among these too, and do not need them.
    agents: rules.workflows === undefined ? rules.schedule.map(asClient) : [],
    git,
    warnings: [],
  });
  const { pending } = disk;
  const found =
    pending === undefined
      ? {}
      : { pending: { task_id: pending.commit.task, commit: pending.commit.made.slice(0, 12) } };
  const recovered = feed(started.sim, {
    type: "recovered",
    ...found,
    killed: 0,
    left: [],
    locks_removed: [],
  });
  return { sim: recovered.sim, taken: [started.taken, recovered.taken] };
}

/** Passes an event to `step` and opens the effects it asks for. */
export function feed(sim: Sim, event: StepEvent): Fed {
  const sealed = { ...event, seq: 1, timestamp: timestampOf(sim.now) };
  const next = step(sim.state, sealed);
  const opened = next.effects.map((effect): OpenEffect => ({
    effect,
    ops: listOps(effect, sim),
    begun: false,
    outcome: makeUnchanged(sim.seen.rows),
  }));
  const begun = next.effects.flatMap((effect) =>
    effect.kind === "run-agent" ? (effect.job.task_id ?? []) : [],
  );
  const stopped = next.effects.flatMap((effect) => (effect.kind === "stop" ? [effect.job.job] : []));
  return {
    sim: {
      ...sim,
      tree: begun.length === 0 ? sim.tree : [...new Set([...sim.tree, ...begun])],
      state: next.state,
      open: [...sim.open, ...opened],
      told: stopped.length === 0 ? sim.told : [...sim.told, ...stopped],
      timer: next.wakeAt ?? sim.timer,
    },
    taken: { event: sealed, before: sim.state, next },
  };
}

const timestamps = new Map<number, string>();

/** The time as a log has it; kept, because few times occur and exploring asks a million times. */
function timestampOf(now: number): string {
  const known = timestamps.get(now) ?? new Date(now).toISOString();
  timestamps.set(now, known);
  return known;
}

/** Fires the timer. */
export function wake(sim: Sim): Fed {
  const now = Math.max(sim.now, sim.timer ?? sim.now);
  return feed({ ...sim, now, timer: undefined }, { type: "woke" });
}

const unchangedOf = new WeakMap<SeenRows["rows"], ChangeResult>();

/** The result of an effect that changes nothing in these rows; cached, because exploring needs it a million times. */
function makeUnchanged(rows: SeenRows["rows"]): ChangeResult {
  const known = unchangedOf.get(rows);
  if (known !== undefined) return known;
  const none = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: computeDigest(rows) };
  unchangedOf.set(rows, none);
  return none;
}

function listOps(effect: Effect, { git, rules }: Sim): readonly Op[] {
  const { kind } = effect;
  if (kind === "checkpoint") return effect.apply_work === true ? ["checkpoint", "apply"] : ["checkpoint"];
  if (kind === "save-work") return effect.shelve ? ["save", "shelve"] : ["save"];
  if (kind === "change-backlog") return ["backlog"];
  if (kind === "finish-pending") return ["backlog", "head", "drop"];
  if (kind !== "commit") return [];
  return git && rules.commit === "runner" ? ["pending", "backlog", "head", "drop"] : ["backlog"];
}

function asClient(name: string): { name: string; kind: string; binary: string; permissions: string } {
  return { name, kind: "claude", binary: `/bin/${name}`, permissions: "workspace" };
}
