import { expect, test } from "vitest";
import { findKey, listNeededKeys, readModelName, findUsualModel } from "./model-names.js";

test.each([
  ["anthropic/claude-x", { provider: "anthropic", model: "claude-x" }],
  ["gemini/g", { provider: "google", model: "g" }],
  ["openai-compatible/meta/llama", { provider: "openai-compatible", model: "meta/llama" }],
  ["scripted", { provider: "scripted", model: "script" }],
  ["scripted/x", { provider: "scripted", model: "x" }],
])("%s is read", (name, read) => {
  expect(readModelName(name)).toEqual(read);
});

test.each([
  ["gpt-5", /"gpt-5" names no provider.*anthropic, openai/],
  ["opnai/gpt-5", /did you mean "openai\/gpt-5"\?$/],
  ["openai", /names no model/],
  ["openai/ ", /names no model/],
  ["__proto__/x", /is not a provider/],
  ["constructor/x", /is not a provider/],
  ["", /names no provider/],
])("%j is none", (name, problem) => {
  const read = readModelName(name);
  expect("problem" in read && read.problem).toMatch(problem);
});

test("without a model the first provider with a key is used, and an empty key does not count", () => {
  expect(findUsualModel({})).toBeUndefined();
  expect(findUsualModel({ ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "k" })).toMatch(/^google\//);
  expect(findUsualModel({ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" })).toMatch(/^openai\//);
  expect(findKey("google", { GOOGLE_GENERATIVE_AI_API_KEY: "g" })).toBe("g");
  expect(listNeededKeys("google")).toEqual(["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"]);
  expect(listNeededKeys("scripted")).toEqual([]);
  expect(listNeededKeys("openai-compatible")).toEqual([]);
});
