// The attempts of `looper logs --json`, folded from the lines of a log. Pure.
import type { LogsAnswer } from "../shapes/logs.js";

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
    const { job, task_id: task, agent, attempt, timestamp, role, content } = value;
    // Summaries are written by agents: a review or another task's attempt may contain this id.
    if (type === "summary" || task !== this.#task) return;
    if (typeof job !== "number" || typeof timestamp !== "string") return;
    const known = this.#byJob.get(job) ?? {
      attempt: typeof attempt === "number" ? attempt : 1,
      agent: typeof agent === "string" ? agent : "",
      started: timestamp,
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
