import { expect, test } from "vitest";
import { resolveSettings, type Flags } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";

function warningsOf(agents: unknown, flags: Flags = {}): readonly string[] {
  const project = readJsonSettings("config.json", JSON.stringify({ agents }));
  return resolveSettings({ project, env: {}, flags }).warnings;
}

test("a setting that the agent's kind does nothing with is named, with its place and whom it is for", () => {
  expect(
    warningsOf({ codex: { prompt_via: "arg" }, own: { kind: "command", binary: "x", network: true } }),
  ).toEqual([
    expect.stringMatching(
      /^config\.json:1: agents\.own\.network does nothing: own is of kind command; it is for codex$/,
    ),
    expect.stringMatching(
      /^config\.json:1\b.*: agents\.codex\.prompt_via does nothing: codex is of kind codex; it is for command$/,
    ),
  ]);
});

test("what is heeded, a default, and what a flag says for all are nothing to speak of", () => {
  const agents = {
    own: { kind: "command", binary: "x", prompt_via: "arg", output: "jsonl" },
    codex: { reasoning: "high" },
  };
  expect(warningsOf(agents, { "--model": "m" })).toEqual([]);
});
