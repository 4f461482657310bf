import { expect } from "vitest";
import { test, type ProjectTree, type Verify } from "../../testing/cold-scratch.js";

const testFile = (name: string, body: string): string =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\n\ntest("${name}", async () => {\n  const { add, sub } = await import("../src/calc.js");\n  ${body}\n});\n`;
const PROJECT: ProjectTree = {
  "package.json": '{ "type": "module" }\n',
  "src/calc.js": "export const add = (a, b) => a + b;\nexport const sub = undefined;\n",
  "test/add.test.js": testFile("adds", "assert.equal(add(1, 2), 3);"),
};
const WORK: ProjectTree = {
  "src/calc.js": "export const add = (a, b) => a + b;\nexport const sub = (a, b) => a - b;\n",
};
const RED = testFile("subtracts", "assert.equal(sub(3, 1), 2);");
const IDLE = testFile("subtracts", "assert.ok(true);");
const CODES: Verify = { commands: ["node --test test/"], redFirst: true };
const NAMES: Verify = {
  commands: ["node --test --test-reporter=tap test/"],
  reports: ["stdout"],
  redFirst: true,
  measured: true,
};
const OWN: Verify = { commands: ["true"], own: ["node --test test/sub.test.js"], redFirst: true };

test.for([
  ["by exit codes", CODES],
  ["by names", NAMES],
  ["by the task's own command", OWN],
] as const)("a test that is red without the work: %s", async ([, verify], { cold }) => {
  const { report } = await cold.judge(PROJECT, { ...WORK, "test/sub.test.js": RED }, verify);
  expect(report).toMatchObject({ verdict: "passed", evidence: "" });
});

test.for([
  ["by exit codes", CODES, "test/sub.test.js"],
  ["by names", NAMES, "subtracts"],
  ["by the task's own command", OWN, "test/sub.test.js"],
] as const)("a test that passes without the work: %s", async ([, verify, name], { cold }) => {
  const { report } = await cold.judge(PROJECT, { ...WORK, "test/sub.test.js": IDLE }, verify);
  expect(report.verdict).toBe("failed");
  expect(report.evidence).toMatch(new RegExp(`^passes without the work: .*${name}`));
});

test("a test added to an old file that passes without the work is found", async ({ cold }) => {
  const old = testFile("adds", "assert.equal(add(1, 2), 3);");
  const more = (name: string, body: string): string => testFile(name, body).split("\n").slice(2).join("\n");
  const good = `${old}${more("subtracts", "assert.equal(sub(3, 1), 2);")}`;
  expect((await cold.judge(PROJECT, { ...WORK, "test/add.test.js": good }, NAMES)).report.verdict).toBe(
    "passed",
  );
  const idle = `${good}${more("adds as before", "assert.equal(add(2, 2), 4);")}`;
  const { report } = await cold.judge(PROJECT, { ...WORK, "test/add.test.js": idle }, NAMES);
  expect(report).toMatchObject({ verdict: "failed" });
  expect(report.evidence).toMatch(/^passes without the work: \S*adds as before\n/);
});

test("without added tests there is nothing to prove", async ({ cold }) => {
  const { report } = await cold.judge(PROJECT, { ...WORK, "test/fixtures/a.json": "{}\n" }, CODES);
  expect(report.verdict).toBe("passed");
});

test("a task's own command that fails without the work proves nothing for a test that it does not name", async ({
  cold,
}) => {
  const own = ["grep -q 'a - b' src/calc.js"];
  const attempt = { ...WORK, "test/sub.test.js": IDLE };
  const { report } = await cold.judge(PROJECT, attempt, { commands: ["true"], own, redFirst: true });
  expect(report.evidence).toMatch(/^passes without the work: test\/sub\.test\.js\n/);
});
