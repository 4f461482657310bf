import { expect, test } from "vitest";
import type { AgentResult, FoundReport } from "../../../agents/agent.js";
import type { AgentLine } from "../../../logging/agent-file.js";
import { TaskId } from "../../../todo/model/task.js";
import { addRequests, noRequests, readRequests, takeReport } from "./agent-requests.js";

const job = { task_id: TaskId.parse("T1"), attempt: 2 };
const ended = (report: FoundReport): AgentResult => ({
  outcome: "ok",
  report,
  lastMessage: "",
  unknownEvents: 0,
});
const failed: AgentResult = {
  outcome: "failed",
  reason: "exited",
  evidence: "exit code 3",
  lastMessage: "",
  unknownEvents: 0,
};
const done = { task_id: null, status: "done" as const, summary: "s" };

function read(...lines: AgentLine[]) {
  return readRequests({ lines, warnings: [] }, job);
}

test("the last report counts, and it replaces that of the final message", () => {
  const requests = read(
    { type: "report", report: { task_id: null, status: "blocked" } },
    { type: "report", task_id: "T1", attempt: 2, report: done },
  );
  const report = { found: { task_id: null, status: "skipped" as const } };
  expect(takeReport(ended(report), requests)).toEqual(ended({ found: done }));
  expect(takeReport(ended({ missing: "none" }), requests)).toEqual(ended({ found: done }));
  expect(takeReport(failed, requests)).toEqual(failed);
});

test("lines of another task or attempt, and a question without a task, are only warned of", () => {
  const requests = readRequests(
    {
      lines: [
        { type: "report", task_id: "T2", report: done },
        { type: "add_task", attempt: 1, task: { title: "x" } },
      ],
      warnings: ["line 9 is cut off"],
    },
    job,
  );
  expect(requests).toEqual({
    ...noRequests(),
    warnings: [
      "line 9 is cut off",
      "report in agent.jsonl is not used: it is of task T2, and this is T1",
      "add_task in agent.jsonl is not used: it is of attempt 1, and this is attempt 2",
    ],
  });
  const asked = readRequests({ lines: [{ type: "ask_human", question: "?" }], warnings: [] }, { attempt: 1 });
  expect(asked).toMatchObject({ questions: [], warnings: [expect.stringContaining("with a task can ask")] });
});

test("an agent that asks and reports nothing is blocked by its questions, each once", () => {
  const requests = read(
    { type: "ask_human", question: "Which one?" },
    { type: "ask_human", question: "Which one?" },
    { type: "note", text: "n" },
  );
  const turn = takeReport(ended({ missing: "none" }), requests);
  expect(addRequests(turn, requests)).toEqual({
    result: ended({
      found: {
        task_id: null,
        status: "blocked",
        summary: "asked: Which one?",
        blockers: ["Which one?"],
        questions: ["Which one?"],
      },
    }),
    warnings: [],
  });
  expect(requests.notes).toEqual(["n"]);
});

test("a task with an open question is not done, and its new tasks join those of the report", () => {
  const requests = read(
    { type: "ask_human", question: "Which one?" },
    { type: "add_task", task: { title: "Two" } },
  );
  const found = { ...done, questions: ["Why?"], new_tasks: [{ title: "One" }] };
  expect(addRequests(ended({ found }), requests).result).toEqual(
    ended({
      found: {
        ...done,
        status: "blocked",
        blockers: ["Which one?"],
        questions: ["Why?", "Which one?"],
        new_tasks: [{ title: "One" }, { title: "Two" }],
      },
    }),
  );
});

test("requests of an attempt without a report are named in a warning", () => {
  const requests = read({ type: "add_task", task: { title: "Two" } });
  expect(addRequests(failed, requests)).toEqual({
    result: failed,
    warnings: ["the attempt failed; not used of agent.jsonl: new tasks: Two"],
  });
  expect(addRequests(ended({ missing: "none" }), requests).warnings).toEqual([
    "the agent did not report; not used of agent.jsonl: new tasks: Two",
  ]);
  expect(addRequests(failed, noRequests()).warnings).toEqual([]);
});
