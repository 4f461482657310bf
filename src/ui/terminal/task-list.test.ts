import { expect, test } from "vitest";
import type { Task } from "../../todo/model/task.js";
import { task } from "../../todo/testing/testing.js";
import { PLAIN } from "../colours.js";
import { taskListLines } from "./task-list.js";

test("beside a task stands what keeps it: what it waits for, and why it is blocked or was opened again", () => {
  const listed = [
    { task: task("T1", { blockers: ["undone: it \u001b[31mgreets\nnobody"] }), waitsFor: ["T2"] },
    { task: task("T2", { status: "blocked", blockers: ["x".repeat(300), "and this"] }), waitsFor: [] },
    { task: task("T3", { status: "done", blockers: ["old"], meta: { verdict: "verified" } }), waitsFor: [] },
  ];
  const tasks = listed.map(({ task: one }) => one);
  const waitsFor = (one: Task): string[] => listed.find((each) => each.task === one)?.waitsFor ?? [];
  expect([...taskListLines(tasks, { waitsFor, colours: PLAIN })]).toEqual([
    "todo (1)",
    "  T1  p3  Title of T1  waits for T2; undone: it greets nobody",
    "blocked (1)",
    `  T2  p3  Title of T2  ${"x".repeat(199)}…; and this`,
    "done (1)",
    "  T3  p3  Title of T3",
  ]);
  expect([...taskListLines(tasks, { waitsFor, colours: PLAIN, columns: 40 })][1]).toBe(
    "  T1  p3  Title of T1  waits for T2…",
  );
});

test("unbroken tasks are counted apart, each with its reason", () => {
  const tasks = [
    task("T1", { status: "done", meta: { verdict: "verified" } }),
    task("T2", { status: "done", meta: { verdict: "unbroken" } }),
    task("T3", { status: "done", meta: { verdict: "unbroken" } }),
    task("T4", { status: "done" }),
  ];
  const found = ({ id }: Task) => (id === "T2" ? { reasons: ["nothing was changed"] } : undefined);
  expect([...taskListLines(tasks, { waitsFor: () => [], found, colours: PLAIN })]).toEqual([
    "done (4, 2 unbroken)",
    "  T1  p3  Title of T1",
    "  T2  p3  Title of T2  unbroken: nothing was changed",
    "  T3  p3  Title of T3  unbroken",
    "  T4  p3  Title of T4  unverified",
  ]);
});
