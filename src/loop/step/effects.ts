import type { Budget } from "../../agents/agent.js";
import type { Ending, EventOf } from "../../logging/events/events.js";
import type { Change } from "../../todo/model/changes/change.js";
import type { TaskId } from "../../todo/model/task.js";

type JobLine = EventOf<"snapshot">;
/** Identifies a job in its effects and log lines. `stage` and `visit`: in a workflow; a stage, finish or block. */
export type JobFacts = Required<Pick<JobLine, "job" | "iteration" | "phase" | "agent" | "attempt">> &
  Pick<JobLine, "task_id" | "stage" | "visit">;

/** An earlier attempt at the same task, for the next one's prompt. */
export interface Earlier {
  attempt: number;
  agent: string;
  reason: string;
  evidence: string;
}

/** The status of an attempt as hooks receive it. */
export type HookStatus = "doing" | "done" | "blocked" | "skipped" | "failed" | "reviewed";

/** A hook to run: entry `at` of that list in the settings. `command` is for display only; it may be redacted. */
export interface PlannedHook {
  hook: "pre_iteration" | "post_iteration" | "on_blocked" | "on_run_end";
  at: number;
  command: string;
}

/** The effect of a kind. */
export type EffectOf<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/**
 * The actions that `step` asks for, as data. Contract: each effect ends in exactly one event (`..._finished`, its own kind of answer, or
 * `effect_failed`), and `step` emits a job's next effect only after that event.
 */
export type Effect =
  | { kind: "read-backlog" }
  | { kind: "ask"; question: string }
  /** `during`: which edits made outside the store are accepted (contract §4, *Edits during a run*). */
  | {
      kind: "change-backlog";
      job?: JobFacts;
      changes: readonly Change[];
      during: "agent" | "idle";
    }
  /** `aside`: beside the task's own checkpoint, to undo what an analyze stage changes. `apply_work`: the saved work is put into the tree first. */
  | { kind: "checkpoint"; job: JobFacts; reuse: boolean; aside?: true; apply_work?: true }
  /**
   * Ends a visit: writes the stage's output, then saves the work under `refs/looper/work/<task>`, unless the stage changes
   * nothing. `shelve`: the tree goes back to the checkpoint. `discard`: the work of `stage` (else of this one) is dropped from it.
   */
  | {
      kind: "save-work";
      job: JobFacts;
      outcome: string;
      shelve: boolean;
      work: boolean;
      discard?: { stage?: string };
      /** The stage's own text where no agent reported one: the evidence of a check. */
      text?: string;
    }
  /** Asks the person at the terminal the open question of a task; their answer is an edit like any other. */
  | { kind: "ask-person"; task_id: TaskId }
  /** Asks the user's module which of these agents does the task next. `failed`: the earlier attempts at it in this run. */
  | {
      kind: "pick-agent";
      task_id: TaskId;
      iteration: number;
      attempt: number;
      agents: readonly string[];
      failed: readonly Earlier[];
    }
  /** `reuse`: the task was in progress already, so the tree may hold some of its work. */
  | { kind: "run-baseline"; job: JobFacts; reuse: boolean }
  /** Runs the project's checks before anything else. Contract: no job is running. */
  | { kind: "preflight"; job: JobFacts }
  | {
      kind: "run-agent";
      job: JobFacts;
      label: string;
      earlier: readonly Earlier[];
      /** Absent: no budget applies. */
      budgets?: readonly Budget[];
    }
  | { kind: "adopt"; job: JobFacts }
  | { kind: "snapshot"; job: JobFacts }
  | { kind: "run-gate"; job: JobFacts }
  /** Restores the checkpoint; the work in the tree becomes a rescue. */
  | { kind: "restore"; job: JobFacts }
  /** The commit protocol: the changes and their commit take effect together. */
  | { kind: "commit"; job: JobFacts; changes: readonly Change[]; during: "agent" | "idle"; summary: string }
  | { kind: "finish-pending" }
  /** Commits only the tracked backlog, if it changed since the last commit. */
  | { kind: "commit-backlog"; ending: Ending }
  | ({ kind: "run-hook"; job?: JobFacts; status: HookStatus | Ending; label: string } & PlannedHook)
  | { kind: "stop"; job: JobFacts; how: "now" | "kill" }
  | {
      kind: "finish";
      ending: Ending;
      signal?: string;
      message?: string;
      done: number;
      tasks: number;
      iterations: number;
    };
