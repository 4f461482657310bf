// The report of an agent in a stage of a workflow: what counts as one, and which status it has.
import { expect, test } from "vitest";
import { extractReport, judgeReport } from "./extract.js";

const outcomes = ["complete", "changes"];
const found = (report: object) => judgeReport(report, outcomes);

test("a stage's report has an outcome, an output and questions; under default they are ignored", () => {
  const report = {
    task_id: "T1",
    status: "done",
    outcome: "changes",
    output: { findings: [] },
    questions: [],
  };
  expect(found(report)).toEqual({ found: report });
  expect(judgeReport(report)).toEqual({ found: { task_id: "T1", status: "done" } });
  expect(judgeReport({ status: "done", outcome: 5, questions: "odd" })).toMatchObject({ found: {} });
});

test.each([
  [{ outcome: "changes" }, { status: "done", outcome: "changes" }],
  [{ status: "complete" }, { status: "done", outcome: "complete" }],
  [
    { status: "reviewed", outcome: "complete" },
    { status: "done", outcome: "complete" },
  ],
  [{ status: "blocked", outcome: null, output: null }, { status: "blocked" }],
  [{ questions: "Which port?" }, { status: "done", questions: ["Which port?"] }],
  [
    { questions: [{ id: "q1", text: "Welche Farbe?", options: ["Blau", "Grün"], required: true }, "Laut?"] },
    { status: "done", questions: ["q1: Welche Farbe?\n- Blau\n- Grün", "Laut?"] },
  ],
  [
    {
      questions: [
        { question: "Keep it?", options: [{ label: "Yes", description: "as it is" }, { label: "No" }] },
      ],
    },
    { status: "done", questions: ["Keep it?\n- Yes: as it is\n- No"] },
  ],
  [
    { status: "done", outcome: "complete", files: [{ path: "a.ts" }], blockers: [] },
    { status: "done", outcome: "complete", files: ["a.ts"], blockers: [] },
  ],
  [{ status: "done" }, { status: "done" }],
])("%j is read as %j", (report, read) => {
  expect(found({ task_id: null, ...report })).toEqual({ found: { task_id: null, ...read } });
});

test.each([
  [{ summary: "words" }, /status/u],
  [{ status: "halfway" }, /status/u],
  [{ status: "done", questions: [{ options: ["a", "b"] }] }, /questions/u],
])("%j is invalid", (report, why) => {
  expect(found(report)).toEqual({ invalid: expect.stringMatching(why) as string });
});

test("it is found in the final message, also without a status", () => {
  const message = `Done.\n\n\`\`\`json\n${JSON.stringify({ outcome: "complete", output: { status: "clear", questions: [] } })}\n\`\`\``;
  expect(extractReport(message, outcomes)).toMatchObject({ found: { status: "done", outcome: "complete" } });
  expect(extractReport(message)).toHaveProperty("missing");
});
