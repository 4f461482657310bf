// The texts, marks and changes of a working run that no transcript shows.
import { expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import { given } from "../../system/given.js";
import { id, row } from "../../todo/testing/testing.js";
import type { Effect } from "./effects.js";
import type { Work } from "./state.js";
import { advancePast, beginRun, openEffect, tell, told, advanceTo } from "../testing/reach.js";
import { feed, RULES, wake, type Sim } from "../testing/world/sim.js";

const same = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };

function kinds(effects: readonly Effect[]): string[] {
  return effects.map(({ kind }) => kind);
}

function workOf({ state }: { state: Sim["state"] }): Work {
  if (state.phase !== "working") throw new Error(state.phase);
  return state.work;
}

function gate(
  sim: Sim,
  verdict: "passed" | "unbroken" | "unverified" | "failed",
  more: Partial<Extract<StepEvent, { type: "gate_finished" }>> = {},
) {
  const { job } = openEffect(sim, "run-gate");
  const found = {
    verdict,
    cold: false,
    commands: [],
    tampered: [],
    evidence: "",
    warnings: [],
    duration_ms: 0,
  };
  return tell(sim, "run-gate", { type: "gate_finished", ...job, ...found, ...more });
}

test.each([
  ["passed", "verified"],
  ["unbroken", "unbroken"],
  ["unverified", "unverified"],
] as const)("a task whose gate says %s is done as %s", (word, verdict) => {
  const sim = advanceTo(beginRun([row("T1")]), "run-gate");
  expect(gate(sim, word).taken.next.effects).toMatchObject([
    { kind: "commit", changes: [{ op: "finish", id: "T1", result: "did it", files: [], verdict }] },
  ]);
});

test("blockers have the first line of the gate's evidence, the log and the next attempt all of it", () => {
  const evidence = "1 test fails\nexpected 1, got 2";
  const first = gate(advanceTo(beginRun([row("T1")]), "run-gate"), "failed", {
    evidence,
    warnings: ["slow"],
  });
  expect(first.taken.next.notes).toMatchObject([
    { type: "warning", task_id: "T1", message: "slow" },
    { type: "attempt_failed", reason: "gate", evidence, next: "retry" },
  ]);
  const again = advanceTo(first.sim, "run-agent");
  expect(openEffect(again, "run-agent").earlier).toEqual([
    { attempt: 1, agent: "a", reason: "gate", evidence },
  ]);
  const last = gate(advanceTo(again, "run-gate"), "failed", { evidence });
  const given = advancePast(last.sim, "restore");
  expect(openEffect(given, "change-backlog").changes).toEqual([
    {
      op: "block",
      id: "T1",
      blockers: ["gate: 1 test fails", "its work is kept: looper rescue show run/T1-2"],
    },
  ]);
  const failed = { outcome: "failed", reason: "exited", evidence: "code 1\nand more" } as const;
  const unruly = advanceTo(beginRun([row("T1")], { max_attempts: 1 }), "run-agent");
  const blocked = advanceTo(advancePast(unruly, "run-agent", { end: failed }), "change-backlog");
  expect(openEffect(blocked, "change-backlog").changes).toMatchObject([
    { blockers: ["exited: code 1\nand more", "its work is kept: looper rescue show run/T1-1"] },
  ]);
});

test("a baseline is measured again for a task that was in progress already", () => {
  const fresh = advanceTo(beginRun([row("T1")], { baseline: true }), "run-baseline");
  const inHand = advanceTo(beginRun([row("T1", { status: "doing" })], { baseline: true }), "run-baseline");
  expect([fresh, inHand].map((sim) => openEffect(sim, "run-baseline").reuse)).toEqual([false, true]);
  const review = advanceTo(beginRun([], { baseline: true }), "run-agent");
  expect(openEffect(review, "run-agent").job.phase).toBe("review");
});

test("an interrupted baseline starts no agent and does not count as an attempt", () => {
  const sim = advanceTo(beginRun([row("T1")], { baseline: true }), "run-baseline");
  const left = advancePast(sim, "run-baseline", { baseline: "interrupted" });
  expect(workOf(left)).toMatchObject({ jobs: [], iterations: 0 });
  expect([...workOf(left).attempts]).toEqual([["T1", 0]]);
});

test("warnings of a snapshot are logged", () => {
  const sim = advanceTo(beginRun([row("T1")]), "snapshot");
  const { job } = openEffect(sim, "snapshot");
  const event = { type: "snapshot", ...job, changed: 1, warnings: ["a file is too large"] } as const;
  const message =
    "the agent made commits: they stay off the branch, and the run makes the task's commit itself";
  expect(told(sim, { ...event, warnings: [...event.warnings], head: "same" }).notes).toMatchObject([
    { type: "warning", task_id: "T1", message: "a file is too large" },
  ]);
  expect(told(sim, { ...event, warnings: [], head: "put-back" }).notes).toMatchObject([
    { type: "warning", task_id: "T1", message },
  ]);
});

test("files that change during a review are named with the rescue that keeps them", () => {
  const sim = advanceTo(beginRun([]), "restore");
  const { job } = openEffect(sim, "restore");
  const said = (count: number, rescue?: string): string[] => {
    const paths = Array.from({ length: count }, (_, n) => `p${n}`);
    const event = { type: "restored", ...job, paths, ...given({ rescue }) } as const;
    return told(sim, event).notes.map((note) => (note.type === "warning" ? note.message : note.type));
  };
  const start = "changed during the review and put back: ";
  expect(said(0)).toEqual([]);
  expect(said(1)).toEqual([`${start}p0`]);
  expect(said(5)).toEqual([`${start}p0, p1, p2, p3, p4`]);
  expect(said(7, "refs/x")).toEqual([
    `${start}p0, p1, p2, p3, p4 and 2 more; what was there is kept: git show refs/x`,
  ]);
});

test("the store's results are logged, except a refused marker", () => {
  const sim = advanceTo(beginRun([row("T1")]), "change-backlog");
  const { job } = openEffect(sim, "change-backlog");
  const edits = { added: [id("T2")], changed: [], put_back: [] };
  const { notes, state } = told(sim, {
    ...{ type: "backlog_changed", ...job, ...same },
    updated: [
      { id: id("T1"), from: "todo", to: "doing" },
      { id: id("T2"), to: "todo" },
      { id: id("T3"), from: "done" },
      { id: id("T4"), from: "doing", to: "doing" },
    ],
    warnings: ["an edge was dropped"],
    refused: [
      { op: "claim", id: id("T9"), why: "it is done" },
      { op: "mark-complete", why: "not every task is done" },
    ],
    rows: [row("T2")].map((one) => ({ ...one, depends_on: [] })),
    removed: [id("T1")],
    digest: "new",
    edits,
  });
  expect(notes).toMatchObject([
    { type: "task_updated", job: 1, task_id: "T1", from: "todo", to: "doing" },
    { type: "task_updated", task_id: "T2", to: "todo" },
    { type: "task_updated", task_id: "T3", from: "done" },
    { type: "warning", message: "an edge was dropped" },
    { type: "warning", message: "cannot claim T9: it is done" },
    { type: "backlog_edited", ...edits },
  ]);
  expect(workOf({ state }).index.values.map(({ id }) => id)).toEqual(["T2"]);
});

/** The state after a reread with this result. */
function looked(
  rules: Partial<Rules>,
  found: Partial<Extract<StepEvent, { type: "backlog_changed" }>>,
  reviewed = true,
) {
  const sim = advanceTo(beginRun([], rules), "run-agent");
  const report = { found: { task_id: null, status: "reviewed" as const } };
  const settled = advanceTo(
    reviewed ? advancePast(sim, "run-agent", { end: { outcome: "ok", report } }) : sim,
    "change-backlog",
  );
  const { job } = openEffect(settled, "change-backlog");
  return told(settled, { type: "backlog_changed", ...job, ...same, ...found });
}

test("a review counts the tasks of its summary and those it wrote into the file; otherwise it is clean", () => {
  const rows = [row("T5")].map((one) => ({ ...one, depends_on: [] }));
  const reviews = (rules: Partial<Rules>, found: Partial<Extract<StepEvent, { type: "backlog_changed" }>>) =>
    workOf(looked(rules, found)).reviews;
  const fresh = { id: id("T5"), to: "todo" as const };
  expect(reviews({}, { updated: [fresh], rows })).toEqual({ added: 1, failed: 0, clean: false });
  expect(reviews({}, { edits: { added: [id("T5")], changed: [], put_back: [] }, rows })).toEqual({
    added: 1,
    failed: 0,
    clean: false,
  });
  expect(reviews({}, { updated: [{ id: id("PROJECT-DONE"), to: "done" }] })).toMatchObject({
    added: 0,
    clean: true,
  });
  expect(reviews({}, { updated: [{ id: id("T1"), from: "doing", to: "todo" }] })).toMatchObject({
    added: 0,
    clean: true,
  });
  expect(reviews({ apply_summary: false }, { updated: [fresh], rows })).toMatchObject({ added: 0 });
});

test("a delay comes before the next job, if one is set", () => {
  const rows = [row("T1"), row("T2")];
  const now = advanceTo(beginRun(rows), "commit");
  expect(workOf(advancePast(now, "commit")).resumeAt).toBeUndefined();
  const later = advancePast(advanceTo(beginRun(rows, { delay_ms: 5_000 }), "commit"), "commit");
  expect(workOf(later).resumeAt).toBe(5_000);
  const { job, ...look } = { ...openEffect(later, "change-backlog") };
  expect(job).toBeUndefined();
  expect(look.kind).toBe("change-backlog");
  const waiting = told(later, { type: "backlog_changed", ...same });
  expect(waiting.notes).toEqual([
    { type: "waiting", reason: "loop.delay_seconds", until: "1970-01-01T00:00:05.000Z" },
  ]);
  expect(waiting).toMatchObject({ wakeAt: 5_000, because: { rule: "delay" }, effects: [] });
  const woken = wake(tell(later, "change-backlog", { type: "backlog_changed", ...same }).sim);
  expect(kinds(woken.taken.next.effects)).toEqual(["change-backlog"]);
});

test("a selection names its reason, the number of candidates and the runner-up", () => {
  const [note] = told(beginRun([row("T1"), row("T2")]), {
    ...{ type: "backlog_read", digest: "", tasks: 2 },
    rows: [row("T1"), row("T2")].map((one) => ({ ...one, depends_on: [] })),
  }).notes;
  expect(note).toMatchObject({
    type: "task_selected",
    task_id: "T1",
    reason: "todo",
    candidates: 2,
    next: "T2",
  });
  const alone = advancePast(beginRun([row("T1")]), "read-backlog");
  expect(workOf(alone).jobs).toHaveLength(1);
});

test("no hook starts after the second signal, nor for an interrupted attempt", () => {
  const hooks = { ...RULES.hooks, post_iteration: ["x", "y"] };
  const signal = { type: "run_interrupted", signal: "SIGTERM", terminal: true } as const;
  const committing = advanceTo(beginRun([row("T1")], { hooks }), "commit");
  expect(openEffect(advancePast(committing, "commit"), "run-hook").command).toBe("x");
  const stopped = feed(committing, signal).sim;
  expect(kinds(advancePast(stopped, "commit").open.map(({ effect }) => effect))).toEqual(["commit-backlog"]);
  const running = advanceTo(committing, "run-hook");
  const told1 = feed(running, signal);
  expect(kinds(told1.taken.next.effects)).toEqual(["stop"]);
  expect(kinds(advancePast(told1.sim, "run-hook").open.map(({ effect }) => effect))).not.toContain(
    "run-hook",
  );
  const agent = feed(advanceTo(beginRun([row("T1")], { hooks }), "run-agent"), signal).sim;
  const interrupted = { outcome: "failed", reason: "interrupted", evidence: "SIGTERM" } as const;
  const settled = advancePast(
    advanceTo(advancePast(agent, "run-agent", { end: interrupted }), "change-backlog"),
    "change-backlog",
  );
  expect(kinds(settled.open.map(({ effect }) => effect))).not.toContain("run-hook");
});
