// Every interleaving of events and every crash point, for up to three tasks and two workers, on a disk that may lose unsynced
// writes in a power loss. docs/ARCHITECTURE.md shows the visited states. With EXHAUSTIVE all explorations, without it some for
// each law.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Effect } from "../step/effects.js";
import type { Rules } from "../../logging/rules.js";
import { row } from "../../todo/testing/testing.js";
import type { IndexRow } from "../../todo/model/task.js";
import type { AgentAnswer } from "./answers.js";
import { Diagram } from "./diagram.js";
import { explore, type Explored, type Node, type Questions } from "./explore.js";
import type { Menu } from "./moves.js";
import { createSim, startRun, type Sim, type Taken } from "./world/sim.js";

/** Of a small run, but so many orders that only `make proof` tries them. */
const EXHAUSTIVE = process.env["EXHAUSTIVE"] !== undefined;
const exhaustively = test.runIf(EXHAUSTIVE);
const file = path.join(import.meta.dirname, "../../../docs/ARCHITECTURE.md");
const DRAWN = /(<!-- generated: states -->\n\n)[^]*?(\n\n<!-- \/generated -->)/;
const diagram = new Diagram();
let total = 0;

interface Setup {
  rows: IndexRow[];
  rules?: Partial<Rules>;
  file?: Sim["file"];
  budget: Partial<Node["budget"]>;
  ends: (phase: string) => AgentAnswer[];
  replies?: boolean;
}

const found = (status: "done" | "blocked" | "skipped" | "reviewed", more: object = {}): AgentAnswer => ({
  outcome: "ok",
  report: { found: { task_id: null, status, ...more } },
});
const failed = (reason: Extract<AgentAnswer, { outcome: "failed" }>["reason"]): AgentAnswer => ({
  outcome: "failed",
  reason,
  evidence: reason,
});

function run({ rows, rules, file: what = "ok", budget, ends, replies = false }: Setup): Explored {
  const disk = { rows, commits: [], checkpoints: [] };
  const begun = startRun({ ...createSim(disk, rules), file: what });
  const start = {
    sim: begun.sim,
    budget: { signals: 0, failures: 0, edits: 0, asks: 0, crashes: 0, ...budget },
  };
  for (const taken of begun.taken) diagram.draw(taken);
  const menu: Menu = {
    ends: ({ job }) => ends(job.phase),
    // With two workers the run jumps to the second level of stopping.
    signals: [
      { type: "run_interrupted", signal: rules?.workers === 2 ? "SIGTERM" : "SIGINT", terminal: true },
    ],
    replies,
  };
  const explored = explore(start, menu, questions(rows));
  total += explored.states;
  const endings = [...explored.endings].map(([ending, times]) => `${times} ${ending}`).join(", ");
  process.stdout.write(
    `explored ${explored.states} states, ${explored.turns} turns, ${explored.crashes} crashes: ends ${endings}\n`,
  );
  return explored;
}

function questions(rows: readonly IndexRow[]): Questions {
  const open = rows.filter(({ status }) => status !== "done");
  return {
    state: (sim) => [
      ...open.flatMap((task) => lost(sim, task)),
      ...undoneAtTheEnd(sim, open),
      ...leftInTheTree(sim),
    ],
    turn: (before, taken, after) => {
      diagram.draw(taken);
      return [...unprepared(taken, after), ...startedLate(before, taken), ...overridden(taken)];
    },
  };
}

/** L2: a task never has two commits, a commit without being done, or done without a commit or a pending one; none is lost. */
function lost({ disk }: Sim, { id }: IndexRow): string[] {
  const now = disk.rows.find((one) => one.id === id);
  const commits = disk.commits.filter(({ task }) => task === id).length;
  const pending = disk.pending?.commit.task === id;
  if (disk.edited?.includes(id) === true) {
    // A person set its status, or the run has finished it since.
    const isMine = now?.status === "done" && disk.byHand?.includes(id) !== true;
    return isMine && commits === 0 && !pending ? [`${id} is done without a commit`] : [];
  }
  if (now === undefined) return [`${id} is lost`];
  if (commits > 1) return [`${id} has ${commits} commits`];
  if (commits === 1 && now.status !== "done") return [`${id} has a commit and is ${now.status}`];
  return now.status === "done" && commits === 0 && !pending ? [`${id} is done without a commit`] : [];
}

/** A run that ends without a failure leaves nothing unfinished. */
function undoneAtTheEnd({ state, disk }: Sim, rows: readonly IndexRow[]): string[] {
  if (state.phase !== "ended" || state.ending === "interrupted" || state.ending === "environment") return [];
  return rows.flatMap(({ id }) => {
    if (disk.byHand?.includes(id) === true) return [];
    const done = disk.rows.find((one) => one.id === id)?.status === "done";
    const committed = disk.commits.some(({ task }) => task === id);
    return done === committed || (committed && disk.edited?.includes(id) === true)
      ? []
      : [`it ended ${state.ending}, ${id} done: ${done}, committed: ${committed}`];
  });
}

/** L16: the work of a task that is not in progress is only in its commit or in a rescue, however a person edits the task. */
function leftInTheTree({ disk, tree, state }: Sim): string[] {
  // The work of a killed run is put aside once the backlog is read.
  if (state.phase === "opening" || (state.phase === "ending" && state.close.iterations === 0)) return [];
  if (state.phase === "ended" && state.ending === "interrupted") return [];
  // After an environment failure no tree is restored.
  if (state.phase === "working" && state.work.closing?.broken === true) return [];
  const ending = state.phase === "ended" ? state.ending : state.phase === "ending" ? state.close.ending : "";
  if (ending === "environment") return [];
  // An edit that the run does not know yet ends no attempt.
  if (disk.heard !== undefined || (state.phase === "working" && state.work.rereading)) return [];
  const { jobs = [], toPutAside = [] } = state.phase === "working" ? state.work : {};
  return tree.flatMap((id) => {
    const status = disk.rows.find((row) => row.id === id)?.status;
    if (status === "doing" || disk.pending?.commit.task === id) return [];
    if (toPutAside.includes(id) || jobs.some(({ facts }) => facts.task_id === id)) return [];
    return [`${id} is ${status ?? "removed"}, and its work is in the tree`];
  });
}

/** L16: the result of a job changes a row only while the task is in progress; where a person took it away, the edit stays. */
function overridden({ event }: Taken): string[] {
  if (event.type !== "backlog_changed" || event.job === undefined) return [];
  return event.updated.flatMap(({ id, from, to }) =>
    id === event.task_id && from !== "doing" && to !== "doing"
      ? [`${id} was ${from ?? "not there"}, and the result of its job made it ${to ?? "gone"}`]
      : [],
  );
}

/** L1, checked on the disk. */
function unprepared({ next }: Taken, { disk, state }: Sim): string[] {
  const isReading = disk.heard !== undefined || (state.phase === "working" && state.work.rereading);
  return next.effects.flatMap((effect) => {
    if (effect.kind !== "run-agent" || effect.job.phase !== "iteration") return [];
    const task = disk.rows.find(({ id }) => id === effect.job.task_id);
    // The run does not know this edit yet: it stops the agent once it does.
    if (isReading) return [];
    if (task?.status !== "doing")
      return [`an agent starts on ${effect.job.task_id}, which is ${task?.status}`];
    const checked = disk.checkpoints.includes(task.id);
    return checked ? [] : [`an agent starts on ${task.id} without a checkpoint`];
  });
}

/** L2, L8 and L14, checked on the state: effects that must not start any more. */
function startedLate({ state }: Sim, { next }: Taken): string[] {
  // A job that only saves work uses the existing checkpoint.
  const isBack = (effect: Effect): boolean => effect.kind === "checkpoint" && effect.job.agent === "looper";
  const kinds = next.effects.filter((effect) => !isBack(effect)).map(({ kind }) => kind);
  if (state.phase === "ending") return state.close.activity === "finish" ? kinds : [];
  const frame =
    state.phase === "working" ? state.work : state.phase === "opening" ? state.opening : undefined;
  const closing = state.phase === "working" ? state.work.closing : undefined;
  if (frame === undefined || (frame.stopping === 0 && closing === undefined)) return [];
  return kinds.filter(
    (kind) =>
      kind === "run-agent" || kind === "checkpoint" || (kind === "commit" && closing?.broken === true),
  );
}

/** A guard against hanging, not a goal. */
const PATIENT = { timeout: 3_600_000 };
const DONE_OR_NOT = (): AgentAnswer[] => [found("done"), failed("exited")];
const hooks = { pre_iteration: ["p"], post_iteration: ["q"], on_blocked: ["b"], on_run_end: ["e"] };

const MORE = [found("blocked"), found("skipped"), failed("not-found")];

test("L2, L13: one task with everything that can happen to it", PATIENT, () => {
  const explored = run({
    rows: [row("T1")],
    rules: { hooks, max_reviews: 1, schedule: ["a", "b"] },
    budget: { signals: 2, failures: 1, crashes: 1 },
    ends: (phase) =>
      phase === "review"
        ? [found("reviewed"), failed("exited")]
        : [found("done"), failed("exited"), ...(EXHAUSTIVE ? MORE : [])],
  });
  expect([...explored.endings.keys()].sort()).toEqual(["blocked", "complete", "environment", "interrupted"]);
});

test("L4, L12, L13, L16: an agent that may not work, killed, in a world that fails", PATIENT, () => {
  const explored = run({
    rows: [row("T1"), row("T2")],
    rules: { review: false, schedule: ["a", "b"] },
    budget: { failures: 1, crashes: 1 },
    ends: () => [found("done"), { ...failed("exited"), duration_ms: 1000 }],
  });
  expect([...explored.endings.keys()].sort()).toEqual(["blocked", "complete", "environment"]);
});

test("L2, L4, L13, L16: tasks that a person must look at, stopped and killed", PATIENT, () => {
  const explored = run({
    rows: [row("T1"), row("T2")],
    rules: { accept: "verified", review: false },
    budget: { signals: 1, crashes: 1 },
    ends: () => [found("done")],
    replies: true,
  });
  expect([...explored.endings.keys()].sort()).toEqual(["blocked", "complete", "interrupted"]);
});

function exploreEdits(ids: readonly string[], budget: Partial<Node["budget"]>): void {
  const rows = ids.map((id) => row(id));
  const explored = run({ rows, rules: { review: false }, budget, ends: DONE_OR_NOT });
  expect(explored.endings.get("complete")).toBeGreaterThan(0);
}

test("L16: edits by commands at any moment: one task, in a world that fails", PATIENT, () => {
  exploreEdits(["T1"], { asks: 1, failures: 1, crashes: 1 });
});

exhaustively("L16: edits by commands at any moment: one task, stopped and killed", PATIENT, () => {
  exploreEdits(["T1"], { asks: 2, signals: 1, crashes: 1 });
});

exhaustively("L16: edits by commands at any moment: two tasks, killed", PATIENT, () => {
  exploreEdits(["T1", "T2"], { asks: 1, crashes: 1 });
});

exhaustively("L2, L13: one task, three signals, killed up to three times, in recovery too", PATIENT, () => {
  const explored = run({
    rows: [row("T1")],
    rules: { review: false },
    budget: { signals: 3, failures: 1, crashes: 3 },
    ends: DONE_OR_NOT,
  });
  expect([...explored.endings.keys()].sort()).toEqual(["blocked", "complete", "environment", "interrupted"]);
});

function exploreTwo(budget: Partial<Node["budget"]>, ends: () => AgentAnswer[]): void {
  const explored = run({
    rows: [row("T1"), row("T2")],
    rules: { workers: 2, review: false, max_attempts: 1 },
    budget,
    ends,
  });
  expect(explored.endings.get("complete")).toBeGreaterThan(0);
}

test("L2, L13: two workers, two tasks, with agents that fail", PATIENT, () => {
  exploreTwo({ crashes: 1 }, DONE_OR_NOT);
});

exhaustively("L2, L8, L13: two workers, two tasks, stopped", PATIENT, () => {
  exploreTwo({ signals: 1, crashes: 1 }, () => [found("done")]);
});

exhaustively("L2, L8, L13: two workers, two tasks, in a world that fails", PATIENT, () => {
  exploreTwo({ failures: 1, crashes: 1 }, () => [found("done")]);
});

exhaustively("L2, L13: two workers, three tasks, one of which depends on another", PATIENT, () => {
  const explored = run({
    rows: [row("T1"), row("T2"), row("T3", { depends_on: ["T1"] })],
    rules: { workers: 2, review: false, max_attempts: 1 },
    budget: { crashes: 1 },
    ends: DONE_OR_NOT,
  });
  expect([...explored.endings.keys()].sort()).toEqual(["blocked", "complete"]);
});

test.each<[Sim["file"]]>([["missing"], ["broken"]])("L8, L13: a backlog that is %s", (what) => {
  const explored = run({
    rows: what === "missing" ? [] : [row("T1")],
    rules: { bootstrap: "ask", review: false, schedule: ["a", "b"] },
    file: what,
    budget: { signals: 3, failures: 1 },
    ends: () => [found("done"), failed("exited"), failed("not-found")],
    replies: true,
  });
  expect([...explored.endings.keys()]).toContain("unusable-backlog");
});

test.each<[string, Partial<Setup>]>([
  ["a task", { rows: [row("T1")] }],
  ["a draft", { rows: [], file: "missing", rules: { bootstrap: "ask" } }],
  ["a repair", { rows: [row("T1")], file: "broken" }],
])("L8, L13: a check that cannot run refuses the run before %s", (_, setup) => {
  const explored = run({
    rows: [],
    ends: () => [found("done")],
    replies: true,
    ...setup,
    rules: { baseline: true, preflight: "refuse", review: false, ...setup.rules },
    budget: { signals: 3, failures: 1 },
  });
  expect([...explored.endings.keys()]).toEqual(
    expect.arrayContaining(["complete", "environment", "interrupted"]),
  );
});

afterAll(() => {
  process.stdout.write(`${total} states in all\n`);
});

test("the state diagram shows the visited states", () => {
  const page = readFileSync(file, "utf8");
  const drawn = page.replace(DRAWN, `$1${diagram.toMarkdown()}$2`);
  if (process.env["UPDATE_TRANSCRIPTS"] === "1") writeFileSync(file, drawn);
  expect(page).toMatch(DRAWN);
  expect(page).toBe(drawn);
});
