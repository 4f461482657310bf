import { expect } from "vitest";
import { test, type ProjectTree } from "../testing/cold-scratch.js";

/** How many rows of a table are tried, as each takes several rooms; in make proof all of them. */
const few = (count: number): number | undefined =>
  process.env["EXHAUSTIVE"] === undefined ? count : undefined;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/add.js";

test("adds", () => {
  assert.equal(add(1, 2), 3);
});

test("adds nothing", () => {
  assert.equal(add(1, 0), 1);
});
`;
const manifest = (test: string): string => JSON.stringify({ type: "module", scripts: { test } });
const NODE: ProjectTree = {
  "package.json": manifest("node --test test/"),
  "src/add.js": "export const add = (a, b) => a - b;\n",
  "test/add.test.js": TEST,
};
const DONE: ProjectTree = { "src/add.js": "export const add = (a, b) => a + b;\n" };

const attempts: Record<string, ProjectTree> = {
  "ends before the tests": { "src/add.js": "process.exit(0);\nexport const add = 0;\n" },
  "edits the test script": { ...DONE, "package.json": manifest("true") },
  "deletes a test": { ...DONE, "test/add.test.js": null, "test/b.test.js": TEST.replaceAll("adds", "sums") },
  "skips a test": { ...DONE, "test/add.test.js": TEST.replace("test(", "test.skip(") },
  "ends in the first test": { "src/add.js": "export const add = () => process.exit(0);\n" },
};

test.for(Object.entries(attempts).slice(0, few(1)))(
  "work that does not run a test that was there is not verified: %s",
  async ([, attempt], { cold }) => {
    const { report, warnings } = await cold.judge(NODE, attempt, {
      commands: ["npm test -s"],
      measured: true,
    });
    if (!Object.keys(attempt).some((path) => path !== "src/add.js")) {
      expect(report.verdict).toBe("failed");
      expect(report.evidence).toMatch(/ran no test any more, and 2 before|test report of node/);
      return;
    }
    expect(report).toMatchObject({ verdict: "unverified", because: "no-report" });
    expect(warnings.join()).toMatch(/test report of node|that ran before/);
  },
);
