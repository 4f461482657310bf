// Every interleaving of small runs whose tasks go through workflows: answers, crashes, failures, signals and edits by people at
// every moment. The laws L19 to L24 hold in every state and every decision. With EXHAUSTIVE all explorations, without it some for
// each law.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Rules } from "../../logging/rules.js";
import type { PersonChange } from "../../todo/model/changes/person-change.js";
import type { IndexRow } from "../../todo/model/task.js";
import { row } from "../../todo/testing/testing.js";
import { listOwnOutcomes } from "../../workflow/advance.js";
import { Workflow } from "../../workflow/workflow.js";
import type { AgentAnswer } from "./answers.js";
import { explore, type Explored, type Node } from "./explore.js";
import type { Menu } from "./moves.js";
import { createSim, startRun } from "./world/sim.js";
import { askedStates, movedTurns } from "./stage-laws.js";
import { stageRules } from "./stage-rules.js";

/** The most states of one exploration, so that the suite stays quick. */
const MOST_STATES = 500_000;
const PATIENT = { timeout: 3_600_000 };
/** Of a small run, but so many orders that only `make proof` tries them. */
const EXHAUSTIVE = process.env["EXHAUSTIVE"] !== undefined;
const exhaustively = test.runIf(EXHAUSTIVE);

/** A workflow that Looper brings, with limits that keep an exploration small. */
function shipped(name: string, limits?: Workflow["limits"]): Workflow {
  const file = path.join(import.meta.dirname, "../../../workflows", `${name}.json`);
  const workflow = Workflow.parse(JSON.parse(readFileSync(file, "utf8")));
  return limits === undefined ? workflow : { ...workflow, limits };
}

interface Setup {
  workflow: Workflow;
  rows?: IndexRow[];
  rules?: Partial<Rules>;
  budget?: Partial<Node["budget"]>;
  /** The outcomes that agents report, by stage; without an entry every outcome of the stage. */
  says?: Record<string, readonly string[]>;
  fails?: boolean;
  gates?: NonNullable<Menu["gates"]>;
  people?: (row: IndexRow) => PersonChange[];
}

const said = (
  outcome: string,
  status: "done" | "blocked" | "skipped" = "done",
  more: object = {},
): AgentAnswer => ({
  outcome: "ok",
  report: { found: { task_id: null, status, outcome, ...more } },
});
const FAILED: AgentAnswer = { outcome: "failed", reason: "exited", evidence: "exited" };
const by = { by: "ada", via: "cli" as const };

/** Every answer to every open question. */
function answers(workflow: Workflow): (one: IndexRow) => PersonChange[] {
  return ({ id, progress }) => {
    if (progress?.asked === undefined || progress.answered !== undefined) return [];
    const stage = workflow.stages[progress.stage];
    const outcomes = stage?.kind === "ask" ? listOwnOutcomes(stage) : [];
    const question = `${id}.${String(progress.visit)}`;
    return outcomes.length === 0
      ? [{ op: "answer", id, question, text: "so", ...by }]
      : outcomes.map((outcome) => ({ op: "answer", id, question, outcome, ...by }));
  };
}

function run({
  workflow,
  rows = [row("T1")],
  rules,
  budget,
  says = {},
  fails = false,
  gates,
  people,
}: Setup): Explored {
  const disk = { rows, commits: [], checkpoints: [] };
  const begun = startRun(createSim(disk, stageRules(workflow, rules)));
  const start = {
    sim: begun.sim,
    budget: { signals: 0, failures: 0, edits: 0, asks: 0, crashes: 0, people: 0, ...budget },
  };
  const menu: Menu = {
    ends: ({ job }) => {
      const stage = workflow.stages[job.stage ?? ""];
      const outcomes = says[job.stage ?? ""] ?? (stage === undefined ? ["done"] : listOwnOutcomes(stage));
      const special: Record<string, AgentAnswer> = {
        blocked: said("none", "blocked"),
        skipped: said("none", "skipped"),
        asks: said("none", "done", { questions: ["Which one?"] }),
      };
      return [...outcomes.map((outcome) => special[outcome] ?? said(outcome)), ...(fails ? [FAILED] : [])];
    },
    signals: [{ type: "run_interrupted", signal: "SIGINT", terminal: true }],
    replies: false,
    ...(gates === undefined ? {} : { gates }),
    people: (all) => all.flatMap((one) => people?.(one) ?? []),
  };
  const explored = explore(start, menu, {
    state: (sim) => askedStates(sim, workflow),
    turn: (before, taken, after) => movedTurns({ before, taken, after, workflow }),
  });
  const endings = [...explored.endings].map(([ending, times]) => `${times} ${ending}`).join(", ");
  process.stdout.write(
    `explored ${explored.states} states, ${explored.turns} turns, ${explored.crashes} crashes: ends ${endings}\n`,
  );
  expect(explored.states).toBeLessThan(MOST_STATES);
  return explored;
}

/** A task without stages. */
const OTHER: IndexRow = { ...row("T2"), workflow: "default" };
const crash = { crashes: 1 };
const pauses = ({ id }: IndexRow): PersonChange[] => [
  { op: "pause", id, ...by },
  { op: "resume", id, ...by },
];
const completes = ({ id }: IndexRow): PersonChange[] => [{ op: "complete", id, ...by }];
// A task in hand is restarted by a command.
const restarts = ({ id, status }: IndexRow): PersonChange[] =>
  status === "doing" ? [] : [{ op: "restart", id, ...by }];

function exploreReview(setup: Partial<Setup>): void {
  const explored = run({ workflow: shipped("implement-review", { visits: 4 }), ...setup });
  expect(explored.endings.get("complete")).toBeGreaterThan(0);
}

test.each<[string, Partial<Setup>]>([
  ["killed and stopped, with agents that fail", { budget: { signals: 1, crashes: 1 }, fails: true }],
  ["in a world that fails", { budget: { failures: 1, crashes: 1 } }],
  [
    "with a gate that rejects",
    { budget: { signals: 1, crashes: 1 }, gates: ["passed", "failed", "unverified", "unbroken"] },
  ],
  [
    "with work that falls short",
    { rules: { accept: "verified" }, budget: { signals: 1, crashes: 1 }, gates: ["passed", "unbroken"] },
  ],
  [
    "agents that block, skip and ask",
    {
      says: { implement: ["done", "blocked", "skipped"], review: ["complete", "asks", "nonsense"] },
      budget: crash,
    },
  ],
])("L19, L20, L21, L23: implement-review: %s", PATIENT, (_name, setup) => {
  exploreReview(setup);
});

exhaustively("L19, L20, L21, L23: implement-review: two tasks", PATIENT, () => {
  exploreReview({
    rows: [row("T1"), row("T2")],
    says: { review: ["complete"] },
    budget: { signals: 1, crashes: 1 },
    fails: true,
  });
});

const tdd = shipped("tdd", { visits: 8 });
const planned = shipped("plan-approve-execute", { visits: 7 });

test.each<[string, Partial<Setup>]>([
  ["four answers", { budget: { people: 4, crashes: 1 } }],
  ["in a world that fails", { budget: { people: 4, failures: 1 }, fails: true }],
])("L19, L22, L24: tdd: %s", PATIENT, (_name, setup) => {
  const explored = run({ workflow: tdd, people: answers(tdd), ...setup });
  expect([...explored.endings.keys()]).toEqual(expect.arrayContaining(["blocked", "complete", "waiting"]));
});

exhaustively.each<[string, Partial<Setup>]>([
  ["answers, kills and signals", { budget: { people: 2, crashes: 1, signals: 1 }, fails: true }],
  ["edits that end an attempt", { people: answers(planned), budget: { people: 1, asks: 1, crashes: 1 } }],
  [
    "questions of agents",
    {
      rows: [row("T1"), OTHER],
      says: { clarify: ["clear", "asks"], execute: ["done", "asks"] },
      budget: { people: 3, crashes: 1 },
    },
  ],
  [
    "pauses",
    {
      rows: [row("T1"), OTHER],
      people: (one) => [...answers(planned)(one), ...pauses(one)],
      budget: { people: 3 },
    },
  ],
])("L19, L21, L22, L23, L24: plan-approve-execute: %s", PATIENT, (_name, setup) => {
  run({ workflow: planned, people: answers(planned), ...setup });
});

test.each<[string, Partial<Setup>]>([
  ["beside another task", { rows: [row("T1"), OTHER], budget: { people: 2, crashes: 1 } }],
  [
    "completed",
    {
      people: (one) => [...answers(planned)(one), ...completes(one)],
      gates: ["passed", "failed"],
      budget: { people: 2, crashes: 1 },
    },
  ],
  [
    "restarted",
    { people: (one) => [...answers(planned)(one), ...restarts(one)], budget: { people: 2, crashes: 1 } },
  ],
  ["a person at the terminal", { rules: { asks_person: true }, budget: { signals: 1, crashes: 1 } }],
  [
    "approved by a setting",
    { rules: { auto_approve: ["approve"], skip: ["clarify"] }, budget: { signals: 1, crashes: 1 } },
  ],
])("L19, L21, L22, L23, L24: plan-approve-execute: %s", PATIENT, (_name, setup) => {
  run({ workflow: planned, people: answers(planned), ...setup });
});

const CHECKED = Workflow.parse({
  ...{ workflow: 1, name: "checked", start: "plan", limits: { visits: 6 } },
  stages: {
    plan: { kind: "analyze", prompt: "plan", next: { easy: "do", hard: "sure" } },
    sure: {
      kind: "ask",
      question: "Really?",
      timeout: "1h",
      on_timeout: "no",
      next: { yes: "do", no: "block" },
    },
    do: {
      kind: "work",
      prompt: "do",
      gate: "none",
      limits: { errors: 1 },
      next: { done: "lint", exhausted: "plan" },
    },
    lint: {
      kind: "check",
      commands: ["lint"],
      next: { passed: "finish", failed: { to: "do", discard: true } },
    },
  },
});

test("L19, L20, L22, L24: a check, a timeout and an exhausted stage", PATIENT, () => {
  const budget = { people: 1, crashes: 1, ...(EXHAUSTIVE ? { signals: 1 } : {}) };
  const explored = run({
    workflow: CHECKED,
    people: answers(CHECKED),
    budget,
    fails: true,
    gates: ["passed", "failed"],
  });
  const ends = ["blocked", "complete", ...(EXHAUSTIVE ? ["interrupted"] : [])];
  expect([...explored.endings.keys()]).toEqual(expect.arrayContaining(ends));
});

test("L21, L23: research, which changes nothing", PATIENT, () => {
  const budget = { signals: 1, failures: 1, crashes: 1 };
  const explored = run({ workflow: shipped("research"), budget, fails: true });
  expect(explored.endings.get("complete")).toBeGreaterThan(0);
});
