import { expect, test } from "vitest";
import { findKey, readModelName, usualModel } from "./chapo-models.js";

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
  ["gpt-5", /^gpt-5 is no provider\/model of anthropic, openai/],
  ["opnai/gpt-5", /did you mean openai\/gpt-5\?$/],
  ["openai", /openai names no model/],
  ["openai/ ", /names no model/],
  ["__proto__/x", /is no provider/],
  ["constructor/x", /is no provider/],
  ["", /is no provider/],
])("%j is none", (name, problem) => {
  const read = readModelName(name);
  expect("problem" in read && read.problem).toMatch(problem);
});

test("the first provider there is a key for is asked where nobody said; an empty key is none", () => {
  expect(usualModel({})).toBeUndefined();
  expect(usualModel({ ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "k" })).toMatch(/^google\//);
  expect(usualModel({ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" })).toMatch(/^openai\//);
  expect(findKey("google", { GOOGLE_GENERATIVE_AI_API_KEY: "g" })).toEqual({
    key: "g",
    variables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  });
  expect(findKey("scripted", {}).variables).toEqual([]);
});
