// A gate's "unverified": the task is done as it is, or blocked with the evidence.
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

function gate(sim: Sim, because: Because): StepEvent {
  return {
    ...{ type: "gate_finished", ...openEffect(sim, "run-gate").job, verdict: "unverified", cold: true },
    ...{ commands: [], tampered: [], evidence: "", because, needs: NEEDS, warnings: [], duration_ms: 1 },
  };
}

/** The changes of the backlog and the notes that follow from the gate, after a restore where there is one. */
function settled(rules: Partial<Rules>, because: Because) {
  const sim = atGate(rules);
  const { sim: after, taken } = tell(sim, "run-gate", gate(sim, because));
  if (!taken.next.effects.some(({ kind }) => kind === "restore")) return taken.next;
  const { job } = openEffect(after, "restore");
  const rescue = "refs/looper/rescue/run/T1-1";
  return tell(after, "restore", { type: "restored", ...job, paths: ["a.js"], rescue }).taken.next;
}

test.each<[Because]>([["influence"], ["no-report"], ["no-checks"], ["red-before"]])(
  "a task that is unverified because of %s is done, and not verified",
  (because) => {
    const { effects, notes } = settled({}, because);
    expect(effects).toMatchObject([
      { kind: "commit", changes: [{ op: "finish", id: "T1", verified: false }] },
    ]);
    expect(notes).toEqual([]);
  },
);

test.each<[Because]>([["no-checks"], ["red-before"]])(
  "verify.accept: verified does not block a task that is unverified because of %s",
  (because) => {
    expect(settled({ accept: "verified" }, because).effects).toMatchObject([{ kind: "commit" }]);
  },
);

test.each<["restore" | "keep"]>([["restore"], ["keep"]])(
  "verify.accept: verified blocks the task at its first attempt, with the evidence (on_failure: %s)",
  (on_failure) => {
    const { effects, notes } = settled({ accept: "verified", on_failure }, "influence");
    const kept = on_failure === "restore" ? ["its work is kept: looper rescue show run/T1-1"] : [];
    const reason = "not verified: passes only with test/a.test.js (+expect(1).toBe(1))";
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
