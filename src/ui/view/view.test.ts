import { expect, test } from "vitest";
import type { CommandVerdict, GateReport, GateVerdict } from "../../gate/verdict.js";
import type { RunEvent } from "../../logging/events/events.js";
import { id } from "../../todo/testing/testing.js";
import {
  attempt,
  changed,
  committed,
  finished,
  over,
  read,
  review,
  rowsOf,
  sealAll,
  started,
  usage,
} from "../testing/testing.js";
import { count, fold, NOTHING, placeOf, type View } from "./view.js";

function viewOf(...events: readonly (RunEvent | number)[]): View {
  return sealAll(...events).reduce(fold, NOTHING);
}

const T1 = attempt(1, "T1");
const done = { task_id: "T1", status: "done" as const };

function doneTask(): RunEvent[] {
  return [
    { type: "task_selected", ...T1, reason: "todo", candidates: 2 },
    changed(T1, "T1 todo doing"),
    usage(T1, 100, 0.5),
    usage(T1, 20),
    finished(T1, done),
    { type: "snapshot", ...T1, changed: 1, head: "same", warnings: [] },
    gate("passed"),
    committed(T1, "T1 doing done"),
  ];
}

function gate(verdict: GateVerdict, more: Partial<GateReport> = {}): RunEvent {
  const found = { verdict, cold: false, commands: [], tampered: [], evidence: "", ...more };
  return { type: "gate_finished", ...T1, ...found, warnings: [], duration_ms: 0 };
}

function judgedAs(...gates: RunEvent[]): View["finished"] {
  const events = doneTask().flatMap((event) => (event.type === "gate_finished" ? gates : [event]));
  return viewOf(started(), read("T1"), ...events).finished;
}

test.each([
  ["no gate", []],
  ["a gate that proves nothing", [gate("unverified")]],
  ["a gate that failed after one that passed", [gate("passed"), gate("failed")]],
])("a task that is done after %s is unverified", (_, gates) => {
  expect(judgedAs(...gates)).toMatchObject([
    { taskId: "T1", result: "done", judged: { verdict: "unverified" } },
  ]);
});

const proof = {
  fail_to_pass: [{ command: "npm test", name: "adds" }, { command: "npm test" }],
  new_tests: [],
  pass_to_pass: 41,
};

test.each<[string, RunEvent, object]>([
  [
    "verified, with its evidence",
    gate("passed", { proof }),
    { verdict: "verified", text: "1 test red → green" },
  ],
  [
    "unbroken, with the reason, and no person must look",
    gate("unbroken", { because: "not-covered", proof: { ...proof, fail_to_pass: [] } }),
    {
      verdict: "unbroken",
      because: "not-covered",
      text: "41 checks pass as before, none of them covers the change",
    },
  ],
  [
    "unverified, and a person must look",
    gate("unverified", { because: "influence", needs: [{ path: "a.test.js", diff: "+x" }] }),
    { verdict: "unverified", because: "influence", look: [], text: "passes only with a.test.js" },
  ],
  [
    "unverified without checks, and no person must look",
    gate("unverified", { because: "no-checks" }),
    { verdict: "unverified", because: "no-checks", text: "no checks are configured" },
  ],
])("a task that is done is %s", (_, event, judged) => {
  expect(judgedAs(event)).toEqual([expect.objectContaining({ result: "done", judged })]);
});

test("a check that fails as before is named as the reason of an unbroken task", () => {
  const red: CommandVerdict = {
    ...{ command: "npm test", own: false, verdict: "pre-existing", end: "exited", exit_code: 1 },
    ...{ duration_ms: 1, tail: "" },
  };
  const commands: CommandVerdict[] = [red, { ...red, command: "make lint", verdict: "passed" }];
  expect(judgedAs(gate("unbroken", { because: "red-before", commands }))).toMatchObject([
    { judged: { verdict: "unbroken", text: "`npm test` fails as before", red: ["npm test"] } },
  ]);
});

test("a task from its selection to its commit", () => {
  const view = viewOf(started(), read("T1", "T2"), ...doneTask());
  expect(view.current).toBeUndefined();
  expect(view.finished).toEqual([
    {
      ...{ job: 1, phase: "iteration", taskId: "T1", agent: "claude", attempt: 1 },
      ...{ spent: { tokens: 120, cost: 0.5, partly: true }, result: "done", why: "", added: 0, ms: 7000 },
      ...{ began: 1767323047000, commit: "abc", judged: { verdict: "verified" } },
    },
  ]);
  expect(view.spent).toEqual({ tokens: 120, cost: 0.5, partly: true });
  expect([count(view, "done"), count(view, "todo"), view.statuses.size]).toEqual([1, 1, 2]);
});

test("while it is under way: what it does now, and where it stands among the others", () => {
  const view = viewOf(started(), read("T0 done", "T1", "T2"), ...doneTask().slice(0, 2), {
    ...{ type: "command", ...T1, command: "npm test" },
  });
  expect(view.current).toMatchObject({ taskId: "T1", doing: "runs npm test", agentEnded: false });
  expect(placeOf(view)).toEqual({ n: 2, of: 3 });
});

test("place: a second attempt is the same task, the next task is one further", () => {
  const second = attempt(2, "T1", 2);
  const failed: RunEvent = {
    type: "attempt_failed",
    ...T1,
    reason: "exited",
    evidence: "exit 1",
    next: "retry",
  };
  const before = [
    started(),
    read("T1", "T2"),
    changed(T1, "T1 todo doing"),
    finished(T1),
    failed,
    changed(T1),
  ];
  const again = viewOf(...before, { type: "task_selected", ...second, reason: "doing", candidates: 1 });
  expect(placeOf(again)).toEqual({ n: 1, of: 2 });
  const next = viewOf(
    ...before,
    changed(second),
    finished(second, done),
    committed(second, "T1 doing done"),
    { type: "task_selected", ...attempt(3, "T2"), reason: "todo", candidates: 1 },
  );
  expect(placeOf(next)).toEqual({ n: 2, of: 2 });
});

test.each<[string, RunEvent[], { result: string; why: string; uncounted?: true }]>([
  [
    "failed, with another attempt to follow",
    [
      finished(T1),
      { type: "attempt_failed", ...T1, reason: "no-summary", evidence: "nothing", next: "retry" },
      changed(T1),
    ],
    { result: "failed", why: "no-summary: nothing" },
  ],
  [
    "given up after the last attempt",
    [
      finished(T1),
      { type: "attempt_failed", ...T1, reason: "exited", evidence: "1", next: "blocked" },
      changed(T1, "T1 doing blocked"),
    ],
    { result: "blocked", why: "exited: 1" },
  ],
  [
    "blocked by its own report",
    [
      finished(T1, { task_id: "T1", status: "blocked", blockers: ["no key", "no net"] }),
      changed(T1, "T1 doing blocked"),
    ],
    { result: "blocked", why: "no key; no net" },
  ],
  [
    "skipped",
    [finished(T1, { task_id: null, status: "skipped", summary: "later" }), changed(T1, "T1 doing todo")],
    { result: "skipped", why: "later" },
  ],
  [
    "its agent left out",
    [
      finished(T1),
      { type: "attempt_failed", ...T1, reason: "not-found", evidence: "gone", next: "drop-agent" },
      changed(T1),
    ],
    { result: "agent-dropped", why: "not-found: gone", uncounted: true },
  ],
  [
    "its agent not let in",
    [
      finished(T1),
      { type: "attempt_failed", ...T1, reason: "rate-limited", evidence: "later", next: "wait" },
      changed(T1),
    ],
    { result: "waiting", why: "rate-limited: later", uncounted: true },
  ],
  [
    "ended by the budget of its run",
    [
      finished(T1),
      { type: "attempt_failed", ...T1, reason: "budget", evidence: "spent", next: "end" },
      changed(T1),
    ],
    { result: "stopped", why: "budget: spent", uncounted: true },
  ],
  [
    "stopped with the run",
    [
      {
        type: "agent_finished",
        ...T1,
        outcome: "failed",
        reason: "interrupted",
        evidence: "x",
        duration_ms: 1,
      },
      changed(T1),
    ],
    { result: "stopped", why: "" },
  ],
  ["cut off by the end of the run", [over("environment")], { result: "stopped", why: "" }],
  [
    "a commit that could not be made",
    [
      finished(T1, done),
      { type: "attempt_failed", ...T1, reason: "commit-failed", evidence: "no", next: "retry" },
      changed(T1),
    ],
    { result: "failed", why: "commit-failed: no" },
  ],
])("an attempt that ends otherwise: %s", (_name, events, expected) => {
  const view = viewOf(started(), read("T1"), changed(T1, "T1 todo doing"), ...events);
  expect(view.finished).toHaveLength(1);
  expect(view.finished[0]).toMatchObject(expected);
  expect(view.current).toBeUndefined();
});

test("where the agent edits the backlog itself, the row it leaves says what came of it", () => {
  const open = [started(), read("T1"), changed(T1, "T1 todo doing"), finished(T1, done)];
  const byRow: RunEvent = {
    type: "backlog_changed",
    ...T1,
    updated: [],
    refused: [],
    warnings: [],
    removed: [],
    digest: "",
    rows: rowsOf("T1 done"),
  };
  expect(viewOf(...open, byRow).finished[0]?.result).toBe("done");
  const unmarked = viewOf(...open, changed(T1));
  expect(unmarked.finished).toEqual([]);
  const failed: RunEvent = {
    type: "attempt_failed",
    ...T1,
    reason: "bad-summary",
    evidence: "not marked",
    next: "retry",
  };
  expect(
    [failed, changed(T1)].reduce((view, event) => fold(view, sealAll(event)[0] ?? never()), unmarked)
      .finished,
  ).toMatchObject([{ result: "failed", why: "bad-summary: not marked" }]);
});

function never(): never {
  throw new Error("nothing was sealed");
}

test("a refused claim does not count as an attempt", () => {
  const refused: RunEvent = {
    ...{ type: "backlog_changed", ...T1, updated: [], rows: [], removed: [], warnings: [], digest: "" },
    refused: [{ op: "claim", id: id("T1"), why: "it is done" }],
  };
  const view = viewOf(
    started(),
    read("T1"),
    { type: "task_selected", ...T1, reason: "todo", candidates: 1 },
    refused,
  );
  expect([view.current, view.finished]).toEqual([undefined, []]);
});

test("a review: what it added, or why it failed, which the line after says", () => {
  const R = review(2);
  const opening = [
    started(),
    read("T1 done"),
    { type: "checkpoint", ...R, reused: false, dirty: 0 } as const,
  ];
  const good = viewOf(
    ...opening,
    finished(R, { task_id: null, status: "reviewed" }),
    changed(R, "T2 - todo", "T3 - todo"),
  );
  expect(good.finished).toMatchObject([{ phase: "review", result: "reviewed", added: 2 }]);
  expect(good.statuses.size).toBe(3);
  const settled = [...opening, finished(R), changed(R)];
  expect(viewOf(...settled).finished).toEqual([]);
  const failed = viewOf(...settled, {
    type: "attempt_failed",
    ...R,
    reason: "no-summary",
    evidence: "none",
    next: "retry",
  });
  expect(failed.finished).toMatchObject([{ phase: "review", result: "failed", why: "no-summary: none" }]);
  const turnedAway = viewOf(...settled, {
    ...{ type: "attempt_failed", ...R, reason: "overloaded", evidence: "busy", next: "wait" },
  });
  expect(turnedAway.finished).toMatchObject([{ phase: "review", result: "waiting", uncounted: true }]);
});

test("drafts: adopted, or not", () => {
  const D = { ...review(1), phase: "bootstrap" as const };
  const began: RunEvent = { type: "agent_started", ...D, label: "bootstrap-1", pid: 1, command: "x" };
  const good = viewOf(started(), began, finished(D), { type: "adopted", ...D, adopted: true });
  expect(good.finished).toMatchObject([{ phase: "bootstrap", result: "done" }]);
  const bad = viewOf(
    started(),
    began,
    finished(D),
    { type: "adopted", ...D, adopted: false },
    {
      ...{ type: "attempt_failed", ...D, reason: "bad-summary", evidence: "no tasks", next: "retry" },
    },
  );
  expect(bad.finished).toMatchObject([
    { phase: "bootstrap", result: "failed", why: "bad-summary: no tasks" },
  ]);
});

test("hooks that run after a task are not taken for a job of their own", () => {
  const hook: RunEvent = {
    type: "hook_finished",
    ...T1,
    hook: "post_iteration",
    command: "x",
    outcome: "ok",
    output: "",
    duration_ms: 1,
  };
  const view = viewOf(started(), read("T1"), ...doneTask(), hook);
  expect(view.current).toBeUndefined();
  expect(view.finished).toHaveLength(1);
});

test("the completion marker does not count as a task, and removed tasks are gone", () => {
  const T2 = attempt(2, "T2");
  const marker = { ...rowsOf("PROJECT-DONE done")[0], marker: true as const };
  const view = viewOf(started(), read("T1 done", "T2"), {
    ...{
      type: "backlog_changed",
      ...T2,
      updated: [],
      refused: [],
      warnings: [],
      removed: [id("T1")],
      digest: "",
    },
    rows: [{ ...marker, id: id("PROJECT-DONE"), status: "done", priority: 5, depends_on: [] }],
  });
  expect(view.statuses.values).toEqual([{ id: "T2", status: "todo" }]);
});

test("warnings, signals and the end", () => {
  const view = viewOf(
    started(["no git"]),
    { type: "warning", message: "an edge was dropped" },
    { type: "run_interrupted", signal: "SIGINT", terminal: true },
    over("interrupted", { signal: "SIGINT", done: 1, tasks: 2 }),
  );
  expect(view.warnings).toEqual(["no git", "an edge was dropped"]);
  expect(view.interrupts).toBe(1);
  expect(view.ended).toEqual({
    ending: "interrupted",
    signal: "SIGINT",
    totals: { done: 1, tasks: 2, iterations: 1, ms: 65_000, tokens: 0 },
  });
});

test("all that was read and written is in the total, what came from the cache too", () => {
  const end = over("complete");
  if (end.type !== "run_ended") throw new Error(end.type);
  const totals = { ...end.totals, input_tokens: 1800, cached_input_tokens: 1200, output_tokens: 30 };
  expect(viewOf(started(), { ...end, totals }).ended?.totals.tokens).toBe(3030);
});

test("fold leaves what it was given as it was", () => {
  const before = viewOf(started(), read("T1"), changed(T1, "T1 todo doing"));
  const copy = structuredClone(before);
  for (const event of sealAll(usage(T1, 5), finished(T1, done), committed(T1, "T1 doing done")))
    fold(before, event);
  expect(before).toEqual(copy);
});

test("told by looper stop once or often, it is one stop; now is two; a signal after it goes further", () => {
  const asked = (signal: "SIGINT" | "SIGTERM"): RunEvent => ({
    ...{ type: "run_interrupted", signal, terminal: false, by: "stop" },
  });
  expect(viewOf(started(), asked("SIGINT"), asked("SIGINT"))).toMatchObject({
    ...{ interrupts: 1, stoppedBy: "looper stop" },
  });
  expect(viewOf(started(), asked("SIGINT"), asked("SIGTERM"))).toMatchObject({ interrupts: 2 });
  const signal: RunEvent = { type: "run_interrupted", signal: "SIGINT", terminal: true };
  const mixed = viewOf(started(), signal, asked("SIGINT"), signal);
  expect([mixed.interrupts, mixed.stoppedBy]).toEqual([2, undefined]);
});

test("abandoned work is listed with the attempt after which it was abandoned", () => {
  const view = viewOf(
    ...[started(), read("T1"), changed(T1, "T1 todo doing"), finished(T1)],
    { type: "attempt_failed", ...T1, reason: "exited", evidence: "1", next: "blocked" },
    { type: "restored", ...T1, paths: ["a"], rescue: "refs/looper/rescue/x/T1-1" },
    changed(T1, "T1 doing blocked"),
  );
  expect(view.finished).toMatchObject([{ result: "blocked", rescue: "refs/looper/rescue/x/T1-1" }]);
});
