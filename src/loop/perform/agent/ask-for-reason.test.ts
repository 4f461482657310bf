import { expect, test } from "vitest";
import type { AgentResult } from "../../../agents/agent.js";
import type { AgentReport } from "../../../todo/model/summary.js";
import { cleanReason, endAfterAskingWhy, findSessionToAskWhy } from "./report-again.js";

const session = { id: "s1" };

function reported(more: Partial<AgentReport>): AgentResult {
  const found = { task_id: null, status: "done" as const, ...more };
  return { lastMessage: "", unknownEvents: 0, outcome: "ok", report: { found }, session };
}

const failed: AgentResult = {
  lastMessage: "",
  unknownEvents: 0,
  outcome: "failed",
  reason: "budget",
  evidence: "over budget",
  session,
};

test("an agent that reported done without a reason is asked if its session can be resumed", () => {
  expect(findSessionToAskWhy(reported({}))).toBe(session);
  expect(findSessionToAskWhy(reported({ changes_checks: " \n" }))).toBe(session);
  const { session: _, ...without } = reported({});
  const others = [without, reported({ changes_checks: "it must" }), reported({ status: "blocked" }), failed];
  expect(others.map(findSessionToAskWhy)).toEqual([undefined, undefined, undefined, undefined]);
});

test("only the reason of the second end counts", () => {
  const first = reported({ summary: "all of it", files: ["a.js"] });
  const second = reported({ status: "blocked", summary: "no", changes_checks: "it must" });
  expect(endAfterAskingWhy(first, second)).toEqual(
    reported({ summary: "all of it", files: ["a.js"], changes_checks: "it must" }),
  );
});

function unreported(lastMessage: string): AgentResult {
  return { lastMessage, unknownEvents: 0, outcome: "ok", report: { missing: "no JSON" }, session };
}

test("an answer in words is the reason, and one that is neither is none", () => {
  expect(endAfterAskingWhy(reported({}), unreported("It must."))).toEqual(
    reported({ changes_checks: "It must." }),
  );
  expect(endAfterAskingWhy(reported({}), unreported('{"status":'))).toEqual(reported({}));
});

test("an agent that cannot answer keeps its report", () => {
  const first = reported({ summary: "all of it" });
  expect(endAfterAskingWhy(first, failed)).toBe(first);
});

test("a reason is one line of at most 300 characters, without control characters", () => {
  expect(cleanReason("\u001b[31mit\u0007\n  must\u001b[0m ")).toBe("it must");
  expect(cleanReason("x".repeat(1000))).toBe(`${"x".repeat(299)}…`);
  expect(["", " \n\u0000", undefined].map(cleanReason)).toEqual([undefined, undefined, undefined]);
});
