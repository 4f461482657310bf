// Limits of stages and workflows while an agent works: they are budgets of that agent, and end the visit.
import { expect, test } from "vitest";
import { row } from "../../../todo/testing/testing.js";
import { Workflow } from "../../../workflow/workflow.js";
import { advanceTo, beginRun, openEffect, tell } from "../../testing/reach.js";
import { stageRules } from "../../testing/stage-rules.js";

const LIMITED = Workflow.parse({
  ...{ workflow: 1, name: "limited", start: "do", limits: { duration: "1h" } },
  stages: {
    do: { kind: "work", prompt: "do", limits: { tokens: 100, cost_usd: 2 }, next: { done: "finish" } },
  },
});

test("an agent gets the limits of its stage and its workflow as budgets, and one that goes beyond ends the visit", () => {
  const sim = advanceTo(beginRun([row("T1")], stageRules(LIMITED)), "run-agent");
  const { job, budgets } = openEffect(sim, "run-agent");
  expect(budgets).toEqual([
    { of: "task", key: "limits.tokens of do", unit: "tokens", most: 100, spent: 0 },
    { of: "task", key: "limits.cost_usd of do", unit: "usd", most: 2, spent: 0 },
    { of: "task", key: "limits.duration of limited", unit: "ms", most: 3_600_000, spent: 0 },
  ]);
  const evidence = "token limit reached: 120 of 100 (limits.tokens of do)";
  const ended = tell(sim, "run-agent", {
    ...{ type: "agent_finished", ...job, outcome: "failed", reason: "budget", evidence },
    ...{ stopped_for: "task", duration_ms: 1, usage: { input_tokens: 100, output_tokens: 20 } },
  });
  const saved = advanceTo(ended.sim, "save-work");
  expect(openEffect(saved, "save-work")).toMatchObject({ outcome: "over_limit", work: true });
  const settled = openEffect(
    advanceTo(
      tell(saved, "save-work", { type: "work_saved", ...job, shelved: false, paths: 0, warnings: [] }).sim,
      "change-backlog",
    ),
    "change-backlog",
  );
  expect(settled.changes[0]).toMatchObject({
    op: "advance",
    to: "block",
    reasons: [`budget: ${evidence}`],
    spent: { tokens: 120 },
  });
});
