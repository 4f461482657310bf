import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isDropped } from "./dropped.js";
import type { Progress } from "../progress.js";
import { Workflow } from "../workflow.js";

const shipped = (name: string) =>
  Workflow.parse(
    JSON.parse(readFileSync(new URL(`../../../workflows/${name}.json`, import.meta.url), "utf8")) as unknown,
  );
const by = { by: "ada", via: "cli" as const, at: "2026-11-24T08:00:00.000Z" };
const rejected: Pick<Progress, "answers" | "visits"> = {
  visits: { plan: 1, create: 2, modify: 1 },
  answers: [{ question: "T1.4", stage: "created", outcome: "reject", ...by }],
};

test("the visits before a question whose answer drops the shown stage are dropped, and no others", () => {
  const staged = shipped("staged-review");
  expect(isDropped(staged, rejected, { stage: "create", visit: 3, outcome: "done" })).toBe(true);
  expect(isDropped(staged, rejected, { stage: "create", visit: 5, outcome: "done" })).toBe(false);
  expect(isDropped(staged, rejected, { stage: "plan", visit: 1, outcome: "done" })).toBe(false);
  const approved = { answers: [{ question: "T1.4", stage: "created", outcome: "approve", ...by }] };
  expect(isDropped(staged, approved, { stage: "create", visit: 3, outcome: "done" })).toBe(false);
  expect(isDropped(staged, {}, { stage: "create", visit: 3 })).toBe(false);
});

test("a work stage that drops its own changes is dropped by its outcome", () => {
  const tdd = shipped("tdd");
  expect(isDropped(tdd, {}, { stage: "refactor", visit: 6, outcome: "exhausted" })).toBe(true);
  expect(isDropped(tdd, {}, { stage: "refactor", visit: 6, outcome: "done" })).toBe(false);
});
