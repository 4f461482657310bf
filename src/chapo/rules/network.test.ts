import { expect, test } from "vitest";
import { allowsNetwork, readRules } from "./read-rules.js";

test.each([
  [{}, false],
  [{ allow: ["WebFetch"] }, true],
  [{ allow: ["WebFetch(*)"] }, true],
  [{ allow: ["WebFetch(example.com)"] }, false],
  [{ allow: ["Bash"] }, false],
  [{ allow: ["WebFetch"], deny: ["WebFetch(evil.example)"] }, false],
  [{ allow: ["WebFetch"], ask: ["web_fetch"] }, false],
])("the rules %j open the network of a sandbox: %s", (lists, isOpen) => {
  const { rules, problems } = readRules(lists, "/p");
  expect(problems).toEqual([]);
  expect(allowsNetwork(rules)).toBe(isOpen);
});
