import type { RunEvent, Sealed } from "../../logging/events/events.js";
import { Rules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import { id } from "../../todo/testing/testing.js";

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** Events one second apart, sealed in order; a number among them lets so many seconds pass. */
export function sealAll(...events: readonly (RunEvent | number)[]): Sealed[] {
  const sealed: Sealed[] = [];
  let at = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const event of events) {
    if (typeof event === "number") at += (event - 1) * 1000;
    else {
      sealed.push({ seq: sealed.length + 1, timestamp: new Date(at).toISOString(), ...event });
      at += 1000;
    }
  }
  return sealed;
}

const hooks = { pre_iteration: [], post_iteration: [], on_blocked: [], on_run_end: [] };

const rules = Rules.parse({
  ...{ max_iterations: 50, max_attempts: 2, max_reviews: 3, delay_ms: 0, workers: 1 },
  ...{ apply_summary: true, review: true, completion_marker: true, verify_from_agents: false },
  ...{ schedule: ["claude"], roles: {}, hooks, commit: "runner", bootstrap: "allowed" },
});

/** The run begins; `only`: `--task`. */
export function started(warnings: string[] = [], only?: string): RunEvent {
  return {
    ...{ type: "run_started", run: "2026-01-02_03-04-05", version: "1.0.0", project: "/p" },
    ...{ todo_file: "/p/to-do.json", git: true, warnings },
    rules: only === undefined ? rules : { ...rules, only: id(only) },
    agents: [{ name: "claude", kind: "claude", binary: "/bin/claude", permissions: "workspace" }],
  };
}

type Row = Of<"backlog_changed">["rows"][number];

/** `T1 todo` as a row. */
export function rowsOf(...said: readonly string[]): Row[] {
  return said.map((one) => {
    const [name = "", status = "todo"] = one.split(" ");
    if (status !== "todo" && status !== "doing" && status !== "blocked" && status !== "done")
      throw new Error(`no status: ${status}`);
    return { id: id(name), status, priority: 3, depends_on: [] };
  });
}

/** The backlog is read. */
export function read(...said: readonly string[]): RunEvent {
  return { type: "backlog_read", digest: "d", tasks: said.length, rows: rowsOf(...said) };
}

/** The fields of every line of a job. */
export interface Facts {
  job: number;
  iteration: number;
  phase: "iteration" | "review" | "bootstrap" | "repair";
  task_id?: ReturnType<typeof id>;
  agent: string;
  attempt: number;
}

/** The facts of an attempt at a task. */
export function attempt(job: number, task: string, number = 1): Facts {
  return { job, iteration: job, phase: "iteration", task_id: id(task), agent: "claude", attempt: number };
}

/** The facts of a review. */
export function review(job: number): Facts {
  return { job, iteration: job, phase: "review", agent: "claude", attempt: 1 };
}

const nothing = { refused: [], warnings: [], removed: [], digest: "d" };

/** `T1 todo doing`: moved from one status to another; `T9 - todo`: new. */
function moves(said: readonly string[]): Pick<Of<"backlog_changed">, "updated" | "rows"> {
  const parts = said.map((one) => one.split(" "));
  const rows = rowsOf(...parts.map(([name, , to]) => `${name ?? ""} ${to ?? ""}`));
  return {
    rows,
    updated: rows.map(({ id: task, status }, at) => {
      const from = rowsOf(`x ${parts[at]?.[1] ?? ""}`.replace(" -", " todo"))[0]?.status;
      return parts[at]?.[1] === "-" || from === undefined
        ? { id: task, to: status }
        : { id: task, from, to: status };
    }),
  };
}

export function changed(facts: Facts, ...said: readonly string[]): RunEvent {
  return { type: "backlog_changed", ...facts, ...nothing, ...moves(said) };
}

export function committed(facts: Facts, ...said: readonly string[]): RunEvent {
  return { type: "committed", ...facts, commit: "abc", ...nothing, ...moves(said) };
}

/** The agent ends well with this report; without one, with nothing that could be read. */
export function finished(
  facts: Facts,
  report?: Extract<Of<"agent_finished">["report"], { found: unknown }>["found"],
): RunEvent {
  return {
    ...{ type: "agent_finished", ...facts, outcome: "ok", duration_ms: 1000 },
    report: report === undefined ? { missing: "no JSON object" } : { found: report },
  };
}

export function usage(facts: Facts, tokens: number, cost?: number): RunEvent {
  return {
    ...{ type: "usage", ...facts, input_tokens: tokens, output_tokens: 0 },
    ...given({ cost_usd: cost }),
  };
}

/** The run ends. */
export function over(
  ending: Of<"run_ended">["ending"],
  said: { message?: string; signal?: string; done?: number; tasks?: number } = {},
): RunEvent {
  const { done = 0, tasks = 0, ...rest } = said;
  const totals = { done, tasks, iterations: 1, duration_ms: 65_000, input_tokens: 0, output_tokens: 0 };
  return { type: "run_ended", ending, totals, ...rest };
}
