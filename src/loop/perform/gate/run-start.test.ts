import { expect, test } from "vitest";
import type { Task } from "../../../todo/model/task.js";
import { task } from "../../../todo/testing/testing.js";
import { acceptedTasks } from "./run-start.js";

const accepted = (name: string, at: string): Task =>
  task(name, { status: "done", meta: { verdict: "verified", accepted: { at, by: "me" } } });

test("tasks accepted before a time count, those accepted later or never do not", () => {
  const tasks = [
    accepted("T1", "2026-11-20T00:00:00Z"),
    accepted("T2", "2026-11-22T00:00:00Z"),
    task("T3", { status: "done" }),
  ];
  expect([...acceptedTasks(tasks)]).toEqual(["T1", "T2"]);
  expect([...acceptedTasks(tasks, Date.parse("2026-11-21T00:00:00Z"))]).toEqual(["T1"]);
});
