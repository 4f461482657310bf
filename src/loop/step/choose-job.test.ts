// Starts and ends in rare cases: while other jobs are running, at limits, with delays, after an environment failure.
import { expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import { id, row } from "../../todo/testing/testing.js";
import type { Effect } from "./effects.js";
import type { RunState } from "./state.js";
import type { WorldReply } from "../testing/answers.js";
import { advancePast, beginRun, openEffect, tell, told, advanceTo } from "../testing/reach.js";
import { feed, type Sim } from "../testing/world/sim.js";

type Changed = Extract<StepEvent, { type: "backlog_changed" }>;

const same = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
const sigint = { type: "run_interrupted", signal: "SIGINT", terminal: true } as const;

function kinds(sim: Sim): string[] {
  return sim.open.map(({ effect }) => effect.kind);
}

function rowsOf(...rows: ReturnType<typeof row>[]): Changed["rows"] {
  return rows.map((one) => ({ ...one, depends_on: [...one.depends_on] }));
}

/** Ends the reread of the backlog with this result. */
function looked(sim: Sim, found: Partial<Changed> = {}): Sim {
  return tell(sim, "change-backlog", { type: "backlog_changed", ...same, ...found }).sim;
}

/** Two workers: the first runs its agent, the backlog is being reread for the second. */
function oneOfTwo(rules: Partial<Rules> = {}): Sim {
  const sim = advanceTo(beginRun([row("T1"), row("T2")], { workers: 2, ...rules }), "checkpoint");
  const looking = advancePast(sim, "checkpoint");
  expect(kinds(looking)).toEqual(["change-backlog", "run-agent"]);
  return looking;
}

test("a run that is told to stop while it rereads the backlog starts nothing", () => {
  const sim = looked(feed(oneOfTwo(), sigint).sim);
  expect(kinds(sim)).toEqual(["run-agent"]);
});

test("max_iterations ends the run after the jobs that are still running", () => {
  const sim = looked(oneOfTwo({ max_iterations: 1, review: false }));
  expect(kinds(sim)).toEqual(["run-agent"]);
  expect(sim.state.phase).toBe("working");
  const end = openEffect(advanceTo(sim, "finish"), "finish");
  expect(end).toMatchObject({ ending: "limit", message: "max_iterations (1) is reached", iterations: 1 });
});

test("a backlog that loses its only task ends the run after that task's job", () => {
  const sim = looked(oneOfTwo({ only: id("T2") }), { removed: [id("T2")] });
  expect(sim.state).toMatchObject({
    work: { closing: { ending: "unusable-backlog", message: "there is no task T2 in the backlog" } },
  });
  expect(kinds(sim)).toEqual(["run-agent"]);
  expect(openEffect(advanceTo(sim, "finish"), "finish").ending).toBe("unusable-backlog");
});

test("a task with an answer that leads nowhere is not selected: the run ends and says how it is asked again", () => {
  const next = { go: "finish", no: "block" };
  const workflow = {
    ...{ workflow: 1 as const, name: "w", start: "ok" },
    stages: { ok: { kind: "ask" as const, question: "Go?", next } },
  };
  const answered = { outcome: "yes", by: "ada", via: "cli" as const };
  const progress = {
    ...{ workflow: "w", digest: "d", stage: "ok", visit: 2, asked: "stage" as const, answered },
  };
  const sim = beginRun([{ ...row("T1"), progress }], {
    workflow: "w",
    workflows: { w: { digest: "d", workflow } },
  });
  const read = advancePast(sim, "read-backlog");
  expect(read.state.phase).toBe("ending");
  expect(openEffect(advanceTo(read, "finish"), "finish")).toMatchObject({
    ending: "waiting",
    message: expect.stringContaining("`looper todo T1 --restart --stage ok` asks again") as string,
  });
});

test("L13: a deadline that is over and leads nowhere, as of a paused task, is not waited for", () => {
  const workflow = {
    ...{ workflow: 1 as const, name: "w", start: "ok" },
    stages: { ok: { kind: "ask" as const, question: "Go?", next: { go: "finish", no: "block" } } },
  };
  const place = { ...{ workflow: "w", digest: "d", stage: "ok", visit: 1 }, asked: "stage" as const };
  const past = { deadline: new Date(0).toISOString() };
  const rules = { workflow: "w", workflows: { w: { digest: "d", workflow } } };
  for (const more of [{ paused: true as const, on_timeout: "no" }, { on_timeout: "gone" }]) {
    const rows = [{ ...row("T1", { status: "blocked" }), progress: { ...place, ...past, ...more } }];
    const read = advancePast(beginRun(rows, rules), "read-backlog");
    expect(openEffect(advanceTo(read, "finish"), "finish").ending).toBe("waiting");
    const waits = advancePast(beginRun(rows, { ...rules, waits: true }), "read-backlog");
    expect([waits.state.phase, waits.timer, waits.open]).toEqual(["working", undefined, []]);
  }
});

test.each(["finish", "do"])(
  "a task with a question that a person moved to %s waits, and the run says how it is asked again",
  (stage) => {
    const workflow = {
      ...{ workflow: 1 as const, name: "w", start: "ok" },
      stages: {
        ok: { kind: "ask" as const, question: "Go?", next: { go: "do", no: "block" } },
        do: { kind: "work" as const, prompt: "iteration", next: { done: "finish" } },
      },
    };
    const asked = { ...{ asked: "stage" as const, visit: 1, visits: { ok: 1 } } };
    const answered = { outcome: "go", by: "ada", via: "cli" as const };
    for (const more of [{}, { answered }]) {
      const progress = { ...{ workflow: "w", digest: "d", stage }, ...asked, ...more };
      const rules = { workflow: "w", workflows: { w: { digest: "d", workflow } } };
      const read = advancePast(beginRun([{ ...row("T1"), progress }], rules), "read-backlog");
      expect(read.state.phase).toBe("ending");
      expect(openEffect(advanceTo(read, "finish"), "finish")).toMatchObject({
        ending: "waiting",
        message: expect.stringContaining(`T1 at ${stage}, moved there by hand past its question`) as string,
      });
      expect(openEffect(advanceTo(read, "finish"), "finish").message).toContain(
        "todo T1 --restart --stage ok",
      );
    }
  },
);

test("a question whose stage asks nothing in the changed file names the command that begins the stage", () => {
  const stages = { ok: { kind: "work" as const, prompt: "iteration", next: { done: "finish" } } };
  const workflow = { ...{ workflow: 1 as const, name: "w", start: "ok" }, stages };
  const asked = { ...{ asked: "stage" as const, visit: 1, visits: { ok: 1 } } };
  const progress = { ...{ workflow: "w", digest: "old", stage: "ok" }, ...asked };
  const rules = { workflow: "w", workflows: { w: { digest: "new", workflow } } };
  const read = advancePast(beginRun([{ ...row("T1"), progress }], rules), "read-backlog");
  expect(openEffect(advanceTo(read, "finish"), "finish").message).toContain(
    "T1 at ok, whose question is not in its workflow any more; `looper todo T1 --restart --stage ok` begins that stage as it is now",
  );
});

test("a task that an answer leads to finish by a workflow that was changed since is finished with a warning", () => {
  const stages = {
    ok: { kind: "ask" as const, question: "Go?", next: { yes: "finish", no: "block" } },
  };
  const workflow = { ...{ workflow: 1 as const, name: "w", start: "ok" }, stages };
  const progress = {
    ...{ workflow: "w", digest: "old", stage: "ok", visit: 1, visits: { ok: 1 } },
    ...{ asked: "stage" as const, answered: { outcome: "yes", by: "ada", via: "cli" as const } },
  };
  const rules = { workflow: "w", workflows: { w: { digest: "new", workflow } } };
  const sim = beginRun([{ ...row("T1"), progress }], rules);
  const moving = advancePast(sim, "read-backlog");
  const rows = rowsOf(row("T1"));
  const { asked: _asked, answered: _answered, ...rest } = progress;
  const at = { ...rest, stage: "finish", visit: 2 };
  const moved = tell(moving, "change-backlog", {
    type: "backlog_changed",
    ...same,
    rows: rows.map((one) => ({ ...one, progress: at })),
  });
  expect(moved.taken.next.notes).toContainEqual({
    ...{ type: "warning", task_id: "T1" },
    message: "the workflow w has changed since T1 began: it goes by the current file",
  });
});

const marker = { ...row("PROJECT-DONE", { status: "done" }), marker: true as const };

test("the marker ends a finished backlog without a review, but not one with open tasks", () => {
  expect(openEffect(advanceTo(beginRun([marker]), "finish"), "finish").message).toBe(
    "the backlog is finished already: nothing was started",
  );
  const waiting = advanceTo(beginRun([marker, row("T1", { depends_on: ["gone"] })]), "checkpoint");
  expect(openEffect(waiting, "checkpoint").job.phase).toBe("review");
  const working = advancePast(advanceTo(beginRun([row("T1")]), "commit"), "commit");
  expect(
    kinds(looked(working, { rows: [...rowsOf(marker), ...rowsOf(row("T1", { status: "done" }))] })),
  ).toEqual(["commit-backlog"]);
});

test("a review does not start past max_iterations, and waits for the delay like any attempt", () => {
  const limited = advancePast(advanceTo(beginRun([row("T1")], { max_iterations: 1 }), "commit"), "commit");
  expect(openEffect(advanceTo(limited, "finish"), "finish").ending).toBe("complete");
  const delayed = advancePast(advanceTo(beginRun([row("T1")], { delay_ms: 1_000 }), "commit"), "commit");
  const waiting = advancePast(delayed, "change-backlog");
  expect(kinds(waiting)).toEqual([]);
  expect(waiting.timer).toBe(1_000);
});

test("tasks added after a clean review get another review, even if none of them can be done", () => {
  const report = { found: { task_id: null, status: "reviewed" as const } };
  const clean = advancePast(
    advanceTo(
      advancePast(beginRun([row("T1", { status: "done" })], { completion_marker: false }), "run-agent", {
        end: { outcome: "ok", report },
      }),
      "change-backlog",
    ),
    "change-backlog",
  );
  expect(kinds(looked(clean))).toEqual(["commit-backlog"]);
  const added = {
    edits: { added: [id("T5")], changed: [], put_back: [] },
    rows: rowsOf(row("T5", { status: "done" })),
  };
  expect(kinds(looked(clean, added))).toEqual(["checkpoint"]);
  const reported = { updated: [{ id: id("T5"), to: "todo" as const }], rows: added.rows };
  expect(kinds(looked(clean, reported))).toEqual(["checkpoint"]);
  const moved = { updated: [{ id: id("T1"), from: "done" as const, to: "todo" as const }], rows: added.rows };
  expect(kinds(looked(clean, moved))).toEqual(["commit-backlog"]);
  const changed = { ...added, edits: { ...added.edits, added: [], changed: [id("T5")] } };
  expect(kinds(looked(clean, changed))).toEqual(["commit-backlog"]);
});

/** Both run their agents; then the environment fails for the second. */
function broken(rules: Partial<Rules> = {}): {
  sim: Sim;
  first: Extract<Effect, { kind: "run-agent" }>["job"];
} {
  const sim = advancePast(looked(oneOfTwo(rules)), "change-backlog");
  const { job } = openEffect(sim, "checkpoint");
  const { job: first } = openEffect(sim, "run-agent");
  return {
    sim: tell(sim, "checkpoint", { type: "effect_failed", ...job, effect: "checkpoint", error: "disk full" })
      .sim,
    first,
  };
}

const agentEnd = {
  type: "agent_finished",
  outcome: "ok",
  report: { found: { task_id: null, status: "done" } },
  duration_ms: 0,
} as const;

function workOf(state: RunState): Extract<RunState, { phase: "working" }>["work"] {
  if (state.phase !== "working") throw new Error(state.phase);
  return state.work;
}

test("nothing is committed, restored or judged after an environment failure: tasks in progress stay so", () => {
  for (const rules of [{}, { apply_summary: false }]) {
    const { sim, first } = broken(rules);
    expect(kinds(sim)).toEqual(["run-agent", "stop"]);
    const snapshot = tell(sim, "run-agent", { ...agentEnd, ...first }).sim;
    const settled = advancePast(snapshot, "snapshot");
    expect(kinds(settled)).toEqual(["stop", "change-backlog"]);
    expect(openEffect(settled, "change-backlog").changes).toEqual([]);
    expect(workOf(settled.state).jobs).toMatchObject([
      { activity: "settle", verdict: { kind: "interrupted" } },
    ]);
    expect(openEffect(advanceTo(settled, "finish"), "finish")).toMatchObject({
      ending: "environment",
      message: "disk full",
    });
  }
});

test("an environment failure ends other jobs at their gate, their restore or their commit", () => {
  const gated = advanceTo(advancePast(oneOfTwo(), "change-backlog"), "change-backlog");
  const atGate = advanceTo(advancePast(advanceTo(gated, "run-agent"), "run-agent"), "run-gate");
  const { job } = openEffect(atGate, "run-gate");
  const fails = { type: "effect_failed", effect: "snapshot", error: "disk full" } as const;
  const worse = feed(atGate, fails).sim;
  const gate = {
    verdict: "passed" as const,
    cold: false,
    commands: [],
    tampered: [],
    evidence: "",
    warnings: [],
    duration_ms: 0,
  };
  const passed = tell(worse, "run-gate", { type: "gate_finished", ...job, ...gate });
  expect(passed.taken.next.effects.map(({ kind }) => kind)).toEqual(["change-backlog"]);
  expect(workOf(passed.sim.state).jobs.find((one) => one.facts.job === job.job)?.verdict).toEqual({
    kind: "interrupted",
  });
  const committing = tell(atGate, "run-gate", { type: "gate_finished", ...job, ...gate }).sim;
  const failing = { type: "effect_failed", ...job, effect: "commit", error: "no commit" } as const;
  expect(workOf(told(committing, failing).state).jobs.some((one) => one.facts.job === job.job)).toBe(true);
  const both = feed(committing, fails).sim;
  const lost = told(both, failing);
  expect(
    lost.state.phase === "working" ? workOf(lost.state).jobs.some((one) => one.facts.job === job.job) : false,
  ).toBe(false);
});

test("each job is stopped once", () => {
  const sim = advanceTo(beginRun([row("T1")]), "run-agent");
  const twice = feed(feed(sim, sigint).sim, sigint);
  expect(twice.taken.next.effects.map(({ kind }) => kind)).toEqual(["stop"]);
  const failed = told(twice.sim, { type: "effect_failed", effect: "commit-backlog", error: "no" });
  expect(failed.effects).toEqual([]);
});

/** Without applied summaries: the agent has ended, and its row is being reread. */
function lookingAtRow(end: WorldReply["end"], before: (sim: Sim) => Sim = (sim) => sim): Sim {
  const sim = before(
    advanceTo(beginRun([row("T1")], { apply_summary: false, max_attempts: 1 }), "run-agent"),
  );
  const ended = advanceTo(advancePast(sim, "run-agent", end === undefined ? {} : { end }), "snapshot");
  return advancePast(ended, "snapshot");
}

const failed = { outcome: "failed", reason: "exited", evidence: "code 1" } as const;

test("a row that its agent blocked keeps its blockers, and the row of a stopped agent stays as it is", () => {
  const blocked = { rows: rowsOf(row("T1", { status: "blocked" })) };
  const told1 = tellRow(lookingAtRow(failed), blocked);
  expect(kinds(told1)).toEqual(["restore"]);
  const settled = advancePast(told1, "restore");
  expect(openEffect(settled, "change-backlog").changes).toEqual([]);
  expect(workOf(settled.state).jobs).toMatchObject([{ verdict: { kind: "blocked" }, final: true }]);
  const interrupted = { outcome: "failed", reason: "interrupted", evidence: "SIGTERM" } as const;
  const stopped = lookingAtRow(interrupted, (sim) =>
    advancePast(feed(feed(sim, sigint).sim, sigint).sim, "stop"),
  );
  const left = tellRow(stopped, blocked);
  expect(kinds(left)).toEqual(["change-backlog"]);
  expect(workOf(left.state).jobs).toMatchObject([{ verdict: { kind: "interrupted" } }]);
});

test("a task whose row was removed is not done", () => {
  const sim = lookingAtRow(undefined);
  const { job } = openEffect(sim, "change-backlog");
  const { because } = told(sim, { type: "backlog_changed", ...job, ...same, removed: [id("T1")] });
  expect(because).toEqual({ rule: "looked-at-row", picked: "T1", why: "gone" });
});

test("nothing is restored if the environment fails while a row is reread", () => {
  const sim = feed(lookingAtRow(failed), {
    type: "effect_failed",
    effect: "stop-nothing",
    error: "disk full",
  }).sim;
  expect(kinds(tellRow(sim, {}))).toEqual(["change-backlog"]);
  expect(kinds(tellRow(lookingAtRow(failed), {}))).toEqual(["restore"]);
});

function tellRow(sim: Sim, found: Partial<Changed>): Sim {
  const { job } = openEffect(sim, "change-backlog");
  return tell(sim, "change-backlog", { type: "backlog_changed", ...job, ...same, ...found }).sim;
}
