import { z } from "zod";
import { TaskId } from "../todo/model/task.js";

const hookLists = z.object({
  pre_iteration: z.array(z.string()),
  post_iteration: z.array(z.string()),
  on_blocked: z.array(z.string()),
  on_run_end: z.array(z.string()),
});

/** What a release is to come to, and what must be asked for. */
const ReleaseRules = z.object({
  /** The version there is; absent: nothing says one. */
  from: z.string().optional(),
  /** What was asked for: patch, minor, major or a version; absent: the agent chooses. */
  wanted: z.string().optional(),
  /** Whether there are commands that prove it. */
  checks: z.boolean(),
  /** Who answers questions: a person, `-y`, or nobody. */
  answers: z.enum(["person", "yes", "nobody"]),
  branch: z.string(),
  remote: z.object({ name: z.string(), url: z.string(), branch: z.string() }).optional(),
  /** A release can be published there besides. */
  github: z.string().optional(),
  /** One that was made before, and is yet to be pushed (or only published). */
  made: z
    .object({
      version: z.string(),
      tag: z.string(),
      commit: z.string(),
      tagged: z.boolean(),
      pushed: z.boolean(),
    })
    .optional(),
});
export type ReleaseRules = z.infer<typeof ReleaseRules>;

/** What a run was told to do, resolved: all that `step` may know of settings and flags. */
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
  roles: z.object({
    iteration: z.string().optional(),
    review: z.string().optional(),
    repair: z.string().optional(),
    bootstrap: z.string().optional(),
  }),
  /** What is done while an agent is kept from working by a limit: another one scheduled takes over, or it is waited for. */
  on_limit: z.enum(["wait", "switch"]).default("switch"),
  /** The longest single wait for an agent; absent: none. */
  max_wait_ms: z.number().optional(),
  /** What the run and a task of it may use; absent: as much as they like. */
  budget: z
    .object({
      max_duration_ms: z.number().optional(),
      max_cost_usd: z.number().optional(),
      max_tokens: z.int().optional(),
      task_cost_usd: z.number().optional(),
      task_tokens: z.int().optional(),
      /** Costs nobody knows count as none. */
      unknown_cost: z.literal("allow").optional(),
    })
    .default({}),
  /** `--agent`: for every phase, before everything else. */
  agent: z.string().optional(),
  /** `--task`: this one and what it depends on. */
  only: TaskId.optional(),
  hooks: hookLists,
  commit: z.enum(["runner", "agent", "none"]),
  /** What becomes of the work of a task that is given up. */
  on_failure: z.enum(["restore", "keep"]).default("keep"),
  /** Whether there are commands whose state before a task is to be known. */
  baseline: z.boolean().default(false),
  /**
   * Whether the checks run before the first claim or draft. `refuse`: one that cannot run ends the run; `warn`: before a draft
   * or repair only, and it is named. Absent: never.
   */
  preflight: z.enum(["refuse", "warn"]).optional(),
  verify_from_agents: z.boolean(),
  /** Whether an empty backlog may be drafted by an agent; `refused` says why. */
  bootstrap: z.union([z.literal("allowed"), z.literal("ask"), z.object({ refused: z.string() })]),
  workers: z.int().min(1),
  /** It is no run over the backlog: an agent prepares a release, which is then made and pushed. */
  release: ReleaseRules.optional(),
});
export type Rules = z.infer<typeof Rules>;
