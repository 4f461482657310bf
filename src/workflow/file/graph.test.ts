import { expect, test } from "vitest";
import { Workflow } from "../workflow.js";
import { listPassedOver } from "./graph.js";

const ask = (next: object, more: object = {}) => ({ kind: "ask", question: "Well?", next, ...more });
const TWICE = Workflow.parse({
  ...{ workflow: 1, name: "twice", start: "plan" },
  stages: {
    plan: { kind: "analyze", prompt: "plan", output: "plan", next: { done: "approve", small: "do" } },
    approve: ask({ yes: "do", no: "plan" }),
    do: { kind: "work", prompt: "do", next: { done: "risk" } },
    risk: ask({ yes: "look", no: "do" }, { when: { "plan.risk": ["high"] }, else: "yes" }),
    look: ask({ yes: "last" }),
    last: { kind: "work", prompt: "do", next: { done: "finish" } },
  },
});
const list = (stage: string, more: object = {}) => listPassedOver(TWICE, { stage, visit: 3, ...more }, []);
const HIGH = { facts: { "plan.risk": "high" } };

test("a task that was moved by hand lists the questions on each path to its stage that have no answer", () => {
  expect(list("last", HIGH)).toEqual(["risk", "look"]);
  expect(list("last")).toEqual(["look"]);
  expect(list("last", { visits: { plan: 1, do: 1, look: 1 } })).toEqual(["look"]);
});

test("questions that are answered, that a path avoids or that come later are not passed over", () => {
  expect(list("last", { ...HIGH, answered_stages: ["risk", "look"] })).toEqual([]);
  expect(list("do")).toEqual([]);
  expect(list("plan")).toEqual([]);
  expect(list("look")).toEqual([]);
  expect(list("last", { ...HIGH, visits: { last: 1 } })).toEqual([]);
});

test("a task that was moved by hand to finish passed over the questions on each path to it; one that came there did not", () => {
  const visits = { plan: 1, approve: 1 };
  expect(list("finish", { ...HIGH, visits, visit: 2 })).toEqual(["risk", "look"]);
  expect(list("finish", { ...HIGH, visits, visit: 2, answered_stages: ["look"] })).toEqual(["risk"]);
  expect(list("finish", { ...HIGH, visits, visit: 3 })).toEqual([]);
});
