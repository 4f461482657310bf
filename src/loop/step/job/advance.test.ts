// The plan of a move of a task: a task that is given up always has a reason.
import { expect, test } from "vitest";
import { Task } from "../../../todo/model/task.js";
import { Workflow } from "../../../workflow/workflow.js";
import { stageRules } from "../../testing/stage-rules.js";
import { planMove } from "./advance.js";

const ask = { kind: "ask", question: "Big?", when: { "look.summary": ["big"] }, else: "no" };
const OWN = Workflow.parse({
  ...{ workflow: 1, name: "own", start: "look", limits: { visits: 3 } },
  stages: {
    look: {
      ...{ kind: "analyze", prompt: "plan", output: "plan" },
      next: { good: "do", bad: "block", unsure: "ask" },
    },
    ask: { ...ask, next: { yes: "do", no: "block" } },
    do: { kind: "work", prompt: "do", next: { done: "finish", hopeless: "block" } },
  },
});

/** The reasons of the move that an outcome leads to. */
function reasonsOf(stage: string, outcome: string, more: { said?: string; visit?: number } = {}) {
  const { visit = 1, ...said } = more;
  const progress = { workflow: "own", digest: "d", stage, visit, visits: { [stage]: 1 } };
  const order = { rules: stageRules(OWN), id: Task.shape.id.parse("T1"), workflow: OWN, progress, at: 0 };
  return planMove({ ...order, status: "doing", ...said }, outcome)?.advances[0]?.reasons;
}

test("an outcome that the workflow leads to block is the reason, with what a reader said", () => {
  expect(reasonsOf("look", "bad", { said: "The key would leak" })).toEqual(["look: bad: The key would leak"]);
  expect(reasonsOf("do", "hopeless")).toEqual(["do: hopeless"]);
  expect(reasonsOf("look", "unsure", { said: "Hard to say" })).toEqual(["ask: no (when)"]);
});

test("a limit that leads to block is the only reason, and a move to a stage has none", () => {
  expect(reasonsOf("look", "good", { said: "Fine", visit: 3 })).toEqual([
    "visits: 3 stages were entered, and own allows no more",
  ]);
  expect(reasonsOf("look", "good", { said: "Fine" })).toBeUndefined();
});
