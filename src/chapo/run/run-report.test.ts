import { expect, test } from "vitest";
import { addReportInstructions, REPORT, createReportTool } from "./host.js";

const task = createReportTool({ phase: "iteration", taskId: "T1" });
const review = createReportTool({ phase: "review" });

test("a report is the summary, and its task id is optional", () => {
  expect(task.read({ status: "done", summary: "Made.", files: ["a"] })).toEqual({
    value: { task_id: "T1", status: "done", summary: "Made.", files: ["a"] },
  });
  expect(task.read({ task_id: null, status: "blocked", blockers: ["x"], new_tasks: null })).toEqual({
    value: { task_id: null, status: "blocked", blockers: ["x"] },
  });
  expect(review.read({ status: "reviewed" })).toEqual({ value: { task_id: null, status: "reviewed" } });
});

test.each([
  [task, { status: "wild" }, /^status: /],
  [task, {}, /^status: /],
  [task, { task_id: "T2", status: "done" }, /^task_id: the task is T1$/],
  [task, { status: "reviewed" }, /^status: .* for a task/],
  [review, { status: "done" }, /^status: .* for a review/],
  [task, { status: "done", new_tasks: [{}] }, /new_tasks\.0\.title/],
  [task, "done", /must be an object/],
  [task, ["done"], /must be an object/],
  [task, null, /must be an object/],
])("an invalid report is refused with the name of the field (%#)", (finish, args, problem) => {
  expect(finish.read(args)).toEqual({ problem: expect.stringMatching(problem) as string });
});

test("a report in a text is taken, and a text without one is not a report", () => {
  const text = 'Done.\n```json\n{"task_id": "T1", "status": "done", "summary": "Made."}\n```';
  expect(task.readText(text)).toEqual({ value: { task_id: "T1", status: "done", summary: "Made." } });
  expect(task.readText("All is done.")).toBeUndefined();
  expect(task.readText('{"task_id": "T2", "status": "done"}')).toEqual({
    problem: "task_id: the task is T1",
  });
  expect(task.readText('{"task_id": "T1", "status": "wild"}')).toMatchObject({
    problem: expect.stringContaining("status") as string,
  });
});

test("the tool has the parameters of the summary's schema", () => {
  const { name, parameters } = task.tool;
  expect(name).toBe(REPORT);
  expect(parameters).toMatchObject({ type: "object", required: ["status"] });
  expect(Object.keys(parameters["properties"] as object)).toContain("new_tasks");
  expect(addReportInstructions("Do it.\n\n")).toMatch(
    /^Do it\.\n\nHere you report by calling the tool report_summary/,
  );
});
