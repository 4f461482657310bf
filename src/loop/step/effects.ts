import type { Budget, Phase } from "../../agents/agent.js";
import type { Ending, ReleaseStep } from "../../logging/events.js";
import type { Change } from "../../todo/model/change.js";
import type { TaskId } from "../../todo/model/task.js";

/** What a job's effects and lines carry. */
export interface JobFacts {
  job: number;
  iteration: number;
  phase: Phase;
  task_id?: TaskId;
  agent: string;
  attempt: number;
}

/** An earlier attempt at the same task, for the next one's prompt. */
export interface Earlier {
  attempt: number;
  agent: string;
  reason: string;
  evidence: string;
}

/** What became of an attempt, as hooks are told. */
export type HookStatus = "doing" | "done" | "blocked" | "skipped" | "failed" | "reviewed";

/** A hook's command: entry `at` of that list in the settings. `command` is for readers, and may be redacted. */
export interface PlannedHook {
  hook: "pre_iteration" | "post_iteration" | "on_blocked" | "on_run_end";
  at: number;
  command: string;
}

/** A release that is made, or is to be. */
export interface PlannedRelease {
  version: string;
  tag: string;
  /** Once it is made. */
  commit?: string;
  /** The changelog's entry. */
  notes: string;
}

/**
 * What `step` wants done, as data. Contract: each ends in exactly one event (`..._finished`, its own kind of answer, or
 * `effect_failed`), and `step` emits the next only when that one has come.
 */
export type Effect =
  | { kind: "read-backlog" }
  | { kind: "ask"; question: string }
  /**
   * `during`: what a save past the store may change meanwhile (contract §4, *Edits during a run*). `request`: the changes are those
   * of the edit that was asked for under this name, all or none.
   */
  | {
      kind: "change-backlog";
      job?: JobFacts;
      changes: readonly Change[];
      during: "agent" | "idle";
      request?: string;
    }
  | { kind: "checkpoint"; job: JobFacts; reuse: boolean }
  /** `reuse`: the task was in hand already, and the tree may hold some of its work. */
  | { kind: "run-baseline"; job: JobFacts; reuse: boolean }
  /** Runs the project's checks before anything else. Contract: no job is under way. */
  | { kind: "preflight"; job: JobFacts }
  | {
      kind: "run-agent";
      job: JobFacts;
      label: string;
      earlier: readonly Earlier[];
      /** Absent: it may use as much as it likes. */
      budgets?: readonly Budget[];
    }
  | { kind: "adopt"; job: JobFacts }
  | { kind: "snapshot"; job: JobFacts }
  | { kind: "run-gate"; job: JobFacts }
  /** Everything as the checkpoint has it; what was there becomes a rescue. */
  | { kind: "restore"; job: JobFacts }
  /** The commit protocol: the changes and the commit that holds them become true together. */
  | { kind: "commit"; job: JobFacts; changes: readonly Change[]; during: "agent" | "idle"; summary: string }
  | { kind: "finish-pending" }
  /** The tracked backlog alone, if it changed since the last commit. */
  | { kind: "commit-backlog"; ending: Ending }
  | ({ kind: "run-hook"; job?: JobFacts; status: HookStatus | Ending; label: string } & PlannedHook)
  /** `version`, `tag`, `notes` from what was judged. */
  | { kind: "release"; job: JobFacts; what: ReleaseStep; release?: PlannedRelease }
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
