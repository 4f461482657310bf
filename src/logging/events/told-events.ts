// Events that only readers of a log need: no decision depends on them. Also the fields that all lines of a job share.
// The events that `step` takes are in events.ts.
import { z } from "zod";
import { Status, TaskId } from "../../todo/model/task.js";
import { Question, Way } from "../../workflow/progress.js";

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

const told = { ...job, job: z.int().optional(), parent: z.string().optional() };

/** Where the work of a stopped attempt is: under the ref `rescue`, still in the tree, or there was none. */
const keptWork = {
  kept: z.enum(["rescue", "tree", "nothing"]),
  rescue: z.string().optional(),
};

const ToldEvents = {
  task_selected: z
    .object({
      type: z.literal("task_selected"),
      ...job,
      reason: z.string(),
      candidates: z.int(),
      next: TaskId.optional(),
    })
    .describe("A task was selected; carries the rule that selected it, and which task comes after it."),
  task_updated: z
    .object({
      type: z.literal("task_updated"),
      ...told,
      from: Status.optional(),
      to: Status.optional(),
    })
    .describe("A task has another status than before."),
  backlog_edited: z
    .object({
      type: z.literal("backlog_edited"),
      added: z.array(TaskId),
      changed: z.array(TaskId),
      /** Absent in older logs. */
      removed: z.array(TaskId).optional(),
      put_back: z.array(z.string()),
      copy: z.string().optional(),
    })
    .describe(
      "A person or an agent saved the task file during the run; carries the tasks that were added and changed, and what was reverted.",
    ),
  release_step: z
    .object({ type: z.literal("release_step"), text: z.string().optional() })
    .describe("A step of `looper push` has ended: a check, the judgement, the commit or the push."),
  attempt_stopped: z
    .object({ type: z.literal("attempt_stopped"), ...job, ...keptWork })
    .describe(
      "A person edited the task in hand, so its attempt has ended and does not count; carries where its work is.",
    ),
  attempt_failed: z
    .object({
      type: z.literal("attempt_failed"),
      ...job,
      reason: z.string(),
      evidence: z.string(),
      /** The next move of the run, for instance another attempt. `advance`: the outcome leads to another stage. */
      next: z.enum(["retry", "blocked", "advance", "drop-agent", "wait", "later", "end"]),
      /** With `wait`, RFC 3339: the attempt does not count, and the agent is paused until then. */
      until: z.string().optional(),
      /** With `until`: why that is later than the time the agent reported. */
      until_why: z.string().optional(),
    })
    .describe(
      "An attempt does not finish its task; carries the reason, the evidence, and what happens next.",
    ),
  warning: z
    .object({ type: z.literal("warning"), ...told, message: z.string() })
    .describe("A warning for the user that changes no decision."),
  waiting: z
    .object({
      type: z.literal("waiting"),
      reason: z.string(),
      /** Absent: until there is an answer. */
      until: z.string().optional(),
      /** The agent that the run waits for, if any. */
      agent: z.string().optional(),
      /** Why `until` is later than the time the agent reported. */
      until_why: z.string().optional(),
      /** The limit is known from an earlier run. */
      remembered: z.literal(true).optional(),
    })
    .describe("The run waits; carries the reason, and until when, unless only an answer ends it."),
  over_budget: z
    .object({
      type: z.literal("over_budget"),
      ...told,
      of: z.enum(["run", "task"]),
      /** The setting with the budget. */
      key: z.string(),
      unit: z.enum(["tokens", "usd"]),
      most: z.number(),
      spent: z.number(),
    })
    .describe("An attempt used more than a budget allows; carries the budget and what was used."),
  room_prepared: z
    .object({
      type: z.literal("room_prepared"),
      how: z.enum(["made", "copied"]),
      duration_ms: z.number(),
    })
    .describe(
      "`verify.setup` has prepared a cold room: by its commands, or as a copy of what they made; carries how long it took.",
    ),
  logs_cleaned: z
    .object({
      type: z.literal("logs_cleaned"),
      /** Old runs that the settings `log.*` removed, the oldest first. */
      runs: z.array(z.string()),
      bytes: z.int(),
      /** How many refs of their attempts were removed with them. */
      refs: z.int(),
    })
    .describe("Logs of old runs were removed, as `log.keep` and `log.max_bytes` ask."),
  stage_entered: z
    .object({
      type: z.literal("stage_entered"),
      ...told,
      /** The stage before, and its outcome; absent at the first stage. */
      from: z.string().optional(),
      outcome: z.string().optional(),
      to: z.string(),
      visit: z.int(),
      /** Why the stage before was passed without a job: its `when` did not hold, or --skip. */
      skipped: z.enum(["when", "skip"]).optional(),
    })
    .describe("A task has entered a stage of its workflow; carries the stage before and its outcome."),
  asked: z
    .object({ type: z.literal("asked"), ...told, question: Question })
    .describe("A task waits for a person; carries the question as its row has it."),
  question_answered: z
    .object({
      type: z.literal("question_answered"),
      ...told,
      question: z.string(),
      outcome: z.string().optional(),
      by: z.string(),
      via: Way,
      comment: z.string().optional(),
    })
    .describe("The answer to a question was taken; carries who gave it, and by which way."),
  output_written: z
    .object({
      type: z.literal("output_written"),
      ...told,
      file: z.string(),
      sha256: z.string(),
    })
    .describe("A stage's output is in a file below `tasks_dir`."),
  session: z
    .object({ type: z.literal("session"), ...told, id: z.string() })
    .describe("The agent has reported the session it works in, which a later stage can resume."),
  notified: z
    .object({
      type: z.literal("notified"),
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
    })
    .describe("A command or an address of `hooks.notification` was told of an event."),
  agent_started: z
    .object({
      type: z.literal("agent_started"),
      ...job,
      label: z.string(),
      pid: z.int(),
      command: z.string(),
    })
    .describe("An agent's process has started; carries its PID and its command line."),
  message: z
    .object({ type: z.literal("message"), ...told, role: z.string(), content: z.string() })
    .describe("The agent wrote a text."),
  tool_use: z
    .object({
      type: z.literal("tool_use"),
      ...told,
      name: z.string(),
      input: z.unknown(),
      id: z.string().optional(),
    })
    .describe("The agent calls a tool; carries its name and its arguments."),
  tool_result: z
    .object({
      type: z.literal("tool_result"),
      ...told,
      id: z.string().optional(),
      output: z.string(),
      is_error: z.boolean(),
    })
    .describe("A tool has returned; carries its output."),
  command: z
    .object({
      type: z.literal("command"),
      ...told,
      command: z.string(),
      exit_code: z.int().optional(),
      duration_ms: z.number().optional(),
    })
    .describe("The agent runs a shell command; once it has ended, the line carries its exit code."),
  error: z
    .object({ type: z.literal("error"), ...told, error: z.string(), reason: z.string().optional() })
    .describe("The agent's client reported an error."),
  usage: z
    .object({
      type: z.literal("usage"),
      ...told,
      input_tokens: z.int(),
      output_tokens: z.int(),
      cached_input_tokens: z.int().optional(),
      cost_usd: z.number().optional(),
    })
    .describe("The agent's client reported tokens and dollars."),
  summary: z
    .object({
      type: z.literal("summary"),
      ...told,
      task_id: z.string().nullable(),
      status: z.string(),
      summary: z.string(),
      files: z.array(z.string()),
      blockers: z.array(z.string()),
      new_tasks: z.array(z.unknown()),
    })
    .describe("The report that the agent's final message holds."),
  decided: z
    .object({
      type: z.literal("decided"),
      /** The `seq` of the event this was decided on. */
      of: z.int(),
      effects: z.array(z.looseObject({ kind: z.string() })),
      because: z.looseObject({ rule: z.string() }),
    })
    .describe("`step` has decided on the event `of`; carries the effects, and the rule that led to them."),
};

/** An event that only readers need. */
export const ToldEvent = z.discriminatedUnion("type", [
  ToldEvents.task_selected,
  ToldEvents.task_updated,
  ToldEvents.backlog_edited,
  ToldEvents.attempt_stopped,
  ToldEvents.release_step,
  ToldEvents.attempt_failed,
  ToldEvents.warning,
  ToldEvents.waiting,
  ToldEvents.over_budget,
  ToldEvents.room_prepared,
  ToldEvents.logs_cleaned,
  ToldEvents.stage_entered,
  ToldEvents.asked,
  ToldEvents.question_answered,
  ToldEvents.output_written,
  ToldEvents.session,
  ToldEvents.notified,
  ToldEvents.agent_started,
  ToldEvents.message,
  ToldEvents.tool_use,
  ToldEvents.tool_result,
  ToldEvents.command,
  ToldEvents.error,
  ToldEvents.usage,
  ToldEvents.summary,
  ToldEvents.decided,
]);
export type ToldEvent = z.infer<typeof ToldEvent>;
