// Draws the state diagrams of a run and of its jobs from recorded calls of `step`.
import type { Job, RunState } from "../step/state.js";
import type { Taken } from "./world/sim.js";

/** Collects arrows between the phases of a run and between the activities of each kind of job. */
export class Diagram {
  readonly #arrows = new Map<string, Map<string, Set<string>>>();

  draw({ event, before, next }: Taken): void {
    const after = next.state;
    if (before.phase !== after.phase) this.#add("run", `${before.phase} --> ${after.phase}`, event.type);
    const old = new Map(jobsOf(before).map((job) => [job.facts.job, job]));
    for (const job of jobsOf(after)) {
      const from = old.get(job.facts.job);
      old.delete(job.facts.job);
      if (from?.activity === job.activity) continue;
      this.#add(kindOf(job), `${from?.activity ?? "[*]"} --> ${job.activity}`, event.type);
    }
    // A run that ends at once does not wait for its jobs.
    if (after.phase === "ending" && event.type === "run_interrupted") return;
    for (const job of old.values()) this.#add(kindOf(job), `${job.activity} --> [*]`, event.type);
  }

  /** Renders a diagram of the run, and one of each kind of job. */
  toMarkdown(): string {
    const kinds = [...this.#arrows].sort(([a], [b]) => order(a) - order(b));
    const parts = kinds.map(([kind, arrows]) => {
      const lines = [...arrows]
        .map(([arrow, events]) => `  ${arrow}: ${[...events].sort().join(", ")}`)
        .sort();
      return [`**${TITLES[kind] ?? kind}**`, "", "```mermaid", "stateDiagram-v2", ...lines, "```"].join("\n");
    });
    return parts.join("\n\n");
  }

  #add(kind: string, arrow: string, event: string): void {
    const arrows = this.#arrows.get(kind) ?? new Map<string, Set<string>>();
    this.#arrows.set(kind, arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(event)));
  }
}

const TITLES: Partial<Record<string, string>> = {
  run: "The run",
  iteration: "A job: an attempt at a task",
  review: "A job: a review",
  draft: "A job: a draft or a repair of the backlog",
};

function order(kind: string): number {
  return Object.keys(TITLES).indexOf(kind);
}

function kindOf({ facts }: Job): string {
  return facts.phase === "bootstrap" || facts.phase === "repair" ? "draft" : facts.phase;
}

function jobsOf(state: RunState): readonly Job[] {
  if (state.phase === "working") return state.work.jobs;
  return state.phase === "opening" && state.opening.job !== undefined ? [state.opening.job] : [];
}
