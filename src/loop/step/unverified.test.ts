// A gate's "unverified" and "unbroken": the task is done as it is, or blocked with the evidence.
import { expect, test } from "vitest";
import type { Because } from "../../gate/verdict.js";
import type { StepEvent } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import { row } from "../../todo/testing/testing.js";
import { advancePast, advanceTo, beginRun, openEffect, tell } from "../testing/reach.js";
import type { Sim } from "../testing/world/sim.js";

const NEEDS = [{ path: "test/a.test.js", diff: "-expect(1).toBe(2)\n+expect(1).toBe(1)\n" }];

function atGate(rules: Partial<Rules>): Sim {
  return advanceTo(beginRun([row("T1"), row("T2")], rules), "run-gate");
}

/** The reasons for "unbroken"; any other is one for "unverified", and so is a red check where the verdict says so. */
const UNBROKEN: readonly Because[] = ["nothing-changed", "only-checks", "not-covered", "red-before"];

type Doubt = Because | { unverified: Because };

function gate(sim: Sim, doubt: Doubt): StepEvent {
  const because = typeof doubt === "string" ? doubt : doubt.unverified;
  const isUnbroken = typeof doubt === "string" && UNBROKEN.includes(because);
  const found = isUnbroken
    ? { verdict: "unbroken" as const, proof: { fail_to_pass: [], new_tests: [], pass_to_pass: 41 } }
    : { verdict: "unverified" as const, needs: NEEDS };
  return {
    ...{ type: "gate_finished", ...openEffect(sim, "run-gate").job, ...found, cold: true },
    ...{ commands: [], tampered: [], evidence: "", because, warnings: [], duration_ms: 1 },
  };
}

/** The changes of the backlog and the notes that follow from the gate, after a restore where there is one. */
function settled(rules: Partial<Rules>, because: Doubt) {
  const sim = atGate(rules);
  const { sim: after, taken } = tell(sim, "run-gate", gate(sim, because));
  if (!taken.next.effects.some(({ kind }) => kind === "restore")) return taken.next;
  const { job } = openEffect(after, "restore");
  const rescue = "refs/looper/rescue/run/T1-1";
  return tell(after, "restore", { type: "restored", ...job, paths: ["a.js"], rescue }).taken.next;
}

test.each<[Doubt, string]>([
  ["influence", "unverified"],
  ["no-report", "unverified"],
  ["no-checks", "unverified"],
  [{ unverified: "red-before" }, "unverified"],
  ["red-before", "unbroken"],
  ["nothing-changed", "unbroken"],
  ["only-checks", "unbroken"],
  ["not-covered", "unbroken"],
])("a task whose gate doubts it because of %j is done, and %s", (because, verdict) => {
  const { effects, notes } = settled({}, because);
  expect(effects).toMatchObject([{ kind: "commit", changes: [{ op: "finish", id: "T1", verdict }] }]);
  expect(notes).toEqual([]);
});

test.each<["verified" | "unbroken", Doubt]>([
  ["verified", "no-checks"],
  ["verified", "red-before"],
  ["verified", { unverified: "red-before" }],
  ["unbroken", "no-checks"],
  ["unbroken", "red-before"],
  ["unbroken", "nothing-changed"],
  ["unbroken", "not-covered"],
])("verify.accept: %s does not block a task because of %j", (accept, because) => {
  expect(settled({ accept }, because).effects).toMatchObject([{ kind: "commit" }]);
});

test.each<[Because, string]>([
  ["nothing-changed", "nothing was changed"],
  ["only-checks", "only checks were changed, and they pass without other changes"],
  ["not-covered", "41 checks pass as before, none of them covers the change"],
])(
  "verify.accept: verified blocks an unbroken task because of %s, and says what would show it",
  (because, why) => {
    const { effects, notes } = settled({ accept: "verified", on_failure: "keep" }, because);
    const how =
      "a check that fails before the work and passes with it shows that it is done: looper set T1 verify+=COMMAND";
    const block = { op: "block", id: "T1", blockers: [`unbroken: ${why}`, how] };
    expect(effects).toMatchObject([{ kind: "change-backlog", changes: [block] }]);
    expect(notes).toMatchObject([
      {
        type: "attempt_failed",
        task_id: "T1",
        reason: "gate",
        next: "blocked",
        evidence: `unbroken: ${why}`,
      },
    ]);
  },
);

test.each<["verified" | "unbroken", "restore" | "keep"]>([
  ["verified", "restore"],
  ["verified", "keep"],
  ["unbroken", "keep"],
])(
  "verify.accept: %s blocks the task at its first attempt, with the evidence (on_failure: %s)",
  (accept, on_failure) => {
    const { effects, notes } = settled({ accept, on_failure }, "influence");
    const kept = on_failure === "restore" ? ["its work is kept: looper rescue show run/T1-1"] : [];
    const reason = "not verified: passes only with test/a.test.js";
    const how =
      "looper show T1 has the evidence; looper set T1 changes+=PATTERN lets the task change a file of its checks";
    const block = { op: "block", id: "T1", blockers: [reason, how, ...kept] };
    expect(effects).toMatchObject([{ kind: "change-backlog", changes: [block] }]);
    expect(notes).toMatchObject([
      {
        ...{ type: "attempt_failed", task_id: "T1", attempt: 1, reason: "gate", next: "blocked" },
        evidence: `${reason}\n\ntest/a.test.js:\n${NEEDS[0]?.diff.trimEnd() ?? ""}`,
      },
    ]);
  },
);

test("a task that is blocked for a person to look at is not tried again, and the run continues", () => {
  const sim = atGate({ accept: "verified", on_failure: "keep" });
  const { sim: blocked } = tell(sim, "run-gate", gate(sim, "influence"));
  const next = advanceTo(advancePast(blocked, "change-backlog"), "run-agent");
  expect(openEffect(next, "run-agent").job.task_id).toBe("T2");
  const last = advanceTo(
    advancePast(advancePast(next, "run-agent"), "run-gate", { gate: "passed" }),
    "run-agent",
  );
  expect(openEffect(last, "run-agent").job.phase).toBe("review");
});

test("the agent's reason is shown as its words", () => {
  const sim = advanceTo(beginRun([row("T1")], { accept: "verified", on_failure: "keep" }), "run-agent");
  const { job } = openEffect(sim, "run-agent");
  const report = { found: { task_id: null, status: "done" as const } };
  const said = { changes_checks: 'the rounding changes: "1.5" is 2' };
  const ended: StepEvent = { type: "agent_finished", ...job, outcome: "ok", report, ...said, duration_ms: 1 };
  const judged = advanceTo(tell(sim, "run-agent", ended).sim, "run-gate");
  const { effects } = tell(judged, "run-gate", gate(judged, "influence")).taken.next;
  const change = effects[0]?.kind === "change-backlog" ? effects[0].changes[0] : undefined;
  expect(change?.op === "block" ? change.blockers[1] : undefined).toBe(
    'the agent\'s reason: "the rounding changes: \\"1.5\\" is 2"',
  );
});

test("an agent that marked its own row as done is overruled", () => {
  const { effects } = settled({ accept: "verified", apply_summary: false, on_failure: "keep" }, "influence");
  expect(effects).toMatchObject([
    { kind: "change-backlog", changes: [{ op: "reopen", to: "doing" }, { op: "block" }] },
  ]);
});
