// The attempts of `looper logs --json`, folded from the lines of a log. Pure.
import { ENDS } from "../../../workflow/workflow.js";
import type { LogsAnswer } from "../../shapes/runs.js";

export type LogAttempt = LogsAnswer["attempts"][number];

/** Collects the attempts at a task and the agent's messages in them, line by line. */
export class LogAttempts {
  readonly #task: string;
  readonly #folder: string;
  readonly #byJob = new Map<number, LogAttempt>();
  /** The label of each job's last agent, which ends the name of its folder. */
  readonly #labels = new Map<number, string>();

  /** `folder`: of the run, as shown. */
  constructor(task: string, folder: string) {
    this.#task = task;
    this.#folder = folder;
  }

  /** Adds a line of the log; lines that are not of an attempt at the task are ignored. */
  add(type: unknown, value: Readonly<Record<string, unknown>>): void {
    const { job, task_id: task, agent, attempt, timestamp, role, content, stage, visit } = value;
    const { error, reason, label } = value;
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
    if (type === "agent_started" && typeof label === "string") this.#labels.set(job, label);
    if (type === "error" && reason === "output-cut" && typeof error === "string")
      known.messages.push({ at: timestamp, text: `(${error}: ${this.#outputOf(job)})` });
  }

  #outputOf(job: number): string {
    return `${this.#folder}/*-${this.#labels.get(job) ?? ""}/output.jsonl`;
  }

  /** The attempts so far, in order. */
  all(): LogAttempt[] {
    return [...this.#byJob.values()];
  }
}
