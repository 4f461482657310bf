// Events that no job waits for: impossible ones throw, late ones change nothing.
import { expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";
import { id, row } from "../../todo/testing/testing.js";
import { START, step } from "./step.js";
import { advancePast, beginRun, tell, told, advanceTo } from "../testing/reach.js";
import { RULES, feed, createSim, startRun, type Sim } from "../testing/world/sim.js";

const nothing = { updated: [], refused: [], warnings: [], rows: [], removed: [], digest: "" };
const gate = {
  verdict: "passed" as const,
  cold: false,
  commands: [],
  tampered: [],
  evidence: "",
  warnings: [],
};
const hook = { hook: "post_iteration", command: "x", outcome: "ok", output: "", duration_ms: 0 } as const;
const started = {
  run: "r",
  version: "0",
  project: "/",
  todo_file: "/t",
  rules: RULES,
  agents: [],
  git: true,
};

const EVENTS: StepEvent[] = [
  { type: "run_started", ...started, warnings: [] },
  { type: "recovered", killed: 0, left: [], locks_removed: [] },
  { type: "backlog_read", digest: "", tasks: 0, rows: [] },
  { type: "backlog_invalid", what: "missing", problems: [], count: 0 },
  { type: "backlog_changed", ...nothing },
  { type: "answered", yes: true },
  { type: "adopted", job: 1, adopted: true },
  { type: "checkpoint", job: 1, reused: false, dirty: 0 },
  { type: "baseline_finished", job: 1, outcome: "measured", commands: [], duration_ms: 0 },
  { type: "hook_finished", job: 1, ...hook },
  { type: "agent_finished", job: 1, outcome: "failed", duration_ms: 0 },
  { type: "snapshot", job: 1, changed: 0, head: "same", warnings: [] },
  { type: "gate_finished", job: 1, ...gate, duration_ms: 0 },
  { type: "restored", job: 1, paths: [] },
  { type: "committed", job: 1, ...nothing },
  { type: "stop_sent", job: 1, how: "now" },
  { type: "woke" },
  {
    type: "run_ended",
    ending: "complete",
    totals: { done: 0, tasks: 0, iterations: 0, duration_ms: 0, input_tokens: 0, output_tokens: 0 },
  },
];

/** The types of events that throw in this state. */
function bugs(sim: Sim, events: readonly StepEvent[] = EVENTS): string[] {
  const seal = (event: StepEvent) => ({ ...event, seq: 1, timestamp: "1970-01-01T00:00:00.000Z" });
  return events.flatMap((event) => {
    try {
      step(sim.state, seal(event));
      return [];
    } catch (error) {
      expect(String(error)).toMatch(event.type);
      expect(String(error)).toMatch(/ came\b|begins with/);
      return [event.type];
    }
  });
}

function allBut(...types: StepEvent["type"][]): string[] {
  return EVENTS.map(({ type }) => type).filter((type) => !types.includes(type));
}

const open = beginRun([row("T1")]);
const working = advancePast(open, "read-backlog");

test("a run begins with run_started and takes no event after its end", () => {
  const fresh = createSim({ rows: [], commits: [], checkpoints: [] });
  expect(fresh.state).toBe(START);
  expect(bugs(fresh)).toEqual(allBut("run_started"));
  expect(bugs(advancePast(beginRun([row("T1")]), "finish"))).toEqual(allBut());
});

test("before there is a backlog only events that ask for one, read it or end the run are accepted", () => {
  expect(bugs(open)).toEqual(
    allBut("recovered", "backlog_read", "backlog_invalid", "answered", "committed", "stop_sent", "woke"),
  );
  const disk = { rows: [], commits: [], checkpoints: [] };
  const broken = startRun({ ...createSim(disk), file: "broken" }).sim;
  const drafting = advanceTo(broken, "run-agent");
  const [finished, adopted] = [
    EVENTS.filter(({ type }) => type === "agent_finished"),
    EVENTS.filter(({ type }) => type === "adopted"),
  ];
  expect(bugs(drafting, [...finished, ...adopted])).toEqual(["adopted"]);
  expect(
    bugs(
      drafting,
      finished.map((event) => ({ ...event, job: 2 })),
    ),
  ).toEqual(["agent_finished"]);
  const adopting = advanceTo(drafting, "adopt");
  expect(bugs(adopting, [...finished, ...adopted])).toEqual(["agent_finished"]);
  for (const moment of [open, drafting, adopting])
    expect(told(moment, { type: "woke" })).toMatchObject({ effects: [], because: { rule: "noted" } });
});

test("an answer is accepted only for a job whose activity waits for it", () => {
  const always = ["stop_sent", "woke"] as const;
  const activities = [
    ["change-backlog", "backlog_changed"],
    ["checkpoint", "checkpoint"],
    ["run-agent", "agent_finished"],
    ["snapshot", "snapshot"],
    ["run-gate", "gate_finished"],
    ["commit", "committed"],
  ] as const;
  for (const [kind, waited] of activities) {
    const sim = advanceTo(working, kind);
    const named = EVENTS.map((event) => (event.type === "backlog_changed" ? { ...event, job: 1 } : event));
    expect(bugs(sim, named), kind).toEqual(allBut(waited, ...always));
    expect(
      bugs(
        sim,
        EVENTS.map((event) => ("job" in event ? { ...event, job: 2 } : event)),
      ),
      kind,
    ).toEqual(allBut(...always));
  }
});

test("a late event while the run ends changes nothing", () => {
  const ending = advanceTo(
    beginRun([], { review: false, hooks: { ...RULES.hooks, on_run_end: ["x"] } }),
    "commit-backlog",
  );
  for (const sim of [ending, advancePast(ending, "commit-backlog"), advanceTo(ending, "finish")]) {
    expect(bugs(sim)).toEqual(["run_started", "recovered"]);
    const late = EVENTS.filter(({ type }) => !["run_started", "recovered", "run_ended"].includes(type));
    for (const event of late) {
      const next = told(sim, event);
      expect(next, event.type).toMatchObject({ effects: [], notes: [], because: { rule: "too-late" } });
      expect(next.state).toEqual(sim.state);
    }
  }
});

test("a failure at the end moves on only the activity that waits for it", () => {
  const ending = advanceTo(
    beginRun([], { review: false, hooks: { ...RULES.hooks, on_run_end: ["x", "y"] } }),
    "commit-backlog",
  );
  const hooks = advancePast(ending, "commit-backlog");
  const failed = (sim: Sim, effect: string, job?: number) =>
    told(sim, { type: "effect_failed", effect, error: "no", ...given({ job }) });
  const moves: [Sim, string, number | undefined, string[]][] = [
    [ending, "commit-backlog", undefined, ["run-hook"]],
    [ending, "run-hook", undefined, []],
    [ending, "commit-backlog", 1, []],
    [ending, "snapshot", 1, []],
    [hooks, "run-hook", undefined, ["run-hook"]],
    [hooks, "run-hook", 1, []],
    [hooks, "commit-backlog", undefined, []],
  ];
  for (const [sim, effect, job, effects] of moves) {
    const next = failed(sim, effect, job);
    expect(next.effects.map(({ kind }) => kind)).toEqual(effects);
    expect(next.notes).toEqual([{ type: "warning", message: `${effect}: no` }]);
    if (effects.length === 0) expect(next.state).toEqual(sim.state);
  }
  expect(() => failed(advanceTo(ending, "finish"), "finish")).toThrow("the run could not be ended: no");
});

test("hooks at the end run in the order of the settings", () => {
  const sim = advanceTo(
    beginRun([], { review: false, hooks: { ...RULES.hooks, on_run_end: ["x", "y"] } }),
    "run-hook",
  );
  const second = advancePast(sim, "run-hook");
  expect([sim, second].map((one) => one.open.map(({ effect }) => effect))).toMatchObject([
    [{ hook: "on_run_end", at: 0, command: "x", status: "complete", label: "run-end" }],
    [{ hook: "on_run_end", at: 1, command: "y", status: "complete", label: "run-end" }],
  ]);
});

test("a failure is reported with its hint", () => {
  const failure = { type: "effect_failed", effect: "stop", error: "no", hint: "try again" } as const;
  expect(told(working, failure).notes).toEqual([{ type: "warning", message: "stop: no: try again" }]);
  expect(feed(working, { type: "woke" }).taken.next.because).toEqual({ rule: "woke" });
});

test("an edit that the last commit of the task file found is reported", () => {
  const ending = advanceTo(beginRun([], { review: false }), "commit-backlog");
  const edits = { added: [], changed: [id("T1")], put_back: [] };
  const { next } = tell(ending, "commit-backlog", { type: "committed", ...nothing, edits }).taken;
  expect(next.notes).toEqual([{ type: "backlog_edited", ...edits }]);
  expect(next.effects).toMatchObject([{ kind: "finish" }]);
});
