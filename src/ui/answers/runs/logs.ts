// The attempts of `looper logs --json`, folded from the lines of a log. Pure.
import { ENDS } from "../../../workflow/workflow.js";
import type { LogsAnswer } from "../../shapes/logs.js";

export type LogAttempt = LogsAnswer["attempts"][number];

/** Collects the attempts at a task and the agent's messages in them, line by line. */
export class LogAttempts {
  readonly #task: string;
  readonly #byJob = new Map<number, LogAttempt>();

  constructor(task: string) {
    this.#task = task;
  }

  /** Adds a line of the log; lines that are not of an attempt at the task are ignored. */
  add(type: unknown, value: Readonly<Record<string, unknown>>): void {
    const { job, task_id: task, agent, attempt, timestamp, role, content, stage, visit } = value;
    // Summaries are written by agents: a review or another task's attempt may contain this id.
    if (type === "summary" || task !== this.#task) return;
    // The ends of a workflow have no agent.
    if (ENDS.some((end) => end === stage)) return;
    if (typeof job !== "number" || typeof timestamp !== "string") return;
    const known = this.#byJob.get(job) ?? {
      attempt: typeof attempt === "number" ? attempt : 1,
      agent: typeof agent === "string" ? agent : "",
      started: timestamp,
      ...(typeof stage === "string" && typeof visit === "number" ? { stage, visit } : {}),
      messages: [],
    };
    this.#byJob.set(job, known);
    if (type === "message" && (role === "assistant" || role === undefined) && typeof content === "string")
      known.messages.push({ at: timestamp, text: content });
  }

  /** The attempts so far, in order. */
  all(): LogAttempt[] {
    return [...this.#byJob.values()];
  }
}
