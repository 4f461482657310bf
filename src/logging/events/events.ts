// Every event that a run can log, one line each (contract §6). The events are defined below the loop and must not depend
// on its state machine. Keys are spelled as in the file. src/loop/step/step.ts decides what follows from an event.
import { z } from "zod";
import { FAILURE_REASONS } from "../../agents/agent.js";
import { GateReport } from "../../gate/verdict.js";
import { StageReport, Summary } from "../../todo/model/summary.js";
import { PendingCall, StageOutput } from "../../workflow/progress.js";
import { IndexRow, TaskId } from "../../todo/model/task.js";
import {
  agentEnd,
  CheckedCommand,
  EarlierResult,
  event,
  outcome,
  Problem,
  ToldPause,
} from "./event-parts.js";
import { Rules } from "../rules.js";
import { job, ToldEvent } from "./told-events.js";

export const ENDINGS = [
  "complete",
  "blocked",
  "limit",
  "budget",
  "waiting",
  "unusable-backlog",
  "environment",
  "interrupted",
] as const;

/** Why a run ended; `cmd/looper.ts` turns it into an exit code. */
export const Ending = z.enum(ENDINGS);
export type Ending = z.infer<typeof Ending>;

/** An event that `step` takes; a log is replayed by feeding it exactly these. */
export const StepEvent = z.discriminatedUnion("type", [
  event(
    "run_started",
    "The first line of every log: the version, the project, the rules the run decides by, its agents, and where HEAD is.",
    {
      run: z.string(),
      version: z.string(),
      project: z.string(),
      todo_file: z.string(),
      rules: Rules,
      agents: z.array(
        z.object({
          name: z.string(),
          kind: z.string(),
          binary: z.string(),
          permissions: z.string(),
          /** The model that its settings or `--model` name; absent: its CLI chooses. */
          model: z.string().optional(),
          note: z.string().optional(),
        }),
      ),
      git: z.boolean(),
      head: z.string().optional(),
      branch: z.string().optional(),
      warnings: z.array(z.string()),
    },
  ),
  event(
    "recovered",
    "The run has cleaned up after dead runs: the processes it killed, the git locks it removed, an unfinished commit, agents that are still limited, and earlier reports on unfinished tasks.",
    {
      /** A commit that was built but not finished, with the task it belongs to. */
      pending: z.object({ task_id: TaskId.optional(), commit: z.string() }).optional(),
      took_over: z.string().optional(),
      killed: z.int(),
      left: z.array(z.int()),
      locks_removed: z.array(z.string()),
      /** Agents that an earlier run found limited until a time (RFC 3339). */
      pauses: z.array(ToldPause).optional(),
      /** In workflows: the last report on the work of each unfinished task, from earlier runs. */
      results: z.array(EarlierResult).optional(),
    },
  ),
  event(
    "backlog_read",
    "The run has read the backlog; carries a digest of its rows, and the name of the index file that holds them.",
    {
      digest: z.string(),
      tasks: z.int(),
      /** In memory; on disk they are beside the log, in the file that `index` names. */
      rows: z.array(IndexRow).optional(),
      index: z.string().optional(),
      /** A task that is no longer in progress, but whose unfinished work by a dead run is still in the tree. */
      left_behind: z.string().optional(),
    },
  ),
  event("backlog_invalid", "The task file is missing, empty or broken; carries the first 50 problems.", {
    what: z.enum(["missing", "empty", "no-tasks", "broken"]),
    /** The first 50 problems. */
    problems: z.array(Problem),
    count: z.int(),
    /** A version with tasks in git, the log or a saved copy, and how to restore it. */
    known: z.string().optional(),
  }),
  event("answered", "The user answered the question whether an agent may draft a backlog.", {
    yes: z.boolean(),
  }),
  event(
    "adopted",
    "A draft or a repair of the task file was checked; carries whether it replaced the file, and why not.",
    { ...job, adopted: z.boolean(), why: z.string().optional() },
  ),
  event(
    "backlog_changed",
    "The store has applied changes to the task file; carries the rows that differ, what was refused, and edits of others.",
    { ...job, job: z.int().optional(), ...outcome },
  ),
  event(
    "checkpoint",
    "The working tree and the index of a claimed task are saved under a ref; carries the commit, and how many paths were changed before.",
    {
      ...job,
      base: z.string().optional(),
      head: z.string().optional(),
      reused: z.boolean(),
      /** Paths that were changed before the attempt began. */
      dirty: z.int(),
      /** Paths of the task's saved work that no longer fit the branch; then nothing of it was put into the tree. */
      conflicts: z.array(z.string()).optional(),
    },
  ),
  event("baseline_finished", "The checks ran before the agent; carries which of them passed.", {
    ...job,
    /** `unknown`: the tree already has part of the task's work, and no log has the state before it. */
    outcome: z.enum(["measured", "kept", "unknown", "interrupted"]),
    /** The commit of the checkpoint that was measured. */
    base: z.string().optional(),
    /** Absolute path of the baseline, in this run's folder or in that of an earlier run. */
    file: z.string().optional(),
    commands: z.array(CheckedCommand),
    /** Why the clean checkout (cold room) could not be prepared. */
    unprepared: z.string().optional(),
    duration_ms: z.number(),
  }),
  event(
    "preflight_finished",
    "The checks ran once before the first task was claimed; carries which of them cannot run or fail.",
    {
      outcome: z.enum(["measured", "unknown", "interrupted"]),
      commands: z.array(CheckedCommand),
      unprepared: z.string().optional(),
      duration_ms: z.number(),
    },
  ),
  event(
    "agent_finished",
    "An agent's process has ended; carries its report, or the reason of its failure, with exit code and usage.",
    {
      ...job,
      outcome: z.enum(["ok", "failed"]),
      reason: z.enum(FAILURE_REASONS).optional(),
      evidence: z.string().optional(),
      /** When the agent can be asked again (RFC 3339), if its client reported it. */
      retry_at: z.string().optional(),
      report: z
        .union([
          z.object({ found: Summary.extend(StageReport.shape) }),
          z.object({ invalid: z.string() }),
          z.object({ missing: z.string() }),
        ])
        .optional(),
      /** The agent's reason to change tests or configuration, at most 300 characters; only if it gave one. */
      changes_checks: z.string().optional(),
      /** Tokens and dollars of the attempt; without `cost_usd` its cost is unknown. */
      usage: z
        .object({
          input_tokens: z.int(),
          output_tokens: z.int(),
          cached_input_tokens: z.int().optional(),
          cost_usd: z.number().optional(),
        })
        .optional(),
      /** The budget that the attempt exceeded, if it was stopped for one. */
      stopped_for: z.enum(["run", "task"]).optional(),
      /** In a workflow: the agent's session, which a later stage may resume. */
      session: z.string().optional(),
      /** A call of a tool that waits for a person's permission: the agent ended its turn for it. */
      pending_call: PendingCall.optional(),
      ...agentEnd,
    },
  ),
  event(
    "snapshot",
    "The working tree after an attempt is saved; carries the number of changed paths, and whether HEAD had moved.",
    {
      ...job,
      changed: z.int(),
      /** `put-back`: the agent moved HEAD, and it was reset. `moved`: HEAD moved in a way that fails the attempt. */
      head: z.enum(["same", "put-back", "moved"]),
      why: z.string().optional(),
      /** The commit at HEAD, if others committed to the branch during the attempt; their commits stay. */
      head_commit: z.string().optional(),
      warnings: z.array(z.string()),
    },
  ),
  event(
    "gate_finished",
    "The checks ran on an attempt; carries the verdict, with the result of every command.",
    {
      ...job,
      ...GateReport.shape,
      /** Checks that were not run, and files that the commands changed and the gate reverted. */
      warnings: z.array(z.string()),
      duration_ms: z.number(),
    },
  ),
  event(
    "restored",
    "The working tree is back at the checkpoint; carries the changed paths, and the rescue that has the work.",
    { ...job, paths: z.array(z.string()), rescue: z.string().optional(), head_commit: z.string().optional() },
  ),
  event(
    "work_saved",
    "A visit of a stage has ended: its output is written, and the task's work is saved under a ref of its own.",
    {
      ...job,
      output: StageOutput.optional(),
      /** Absent without saved work. */
      work: z.object({ commit: z.string(), base: z.string() }).optional(),
      shelved: z.boolean(),
      /** Paths that the saved work changes. */
      paths: z.int(),
      warnings: z.array(z.string()),
    },
  ),
  event("person_asked", "The person at the terminal has answered an open question, or left it open.", {
    task_id: TaskId,
    /** `left`: no answer came; the question stays open and is not asked again in this run. */
    outcome: z.enum(["answered", "left"]),
  }),
  event(
    "agent_picked",
    "The user's module has named the agent of the next iteration (`schedule.strategy`).",
    { task_id: TaskId, iteration: z.int(), agent: z.string() },
  ),
  event("committed", "A task's commit is in HEAD and the task file says done; carries the commit.", {
    ...job,
    job: z.int().optional(),
    /** Absent without changes to commit, and without git. */
    commit: z.string().optional(),
    ...outcome,
  }),
  event("hook_finished", "A hook has ended; carries its command, its exit code and its output.", {
    ...job,
    job: z.int().optional(),
    hook: z.string(),
    command: z.string(),
    outcome: z.enum(["ok", "failed", "timed-out"]),
    exit_code: z.int().optional(),
    output: z.string(),
    duration_ms: z.number(),
  }),
  event(
    "effect_failed",
    "An effect could not be performed, for instance because the disk is full; carries the error.",
    { ...job, job: z.int().optional(), effect: z.string(), error: z.string(), hint: z.string().optional() },
  ),
  event("run_interrupted", "A signal, or `looper stop`, asked the run to end.", {
    signal: z.enum(["SIGINT", "SIGTERM", "SIGHUP"]),
    /** SIGHUP counts only if stdout was a terminal at the start, so that `nohup` works. */
    terminal: z.boolean(),
    /** `looper stop` asked for it, without a signal; SIGTERM then means `--now`. Repeated requests count once. */
    by: z.literal("stop").optional(),
  }),
  event("edited", "A command has edited the task file, so the run reads it again.", {}),
  event("stop_sent", "The run has told an agent to end.", { ...job, how: z.enum(["now", "kill"]) }),
  event("woke", "The timer that `step` asked for has fired.", {}),
  event(
    "run_ended",
    "The last line of a log: the ending, the totals of the run, and in `rejected` the tasks that a person rejected, if any.",
    {
      ending: Ending,
      signal: z.string().optional(),
      message: z.string().optional(),
      /** The tasks that a person rejected and that are still paused; absent: none. */
      rejected: z.array(z.string()).optional(),
      totals: z.object({
        done: z.int(),
        tasks: z.int(),
        iterations: z.int(),
        duration_ms: z.number(),
        /** Counted as in `usage`; in logs without `cached_input_tokens` they include tokens from the cache. */
        input_tokens: z.int(),
        cached_input_tokens: z.int().optional(),
        output_tokens: z.int(),
        cost_usd: z.number().optional(),
        /** The cost of a part is unknown; the total is at least `cost_usd`. Absent in older logs. */
        cost_partly: z.boolean().optional(),
      }),
    },
  ),
]);
export type StepEvent = z.infer<typeof StepEvent>;

const stamp = { seq: z.int().min(1), timestamp: z.iso.datetime() };

export type RunEvent = StepEvent | ToldEvent;

/** The event of a type. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** The fields that every line of a log has beside its event. */
export interface Stamp {
  seq: number;
  /** RFC 3339, UTC, milliseconds. */
  timestamp: string;
}

/** A line of a log: an event with its number and timestamp. */
export type Sealed<T extends RunEvent = RunEvent> = T & Stamp;

const stepTypes: ReadonlySet<string> = new Set(StepEvent.options.map(({ shape }) => shape.type.value));

/** Whether `step` takes events of this type. */
export function isStepType(type: string): boolean {
  return stepTypes.has(type);
}

/** Every type of event a log can hold. */
export const EVENT_TYPES: readonly string[] = [
  ...stepTypes,
  ...ToldEvent.options.map(({ shape }) => shape.type.value),
];

/** One line of `events.jsonl`, for readers and for schemas/event.schema.json. */
export const EventLine = z.intersection(z.union([StepEvent, ToldEvent]), z.object(stamp));

/** The published schema of one line of the log. */
export function eventJsonSchema(): unknown {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A line of Looper's event log",
    ...z.toJSONSchema(EventLine, { io: "input" }),
  };
}
