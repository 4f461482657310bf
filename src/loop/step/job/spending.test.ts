// The log lines for the usage of an attempt that exceeded a budget with its last step.
import { expect, test } from "vitest";
import type { Rules } from "../../../logging/rules.js";
import { given } from "../../../system/given.js";
import { row } from "../../../todo/testing/testing.js";
import type { AgentAnswer } from "../../testing/answers.js";
import { answer } from "../../testing/answers.js";
import { advance } from "../../testing/operations.js";
import { beginRun, advanceTo } from "../../testing/reach.js";
import { createSim, startRun, type Sim } from "../../testing/world/sim.js";

const done: AgentAnswer = { outcome: "ok", report: { found: { task_id: null, status: "done" } } };
const using = (tokens: number, usd?: number): AgentAnswer => ({
  ...done,
  usage: { input_tokens: tokens, output_tokens: 0, ...given({ cost_usd: usd }) },
});

/** Ends the next agent; returns the log lines and the run after it. */
function ends(from: Sim, end: AgentAnswer): { said: object[]; sim: Sim } {
  const sim = advanceTo(from, "run-agent");
  const open = sim.open.find(({ effect }) => effect.kind === "run-agent");
  if (open === undefined) throw new Error("no agent is at work");
  const { sim: then, taken } = answer(sim, open, { end });
  return { said: [...taken.next.notes], sim: then };
}

const BUDGETS: [Rules["budget"], AgentAnswer, object[]][] = [
  [
    { task_tokens: 2000 },
    using(5050),
    [{ type: "over_budget", of: "task", key: "loop.task_tokens", unit: "tokens", most: 2000, spent: 5050 }],
  ],
  [
    { task_cost_usd: 0.05 },
    using(1, 0.9),
    [{ type: "over_budget", of: "task", key: "loop.task_cost_usd", unit: "usd", most: 0.05, spent: 0.9 }],
  ],
  [
    { max_cost_usd: 0.05, max_tokens: 10 },
    using(10, 0.9),
    [{ type: "over_budget", of: "run", key: "loop.max_cost_usd", unit: "usd", most: 0.05, spent: 0.9 }],
  ],
  [{ max_tokens: 10, max_duration_ms: 1 }, using(10, 0.9), []],
  [
    { max_tokens: 10 },
    { ...using(20), outcome: "failed", reason: "budget", evidence: "20 of 10", stopped_for: "run" },
    [],
  ],
];

test.each(BUDGETS)("an attempt that exceeds %j with its last step is reported", (budget, end, said) => {
  const { said: notes } = ends(beginRun([row("T1")], { budget, review: false }), end);
  expect(notes).toMatchObject(said);
  expect(notes).toHaveLength(said.length);
  if (said.length > 0) expect(notes).toMatchObject([{ task_id: "T1", agent: "a" }]);
});

test("an exceeded budget is reported once, and the task is done all the same", () => {
  const rules = { budget: { task_tokens: 30, max_tokens: 1000 }, review: false };
  const first = ends(beginRun([row("T1"), row("T2")], rules), using(40));
  const second = ends(first.sim, using(40));
  expect([first.said, second.said]).toMatchObject([[{ task_id: "T1" }], [{ task_id: "T2" }]]);
  const last = advanceTo(second.sim, "finish");
  expect(last.open.map(({ effect }) => effect)).toMatchObject([{ ending: "complete", done: 2 }]);
});

test("the usage of all attempts at a task counts together", () => {
  const rules = { budget: { task_tokens: 30 }, review: false, max_attempts: 3 };
  const failed: AgentAnswer = {
    ...{ outcome: "failed", reason: "exited", evidence: "code 1" },
    usage: { input_tokens: 20, output_tokens: 0 },
  };
  const first = ends(beginRun([row("T1")], rules), failed);
  expect(first.said).toEqual([]);
  expect(ends(first.sim, failed).said).toMatchObject([{ of: "task", task_id: "T1", most: 30, spent: 40 }]);
});

test("an exceeded budget of the run is reported once, even if other jobs exceed it further", () => {
  const rules = { budget: { max_tokens: 30 }, review: false, workers: 2 };
  let both = beginRun([row("T1"), row("T2")], rules);
  while (both.open.filter(({ effect }) => effect.kind === "run-agent").length < 2) both = goOn(both);
  const first = ends(both, using(40));
  expect(first.said).toMatchObject([{ of: "run", spent: 40 }]);
  expect(ends(first.sim, using(40)).said).toEqual([]);
});

/** Answers the oldest effect that is not an agent's. */
function goOn(sim: Sim): Sim {
  const open = sim.open.find(({ effect }) => effect.kind !== "run-agent");
  if (open === undefined) throw new Error("only agents are at work");
  const at = sim.open.indexOf(open);
  let now = sim;
  for (;;) {
    const current = now.open[at];
    if (current === undefined) throw new Error("an effect went away");
    if (current.ops.length === 0) return answer(now, current).sim;
    now = advance(now, current);
  }
}

test("a draft counts against the budget of the run", () => {
  const disk = { rows: [], commits: [], checkpoints: [] };
  const rules = { bootstrap: "allowed" as const, budget: { max_tokens: 10 } };
  const { sim } = startRun({ ...createSim(disk, rules), file: "missing" });
  expect(ends(sim, using(11)).said).toMatchObject([
    { type: "over_budget", of: "run", phase: "bootstrap", spent: 11 },
  ]);
});

test("an agent that reports no tokens is named once if a token budget is set", () => {
  const rows = [row("T1"), row("T2")];
  const message = "cannot enforce loop.max_tokens and loop.task_tokens: a reports no tokens";
  const first = ends(beginRun(rows, { budget: { max_tokens: 10, task_tokens: 5 }, review: false }), done);
  expect(first.said).toMatchObject([{ type: "warning", agent: "a", message }]);
  expect(ends(first.sim, done).said).toEqual([]);
  expect(ends(beginRun(rows, { budget: { max_cost_usd: 10 } }), done).said).toEqual([]);
  expect(ends(beginRun(rows, { budget: { max_tokens: 10 } }), using(0, 0.5)).said).toHaveLength(1);
  const failed: AgentAnswer = { outcome: "failed", reason: "exited", evidence: "1" };
  expect(ends(beginRun(rows, { budget: { max_tokens: 10 } }), failed).said).toEqual([]);
});
