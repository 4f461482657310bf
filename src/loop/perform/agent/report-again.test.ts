import { expect, test } from "vitest";
import { FAILURE_REASONS, type AgentResult, type Budget } from "../../../agents/agent.js";
import { endAfterAsking, endWithoutAsking, findSessionToAsk } from "./report-again.js";

const end = { lastMessage: "", unknownEvents: 0 };
const session = { id: "s1" };
const prose: AgentResult = { ...end, outcome: "ok", report: { missing: "no JSON" }, session };
const found: AgentResult = {
  ...end,
  outcome: "ok",
  report: { found: { task_id: null, status: "done" } },
  session,
};
const failed = (reason: (typeof FAILURE_REASONS)[number]): AgentResult => ({
  ...end,
  outcome: "failed",
  reason,
  evidence: reason,
});

test("an agent that ends well without a report that can be read is asked again if its session can be resumed", () => {
  const { session: _, ...without } = prose;
  const invalid: AgentResult = { ...end, outcome: "ok", report: { invalid: "no status" }, session };
  expect([prose, invalid].map(findSessionToAsk)).toEqual([session, session]);
  expect([without, found, { ...failed("exited"), session }].map(findSessionToAsk)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("the second report counts, and without one the first end is kept", () => {
  expect(endAfterAsking(prose, found)).toBe(found);
  expect(endAfterAsking(prose, { ...prose })).toBe(prose);
});

test("an agent kept from answering by a stop, a budget or a limit ends with that reason", () => {
  const kept = FAILURE_REASONS.filter((reason) => endAfterAsking(prose, failed(reason)) !== prose);
  expect(kept.sort()).toEqual(["budget", "interrupted", "network", "overloaded", "rate-limited"]);
});

test("an agent is not asked once a budget is spent, and the attempt ends as if stopped for it", () => {
  const run: Budget = { of: "run", key: "loop.max_cost_usd", unit: "usd", most: 0.4, spent: 0.5 };
  const task: Budget = { of: "task", key: "loop.task_tokens", unit: "tokens", most: 10, spent: 10 };
  const used = { input_tokens: 1, output_tokens: 1, cost_usd: 0.5 };
  expect(endWithoutAsking({ ...prose, used }, [{ ...task, spent: 9 }, run])).toEqual({
    ...{ ...end, session, used, outcome: "failed", reason: "budget", stoppedFor: "run" },
    evidence: "over budget: $0.50 of $0.40 (loop.max_cost_usd), and it was still to report",
  });
  expect(endWithoutAsking(prose, [task])).toMatchObject({ reason: "budget", stoppedFor: "task" });
  expect(
    endWithoutAsking(prose, [
      { ...task, spent: 9 },
      { ...run, spent: 0.399 },
    ]),
  ).toBeUndefined();
  expect(endWithoutAsking(prose, [])).toBeUndefined();
});
