import { describe, expect, test } from "vitest";
import { PLAIN } from "../colours.js";
import type { Task } from "../../todo/model/task.js";
import type { Progress, Question } from "../../workflow/progress.js";
import { listQuestions, openLine, questionLine, questionLines } from "./open-questions.js";

const NOW = Date.parse("2026-11-23T18:12:05Z");
const scene = { colours: PLAIN, now: NOW };

const APPROVE: Question = {
  id: "T3.3",
  source: "stage",
  text: "Carry out this plan?",
  outcomes: ["approve", "edit", "revise", "reject"],
  shows: { what: "plan", sha256: "0".repeat(64) },
  edits: "plan",
  asked_at: "2026-11-23T18:00:00Z",
};

function taskWith(progress: Partial<Progress>, id = "T3"): Task {
  return {
    id,
    title: "Add a search page",
    priority: 1,
    status: "blocked",
    progress: {
      workflow: "plan-approve-execute",
      digest: "d",
      stage: "approve",
      visit: 3,
      since: "2026-11-23T18:00:00Z",
      ...progress,
    },
  } as Task;
}

const plan = {
  stage: "plan",
  visit: 2,
  outcome: "done",
  file: "T3/2-plan.json",
  sha256: "0".repeat(64),
  agent: "claude",
  run: "r",
  at: "2026-11-23T17:59:00Z",
};

describe("questionLines", () => {
  test.each([
    ["passed", "  the work is verified: its checks pass"],
    ["unbroken", "  the work is unbroken: its checks pass, and none shows that it does what the task asks"],
    ["unverified", "  the work is unverified: no check shows that it does what the task asks"],
    ["failed", "  the work failed its checks"],
  ] as const)("a question about work that %s names the verdict of the gate", (verdict, line) => {
    const asked: Question = { ...APPROVE, text: "All tests pass. Commit?", shows: undefined };
    const work = { commit: "c".repeat(40), base: "b".repeat(40), verdict };
    const [open] = listQuestions([taskWith({ question: asked, work })], ".looper/tasks");
    expect(open?.verdict).toBe(verdict);
    expect(open === undefined ? [] : questionLines(open, scene)).toContain(line);
  });

  test("a question shows its plan, how long it waits, and the commands that answer it", () => {
    const [open] = listQuestions([taskWith({ question: APPROVE, outputs: { plan } })], ".looper/tasks");
    expect(open === undefined ? [] : questionLines(open, scene)).toEqual([
      "T3 Add a search page · approve · T3.3",
      "  Carry out this plan?",
      "  plan: .looper/tasks/T3/2-plan.md",
      "  asked 12m05s ago",
      "  answer it with",
      "    looper approve T3",
      "    looper answer T3 edit",
      '    looper answer T3 revise -m "what to change"',
      '    looper reject T3 -m "why"',
    ]);
  });

  test("a question of an agent takes any text, and keeps its lines and steers no terminal", () => {
    const question = {
      ...APPROVE,
      source: "agent" as const,
      outcomes: [],
      text: "Which?\n- a\u001b[2J\n- b",
    };
    const { shows: _shows, edits: _edits, ...bare } = question;
    const [open] = listQuestions([taskWith({ question: bare })], ".looper/tasks");
    expect(open === undefined ? [] : questionLines(open, scene)).toEqual([
      "T3 Add a search page · approve · T3.3",
      "  Which?",
      "  - a\\u001b[2J",
      "  - b",
      "  asked 12m05s ago",
      "  answer it with",
      '    looper answer T3 -m "your answer"',
    ]);
  });

  test("an answer in the file that does not fit is told with the reason", () => {
    const [open] = listQuestions([taskWith({ question: APPROVE, answer: { outcome: "aprove" } })], "");
    expect(open === undefined ? [] : questionLines(open, scene)).toContainEqual(
      expect.stringMatching(/^ {2}the answer in the task file does not count: .*aprove/u),
    );
  });

  test("a long question is cut, with the command that shows all of it", () => {
    const whole = `Which port?\n${"long text ".repeat(10_000)}`;
    const [open] = listQuestions([taskWith({ question: { ...APPROVE, text: whole } })], ".looper/tasks");
    const lines = open === undefined ? [] : questionLines(open, scene);
    expect(lines.join("\n").length).toBeLessThan(5000);
    expect(lines[3]).toMatch(/^ {2}… 9\d{4} more characters: looper questions T3$/u);
    const all = open === undefined ? [] : questionLines(open, { ...scene, whole: true });
    expect(all.slice(1, 3)).toEqual(["  Which port?", `  ${"long text ".repeat(10_000).trim()}`]);
    const list = Array.from({ length: 100 }, (_, at) => `line ${String(at)}`).join("\n");
    const [many] = listQuestions([taskWith({ question: { ...APPROVE, text: list } })], ".looper/tasks");
    expect((many === undefined ? [] : questionLines(many, scene)).length).toBeLessThan(50);
    expect(open === undefined ? "" : questionLine(open).length).toBeLessThan(600);
  });

  test("no line is wider than the terminal, except for a command", () => {
    const question = {
      ...APPROVE,
      text: "word ".repeat(40),
      deadline: "2026-11-24T18:00:00Z",
      on_timeout: "reject",
    };
    const [open] = listQuestions([taskWith({ question, outputs: { plan } })], ".looper/tasks");
    const lines = open === undefined ? [] : questionLines(open, { ...scene, columns: 60 });
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});

test("an answered question is not open, and the oldest open one comes first", () => {
  const answer = {
    question: "T3.3",
    by: "ada",
    via: "cli",
    at: "2026-11-23T18:01:00Z",
    outcome: "approve",
  } as const;
  const older = { ...APPROVE, id: "T4.1", asked_at: "2026-11-23T17:00:00Z" };
  const tasks = [
    taskWith({ question: APPROVE, answer }),
    taskWith({ question: APPROVE }, "T5"),
    taskWith({ question: older }, "T4"),
  ];
  expect(listQuestions(tasks, "t").map(({ task }) => task)).toEqual(["T4", "T5"]);
});

test("the line about open questions counts them", () => {
  expect([0, 1, 2].map(openLine)).toEqual([
    "",
    "1 question is open: looper questions",
    "2 questions are open: looper questions",
  ]);
});

test("one line names the task, the question and the command", () => {
  const [open] = listQuestions([taskWith({ question: APPROVE })], "t");
  expect(open === undefined ? "" : questionLine(open)).toBe(
    "T3 Carry out this plan?  looper answer T3 (approve, edit, revise, reject)",
  );
});
