// The laws of docs/LAWS.md on random simulated runs: random backlogs, rules and ends of agents, signals, edits, failing effects,
// answers in any order, one worker or two. Each law is checked on the finished run.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import { id } from "../../todo/testing/testing.js";
import { STATUSES } from "../../todo/model/status.js";
import type { IndexRow } from "../../todo/model/task.js";
import { START, step } from "../step/step.js";
import type { Activity } from "../../workflow/stage-kinds.js";
import type { RunState } from "../step/state.js";
import type { AgentAnswer } from "./answers.js";
import * as laws from "./laws.js";
import { listMoves, type MoveBudget, type Menu, type WorldMove } from "./moves.js";
import { createSim, startRun, type Sim, type Taken } from "./world/sim.js";
import type { Law, PlayedRun } from "./trace.js";

const MOST_MOVES = 5000;

interface World {
  sim: Sim;
  budget: MoveBudget;
  /** Below 500: success; from 930: a signal, an edit or a failure; between: a random answer of an agent or an effect. */
  choices: readonly number[];
}

const report = (status: "done" | "blocked" | "skipped" | "reviewed", more: object = {}): AgentAnswer => ({
  outcome: "ok",
  report: { found: { task_id: null, status, summary: `it is ${status}`, ...more } },
});
const failed = (
  reason: Extract<AgentAnswer, { outcome: "failed" }>["reason"],
  retry_at?: string,
): AgentAnswer => ({
  outcome: "failed",
  reason,
  evidence: `it ended: ${reason}`,
  ...given({ retry_at }),
});
const added = { new_tasks: [{ title: "One more" }, { title: "And another", priority: 1 }] };

const MENU: Menu = {
  ends: ({ job }) => [
    report(job.phase === "review" ? "reviewed" : "done"),
    failed("exited"),
    { ...failed("exited"), duration_ms: 1000 },
    report("blocked"),
    report("skipped"),
    report("reviewed", added),
    report("done", added),
    report("done", { task_id: "T9" }),
    { outcome: "ok", report: { missing: "no summary" } },
    { outcome: "ok", report: { invalid: "no status" } },
    failed("not-found"),
    failed("interrupted"),
    failed("overloaded"),
    { ...report("done"), usage: { input_tokens: 400, output_tokens: 100 }, duration_ms: 20_000 },
    { ...failed("exited"), duration_ms: 20_000, usage: { input_tokens: 300, output_tokens: 400 } },
    { ...failed("budget"), stopped_for: "run", usage: { input_tokens: 2000, output_tokens: 0 } },
    { ...failed("budget"), stopped_for: "task", usage: { input_tokens: 900, output_tokens: 0 } },
    failed("rate-limited", "1970-01-01T03:00:00.000Z"),
  ],
  signals: [
    { type: "run_interrupted", signal: "SIGINT", terminal: true },
    { type: "run_interrupted", signal: "SIGTERM", terminal: true },
    { type: "run_interrupted", signal: "SIGHUP", terminal: true },
    { type: "run_interrupted", signal: "SIGHUP", terminal: false },
    { type: "run_interrupted", signal: "SIGINT", terminal: false, by: "stop" },
    { type: "run_interrupted", signal: "SIGTERM", terminal: false, by: "stop" },
  ],
  replies: true,
};

function seldom<T>(...values: T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
}

const rows: fc.Arbitrary<IndexRow[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom(...STATUSES),
      priority: fc.integer({ min: 1, max: 5 }),
      needs: fc.array(fc.nat(7), { maxLength: 3 }),
      agent: seldom("a", "x"),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((tasks) =>
    tasks.map(({ status, priority, needs, agent }, n): IndexRow => ({
      id: id(`T${n + 1}`),
      status,
      priority,
      depends_on: [...new Set(needs)].filter((other) => other < n).map((other) => id(`T${other + 1}`)),
      ...given({ agent }),
    })),
  );

const hooks = fc.record({
  pre_iteration: fc.constantFrom<string[]>([], ["one", "two"]),
  post_iteration: fc.constantFrom<string[]>([], ["one"]),
  on_blocked: fc.constantFrom<string[]>([], ["one"]),
  on_run_end: fc.constantFrom<string[]>([], ["one", "two"]),
});

const rules: fc.Arbitrary<Partial<Rules>> = fc.record({
  max_iterations: fc.constantFrom(1, 3, 12, 50),
  max_attempts: fc.integer({ min: 1, max: 3 }),
  max_reviews: fc.integer({ min: 0, max: 2 }),
  delay_ms: fc.constantFrom(0, 1000),
  on_limit: fc.constantFrom("switch", "switch", "wait"),
  budget: fc.constantFrom<Rules["budget"]>(
    {},
    {},
    { max_tokens: 1500 },
    { task_tokens: 800, max_tokens: 4000 },
    { max_duration_ms: 15_000 },
  ),
  apply_summary: fc.constantFrom(true, true, true, false),
  accept: fc.constantFrom(undefined, undefined, "unbroken", "verified"),
  review: fc.boolean(),
  completion_marker: fc.boolean(),
  baseline: fc.boolean(),
  on_failure: fc.constantFrom("restore", "keep"),
  schedule: fc.constantFrom<string[]>(["a"], ["a", "b"], ["a", "b", "c", "a"]),
  roles: fc.constantFrom<Rules["roles"]>({}, { review: "v" }, { iteration: "i", bootstrap: "d" }),
  hooks,
  bootstrap: fc.constantFrom<Rules["bootstrap"]>("allowed", "ask", { refused: "nothing to read" }),
  workers: fc.constantFrom(1, 2),
});

const worlds: fc.Arbitrary<World> = fc
  .record({
    rows,
    rules,
    only: seldom("T1", "T2", "T8"),
    agent: seldom("f"),
    git: fc.constantFrom(true, true, true, false),
    file: fc.constantFrom<Sim["file"][]>("ok", "ok", "ok", "ok", "ok", "ok", "missing", "broken"),
    budget: fc.record({
      signals: fc.constantFrom(0, 1, 3, 3),
      failures: fc.constantFrom(0, 0, 1, 2),
      edits: fc.nat(3),
      asks: fc.nat(3),
    }),
    choices: fc.noBias(fc.array(fc.nat(999), { minLength: 200, maxLength: 200 })),
  })
  .map(({ rows: tasks, rules: some, only, agent, git, file, budget, choices }) => {
    const told = {
      ...(only === undefined ? {} : { only: id(only) }),
      ...given({ agent }),
    };
    const disk = { rows: file === "missing" ? [] : tasks, commits: [], checkpoints: [] };
    return { sim: { ...createSim(disk, { ...some, ...told }), git, file }, budget, choices };
  });

function play({ sim, budget, choices }: World): PlayedRun {
  const begun = startRun(sim);
  const trace: Taken[] = [...begun.taken];
  let now = begun.sim;
  const left = { ...budget };
  for (let n = 0; n < MOST_MOVES; n++) {
    const moves = listMoves(now, left, MENU);
    const choice = choices[n] ?? 0;
    const move = choice < 500 ? moves[0] : pick(moves, choice);
    if (move === undefined) break;
    if (move.spends !== undefined) left[move.spends] = (left[move.spends] ?? 0) - 1;
    const made = move.make();
    now = made.sim;
    if (made.taken !== undefined) trace.push(made.taken);
  }
  return { start: sim.disk, trace, end: now };
}

function pick(moves: readonly WorldMove[], choice: number): WorldMove | undefined {
  const some = moves.filter(({ spends }) => (spends === undefined) === choice < 930);
  return some[choice % some.length] ?? moves[0];
}

test.each<[string, Law]>([
  ["L1: no agent starts on a task that is not claimed or has no checkpoint", laws.claimedAndChecked],
  ["L2: a task is done exactly when it has one commit", laws.doneIsCommitted],
  ["L3: the next task is the one that §3.4 selects, and no other job has it", laws.inOrder],
  ["L4: a task is blocked after max_attempts attempts, and the run continues", laws.attemptsBounded],
  ["L5: only a summary of its own attempt that reports done finishes a task", laws.doneByReport],
  ["L6: the number of reviews is bounded", laws.reviewsBounded],
  ["L7: the task of an interrupted attempt stays doing", laws.interruptedStaysDoing],
  ["L8: nothing starts once the run must end", laws.nothingStartsAfterStop],
  ["L9: at most max_iterations attempts and reviews start", laws.iterationsBounded],
  ["L10: a job has one effect in progress", laws.oneEffectAtATime],
  ["L12: a dropped agent is not started again", laws.droppedStaysDropped],
  ["L12: a task is held once, and none is blocked for an agent that does not work", laws.heldOnce],
  ["L13: every run ends", laws.itEnds],
  ["L14: a run ends once, and nothing follows its end", laws.theEndIsFinal],
  ["L17: an agent that a limit stops backs off, and its attempt does not count", laws.leftAlone],
  ["L18: a run or a task whose budget is spent starts nothing more", laws.budgetsKept],
  ["L16: abandoned work is saved and reverted before the backlog changes", laws.putBackFirst],
])("%s", (_name, law) => {
  fc.assert(
    fc.property(worlds, (world) => {
      expect(law(play(world))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test("L10: an answer that no effect waits for throws", () => {
  fc.assert(
    fc.property(worlds, fc.nat(), (world, at) => {
      const { trace } = play(world);
      const taken = trace[at % trace.length];
      if (taken === undefined || taken.next.state.phase !== "working") return;
      const { state } = taken.next;
      const strange: StepEvent[] = [
        { type: "restored", job: 999, paths: [] },
        { type: "checkpoint", job: 999, reused: false, dirty: 0 },
        { type: "adopted", job: 1, adopted: true },
        { type: "answered", yes: true },
      ];
      const early = state.work.jobs.flatMap(({ facts, activity }) => unexpected(facts.job, activity));
      for (const event of [...strange, ...early]) expect(() => step(state, seal(event))).toThrow(event.type);
    }),
    { numRuns: 100 },
  );
});

/** The answers that a job in this activity does not wait for. */
function unexpected(job: number, activity: Activity): StepEvent[] {
  const nothing = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
  const gate = { verdict: "passed" as const, cold: false, commands: [], tampered: [], evidence: "" };
  const hook = { hook: "post_iteration", command: "one", outcome: "ok" as const, output: "", duration_ms: 0 };
  const all: [StepEvent, ...Activity[]][] = [
    [{ type: "checkpoint", job, reused: false, dirty: 0 }, "checkpoint"],
    [{ type: "hook_finished", job, ...hook }, "before", "after"],
    [{ type: "agent_finished", job, outcome: "failed", duration_ms: 0 }, "agent"],
    [{ type: "snapshot", job, changed: 0, head: "same", warnings: [] }, "snapshot"],
    [{ type: "restored", job, paths: [] }, "restore"],
    [{ type: "backlog_changed", job, ...nothing }, "claim", "reread", "settle"],
    [{ type: "committed", job, ...nothing }, "commit"],
    [{ type: "baseline_finished", job, outcome: "kept", commands: [], duration_ms: 0 }, "baseline"],
    [{ type: "gate_finished", job, ...gate, warnings: [], duration_ms: 0 }, "gate"],
  ];
  return all.filter(([, ...activities]) => !activities.includes(activity)).map(([event]) => event);
}

test("L14: an event after the end throws", () => {
  const sim = startRun(createSim({ rows: [], commits: [], checkpoints: [] }, { review: false })).sim;
  const { state } = playOut(sim);
  expect(state.phase).toBe("ended");
  expect(() => step(state, seal({ type: "woke" }))).toThrow("after the end");
});

test("L15: the recorded events give the same decisions again", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const { trace } = play(world);
      let state: RunState = START;
      for (const { event, next } of trace) {
        const again = step(state, structuredClone(event));
        expect(JSON.stringify(again)).toBe(JSON.stringify(next));
        expect(again.state).toEqual(next.state);
        state = again.state;
      }
    }),
    { numRuns: 300 },
  );
});

function seal(event: StepEvent): Taken["event"] {
  return { ...event, seq: 1, timestamp: "1970-01-01T00:00:00.000Z" };
}

function playOut(from: Sim): Sim {
  let sim = from;
  for (let n = 0; n < MOST_MOVES; n++) {
    const [move] = listMoves(sim, { signals: 0, failures: 0, edits: 0 }, MENU);
    if (move === undefined) return sim;
    sim = move.make().sim;
  }
  return sim;
}

test("a run without failures finishes every task", () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(1, 2), (tasks, workers) => {
      const disk = { rows: tasks, commits: [], checkpoints: [] };
      const end = playOut(startRun(createSim(disk, { workers })).sim);
      expect(end.state).toEqual({ phase: "ended", ending: "complete" });
      expect(end.disk.rows.every(({ status }) => status === "done")).toBe(true);
    }),
  );
});
