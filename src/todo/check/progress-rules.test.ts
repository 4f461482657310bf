import { expect, test } from "vitest";
import { checkBacklog } from "./check.js";

const SINCE = "2026-11-24T08:00:00Z";
const question = {
  ...{ id: "T1.2", source: "stage", text: "Go on?", outcomes: ["approve", "reject"], asked_at: SINCE },
};
const output = {
  ...{ stage: "plan", visit: 1, outcome: "done", file: "T1/1-plan.json", sha256: "0".repeat(64) },
  ...{ agent: "a", run: "r", at: SINCE },
};
const progress = { workflow: "w", digest: "d", stage: "approve", visit: 2, since: SINCE, question };

/** The problems of a backlog whose first task has this progress: place, message and suggestion. */
function problemsOf(task: object, answers = false): string[] {
  const one = { id: "T1", title: "one", priority: 1, status: "todo" };
  const tasks = [
    { ...one, progress, ...task },
    { ...one, id: "T2" },
  ];
  const bytes = Buffer.from(JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 1), "utf8");
  const checked = checkBacklog(bytes, answers ? { answers } : {});
  if (checked.kind === "ok") return [];
  return checked.problems.map(
    ({ line, pointer, message, suggestion }) =>
      `${String(line)} ${pointer}: ${message} (${suggestion ?? ""})`,
  );
}

test("a task in a workflow with a question is valid", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ parent: "T2", workflow: "tdd" })).toEqual([]);
  expect(problemsOf({ progress: { ...progress, outputs: { plan: output } } })).toEqual([]);
  expect(problemsOf({ progress: { ...progress, answer: { outcome: "approve" } } }, true)).toEqual([]);
});

const AGAIN = 'remove "progress": the task then begins its workflow again';
const { id: _id, ...withoutId } = question;

test.each([
  [
    { progress: { ...progress, question: withoutId } },
    `16 /tasks/0/progress/question: "id" is missing (add it, or ${AGAIN})`,
  ],
  [
    { progress: { ...progress, later: 1 } },
    `26 /tasks/0/progress/later: the key "later" is not known here; a newer version of looper may have written it (use that version, remove the key, or ${AGAIN})`,
  ],
  [
    { progress: { ...progress, question: { ...question, outcome: ["x"] } } },
    '25 /tasks/0/progress/question/outcome: the key "outcome" is not known here; a newer version of looper may have written it (did you mean "outcomes"?)',
  ],
  [
    { progress: { ...progress, stage: "constructor" } },
    `13 /tasks/0/progress/stage: a name is a lower-case letter, then at most 39 lower-case letters, digits, - and _; it is "constructor" (correct it, or ${AGAIN})`,
  ],
  [
    { progress: { ...progress, visit: "2" } },
    `14 /tasks/0/progress/visit: visit must be a number; it is "2" (correct it, or ${AGAIN})`,
  ],
  [
    { progress: { ...progress, question: { ...question, id: "T7.1" } } },
    `17 /tasks/0/progress/question/id: the question of visit 2 of T1 must be T1.2; it is "T7.1" (write "T1.2", or ${AGAIN})`,
  ],
  [
    { progress: { ...progress, question: { ...question, deadline: "soon" } } },
    '25 /tasks/0/progress/question/deadline: deadline must be a date and time such as 2026-11-20T21:46:01Z; it is "soon" (correct it, or remove it: the question then waits for ever)',
  ],
  [
    { progress: { ...progress, question: { ...question, on_timeout: "rejct" } } },
    '25 /tasks/0/progress/question/on_timeout: on_timeout must be one of approve, reject; it is "rejct" (did you mean "reject"?)',
  ],
  ...["../../etc/passwd", "/etc/passwd", "T1/../../x.json", ""].map((file): [object, string] => [
    { progress: { ...progress, outputs: { plan: { ...output, file } } } },
    `31 /tasks/0/progress/outputs/plan/file: file must be a path below tasks_dir, such as T1/2-plan.json; it is ${JSON.stringify(file)} (correct it, or ${AGAIN})`,
  ]),
  [{ parent: "T22" }, '27 /tasks/0/parent: there is no task "T22" (did you mean "T2"?)'],
  [{ parent: "T1" }, '27 /tasks/0/parent: "T1" is a part of itself (remove it)'],
])("a broken progress is named with its place and what to do: %#", (task, problem) => {
  expect(problemsOf(task)).toEqual([problem]);
});

test("an answer that does not count is a problem only for those who ask about it", () => {
  const answered = { progress: { ...progress, answer: { outcome: "aprove" } } };
  expect(problemsOf(answered)).toEqual([]);
  expect(problemsOf(answered, true)).toEqual([
    '26 /tasks/0/progress/answer: the answer does not count: aprove is not an outcome of T1.2; possible are approve, reject (did you mean "approve"?)',
  ]);
  const spelled = { progress: { ...progress, answer: { outcome: "Approve" } } };
  expect(problemsOf(spelled)).toEqual([]);
  expect(problemsOf(spelled, true)[0]).toContain(
    'Approve is not an outcome of T1.2; possible are approve, reject (did you mean "approve"?)',
  );
  const other = { progress: { ...progress, answer: { question: "T9.9", outcome: "approve" } } };
  expect(problemsOf(other, true)[0]).toContain("it answers T9.9, and the question is T1.2");
});
