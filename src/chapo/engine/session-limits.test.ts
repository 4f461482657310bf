import { describe, expect, test } from "vitest";
import {
  createTestConversation,
  createTestWorld,
  getNews,
  playModel,
  USUAL_SETTINGS,
} from "../testing/engine-world.js";
import { converse } from "./converse.js";

describe("the limits of a session", () => {
  test.each([
    ["requests", { maxRequests: 2 }, "max_requests: 2"],
    ["tokens", { maxTokens: 1 }, "max_tokens: 1"],
    ["dollars", { maxCostUsd: 0 }, "max_cost_usd: 0"],
  ])("%s end the work with the setting's name, sub-agents included", async (_of, limits, says) => {
    const model = playModel({ looper: [{ call: "fs_readFile", args: { path: "a" } }] });
    const world = createTestWorld(model, { settings: { ...USUAL_SETTINGS, ...limits } });
    const { outcome } = await converse(world, createTestConversation(), "go");
    expect(outcome).toMatchObject({
      how: "error",
      reason: "budget",
      error: expect.stringContaining(says) as string,
    });
    expect(model.requests.length).toBeLessThanOrEqual(2);
  });
});

test("a call that is refused again and again is warned about once, and then ends the work", async () => {
  const model = playModel({ looper: [{ call: "nothing_of_this_name", args: {} }] });
  const world = createTestWorld(model);
  const { outcome } = await converse(world, createTestConversation(), "go");
  expect(outcome).toMatchObject({ how: "error", reason: "incomplete" });
  const results = getNews(world, "tool_result");
  expect(results).toHaveLength(5);
  expect(results.filter(({ output }) => output.includes("3 times in a row"))).toHaveLength(1);
});
