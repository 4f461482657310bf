import { expect, test } from "vitest";
import { FAILURE_REASONS, type AgentResult, type Budget } from "../../agents/agent.js";
import { endAfterAsking, endWithoutAsking, sessionToAsk } from "./report-again.js";

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

test("asked is who ended well, without a report, in a session that can be gone on with", () => {
  const { session: _, ...without } = prose;
  const invalid: AgentResult = { ...end, outcome: "ok", report: { invalid: "no status" }, session };
  expect(sessionToAsk(prose)).toBe(session);
  expect([without, found, invalid, { ...failed("exited"), session }].map(sessionToAsk)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("the report it gives then counts; without one it stays at what it said first", () => {
  expect(endAfterAsking(prose, found)).toBe(found);
  expect(endAfterAsking(prose, { ...prose })).toBe(prose);
});

test("who was kept from answering has failed at nothing", () => {
  const kept = FAILURE_REASONS.filter((reason) => endAfterAsking(prose, failed(reason)) !== prose);
  expect(kept.sort()).toEqual(["budget", "interrupted", "network", "overloaded", "rate-limited"]);
});

test("nobody is asked once a budget is spent: the attempt ends as if it had been stopped for it", () => {
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
