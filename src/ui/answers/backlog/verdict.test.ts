import { expect, test } from "vitest";
import type { Task } from "../../../todo/model/task.js";
import { task } from "../../../todo/testing/testing.js";
import { PLAIN } from "../../colours.js";
import { LsAnswer } from "../../shapes/backlog.js";
import { ShowAnswer } from "../../shapes/runs.js";
import { attempt, committed, finished, read, sealAll, started } from "../../testing/testing.js";
import { taskLines } from "../../terminal/lines/task-lines.js";
import type { Found } from "../../view/read-doubts.js";
import { fold, NOTHING } from "../../view/view.js";
import { listAnswer, selectTasks } from "./list.js";
import { attemptsIn, showAnswer } from "./show.js";
import { whyAnswer } from "./verdict.js";

const NONE = { needs: [], on: [], changedChecks: [], byExitCode: [] };
const turned = [{ command: "npm test", name: "adds" }, { command: "make lint" }];
const evidence = { fail_to_pass: turned, new_tests: [{ command: "npm test", name: "greets" }] };
const VERIFIED: Found = { verdict: "verified", reasons: [], evidence, ...NONE };
const UNBROKEN: Found = {
  ...{ verdict: "unbroken", because: "nothing-changed", reasons: ["nothing was changed"] },
  ...{ evidence: { fail_to_pass: [], new_tests: [] }, ...NONE },
};
const UNVERIFIED: Found = {
  ...{ verdict: "unverified", because: "influence", reasons: ["it passes only with a.test.js"], look: [] },
  ...NONE,
};

const done = (verdict?: string, more = {}): Task =>
  task("T1", { status: "done", meta: { ...(verdict === undefined ? {} : { verdict }), ...more } });
const accepted = { at: "2026-01-02T03:04:05.000Z", by: "ana" };

test.each<[string, Task, Found | undefined, object]>([
  [
    "verified",
    done("verified"),
    VERIFIED,
    { verdict: "verified", verified: true, evidence, because: null, unverified_because: [] },
  ],
  [
    "unbroken",
    done("unbroken"),
    UNBROKEN,
    {
      ...{ verdict: "unbroken", verified: false, evidence: { fail_to_pass: [], new_tests: [] } },
      ...{ because: "nothing-changed", unverified_because: ["nothing was changed"] },
    },
  ],
  [
    "unverified, and to be looked at",
    done(),
    UNVERIFIED,
    {
      ...{ verdict: "unverified", verified: false, evidence: null, because: "influence", needs_look: true },
      unverified_because: ["it passes only with a.test.js"],
    },
  ],
  [
    "accepted: it has no reason any more",
    done("verified", { accepted }),
    UNVERIFIED,
    { verdict: "verified", verified: true, evidence: null, because: null, unverified_because: [], accepted },
  ],
  [
    "done by hand after a gate that judged other work",
    done(),
    VERIFIED,
    { verdict: "unverified", evidence: null, because: null, unverified_because: [] },
  ],
  [
    "unbroken, without logs",
    done("unbroken"),
    undefined,
    { verdict: "unbroken", evidence: null, because: null },
  ],
  [
    "not done",
    task("T1", { status: "blocked" }),
    UNBROKEN,
    { verdict: null, verified: false, evidence: null, because: null, unverified_because: [] },
  ],
  [
    "the completion marker",
    task("project-done", { status: "done" }),
    undefined,
    { verdict: null, marker: true },
  ],
])("ls and show have the verdict of a task that is %s", (_, one, found, fields) => {
  const tasks = [one];
  const wanted = { status: undefined, tag: undefined, ready: false };
  const listed = { ...selectTasks({ tasks, wrong: [] }, wanted), found: () => found };
  const [row] = LsAnswer.parse(listAnswer("f", listed)).tasks;
  expect(row).toMatchObject(fields);
  expect(Object.hasOwn(row ?? {}, "needs_look")).toBe(Object.hasOwn(fields, "needs_look"));
  const shown = ShowAnswer.parse(showAnswer("f", { task: one, tasks, found }, [])).task;
  const { needs_look: _look, evidence: _evidence, ...same } = { needs_look: true, evidence: null, ...fields };
  expect(shown).toMatchObject(same);
});

const SCENE = { now: 0, live: undefined, colours: PLAIN, tasksDir: "t", shown: String };
const linesOf = (one: Task, found: Found): string[] =>
  taskLines(showAnswer("f", { task: one, tasks: [one], found }, []), SCENE);

test("show has the evidence of a verified task, and the reason of an unbroken one", () => {
  const shown = showAnswer("f", { task: done("verified"), tasks: [], found: VERIFIED }, []);
  expect(shown.task.evidence).toMatchObject({ ...evidence, needs: [], changed_checks: [] });
  expect(linesOf(done("verified"), VERIFIED).slice(1, 8)).toEqual([
    "done · verified · priority 3",
    ...["", "red → green", "  adds (npm test)", "  make lint"],
    ...["", "new tests that fail without the work"],
  ]);
  expect(linesOf(done("unbroken"), UNBROKEN).slice(1, 5)).toEqual([
    ...["done · unbroken · priority 3", "", "why it is unbroken", "  nothing was changed"],
  ]);
});

test.each([
  ["passed", "verified"],
  ["unbroken", "unbroken"],
  ["unverified", "unverified"],
] as const)("an attempt whose gate ended %s is %s", (verdict, expected) => {
  const facts = attempt(1, "T1");
  const found = { verdict, cold: true, commands: [], tampered: [], evidence: "", warnings: [] };
  const view = sealAll(
    started(),
    read("T1"),
    { type: "task_selected", ...facts, reason: "todo", candidates: 1 },
    finished(facts, { task_id: "T1", status: "done" }),
    { type: "gate_finished", ...facts, ...found, duration_ms: 1 },
    committed(facts, "T1 todo done"),
  ).reduce(fold, NOTHING);
  expect(attemptsIn(done(), view, { now: undefined, tasksDir: "t" })).toMatchObject([
    { result: "done", verdict: expected, verified: expected === "verified" },
  ]);
});

test("why has the verdict of a task that is done", () => {
  expect(whyAnswer(done("unbroken"), { answer: "done" }, { tasks: [], found: undefined })).toMatchObject({
    verdict: "unbroken",
  });
});

test("keys of a task file that are called like parts of an answer are kept", () => {
  const own = { accepted: "by me", by_exit_code: "never", question: "why?", paused: "no" };
  const progress = { workflow: "w", digest: "d", stage: "plan", visit: 1, since: accepted.at };
  const here = Object.assign(task("T1", { progress }), own);
  const wanted = { status: undefined, tag: undefined, ready: false };
  const listed = selectTasks({ tasks: [here], wrong: [] }, wanted);
  const shown = showAnswer("to-do.json", { task: here, tasks: [here], found: undefined }, []);
  expect(listAnswer("to-do.json", listed).tasks).toMatchObject([own]);
  expect(shown.task).toMatchObject(own);
});
