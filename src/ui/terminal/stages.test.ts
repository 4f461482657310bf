// A task in a workflow, as the lines during a run, at its end, and in the reports show it, from the events alone.
import { expect, test } from "vitest";
import type { RunEvent } from "../../logging/events/events.js";
import type { ProgressRow } from "../../workflow/progress.js";
import { committed, finished, read, rowsOf, sealAll, started } from "../testing/testing.js";
import { PLAIN } from "../colours.js";
import { id } from "../../todo/testing/testing.js";
import { jobSummary } from "../github-actions/summary.js";
import { explainEnding } from "../view/words/ending.js";
import { junitXml } from "../view/junit.js";
import { liveLine } from "../view/words/live-line.js";
import { fold, NOTHING, type View } from "../view/view.js";
import { eventLine } from "./lines/event-line.js";
import { progressNotes } from "./progress.js";
import { resultLines } from "./result.js";

const titles = new Map([["T1", "Greet by name"]]);

function job(number: number, stage: string, visit: number) {
  return {
    ...{ job: number, iteration: number, phase: "iteration" as const, task_id: id("T1") },
    ...{ agent: "claude", attempt: 1, stage, visit },
  };
}

const nothing = { refused: [], warnings: [], removed: [], digest: "d" };

/** The row moves on, with or without a job. */
function moves(facts: object, status: string, progress: Partial<ProgressRow>): RunEvent {
  const place = { workflow: "implement-review", stage: "implement", visit: 1, ...progress };
  const rows = rowsOf(`T1 ${status}`).map((row) => ({ ...row, progress: place }));
  return { type: "backlog_changed", ...facts, ...nothing, updated: [], rows };
}

function saved(facts: ReturnType<typeof job>, outcome: string): RunEvent {
  const file = `T1/${facts.visit}-${facts.stage}.json`;
  return {
    ...{ type: "work_saved", ...facts, shelved: false, paths: 1, warnings: [] },
    output: {
      ...{ stage: facts.stage, visit: facts.visit, outcome, file, sha256: "0".repeat(64) },
      ...{ agent: "claude", run: "r", at: "2026-01-02T03:04:05Z" },
    },
  };
}

const implement = job(1, "implement", 1);
const review = job(2, "review", 2);
const finish = job(3, "finish", 4);
const report = { task_id: "T1", status: "done" as const };
const T1 = { task_id: id("T1") };

const ASKED = {
  ...{ type: "asked" as const, ...T1, stage: "approve" },
  question: {
    ...{ id: "T1.3", source: "stage" as const, text: "Commit?", outcomes: ["approve", "reject"] },
    asked_at: "2026-01-02T03:04:05Z",
  },
};

const WORKED: RunEvent[] = [
  started(),
  read("T1"),
  moves(implement, "doing", {}),
  finished(implement, report),
  saved(implement, "done"),
  moves(implement, "doing", { stage: "review", visit: 2 }),
  moves(review, "doing", { stage: "review", visit: 2 }),
  finished(review, report),
  saved(review, "complete"),
  moves(review, "blocked", { stage: "approve", visit: 3, asked: "stage" }),
  ASKED,
];

const TAKEN: RunEvent[] = [
  {
    ...{ type: "question_answered", ...T1, question: "T1.3", outcome: "approve" },
    ...{ by: "ada", via: "cli" },
  },
  moves({}, "todo", { stage: "finish", visit: 4, verdict: "passed" }),
  moves(finish, "doing", { stage: "finish", visit: 4, verdict: "passed" }),
  committed(finish, "T1 doing done"),
];

function play(events: readonly RunEvent[]): { view: View; lines: string[] } {
  let view = NOTHING;
  const lines: string[] = [];
  for (const event of sealAll(...events)) {
    const before = view;
    view = fold(before, event);
    const notes = progressNotes({ before, event, after: view }, { titles, colours: PLAIN, live: false });
    lines.push(...notes.flatMap((note) => note.lines));
  }
  return { view, lines };
}

test("each stage has a line with its outcome and where it led, each question its commands", () => {
  expect(play([...WORKED, ...TAKEN]).lines.slice(2)).toEqual([
    "- 1/1 T1 Greet by name · implement · claude",
    "→ T1 Greet by name · implement: done, next review · claude · 3.0s",
    "- 1/1 T1 Greet by name · review, visit 2 · claude",
    "→ T1 Greet by name · review, visit 2: complete, next approve · claude · 3.0s",
    "? T1 Greet by name asks: Commit?",
    "  looper approve T1 or looper reject T1",
    "- T1 approve, by ada (cli)",
    "- 1/1 T1 Greet by name · finishing",
    "✓ T1 Greet by name · 1.0s · verified",
  ]);
});

test("a stage whose agent asks a person, and has no output, did not pass", () => {
  const { output: _none, ...shelved } = saved(implement, "") as Extract<RunEvent, { type: "work_saved" }>;
  const asking: RunEvent[] = [
    ...[started(), read("T1"), moves(implement, "doing", {})],
    finished(implement, { ...report, questions: ["Which port?"] }),
    shelved,
    moves(implement, "blocked", { visit: 2, asked: "agent" }),
  ];
  expect(play(asking).lines.at(-1)).toBe(
    "→ T1 Greet by name · implement: asks, next implement · claude · 3.0s",
  );
  const { view, ended } = endOf(asking, "waiting");
  const { answer } = resultLines(view, ended, { ...look, colours: PLAIN, log: "log" });
  expect(answer[2]).toMatch(/^ {2}implement +asks +claude/u);
});

test.each([
  ["a no is the reason that a task is given up", "reject", [], ": reject, by ada (cli)"],
  ["an answer that led to more work is not", "approve", [job(3, "implement", 4)], ""],
])("%s", (_title, outcome, jobs, why) => {
  const block = job(4, "block", 5);
  const place = { stage: "block", visit: 5 };
  const { lines } = play([
    ...WORKED,
    { type: "question_answered", ...T1, question: "T1.3", outcome, by: "ada", via: "cli" },
    ...jobs.flatMap((one) => [
      moves(one, "doing", { visit: 4 }),
      finished(one, report),
      saved(one, "done"),
      moves(one, "doing", place),
    ]),
    moves(block, "doing", place),
    { type: "restored", ...block, paths: [] },
    moves(block, "blocked", place),
  ]);
  expect(lines.at(-1)).toMatch(
    new RegExp(`^✗ blocked T1 Greet by name · [0-9.]+s${why.replaceAll(/[()]/gu, ".")}$`, "u"),
  );
});

function endOf(events: readonly RunEvent[], ending: "waiting" | "complete") {
  const totals = { done: 0, tasks: 1, iterations: 2, duration_ms: 9000, input_tokens: 0, output_tokens: 0 };
  const { view } = play([...events, { type: "run_ended", ending, totals }]);
  if (view.ended === undefined) throw new Error("the run did not end");
  return { view, ended: view.ended };
}

const look = { titles, todoFile: "to-do.json" };

test("a run that waits for a person shows what each stage used, and how to answer", () => {
  const { view, ended } = endOf(WORKED, "waiting");
  const { question } = ASKED;
  const questions = [{ task: "T1", title: "Greet by name", stage: "approve", visit: 3, question }];
  const now = Date.parse("2026-01-02T03:05:05Z");
  const { answer } = resultLines(view, ended, { ...look, colours: PLAIN, log: "log", questions, now });
  expect(answer).toMatchInlineSnapshot(`
    [
      "task              result         agent   attempts  time  cost",
      "T1 Greet by name  waits for you  claude         2  6.0s     -",
      "  implement       done           claude         1  3.0s     -",
      "  review          complete       claude         1  3.0s     -",
      "",
      "T1 Greet by name · approve · T1.3",
      "  Commit?",
      "  asked 1m00s ago",
      "  answer it with",
      "    looper approve T1",
      "    looper reject T1 -m "why"",
      "",
      "waiting · 0 of 1 task done · 2 iterations · 9.0s",
      "1 question waits for an answer",
      "next: answer with the commands above, from any shell, then looper run: it takes up the answers first",
      "1 question is open: looper questions",
      "log: log",
    ]
  `);
  expect(explainEnding(view, ended, "to-do.json")).toEqual({
    why: "1 question waits for an answer",
    next: "answer with the commands above, from any shell, then looper run: it takes up the answers first",
  });
  expect(junitXml(view, ended, look)).toContain('<skipped message="not finished: waits for you: Commit?"/>');
  expect(jobSummary(view, ended, { ...look, questions })).toContain(
    "- **T1 Greet by name**: Commit? (looper approve T1)",
  );
});

test("a task that is finished after its stages counts as verified, with one attempt for each agent", () => {
  const { view, ended } = endOf([...WORKED, ...TAKEN], "complete");
  const { answer } = resultLines(view, ended, { ...look, colours: PLAIN, log: "log" });
  expect(answer[1]).toMatch(/^T1 Greet by name +done +claude +2 +7\.0s/u);
  expect(junitXml(view, ended, look)).toContain(
    "<system-out>stages: implement done (1 attempt), review complete (1 attempt)</system-out>",
  );
});

test.each([
  [
    "unbroken",
    "not-covered",
    "~ T1 Greet by name · 1.0s · unbroken: 3 checks pass as before, none of them covers the change",
  ],
  ["unverified", "influence", "! T1 Greet by name · 1.0s · unverified: passes only with a.test.js"],
] as const)(
  "a task whose saved work is %s is finished so, with the reason of the stage that did the work",
  (verdict, because, line) => {
    const gate: RunEvent = {
      ...{ type: "gate_finished", ...implement, verdict, because, cold: true, commands: [], tampered: [] },
      ...{
        proof: { fail_to_pass: [], new_tests: [], pass_to_pass: 3 },
        needs: [{ path: "a.test.js", diff: "" }],
      },
      ...{ evidence: "", warnings: [], duration_ms: 1 },
    };
    const events = [...WORKED, ...TAKEN].flatMap((event) => {
      if (event === WORKED[4]) return [gate, event];
      if (event === TAKEN[1]) return [moves({}, "todo", { stage: "finish", visit: 4, verdict })];
      return event === TAKEN[2] ? [moves(finish, "doing", { stage: "finish", visit: 4, verdict })] : [event];
    });
    const { view, ended } = endOf(events, "complete");
    expect(play(events).lines.at(-1)).toBe(line);
    const { answer } = resultLines(view, ended, { ...look, colours: PLAIN, log: "log" });
    expect(answer[1]).toMatch(new RegExp(`^T1 Greet by name +done, ${verdict} `, "u"));
    expect(answer).toContain(`1 task: 1 ${verdict}`);
  },
);

test("the live line names the stage", () => {
  const { view } = play(WORKED.slice(0, 3));
  const line = liveLine({ view, titles, now: view.at, columns: 100, colours: PLAIN });
  expect(line).toContain("1/1 T1 Greet by name · implement · claude · 0.0s");
});

test("tail has a line for each event of a stage", () => {
  const lines = sealAll(
    { type: "stage_entered", ...T1, from: "implement", outcome: "done", to: "review", visit: 2 },
    ASKED,
    ...TAKEN.slice(0, 1),
    saved(review, "complete"),
    { type: "person_asked", ...T1, outcome: "left" },
    { type: "notified", of: "asked", to: "notify-send", outcome: "ok" },
  ).map((event) => eventLine({ ...event }, { colours: PLAIN }).slice(27));
  expect(lines).toEqual([
    "T1  implement: done → review, visit 2",
    "T1 approve  T1.3 Commit? (approve, reject)",
    "T1  T1.3 approve, by ada (cli)",
    "T1 review claude  complete: T1/2-review.json, 1 path saved",
    "T1  left open",
    "asked → notify-send: ok",
  ]);
});
