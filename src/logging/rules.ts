// The rules of a run: the settings and flags that `step` decides by. They are in the first line of its log.
import { z } from "zod";
import { TaskId } from "../todo/model/task.js";
import { Name, Workflow } from "../workflow/workflow.js";

const hookLists = z.object({
  pre_iteration: z.array(z.string()),
  post_iteration: z.array(z.string()),
  on_blocked: z.array(z.string()),
  on_run_end: z.array(z.string()),
  /** The receivers of notifications; absent: there are none. */
  notification: z.array(z.string()).optional(),
});

/** The resolved rules of a run: all that `step` may know of settings and flags. */
export const Rules = z.object({
  max_iterations: z.int(),
  max_attempts: z.int(),
  max_reviews: z.int(),
  delay_ms: z.number(),
  apply_summary: z.boolean(),
  review: z.boolean(),
  completion_marker: z.boolean(),
  /** The agents in the order of the schedule: iteration n takes entry (n - 1) mod length. */
  schedule: z.array(z.string()).min(1),
  /** `schedule.strategy` is a module: it chooses among the agents of the schedule. */
  picks: z.literal(true).optional(),
  /** The agent of each role; a stage can name any. */
  roles: z
    .object({
      iteration: z.string().optional(),
      review: z.string().optional(),
      repair: z.string().optional(),
      bootstrap: z.string().optional(),
    })
    .catchall(z.string()),
  /** While an agent is limited: switch to another scheduled agent, or wait for it. */
  on_limit: z.enum(["wait", "switch"]).default("switch"),
  /** The longest single wait for an agent; absent: unlimited. */
  max_wait_ms: z.number().optional(),
  /** The most that the run, and each task of it, may use; absent: unlimited. */
  budget: z
    .object({
      max_duration_ms: z.number().optional(),
      max_cost_usd: z.number().optional(),
      max_tokens: z.int().optional(),
      task_cost_usd: z.number().optional(),
      task_tokens: z.int().optional(),
      /** Unknown costs count as zero. */
      unknown_cost: z.literal("allow").optional(),
    })
    .default({}),
  /** `--agent`: for every phase; it overrides everything else. */
  agent: z.string().optional(),
  /** `--task`: only this task and its dependencies. */
  only: TaskId.optional(),
  hooks: hookLists,
  commit: z.enum(["runner", "agent", "none"]),
  /** Whether the work of a blocked task is removed from the tree or kept. */
  on_failure: z.enum(["restore", "keep"]).default("keep"),
  /** Whether checks run before each task, to know which fail already. */
  baseline: z.boolean().default(false),
  /**
   * Whether the checks run before the first claim or draft. `refuse`: a check that cannot run ends the run. `warn`: only
   * before a draft or repair, with a warning. Absent: never.
   */
  preflight: z.enum(["refuse", "warn"]).optional(),
  /** Set if the run refuses to start where the checks do not run in a cold room. */
  rooms: z.literal("required").optional(),
  /** The least verdict that counts as done: a task that falls short is blocked; absent: `unverified`. */
  accept: z.enum(["unbroken", "verified"]).optional(),
  /** The workflow of tasks that name none; absent: `default`. */
  workflow: Name.optional(),
  /** The workflows that tasks of this run can go through, with the SHA-256 of each; absent: only `default`. */
  workflows: z.record(Name, z.object({ digest: z.string(), workflow: Workflow })).optional(),
  /**
   * The agents that stages of these workflows name: of a role its agent, else the agent of that name. A name that is not here
   * leaves the choice to the task's agent, then to the schedule.
   */
  stage_agents: z.record(Name, z.string()).optional(),
  /** `--skip`: analyze stages that are passed with their first outcome. */
  skip: z.array(Name).optional(),
  /** `--auto-approve`, `ask.auto_approve`: ask stages that are answered with their first outcome. */
  auto_approve: z.array(Name).optional(),
  /** A person at the terminal is asked open questions once nothing else can be done. */
  asks_person: z.literal(true).optional(),
  /** `--wait`: the run does not end while it waits for answers. */
  waits: z.literal(true).optional(),
  verify_from_agents: z.boolean(),
  /** Whether an agent may draft an empty backlog; `refused` has the reason. */
  bootstrap: z.union([z.literal("allowed"), z.literal("ask"), z.object({ refused: z.string() })]),
  workers: z.int().min(1),
  /** Set for `looper push`: an agent prepares a release, which is then made and pushed. Its log has no decisions. */
  release: z.object({}).optional(),
});
export type Rules = z.infer<typeof Rules>;
