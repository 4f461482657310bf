import { expect, test } from "vitest";
import { id } from "../../../todo/testing/testing.js";
import { ById } from "../../../todo/model/indexed-list.js";
import { explainEnding } from "./ending.js";
import { NOTHING, type Ended, type View } from "../view.js";

const ended = (ending: Ended["ending"]): Ended => ({
  ending,
  totals: { done: 0, tasks: 0, iterations: 0, ms: 0, tokens: 0 },
});

function view(statuses: Record<string, string>): View {
  const tasks = Object.entries(statuses).map(([one, status]) => ({ id: id(one), status }));
  return { ...NOTHING, statuses: ById.of(tasks) };
}

test.each<[Ended["ending"], Record<string, string>, string]>([
  ["interrupted", { T1: "todo" }, "looper run"],
  ["interrupted", { T1: "done", T2: "doing" }, "looper run continues with T2"],
  ["limit", { T1: "todo" }, "looper run; --max-iterations allows more"],
  [
    "budget",
    { T2: "doing" },
    "looper run continues with T2; or allow more (loop.max_duration, max_cost_usd, max_tokens)",
  ],
])("after %s with %j the next step is %s", (ending, statuses, next) => {
  expect(explainEnding(view(statuses), ended(ending), "to-do.json").next).toBe(next);
});

test.each<[Record<string, string>, string]>([
  [{ T1: "blocked" }, "1 task is blocked; nothing else is left to do"],
  [{ T1: "blocked", T2: "blocked", T3: "done" }, "2 tasks are blocked; nothing else is left to do"],
  [{ T1: "blocked", T2: "todo" }, "1 task is blocked; 1 task waits for what is not done"],
  [{ T1: "blocked", T2: "todo", T3: "todo" }, "1 task is blocked; 2 tasks wait for what is not done"],
])("with %j the run is blocked: %s", (statuses, why) => {
  expect(explainEnding(view(statuses), ended("blocked"), "to-do.json").why).toBe(why);
});

test("with --task nothing is said of tasks that the run was not about", () => {
  const seen: View = { ...view({ T1: "blocked", T2: "todo" }), only: "T1" };
  expect(explainEnding(seen, ended("blocked"), "to-do.json").why).toBe("1 task is blocked");
});

test.each<[Record<string, string>, string[], string, string]>([
  [
    { T1: "todo" },
    ["T1"],
    "1 task is paused (T1); nothing else is left to do",
    "looper resume T1 lifts the pause, then looper run",
  ],
  [
    { T1: "blocked", T2: "todo", T3: "todo", T4: "blocked" },
    ["T1", "T2"],
    "1 task is blocked; 2 tasks are paused (T1, T2); 1 task waits for what is not done",
    "looper resume T1 lifts a pause",
  ],
])("with %j, of which %j are paused, the run ends and says how to resume", (statuses, paused, why, next) => {
  const place = { workflow: "tdd", stage: "plan", visit: 1, paused: true } as const;
  const places = new Map(paused.map((one) => [one, place]));
  const seen: View = { ...view(statuses), stages: { places, asked: [], answers: [] } };
  const told = explainEnding(seen, ended("blocked"), "to-do.json");
  expect(told.why).toBe(why);
  expect(told.next).toContain(next);
});

test.each<[string[], string]>([
  [["T2"], "1 task was rejected and is paused (T2); 1 task is paused (T1); nothing else is left to do"],
  [["T1", "T2"], "2 tasks were rejected and are paused (T1, T2); nothing else is left to do"],
])("of two paused tasks %j were rejected, and the run names those first", (rejected, why) => {
  const place = { workflow: "tdd", stage: "block", visit: 1, paused: true } as const;
  const places = new Map([
    ["T1", place],
    ["T2", place],
  ]);
  const seen: View = {
    ...view({ T1: "blocked", T2: "blocked" }),
    stages: { places, asked: [], answers: [] },
  };
  expect(explainEnding(seen, { ...ended("blocked"), rejected }, "to-do.json").why).toBe(why);
});
