import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { test, type Tree } from "./cold-scratch.js";

const PROJECT: Tree = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test test/" } }, undefined, 2)}\n`,
  "src/add.js": "export const add = (a, b) => a - b;\n",
  "test/add.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/add.js";

test("adds", () => {
  assert.equal(add(1, 2), 3);
});

test("adds nothing", () => {
  assert.equal(add(1, 0), 1);
});
`,
};
const VERIFY = { commands: ["npm test -s"], strict: true };
const WORK: Tree = { "src/add.js": "export const add = (a, b) => a + b;\n" };

test("the work alone passes, and leaves no room behind", async ({ cold }) => {
  const { report } = await cold.judge(PROJECT, WORK, VERIFY);
  expect(report).toMatchObject({ verdict: "passed", cold: true, tampered: [] });
  expect(readdirSync(join(dirname(cold.scratch.top), "tmp"))).toEqual([]);
});

test("no work fails", async ({ cold }) => {
  const { report } = await cold.judge(PROJECT, { "notes.txt": "All tests passed\n" }, VERIFY);
  expect(report).toMatchObject({ verdict: "failed" });
});
