import { expect, test } from "vitest";
import type { ChapoEvent, ChapoNews } from "../../../chapo/engine/events.js";
import { given } from "../../../system/given.js";
import { openChapoLines, questionLines } from "./chapo-lines.js";
import { coloursFor, PLAIN } from "../../colours.js";
import { widthOf } from "../../text.js";

function play(news: readonly ChapoNews[], columns?: number): string[] {
  const lines = openChapoLines();
  const screen = { colours: PLAIN, ...given({ columns }) };
  return news.flatMap((one, at) => {
    const event: ChapoEvent = { ...one, timestamp: "2026-01-01T00:00:00.000Z", seq: at + 1 };
    return lines(event, screen);
  });
}

function called(tool: string, args: unknown, callId = "c1"): ChapoNews {
  return { type: "tool_call", data: { callId, agent: "looper", tool, args } };
}

function came(tool: string, output: string, success = true, callId = "c1"): ChapoNews {
  return { type: "tool_result", data: { callId, agent: "looper", tool, success, output, tries: 1 } };
}

const ANSWER: ChapoNews = {
  type: "answer",
  data: { answer: "Fixed:\n\n    if (a)\n\tx\n\u001b[2Jend", validated: true, status: "completed" },
};

test("a line for each call and result, what was said beside them, and the answer once and whole", () => {
  expect(
    play([
      { type: "status", data: { status: "running", session: "s" } },
      { type: "message", data: { iteration: 1, text: "I look first." } },
      called("fs_readFile", { path: "a.ts", offset: 3 }),
      came("fs_readFile", "1\n2\n3"),
      called("bash_execute", { command: "npm test\nrm x" }),
      came("bash_execute", "exit code 1\nstack", false),
      called("fs_multiEdit", { edits: [1, 2] }),
      came("fs_multiEdit", "edited"),
      { type: "message", data: { iteration: 2, text: "Fixed" } },
      { type: "validation", data: { isComplete: false, confidence: 0.5, issues: ["no test", "why?"] } },
      { type: "waiting", data: { ms: 3_000, why: "429" } },
      { type: "compaction", data: { how: "summary", before: 100, after: 50, messages: 1 } },
      ANSWER,
    ]),
  ).toEqual([
    "",
    "I look first.",
    "• fs_readFile a.ts",
    "  ✓ 3 lines",
    "• bash_execute npm test rm x",
    "  ✗ exit code 1 (2 lines)",
    "• fs_multiEdit 2 places",
    "  ✓ edited",
    "  validation: confidence 0.50, no test; why?",
    "  waits 3.0s: 429",
    "  1 older message summed up: 100 → 50 tokens",
    "Fixed:",
    "",
    "    if (a)",
    "\tx",
    "\\u001b[2Jend",
  ]);
});

test("a command ends with its exit code and the last lines of its output", () => {
  const output = `stdout:\n${[1, 2, 3, 4, 5, 6].join("\n")}\nstderr:\n\u001b[2Jno`;
  expect(
    play([
      came("bash_execute", "exit_code: 0\n(no output)"),
      came("bash_execute", "exit_code: 0\nstdout:\nall 3 tests pass"),
      came("run_command", `exit_code: 1\n${output}`),
    ]),
  ).toEqual([
    "  ✓ done",
    "  ✓ done",
    "    all 3 tests pass",
    "  ✗ exit code 1, 7 lines",
    "    …",
    "    3",
    "    4",
    "    5",
    "    6",
    "    \\u001b[2Jno",
  ]);
});

test("a long error is broken between words", () => {
  const error = {
    error: "unknown command /x; available: /clear",
    reason: "bad-request",
    status: "error",
  } as const;
  expect(play([{ type: "error", data: error }], 30)).toEqual([
    "error: unknown command /x;",
    "  available: /clear",
  ]);
});

test("the list of todos is shown when it was taken, not when it was refused", () => {
  const todos = [
    { content: "one", status: "completed" },
    { content: "two", status: "in_progress" },
    { content: "three", status: "pending" },
    "odd",
  ];
  expect(play([called("todo_write", { todos }), came("todo_write", "ok")])).toEqual([
    "• todo_write",
    "  [x] one",
    "  [>] two",
    "  [ ] three",
    "  [ ]",
  ]);
  expect(play([called("todo_write", { todos }), came("todo_write", "wrong", false)])).toEqual([
    "• todo_write",
    "  ✗ wrong",
  ]);
});

test("no line is wider than the terminal, nothing steers it, sub-agents are set in", () => {
  const long = `\u001b]0;x\u0007${"日本語 ".repeat(200)}`;
  const lines = play(
    [
      { ...called("bash_execute", { command: long }), child: "c" },
      { ...came("bash_execute", long), child: "c" },
      called("x", "no object"),
      { type: "clarify", data: { question: long, status: "waiting_for_user" } },
      { type: "answer", data: { answer: "x".repeat(100), validated: false, status: "completed" } },
    ],
    40,
  );
  for (const line of lines) {
    expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  }
  expect(lines[0]).toMatch(/^ {4}• bash_execute/);
});

test("an error is one line", () => {
  expect(play([{ type: "error", data: { error: "a\nb\u001b[1m", status: "error" } }])).toEqual([
    "error: a b",
  ]);
});

const QUESTION = {
  tool: "bash_execute",
  agent: "commander",
  args: {},
  because: "it may change something",
  may_remember: true,
};

test("a question shows the exact command, hidden characters too", () => {
  const lines = questionLines({ ...QUESTION, preview: "git push\n\u001b[8mrm -rf x\n" }, { colours: PLAIN });
  expect(lines).toEqual([
    "",
    "commander wants to use bash_execute (it may change something):",
    "  git push",
    "  \\u001b[8mrm -rf x",
  ]);
});

test("a command that is longer than the terminal is wrapped, none of it is cut", () => {
  const preview = "x".repeat(95);
  const lines = questionLines({ ...QUESTION, preview }, { colours: PLAIN, columns: 40 });
  expect(lines.join("").replaceAll(/[^x]/g, "")).toContain(preview);
  for (const line of lines.slice(2)) expect(line.length).toBeLessThanOrEqual(40);
});

test("a diff is coloured line by line", () => {
  const colours = coloursFor(true);
  const preview = "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n same";
  const lines = questionLines({ ...QUESTION, preview }, { colours });
  expect(lines.slice(2, 8)).toEqual([
    `  ${colours.bold("--- a")}`,
    `  ${colours.bold("+++ a")}`,
    `  ${colours.cyan("@@ -1 +1 @@")}`,
    `  ${colours.red("-old")}`,
    `  ${colours.green("+new")}`,
    "   same",
  ]);
});

test("a question shows characters that cannot be seen", () => {
  const preview = "git push\u200b --for\u00adce \u{e0041}x";
  expect(questionLines({ ...QUESTION, preview }, { colours: PLAIN })[2]).toBe(
    "  git push\\u200b --for\\u00adce \\u{e0041}x",
  );
});

test("the text of an answer is not repeated with the next message, and stands before a question", () => {
  const answer = (text: string): ChapoNews[] => [
    { type: "message", data: { iteration: 1, text } },
    { type: "answer", data: { answer: text, validated: true, status: "completed" } },
  ];
  const question: ChapoNews = { type: "clarify", data: { question: "Which?", status: "waiting_for_user" } };
  expect(
    play([
      ...answer("One."),
      called("x", {}),
      { type: "message", data: { iteration: 2, text: "I see two." } },
      question,
    ]),
  ).toEqual(["One.", "• x", "", "I see two.", "Which?"]);
});

test("an answer that could not be checked, and the end of a limit", () => {
  const unknown = { isComplete: false, confidence: 0, issues: ["no verdict"], checked: false as const };
  const retryAt = new Date(Date.parse("2026-01-01T01:00:00.000Z")).toISOString();
  expect(
    play([
      { type: "validation", data: unknown },
      { type: "error", data: { error: "429", status: "error", retry_at: retryAt } },
    ]),
  ).toEqual(["  not checked", expect.stringMatching(/^error: 429; try again after .*\d\d:00:00$/) as string]);
});
