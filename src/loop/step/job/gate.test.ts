// The gate's words on the work of a stage, and on the commands of a check.
import { expect, test } from "vitest";
import type { GateVerdict } from "../../../gate/verdict.js";
import type { Rules } from "../../../logging/rules.js";
import { row } from "../../../todo/testing/testing.js";
import { Workflow } from "../../../workflow/workflow.js";
import type { Effect } from "../effects.js";
import { advancePast, advanceTo, beginRun, openEffect, tell } from "../../testing/reach.js";
import { stageRules } from "../../testing/stage-rules.js";
import type { Sim } from "../../testing/world/sim.js";

const work = { kind: "work", prompt: "do" };

/** A stage with its own commands, one with the checks of the project, and a check. */
const STAGED = Workflow.parse({
  ...{ workflow: 1, name: "staged", start: "own" },
  stages: {
    own: { ...work, gate: ["npm run lint"], next: { done: "whole" } },
    whole: { ...work, next: { done: "sure" } },
    sure: { kind: "check", commands: ["npm run e2e"], next: { passed: "finish", failed: "whole" } },
  },
});

type Saving = Extract<Effect, { kind: "save-work" }>;

/** Answers the gate of the next stage with this verdict, up to where its work is saved. */
function judge(sim: Sim, verdict: GateVerdict): { sim: Sim; saving: Saving } {
  const atGate = advanceTo(sim, "run-gate");
  const { job } = openEffect(atGate, "run-gate");
  const found = { verdict, cold: true, commands: [], tampered: [], evidence: "e2e: exit code 1" };
  const event = { type: "gate_finished" as const, ...job, ...found, warnings: [], duration_ms: 1 };
  const saved = tell(atGate, "run-gate", event).sim;
  return { sim: saved, saving: openEffect(saved, "save-work") };
}

/** The verdict of the saved work, as the row has it once a stage is over. */
function verdictAfter(sim: Sim): string | undefined {
  const moved = advancePast(advancePast(sim, "save-work"), "change-backlog");
  return moved.disk.rows[0]?.progress?.verdict;
}

function begin(rules: Partial<Rules> = {}): Sim {
  return beginRun([row("T1")], stageRules(STAGED, rules));
}

test.each<[GateVerdict, string]>([
  ["passed", "passed"],
  ["unbroken", "unbroken"],
  ["unverified", "unverified"],
])("work is saved as the checks of the project judge it: %s", (verdict, saved) => {
  const { sim } = judge(begin(), verdict);
  expect(verdictAfter(sim)).toBe("unverified");
  expect(verdictAfter(judge(advancePast(sim, "save-work"), verdict).sim)).toBe(saved);
});

test.each<["verified" | "unbroken"]>([["verified"], ["unbroken"]])(
  "verify.accept: %s leaves unbroken work to the later stages",
  (accept) => {
    const { sim, saving } = judge(begin({ accept }), "unbroken");
    expect(saving.outcome).toBe("done");
    expect(judge(advancePast(sim, "save-work"), "unbroken").saving.outcome).toBe("done");
  },
);

test.each<[GateVerdict, string]>([
  ["passed", "passed"],
  ["unbroken", "passed"],
  ["unverified", "passed"],
  ["failed", "failed"],
])("a check whose gate says %s has %s", (verdict, outcome) => {
  const whole = judge(advancePast(judge(begin(), "passed").sim, "save-work"), "passed").sim;
  expect(judge(advancePast(whole, "save-work"), verdict).saving.outcome).toBe(outcome);
});
