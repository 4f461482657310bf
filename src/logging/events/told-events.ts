// Events that only readers of a log need: no decision depends on them. Also the fields that all lines of a job share.
// The events that `step` takes are in events.ts.
import { z } from "zod";
import { Status, TaskId } from "../../todo/model/task.js";
import { Question, Way } from "../../workflow/progress.js";
import { event } from "./event-parts.js";

const Phase = z.enum(["bootstrap", "repair", "iteration", "review", "push"]).meta({ id: "Phase" });
/** The fields that every line of a job has beside its own. */
export const job = {
  job: z.int(),
  iteration: z.int().optional(),
  phase: Phase.optional(),
  task_id: TaskId.optional(),
  agent: z.string().optional(),
  attempt: z.int().optional(),
  /** In a workflow: the stage, and the number of stages the task entered. */
  stage: z.string().optional(),
  visit: z.int().optional(),
};

/** The reason of a `waiting` line while only people can move the work on. */
export const AN_ANSWER = "an answer";

const told = { ...job, job: z.int().optional(), parent: z.string().optional() };

/** Where the work of a stopped attempt is: under the ref `rescue`, still in the tree, or there was none. */
const keptWork = {
  kept: z.enum(["rescue", "tree", "nothing"]),
  rescue: z.string().optional(),
};

/** An event that only readers need. */
export const ToldEvent = z.discriminatedUnion("type", [
  event(
    "task_selected",
    "A task was selected; carries the rule that selected it, and which task comes after it.",
    { ...job, reason: z.string(), candidates: z.int(), next: TaskId.optional() },
  ),
  event("task_updated", "A task has another status than before.", {
    ...told,
    from: Status.optional(),
    to: Status.optional(),
  }),
  event(
    "backlog_edited",
    "A person or an agent saved the task file during the run; carries the tasks that were added and changed, and what was reverted.",
    {
      added: z.array(TaskId),
      changed: z.array(TaskId),
      /** Absent in older logs. */
      removed: z.array(TaskId).optional(),
      put_back: z.array(z.string()),
      copy: z.string().optional(),
    },
  ),
  event(
    "attempt_stopped",
    "A person edited the task in hand, so its attempt has ended and does not count; carries where its work is.",
    { ...job, ...keptWork },
  ),
  event(
    "release_step",
    "A step of `looper push` has ended: a check, the judgement, the commit or the push.",
    { text: z.string().optional() },
  ),
  event(
    "attempt_failed",
    "An attempt does not finish its task; carries the reason, the evidence, and what happens next.",
    {
      ...job,
      reason: z.string(),
      evidence: z.string(),
      /** The next move of the run, for instance another attempt. `advance`: the outcome leads to another stage. */
      next: z.enum(["retry", "blocked", "advance", "drop-agent", "wait", "later", "end"]),
      /** With `wait`, RFC 3339: the attempt does not count, and the agent is paused until then. */
      until: z.string().optional(),
      /** With `until`: why that is later than the time the agent reported. */
      until_why: z.string().optional(),
    },
  ),
  event("warning", "A warning for the user that changes no decision.", { ...told, message: z.string() }),
  event("waiting", "The run waits; carries the reason, and until when, unless only an answer ends it.", {
    reason: z.string(),
    /** Absent: until there is an answer. */
    until: z.string().optional(),
    /** The agent that the run waits for, if any. */
    agent: z.string().optional(),
    /** Why `until` is later than the time the agent reported. */
    until_why: z.string().optional(),
    /** The limit is known from an earlier run. */
    remembered: z.literal(true).optional(),
  }),
  event("over_budget", "An attempt used more than a budget allows; carries the budget and what was used.", {
    ...told,
    of: z.enum(["run", "task"]),
    /** The setting with the budget. */
    key: z.string(),
    unit: z.enum(["tokens", "usd"]),
    most: z.number(),
    spent: z.number(),
  }),
  event(
    "room_prepared",
    "`verify.setup` has prepared a cold room: by its commands, or as a copy of what they made; carries how long it took.",
    { how: z.enum(["made", "copied"]), duration_ms: z.number() },
  ),
  event("logs_cleaned", "Logs of old runs were removed, as `log.keep` and `log.max_bytes` ask.", {
    /** Old runs that the settings `log.*` removed, the oldest first. */
    runs: z.array(z.string()),
    bytes: z.int(),
    /** How many refs of their attempts were removed with them. */
    refs: z.int(),
  }),
  event(
    "stage_entered",
    "A task has entered a stage of its workflow; carries the stage before and its outcome.",
    {
      ...told,
      /** The stage before, and its outcome; absent at the first stage. */
      from: z.string().optional(),
      outcome: z.string().optional(),
      to: z.string(),
      visit: z.int(),
      /** Why the stage before was passed without a job: its `when` did not hold, or --skip. */
      skipped: z.enum(["when", "skip"]).optional(),
    },
  ),
  event("asked", "A task waits for a person; carries the question as its row has it.", {
    ...told,
    question: Question,
  }),
  event("question_answered", "The answer to a question was taken; carries who gave it, and by which way.", {
    ...told,
    question: z.string(),
    outcome: z.string().optional(),
    by: z.string(),
    via: Way,
    comment: z.string().optional(),
  }),
  event("output_written", "A stage's output is in a file below `tasks_dir`.", {
    ...told,
    file: z.string(),
    sha256: z.string(),
  }),
  event("session", "The agent has reported the session it works in, which a later stage can resume.", {
    ...told,
    id: z.string(),
  }),
  event("notified", "A command or an address of `hooks.notification` was told of an event.", {
    ...told,
    /** The event: asked, blocked, committed, run_ended. */
    of: z.string(),
    /** The command or the URL, redacted. */
    to: z.string(),
    outcome: z.enum(["ok", "failed", "timed-out"]),
    error: z.string().optional(),
    /** The `seq` of the line it is about; absent for the end of the run. */
    event: z.int().optional(),
    duration_ms: z.number().optional(),
  }),
  event("agent_started", "An agent's process has started; carries its PID and its command line.", {
    ...job,
    label: z.string(),
    pid: z.int(),
    command: z.string(),
  }),
  event("message", "The agent wrote a text.", { ...told, role: z.string(), content: z.string() }),
  event("tool_use", "The agent calls a tool; carries its name and its arguments.", {
    ...told,
    name: z.string(),
    input: z.unknown(),
    id: z.string().optional(),
  }),
  event("tool_result", "A tool has returned; carries its output.", {
    ...told,
    id: z.string().optional(),
    output: z.string(),
    is_error: z.boolean(),
  }),
  event("command", "The agent runs a shell command; once it has ended, the line carries its exit code.", {
    ...told,
    command: z.string(),
    exit_code: z.int().optional(),
    duration_ms: z.number().optional(),
  }),
  event("error", "The agent's client reported an error.", {
    ...told,
    error: z.string(),
    reason: z.string().optional(),
  }),
  event("usage", "The agent's client reported tokens and dollars.", {
    ...told,
    input_tokens: z.int(),
    output_tokens: z.int(),
    cached_input_tokens: z.int().optional(),
    cost_usd: z.number().optional(),
  }),
  event("summary", "The report that the agent's final message holds.", {
    ...told,
    task_id: z.string().nullable(),
    status: z.string(),
    summary: z.string(),
    files: z.array(z.string()),
    blockers: z.array(z.string()),
    new_tasks: z.array(z.unknown()),
  }),
  event(
    "decided",
    "`step` has decided on the event `of`; carries the effects, and the rule that led to them.",
    {
      /** The `seq` of the event this was decided on. */
      of: z.int(),
      effects: z.array(z.looseObject({ kind: z.string() })),
      because: z.looseObject({ rule: z.string() }),
    },
  ),
]);
export type ToldEvent = z.infer<typeof ToldEvent>;
