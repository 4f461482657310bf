// The glossary of the events that only readers need. The events that `step` takes are in event-glossary.ts.
import { job, stamp, T2, type EventEntry } from "./glossary-parts.js";
import type { ToldEvent } from "./told-events.js";

/** Every event that changes no decision. */
export const TOLD_GLOSSARY: { readonly [Type in ToldEvent["type"]]: EventEntry<Type> } = {
  attempt_stopped: {
    sentence:
      "A person edited the task in hand, so its attempt has ended and does not count; carries where its work is.",
    example: {
      ...stamp(12),
      type: "attempt_stopped",
      ...job,
      kept: "rescue",
      rescue: "refs/looper/rescue/2026-01-31_08-30-00/T1-1",
    },
  },
  release_step: {
    sentence: "A step of `looper push` has ended: a check, the judgement, the commit or the push.",
    example: { ...stamp(12), type: "release_step", text: "committed 0a1b2c3d4e5f, tagged v1.3.0" },
  },
  stage_entered: {
    sentence: "A task has entered a stage of its workflow; carries the stage before and its outcome.",
    example: {
      ...stamp(17),
      type: "stage_entered",
      task_id: job.task_id,
      from: "implement",
      outcome: "done",
      to: "review",
      visit: 2,
    },
  },
  asked: {
    sentence: "A task waits for a person; carries the question as its row has it.",
    example: {
      ...stamp(17),
      type: "asked",
      task_id: job.task_id,
      question: {
        id: "T1.2",
        source: "stage",
        text: "Carry out this plan?",
        outcomes: ["approve", "revise", "reject"],
        asked_at: "2026-01-31T08:30:17Z",
      },
    },
  },
  question_answered: {
    sentence: "The answer to a question was taken; carries who gave it, and by which way.",
    example: {
      ...stamp(18),
      type: "question_answered",
      task_id: job.task_id,
      question: "T1.2",
      outcome: "approve",
      by: "ann",
      via: "cli",
    },
  },
  output_written: {
    sentence: "A stage's output is in a file below `tasks_dir`.",
    example: {
      ...stamp(16),
      type: "output_written",
      ...job,
      stage: "plan",
      visit: 1,
      file: "T1/1-plan.json",
      sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
  },
  session: {
    sentence: "The agent has reported the session it works in, which a later stage can resume.",
    example: { ...stamp(9), type: "session", ...job, id: "0198c2d4" },
  },
  notified: {
    sentence: "A command or an address of `hooks.notification` was told of an event.",
    example: { ...stamp(18), type: "notified", of: "asked", to: "notify-send", outcome: "ok" },
  },
  task_selected: {
    sentence: "A task was selected; carries the rule that selected it, and which task comes after it.",
    example: { ...stamp(4), type: "task_selected", ...job, reason: "todo", candidates: 2, next: T2 },
  },
  task_updated: {
    sentence: "A task has another status than before.",
    example: { ...stamp(6), type: "task_updated", ...job, from: "todo", to: "doing" },
  },
  backlog_edited: {
    sentence:
      "A person or an agent saved the task file during the run; carries the tasks that were added and changed, and what was reverted.",
    example: { ...stamp(13), type: "backlog_edited", added: [T2], changed: [], put_back: [] },
  },
  attempt_failed: {
    sentence: "An attempt does not finish its task; carries the reason, the evidence, and what happens next.",
    example: {
      ...stamp(16),
      type: "attempt_failed",
      ...job,
      reason: "gate",
      evidence: "npm test fails now (exit 1); it passed before this task",
      next: "retry",
    },
  },
  warning: {
    sentence: "A warning for the user that changes no decision.",
    example: { ...stamp(2), type: "warning", message: "git has no identity here" },
  },
  waiting: {
    sentence: "The run waits; carries the reason, and until when.",
    example: {
      ...stamp(12),
      type: "waiting",
      reason: "rate-limited",
      until: "2026-01-31T13:00:00.000Z",
      agent: "claude",
    },
  },
  over_budget: {
    sentence: "An attempt used more than a budget allows; carries the budget and what was used.",
    example: {
      ...stamp(14),
      type: "over_budget",
      ...job,
      of: "run",
      key: "loop.max_cost_usd",
      unit: "usd",
      most: 20,
      spent: 20.37,
    },
  },
  logs_cleaned: {
    sentence: "Logs of old runs were removed, as `log.keep` and `log.max_bytes` ask.",
    example: { ...stamp(19), type: "logs_cleaned", runs: ["2026-01-02_22-00-00"], bytes: 1_204_211, refs: 4 },
  },
  agent_started: {
    sentence: "An agent's process has started; carries its PID and its command line.",
    example: {
      ...stamp(9),
      type: "agent_started",
      ...job,
      label: "iter-1",
      pid: 18_898,
      command: "claude -p --output-format stream-json",
    },
  },
  message: {
    sentence: "The agent wrote a text.",
    example: {
      ...stamp(10),
      type: "message",
      ...job,
      role: "assistant",
      content: "I'll read the tests first.",
    },
  },
  tool_use: {
    sentence: "The agent calls a tool; carries its name and its arguments.",
    example: {
      ...stamp(10),
      type: "tool_use",
      ...job,
      name: "Read",
      input: { file_path: "src/cart.ts" },
      id: "t1",
    },
  },
  tool_result: {
    sentence: "A tool has returned; carries its output.",
    example: { ...stamp(10), type: "tool_result", ...job, id: "t1", output: "export …", is_error: false },
  },
  command: {
    sentence: "The agent runs a shell command; once it has ended, the line carries its exit code.",
    example: { ...stamp(11), type: "command", ...job, command: "npm test", exit_code: 0, duration_ms: 2290 },
  },
  error: {
    sentence: "The agent's client reported an error.",
    example: { ...stamp(11), type: "error", ...job, error: "overloaded_error", reason: "overloaded" },
  },
  usage: {
    sentence: "The agent's client reported tokens and dollars.",
    example: { ...stamp(13), type: "usage", ...job, input_tokens: 5120, output_tokens: 840, cost_usd: 0.021 },
  },
  summary: {
    sentence: "The report that the agent's final message holds.",
    example: {
      ...stamp(13),
      type: "summary",
      ...job,
      status: "done",
      summary: "The cart rounds to cents.",
      files: ["src/cart.ts"],
      blockers: [],
      new_tasks: [],
    },
  },
  decided: {
    sentence: "`step` has decided on the event `of`; carries the effects, and the rule that led to them.",
    example: {
      ...stamp(8),
      type: "decided",
      of: 7,
      effects: [{ kind: "run-baseline" }],
      because: { rule: "checkpoint-made" },
    },
  },
};
