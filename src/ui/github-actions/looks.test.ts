// Tasks that a person must look at come first wherever the result of a run is shown.
import { expect, test } from "vitest";
import type { GateReport } from "../../gate/verdict.js";
import type { RunEvent } from "../../logging/events/events.js";
import { given } from "../../system/given.js";
import { task } from "../../todo/testing/testing.js";
import { statusAnswer } from "../answers/runs/status.js";
import { PLAIN } from "../colours.js";
import { resultLines } from "../terminal/result.js";
import { statusLines } from "../terminal/lines/status-lines.js";
import { taskListLines } from "../terminal/task-list.js";
import { attempt, committed, finished, over, read, sealAll, started } from "../testing/testing.js";
import { junitXml } from "../view/junit.js";
import { rowsOf, verdictsOf } from "../view/rows.js";
import { fold, NOTHING } from "../view/view.js";
import { jobSummary } from "./summary.js";

const NEEDS = [{ path: "test/a.js", diff: "+expect(1)" }];

function done(job: number, id: string, more: Partial<GateReport>): RunEvent[] {
  const facts = attempt(job, id);
  const passed: GateReport = { verdict: "passed", cold: true, commands: [], tampered: [], evidence: "" };
  const gate = { ...passed, ...more };
  return [
    { type: "task_selected", ...facts, reason: "todo", candidates: 1 },
    finished(facts, { task_id: id, status: "done" }),
    { type: "gate_finished", ...facts, ...gate, warnings: [], duration_ms: 1 },
    committed(facts, `${id} todo done`),
  ];
}

const view = sealAll(
  started(),
  read("T1", "T2", "T3", "T4", "T5"),
  ...done(1, "T1", {}),
  ...done(2, "T2", { verdict: "unverified", because: "influence", needs: NEEDS }),
  ...done(3, "T3", { verdict: "unverified", because: "influence", on: ["T2"] }),
  ...done(4, "T4", { verdict: "unverified", because: "no-checks" }),
  ...done(5, "T5", {
    verdict: "unbroken",
    because: "not-covered",
    proof: { fail_to_pass: [], new_tests: [], pass_to_pass: 41 },
  }),
  over("complete", { done: 5, tasks: 5 }),
).reduce(fold, NOTHING);
const titles = new Map([["T2", "two"]]);
const COUNTS = "5 tasks: 1 verified, 1 unbroken, 3 unverified";
const UNBROKEN = "unbroken: 41 checks pass as before, none of them covers the change";
const LINE = "1 task needs a look: looper accept T2";

test("the result lists them first, with the reason, and says how to accept them", () => {
  if (view.ended === undefined) throw new Error("the run has an end");
  const look = { titles, colours: PLAIN, log: "log", todoFile: "to-do.json" };
  const { answer } = resultLines(view, view.ended, look);
  expect(answer.slice(1, 6).map((line) => line.split(" ")[0])).toEqual(["T2", "T3", "T1", "T4", "T5"]);
  expect(answer).toContain("T2 two: unverified: passes only with test/a.js");
  expect(answer).toContain("T3: unverified: passes only with the checks that T2 changed");
  expect(answer).toContain(`T5: ${UNBROKEN}`);
  expect(answer.slice(-3)).toEqual([COUNTS, LINE, "log: log"]);
});

test("of the run's tasks each has its verdict: unbroken ones are not among the unverified", () => {
  expect(verdictsOf(rowsOf(view)).map(({ verdict }) => verdict)).toEqual([
    ...["verified", "unverified", "unverified", "unverified", "unbroken"],
  ]);
});

test("JUnit lists them first, with the reason", () => {
  if (view.ended === undefined) throw new Error("the run has an end");
  const xml = junitXml(view, view.ended, { titles, todoFile: "to-do.json" });
  const names = [...xml.matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, name]) => name);
  expect(names).toEqual(["T2 two", "T3", "T1", "T4", "T5"]);
  expect(xml).toContain("done, unverified: passes only with test/a.js");
  expect(xml).toContain(`<system-out>done, ${UNBROKEN}</system-out>`);
  expect(xml).toContain('tests="5" failures="0" errors="0" skipped="0"');
  for (const [name, value] of Object.entries({ verified: 1, unbroken: 1, unverified: 3 }))
    expect(xml).toContain(`<property name="${name}" value="${String(value)}"/>`);
});

test("the summary of a GitHub job lists them first and marks them", () => {
  if (view.ended === undefined) throw new Error("the run has an end");
  const summary = jobSummary(view, view.ended, { titles, todoFile: "to-do.json" });
  const rows = summary.split("\n").filter((line) => /^\| T\d/.test(line));
  expect(rows.map((row) => row.slice(2, 4))).toEqual(["T2", "T3", "T1", "T4", "T5"]);
  expect(rows.map((row) => /⚠️|✅|➖/u.exec(row)?.[0])).toEqual(["⚠️", "⚠️", "✅", "⚠️", "➖"]);
  expect(summary).toContain("**5 tasks\\: 1 verified, 1 unbroken, 3 unverified**");
  expect(summary).toContain("1 task needs a look");
});

const accepted = { meta: { verdict: "verified", accepted: { at: "2026-01-02T03:04:05.000Z", by: "ana" } } };

test.each<[string, object, string[], string]>([
  ["still open", {}, ["T2"], LINE],
  ["accepted", accepted, [], "accepted by a person: T2, T3"],
])("status knows which are %s", (_, meta, needing, line) => {
  const tasks = ["T1", "T2", "T3"].map((id) => task(id, { status: "done", ...(id === "T1" ? {} : meta) }));
  const seen = { run: view.run, folder: "/p/log", view, live: undefined, eta: null, foreign: undefined };
  const answer = statusAnswer("/p/to-do.json", tasks, { now: view.at, seen });
  expect(answer.need_a_look).toEqual(needing);
  const look = { view, titles: new Map(), now: view.at, todoFile: "to-do.json", colours: PLAIN };
  expect(statusLines(answer, look)).toContain(line);
});

test("status counts the tasks of the run by their verdicts in the task file, which a person may have changed", () => {
  const tasks = [
    task("T1", { status: "done", meta: { verdict: "verified" } }),
    task("T2", { status: "done", ...accepted }),
    task("T3", { status: "done" }),
    task("T4", { status: "todo" }),
    task("T5", { status: "done", meta: { verdict: "unbroken" } }),
    task("T6", { status: "done", meta: { verdict: "unbroken" } }),
  ];
  const seen = { run: view.run, folder: "/p/log", view, live: undefined, eta: null, foreign: undefined };
  const answer = statusAnswer("/p/to-do.json", tasks, { now: view.at, seen });
  expect(answer.verdicts).toEqual({ verified: 2, unbroken: 1, unverified: 1 });
  const look = { view, titles: new Map(), now: view.at, todoFile: "to-do.json", colours: PLAIN };
  expect(statusLines(answer, look)).toContain("4 tasks: 2 verified, 1 unbroken, 1 unverified");
});

test("a list has them first among the tasks that are done, and names who accepted a task", () => {
  const reasons = ["passes only with a"];
  const tasks = [
    task("T1", { status: "done" }),
    task("T2", { status: "done", ...accepted }),
    task("T3", { status: "done" }),
  ];
  const lines = [
    ...taskListLines(tasks, {
      waitsFor: () => [],
      found: ({ id }) => (id === "T3" ? { reasons, look: [] } : undefined),
      colours: PLAIN,
      ...given({ columns: undefined }),
    }),
  ];
  expect(lines.slice(1).map((line) => line.trim().slice(0, 2))).toEqual(["T3", "T1", "T2"]);
  expect(lines[3]).toMatch(/accepted by ana$/);
});
