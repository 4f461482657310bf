import { expect, test } from "vitest";
import { readEffort, toEffortOptions } from "./effort.js";

test("a model that takes levels gets the level, and an older one a number of tokens", () => {
  const asked = (model: string) => toEffortOptions({ provider: "anthropic", model }, "max")["anthropic"];
  for (const old of ["claude-3-7-sonnet-latest", "claude-sonnet-4-20250514", "claude-opus-4-5-20251101"])
    expect(asked(old)).toEqual({ thinking: { type: "enabled", budgetTokens: 31_000 } });
  for (const model of ["claude-sonnet-4-6", "claude-opus-4-7", "claude-sonnet-5-5"])
    expect(asked(model)).toEqual({ thinking: { type: "adaptive", display: "summarized" }, effort: "max" });
  expect(toEffortOptions({ provider: "google", model: "gemini-2.5-pro" }, "none")).toEqual({
    google: { thinkingConfig: { thinkingBudget: 0 } },
  });
  expect(toEffortOptions({ provider: "openai", model: "gpt-5.6" }, undefined)).toEqual({});
});

test("a level that does not exist is named, with the nearest one", () => {
  expect(readEffort(" High ")).toEqual({ effort: "high" });
  expect(readEffort("hihg")).toEqual({
    problem:
      '"hihg" is not an effort; did you mean high? one of none, minimal, low, medium, high, xhigh, max',
  });
});
