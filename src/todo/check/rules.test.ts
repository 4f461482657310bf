import { expect, test } from "vitest";
import type { UnplacedProblem } from "../model/problem.js";
import { checkRules } from "./rules.js";

interface Entry {
  id: string;
  depends_on?: string[];
}

function rules(...tasks: Entry[]): UnplacedProblem[] {
  return checkRules({ tasks });
}

test("a value of a wrong type is left to the shape", () => {
  const odd = [
    null,
    7,
    "T1",
    [],
    {},
    { id: 1, depends_on: 2, agent: 3 },
    { id: "T1", depends_on: [1, null] },
  ];
  expect(checkRules({ tasks: odd }, ["codex"])).toEqual([]);
  for (const value of [null, 7, "tasks", [], {}, { tasks: null }, { tasks: {} }])
    expect(checkRules(value)).toEqual([]);
});

test("each broken rule is reported with its place and a suggestion", () => {
  const found = rules(
    { id: "T1", depends_on: ["T2", "T1"] },
    { id: "T1" },
    { id: "T3", depends_on: ["zebra"] },
  );
  expect(found).toEqual([
    {
      rule: "duplicate-id",
      pointer: "/tasks/1/id",
      message: 'the id "T1" is taken by the task at /tasks/0',
      suggestion: "give it an id of its own",
    },
    {
      rule: "unknown-dependency",
      pointer: "/tasks/0/depends_on/0",
      message: 'there is no task "T2"',
      suggestion: 'did you mean "T1"?',
    },
    {
      rule: "self-dependency",
      pointer: "/tasks/0/depends_on/1",
      message: '"T1" depends on itself',
      suggestion: "remove it",
    },
    {
      rule: "unknown-dependency",
      pointer: "/tasks/2/depends_on/0",
      message: 'there is no task "zebra"',
      suggestion: "remove it, or add that task",
    },
  ]);
});

function ring(length: number): Entry[] {
  return Array.from({ length }, (_, n) => ({ id: `T${n}`, depends_on: [`T${(n + 1) % length}`] }));
}

test("a cycle of up to twenty tasks is shown whole, and a longer one by both ends", () => {
  const ids = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, n) => `T${from + n}`).join(" → ");
  expect(rules(...ring(20))).toEqual([
    {
      rule: "cycle",
      pointer: "/tasks/0/depends_on/0",
      message: `these tasks wait for each other: ${ids(0, 19)} → T0`,
      suggestion: "remove one of these dependencies",
    },
  ]);
  expect(rules(...ring(21)).map(({ message }) => message)).toEqual([
    `these tasks wait for each other: ${ids(0, 9)} → … 2 more … → ${ids(12, 20)} → T0`,
  ]);
});

test("suggestions stop after millions of comparisons", () => {
  const far = Array.from({ length: 1_500 }, (_, n) => ({ id: `${"x".repeat(50)}${n}`, depends_on: ["abc"] }));
  const wrong = { id: "near", depends_on: ["naer"] };
  const found = rules(wrong, ...far, { ...wrong, id: "last" });
  const near = found.filter(({ message }) => message === 'there is no task "naer"');
  expect(near.map(({ suggestion }) => suggestion)).toEqual([
    'did you mean "near"?',
    "remove it, or add that task",
  ]);
});
