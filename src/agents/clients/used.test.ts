// Tests the usage of an agent that is still working, which is compared with its budgets.
import { expect, test } from "vitest";
import { given } from "../../system/given.js";
import { acpReader } from "../acp/acp-stream.js";
import { findExceeded, charge, describeBudget } from "../process/stopped.js";
import { claudeReader } from "./claude-stream.js";
import type { JsonReader } from "../limits/reader.js";
import type { Budget, Used } from "../agent.js";
import { addUsed, NOTHING_USED, tokensOf } from "../usage.js";

function soFar<S>(reader: JsonReader<S>, lines: readonly object[]): Used | undefined {
  return reader.soFar?.(
    lines.reduce<S>((state, line) => reader.readLine(state, line, 0).state, reader.start),
  );
}

const says = (id: string, output: number, parent?: string) => ({
  type: "assistant",
  message: { id, content: [], usage: { input_tokens: 100, output_tokens: output } },
  ...given({ parent_tool_use_id: parent }),
});

test("claude: a message that is said again as it grows counts once, between those of agents it started too", () => {
  const lines = [
    says("m1", 1),
    says("a1", 2, "toolA"),
    says("b1", 3, "toolB"),
    says("a1", 20, "toolA"),
    says("b1", 30, "toolB"),
    says("a2", 5, "toolA"),
    says("m1", 10),
    says("m2", 7),
  ];
  expect(soFar(claudeReader(), lines)).toEqual({ input_tokens: 500, output_tokens: 72 });
});

test("ACP: dollars are told in the midst of the turn, those of the session before it are not this one's", () => {
  const lines = (amount: number) => [
    { jsonrpc: "2.0", id: 1, result: { sessionId: "s" } },
    {
      jsonrpc: "2.0",
      method: "session/update",
      params: { update: { sessionUpdate: "usage_update", cost: { amount, currency: "USD" } } },
    },
  ];
  const used = { ...NOTHING_USED, cost_usd: 0.1 };
  expect(soFar(acpReader(), lines(0.3))?.cost_usd).toBe(0.3);
  expect(soFar(acpReader({ id: "s", used }), lines(0.3))?.cost_usd).toBe(0.2);
  expect(soFar(acpReader(), lines(0))?.cost_usd).toBeUndefined();
});

test("0.1 + 0.2 dollars are 0.3, and not beyond them", () => {
  const third: Used = { ...NOTHING_USED, cost_usd: 0.1 };
  const rest: Used = { ...NOTHING_USED, cost_usd: 0.2 };
  expect(addUsed(third, rest).cost_usd).toBe(0.3);
  const budget: Budget = { of: "run", key: "loop.max_cost_usd", unit: "usd", most: 0.3, spent: 0.1 };
  expect(charge(budget, rest, 0).spent).toBe(0.3);
  expect(findExceeded([budget], rest, 0)).toBeUndefined();
  expect(findExceeded([budget], { ...rest, cost_usd: 0.2001 }, 0)).toMatchObject({
    key: budget.key,
    spent: 0.3001,
  });
});

test.each([
  [{ unit: "usd", most: 0.3, spent: 0.29 }, "over budget: $0.29 of $0.30 (k)"],
  [{ unit: "usd", most: 1, spent: 1.2345 }, "over budget: $1.2345 of $1.00 (k)"],
  [{ unit: "usd", most: 0.0012, spent: 0.002 }, "over budget: $0.0020 of $0.0012 (k)"],
  [{ unit: "tokens", most: 10, spent: 12 }, "token limit reached: 12 of 10 (k)"],
  [{ unit: "tokens", most: 5000, spent: 6562 }, "token limit reached: 6,562 of 5,000 (k)"],
  [{ unit: "ms", most: 120_000, spent: 120_001 }, "time limit of 2 min reached (k)"],
] as const)("%j is told in its own unit", (budget, said) => {
  expect(describeBudget({ of: "task", key: "k", ...budget })).toBe(said);
});

test("what came from the cache is read too", () => {
  expect(tokensOf({ input_tokens: 1, cached_input_tokens: 20, output_tokens: 300 })).toBe(321);
});
