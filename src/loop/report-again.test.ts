import { expect, test } from "vitest";
import { FAILURE_REASONS, type AgentResult } from "../agents/agent.js";
import { endAfterAsking, sessionToAsk } from "./report-again.js";

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
