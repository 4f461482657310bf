import { expect, test } from "vitest";
import type { Rules } from "../../../logging/rules.js";
import { UserError } from "../../../system/errors.js";
import { checkBudget } from "../assemble.js";

const price = { input: 1, output: 1 };
type Agent = Parameters<typeof checkBudget>[1];
const text: Agent = { name: "a", kind: "command", output: "text", model: "m", price };
const codex: Agent = { name: "codex", kind: "codex", output: "text" };

/** The error with its hint, or `undefined` if the run may start. */
function refusal(budget: Rules["budget"], agent: Agent): string | undefined {
  try {
    checkBudget({ budget }, agent);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError) || error.kind !== "usage") throw error;
    return `${error.message}; ${error.hint}`;
  }
}

test("a command that prints text reports no usage, and the hint does not advise a price or a model", () => {
  for (const budget of [
    { max_cost_usd: 1 },
    { task_cost_usd: 1 },
    { max_tokens: 1 },
    { task_tokens: 1 },
  ] as const) {
    const said = refusal(budget, text);
    expect(said).toMatch(/a does not report its (cost|tokens); set agents\.a\.output to jsonl/);
    expect(said).not.toContain("prices_file");
    expect(refusal({ ...budget, unknown_cost: "allow" }, text)).toBeUndefined();
    expect(refusal(budget, { ...text, output: "jsonl" })).toBeUndefined();
  }
  expect(refusal({ task_tokens: 1 }, text)).toContain("cannot enforce loop.task_tokens:");
  expect(refusal({ max_duration_ms: 1 }, text)).toBeUndefined();
});

test("an agent that reports its tokens needs a price for a budget in dollars, but not for one in tokens", () => {
  expect(refusal({ max_cost_usd: 1 }, codex)).toContain(
    "set agents.codex.model, and its price in prices_file",
  );
  expect(refusal({ max_cost_usd: 1 }, { ...codex, model: "m" })).toContain(
    "put a price for m in prices_file",
  );
  expect(refusal({ max_cost_usd: 1 }, { ...codex, model: "m", price })).toBeUndefined();
  expect(refusal({ max_tokens: 1 }, codex)).toBeUndefined();
});
