import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { test, ports } from "../testing/runner-room.js";
import {
  casesThatCount,
  mayStartRunner,
  prepareOwnReport,
  readCargo,
  readGo,
  readOwnReport,
  removeOwnReport,
} from "./own-report.js";

const NODE_TEST = `import { describe, it, test } from "node:test";
import assert from "node:assert/strict";
test("adds", () => {});
test("later", { skip: true }, () => {});
test("some day", { todo: true }, () => assert.fail());
test("is not told of the report", () => assert.equal(process.env.NODE_OPTIONS, undefined));
describe("math", () => {
  it("halves", async (t) => { await t.test("evenly", () => {}); });
  it("fails", () => assert.ok(process.env.GREEN));
});
`;
const NODE_CASES = {
  "test/a.test.mjs > adds": "passed",
  "test/a.test.mjs > is not told of the report": "passed",
  "test/a.test.mjs > later": "skipped",
  "test/a.test.mjs > some day": "skipped",
  "test/a.test.mjs > math > halves": "passed",
  "test/a.test.mjs > math > halves > evenly": "passed",
};

test("node's runner reports its cases, whatever starts it, and its output and exit code stay", async ({
  project: { write, run },
}) => {
  await write({
    "package.json": '{"scripts":{"test":"node --test test/"}}',
    "test/a.test.mjs": NODE_TEST,
    "check.sh": "node --test test/a.test.mjs",
  });
  const bare = await run("node --test test/", ["none.xml"]);
  for (const command of ["node --test test/", "npm test -s", "sh check.sh", "env A=b node --test"]) {
    const { end, tail, runner, tests } = await run(command);
    expect(end, command).toEqual({ how: "exited", code: 1 });
    expect({ runner, tests }).toEqual({
      runner: "node --test",
      tests: { ...NODE_CASES, "test/a.test.mjs > math > fails": "failed" },
    });
    const lines = (text: string): string[] =>
      text.split("\n").filter((line) => /^ *(?:not )?ok\b/.test(line));
    expect(lines(tail)).toEqual(lines(bare.tail));
  }
  expect(bare).not.toHaveProperty("runner");
});

test("node's reporters that a command names stay", async ({ project: { write, run } }) => {
  await write({ "a.test.mjs": NODE_TEST, "two.sh": "node --test a.test.mjs >/dev/null; node a.test.mjs" });
  const dot = await run("GREEN=1 node --test --test-reporter=dot a.test.mjs");
  expect(dot.end).toEqual({ how: "exited", code: 0 });
  expect(dot.tail).toMatch(/^\.\.X\.+\n/);
  expect(Object.keys(dot.tests ?? {})).toHaveLength(7);
  const both = "--test-reporter=tap --test-reporter-destination=stdout";
  expect(Object.keys((await run(`GREEN=1 node --test ${both} a.test.mjs`)).tests ?? {})).toHaveLength(7);
  // Each process reports, also where a file runs without --test.
  expect(Object.keys((await run("GREEN=1 sh two.sh")).tests ?? {})).toHaveLength(14);
});

test("runners that tests start are not asked to report", async ({ project: { write, run } }) => {
  const spawn = 'import { execFileSync } from "node:child_process";\nimport { test } from "node:test";\n';
  await write({
    "a.test.mjs": `${spawn}test("runs", () => { execFileSync("node", ["--test", "inner.mjs"], { env: { PATH: process.env.PATH } }); });`,
    "inner.mjs": 'import { test } from "node:test";\ntest("inner", () => {});\n',
  });
  expect((await run("node --test a.test.mjs")).tests).toEqual({ "a.test.mjs > runs": "passed" });
});

test("vitest reports its cases beside the reporters of the command and of the configuration", async ({
  project: { cwd, write, run },
}) => {
  const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
  symlinkSync(modules, join(cwd, "node_modules"));
  await write({
    "package.json": '{"type":"module","scripts":{"test":"vitest run"}}',
    "a.test.js":
      'import { expect, it, describe } from "vitest";\ndescribe("math", () => { it("adds", () => {}); it.skip("later", () => {}); });\nit("is clean", () => { expect(process.env.NODE_OPTIONS ?? "").not.toContain("looper"); });\n',
  });
  const tests = {
    "a.test.js > math > adds": "passed",
    "a.test.js > is clean": "passed",
    "a.test.js > math > later": "skipped",
  };
  expect(await run("npm test -s")).toMatchObject({ runner: "vitest", tests });
  const own = await run("npx vitest run --reporter=tap");
  expect(own).toMatchObject({ tests });
  expect(own.tail).toContain("TAP version");
  await write({ "vitest.config.js": 'export default { test: { reporters: ["tap"] } };' });
  const set = await run("npx vitest run");
  expect(set).toMatchObject({ tests });
  expect(set.tail).toContain("TAP version");
  // Reporters that cannot be named again stay as they are, without a report.
  await write({ "vitest.config.js": 'export default { test: { reporters: [["tap", {}]] } };' });
  expect(await run("npx vitest run")).not.toHaveProperty("tests");
});

test("jest reports through its results processor", async ({ project: { write, run } }) => {
  await write({
    "node_modules/jest/bin/jest.js": `const option = "--testResultsProcessor=";
const file = process.argv.find((arg) => arg.startsWith(option));
const result = (status, title) => ({ status, title, ancestorTitles: ["math"] });
const results = { testResults: [
  { testFilePath: process.cwd() + "/a.test.js", testResults: [result("passed", "adds"), result("pending", "later")] },
  { testFilePath: process.cwd() + "/b.test.js", testResults: [], failureMessage: "cannot be loaded" },
] };
if (file !== undefined) require(file.slice(option.length))(results);
process.exit(1);
`,
  });
  expect(await run("node node_modules/jest/bin/jest.js")).toMatchObject({
    end: { how: "exited", code: 1 },
    runner: "jest",
    tests: {
      "a.test.js > math > adds": "passed",
      "a.test.js > math > later": "skipped",
      "b.test.js": "failed",
    },
  });
  await write({ "jest.config.js": "module.exports = { testResultsProcessor: './mine.js' };" });
  expect(await run("node node_modules/jest/bin/jest.js")).not.toHaveProperty("tests");
});

test("mocha reports the events of its runner", async ({ project: { write, run } }) => {
  await write({
    "node_modules/mocha/lib/runner.js": `module.exports = class Runner extends require("events") {};`,
    "node_modules/mocha/bin/mocha.js": `const Runner = require("../lib/runner.js");
const runner = new Runner();
const suite = { title: "", file: process.cwd() + "/a.spec.js" };
const math = { title: "math", parent: suite };
runner.emit("pass", { title: "adds", parent: math, file: suite.file });
runner.emit("pending", { title: "later", parent: math, file: suite.file, titlePath: () => ["math", "later"] });
runner.emit("fail", { title: "breaks", parent: suite });
if (!process.argv.includes("--dies")) runner.emit("end");
`,
  });
  expect(await run("node node_modules/mocha/bin/mocha.js; exit 1")).toMatchObject({
    runner: "mocha",
    tests: {
      "a.spec.js > math > adds": "passed",
      "a.spec.js > math > later": "skipped",
      "a.spec.js > breaks": "failed",
    },
  });
  expect(await run("node node_modules/mocha/bin/mocha.js --dies")).not.toHaveProperty("tests");
});

test("unittest reports its cases, and the project's own sitecustomize is imported all the same", async ({
  project: { write, run },
}) => {
  await write({
    "lib/sitecustomize.py": 'import os\nos.environ["SITE"] = "ours"\n',
    "tests/__init__.py": "",
    "tests/test_a.py": `import os, sys, unittest
class A(unittest.TestCase):
    def test_adds(self): self.assertEqual(os.environ["SITE"], "ours")
    def test_path(self): self.assertEqual(os.environ["PYTHONPATH"], "lib")
    @unittest.skip("later")
    def test_later(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    def test_parts(self):
        for part in (1, 2):
            with self.subTest(part=part): self.assertTrue(part == 1 or "GREEN" in os.environ)
`,
    "tests/test_b.py": "import nothing_of_this_name\n",
  });
  const green = {
    "tests.test_a.A > test_adds": "passed",
    "tests.test_a.A > test_path": "passed",
    "tests.test_a.A > test_later": "skipped",
    "tests.test_a.A > test_known": "skipped",
    "tests.test_a.A > test_parts": "passed",
  };
  await write({ "check.sh": 'export PYTHONPATH="$PYTHONPATH${PYTHONPATH:+:}lib"\npython3 -m unittest $1\n' });
  expect(await run("GREEN=1 sh check.sh tests.test_a")).toMatchObject({ runner: "unittest", tests: green });
  expect(await run("sh check.sh")).toMatchObject({
    end: { how: "exited", code: 1 },
    tests: {
      ...green,
      "tests.test_a.A > test_parts": "failed",
      "unittest.loader > tests/test_b.py": "failed",
    },
  });
});

test("a command that ends well has no failing case, and a failing one without cases has no report", async ({
  project: { write, run },
}) => {
  const failed = [{ name: "a", status: "failed" as const }];
  expect(casesThatCount(failed, true)).toEqual({ a: "passed" });
  expect(casesThatCount(failed, false)).toEqual({ a: "failed" });
  expect(casesThatCount([], true)).toEqual({});
  expect(casesThatCount([], false)).toBeUndefined();
  await write({ "a.test.mjs": NODE_TEST });
  const { tests } = await run("node --test a.test.mjs || true");
  expect(tests).toMatchObject({ "a.test.mjs > math > fails": "passed" });
});

test("a report that is cut, foreign, a link or too large counts as none, and says so", async ({
  project: { cwd },
}) => {
  const clean = (part: string): string => part;
  const read = async (files: Record<string, string | number>): Promise<string> => {
    const report = await prepareOwnReport(ports, { env: {}, cwd });
    if (report === undefined) throw new Error("no folder");
    for (const [name, content] of Object.entries(files)) {
      const path = join(report.folder, name);
      writeFileSync(path, typeof content === "string" ? content : "");
      if (typeof content === "number") truncateSync(path, content);
    }
    const { tests = {}, problems } = await readOwnReport(ports, { ...report, clean, endsWell: false });
    await removeOwnReport(ports, report);
    expect(await ports.files.stat(report.folder)).toBeUndefined();
    return (
      problems.join() ||
      Object.entries(tests)
        .map((one) => one.join(" "))
        .join()
    );
  };
  const good = '{"runner":"jest","cases":[["passed","a.js","b"],["skipped",""]]}';
  expect(await read({ "1.json": good })).toBe("a.js > b passed,(no name) skipped");
  expect(await read({ "1.part": "{" })).toBe("");
  const cut = "no test report: a runner's report is empty, cut or not a report";
  for (const text of [
    "",
    good.slice(0, -2),
    "[]",
    '{"runner":"me","cases":[]}',
    '{"runner":"jest","cases":[["ok"]]}',
  ])
    expect(await read({ "1.json": good, "2.json": text })).toBe(cut);
  expect(await read({ "1.vitest.xml": "" })).toBe("no test report: a runner's report is empty or cut");
  expect(await read({ "1.vitest.xml": '<testsuites><testsuite><testcase name="a"' })).toContain(
    "not well-formed",
  );
  const large = "no test report: more than 67108864 bytes of report files";
  expect(await read({ "1.json": good, "2.json": 100 * 1024 * 1024 })).toBe(large);
  const report = await prepareOwnReport(ports, { env: {}, cwd });
  symlinkSync("/dev/zero", join(report?.folder ?? "", "1.json"));
  const order = { folder: report?.folder ?? "", clean, endsWell: true };
  expect((await readOwnReport(ports, order)).problems).toEqual(["no test report: a report is not a file"]);
  await removeOwnReport(ports, { folder: report?.folder ?? "" });
});

test("verify.report wins, and a command without runners keeps its environment", async ({
  project: { write, run },
}) => {
  await write({ "a.sh": 'echo "[$NODE_OPTIONS][$PYTHONPATH]"' });
  expect((await run("sh a.sh", ["junit.xml"])).tail).toBe("[][]\n");
  expect((await run('echo "[$NODE_OPTIONS][$PYTHONPATH]"')).tail).toBe("[][]\n");
});

test("a command that the report breaks runs again without one", async ({ project: { cwd, write, run } }) => {
  await write({
    "bin/node":
      '#!/bin/sh\ntest -z "$NODE_OPTIONS" || { echo "bad: $NODE_OPTIONS" >&2; exit 9; }\necho fine\n',
  });
  const ran = await run("node --test", [], `${cwd}/bin:/usr/bin:/bin`);
  expect(ran).toMatchObject({ end: { how: "exited", code: 0 }, tail: "fine\n" });
});

test.each([
  ["npm test", true],
  ["sh -c 'npx vitest'", true],
  ["env A=b timeout 9 python3.12 -m unittest", true],
  ["cd app && ./run-tests", true],
  ["make check", true],
  ["sh check.sh", true],
  ["grep -q a b.txt && test -e c", false],
  ["printf '%s' x > y.xml", false],
  ["tsc --noEmit", false],
])("a command may start a runner that reports: %s", (command, may) => {
  expect(mayStartRunner(command)).toBe(may);
});

test("the folder of reports has the beginning of its name by which a later run finds it", async ({
  project: { cwd },
}) => {
  const report = await prepareOwnReport(ports, { env: {}, cwd, temporary: "looper-x-" });
  expect(report?.folder).toContain("/looper-x-report-");
  await removeOwnReport(ports, { folder: report?.folder ?? "" });
});

const CARGO = `running 3 tests
test tests::adds ... ok
test tests::deep::fails - should panic ... FAILED
test tests::later ... ignored, for now
noise ... ok

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out

   Doc-tests x

running 1 test
test src/lib.rs - add (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
`;

test("the cases of cargo are read from its output, without the lines they are in", () => {
  expect(readCargo(CARGO)).toEqual({
    runner: "cargo test",
    cases: [
      ["passed", "tests", "adds"],
      ["failed", "tests", "deep", "fails"],
      ["skipped", "tests", "later"],
      ["passed", "src/lib.rs - add"],
    ],
  });
});

test.each([
  ["a result is missing", CARGO.replace(/\ntest result: FAILED.*/, "")],
  ["a case is missing", CARGO.replace("test tests::adds ... ok\n", "")],
  ["a test printed a case", `test mine ... ok\n${CARGO}`],
  ["fewer ran than announced", CARGO.replace("running 3 tests", "running 4 tests")],
])("the output of cargo is not a report if %s", (_, text) => {
  expect(readCargo(text)).toBeUndefined();
});

test("the cases of go are read from the lines of the wrapper", () => {
  expect(readGo("example.com/x\tpassed\tTestA/b c\nexample.com/x\tskipped\tTestB\nnoise\n")).toEqual({
    runner: "go test",
    cases: [
      ["passed", "example.com/x", "TestA/b c"],
      ["skipped", "example.com/x", "TestB"],
    ],
  });
});
