import { join } from "node:path";
import { expect } from "vitest";
import { PATH, test, type TestProject } from "../testing/runner-room.js";
import type { Ran } from "../verdict.js";

/** Runs a command with programs that stand in for the ones of their names. */
async function runWith(
  { cwd, write, run }: TestProject,
  programs: Record<string, string>,
  command: string,
): Promise<Ran> {
  await write(
    Object.fromEntries(Object.entries(programs).map(([name, text]) => [`bin/${name}`, `#!/bin/sh\n${text}`])),
  );
  return await run(command, [], `${join(cwd, "bin")}:/usr/bin:/bin`);
}

const CARGO = `case $PATH in *looper-report*) exit 5 ;; esac
echo "running 3 tests"
echo "test tests::adds ... ok"
echo "test tests::panics - should panic ... ok"
echo "test tests::fails ... FAILED"
echo "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured"
exit 101
`;

test("cargo and go report by a wrapper on PATH, which passes their output and exit code on", async ({
  project,
}) => {
  const cargo = await runWith(project, { cargo: CARGO }, "sh -c 'cargo test'");
  expect(cargo).toMatchObject({
    end: { how: "exited", code: 101 },
    runner: "cargo test",
    tests: { "tests > adds": "passed", "tests > panics": "passed", "tests > fails": "failed" },
  });
  expect(cargo.tail).toContain("test tests::adds ... ok\n");
  // A report that ends before its result is none.
  const cut = { cargo: CARGO.replace(/^echo "test result.*$/m, "exit 0") };
  expect(await runWith(project, cut, "cargo test")).not.toHaveProperty("tests");
  expect((await runWith(project, { cargo: "echo built" }, "cargo build")).tail).toBe("built\n");

  const go = `test "$1 $2" = "test -v" || exit 3
printf '=== RUN   TestA\\n--- PASS: TestA (0.00s)\\n--- SKIP: TestB (0.00s)\\nPASS\\nok  \\texample.com/x\\t0.1s\\n'
`;
  expect(await runWith(project, { go }, "go test ./...")).toMatchObject({
    end: { how: "exited", code: 0 },
    tail: "ok  \texample.com/x\t0.1s\n",
    runner: "go test",
    tests: { "example.com/x > TestA": "passed", "example.com/x > TestB": "skipped" },
  });
});

const NODE_TEST = `import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
test("is not told of the report", () => {
  assert.doesNotMatch([process.env.NODE_OPTIONS, process.env.PATH].join(), /looper-report/);
});
test("starts node", () => { execFileSync("node", ["-e", "process.exit(process.env.PATH.includes('looper-report') ? 1 : 0)"]); });
`;
const TITLES = ["is not told of the report", "starts node"];

test.for([
  "NODE_OPTIONS=--no-warnings node --test",
  "NODE_OPTIONS= node --test",
  'env -i PATH="$PATH" node --test',
  "env -u NODE_OPTIONS node --test",
  "unset NODE_OPTIONS; node --test",
  "npm test -s",
  "sh check.sh",
])(
  "node's runner reports although its command replaces the environment: %s",
  async (command, { project }) => {
    await project.write({
      "package.json": '{"type":"module","scripts":{"test":"NODE_OPTIONS=--no-warnings node --test"}}',
      "a.test.js": NODE_TEST,
      "check.sh": "#!/bin/sh\nexport NODE_OPTIONS=--no-warnings\nenv node --test\n",
    });
    expect(await project.run(command)).toMatchObject({
      end: { how: "exited", code: 0 },
      runner: "node --test",
      tests: Object.fromEntries(TITLES.map((title) => [`a.test.js > ${title}`, "passed"])),
    });
  },
);

test("the options that a command sets for node still count, and so does its exit code", async ({
  project,
}) => {
  await project.write({
    "a.test.mjs": `import { test } from "node:test";\ntest("warns", () => { process.emitWarning("beware"); });\n`,
    "fails.mjs": "console.log(process.execArgv.length, process.argv.slice(2).join('|')); process.exit(7);\n",
  });
  const quiet = await project.run("NODE_OPTIONS=--no-warnings node a.test.mjs");
  expect(quiet).toMatchObject({ end: { code: 0 }, tests: { "a.test.mjs > warns": "passed" } });
  expect(quiet.tail).not.toContain("beware");
  expect(await project.run(`NODE_OPTIONS=--no-warnings node fails.mjs 'a b' "" '*'`)).toMatchObject({
    end: { how: "exited", code: 7 },
    tail: "0 a b||*\n",
  });
});

test("jest reports where a package script replaces NODE_OPTIONS", async ({ project }) => {
  await project.write({
    "package.json": '{"scripts":{"test":"NODE_OPTIONS=--experimental-vm-modules jest"}}',
    "node_modules/.bin/jest": '#!/bin/sh\nexec node node_modules/jest/bin/jest.js "$@"\n',
    "node_modules/jest/bin/jest.js": `const option = "--testResultsProcessor=";
const file = process.argv.find((arg) => arg.startsWith(option));
const results = { testResults: [
  { testFilePath: process.cwd() + "/a.test.js", testResults: [{ status: "passed", title: process.execArgv.join() + process.env.NODE_OPTIONS, ancestorTitles: [] }] },
] };
if (file !== undefined) require(file.slice(option.length))(results);
`,
  });
  expect(await project.run("npm test -s")).toMatchObject({
    end: { how: "exited", code: 0 },
    runner: "jest",
    tests: { "a.test.js > --experimental-vm-modules": "passed" },
  });
});

const UNITTEST = `import os, sys, unittest
class A(unittest.TestCase):
    def test_clean(self):
        self.assertNotIn("looper-report", os.environ.get("PYTHONPATH", "") + os.environ["PATH"] + ":".join(sys.path))
    def test_place(self): self.assertEqual(sys.path.count(os.getcwd()), 1)
    def test_name(self): self.assertTrue(sys.argv[0].endswith("__main__.py") or "unittest" in sys.argv[0], sys.argv)
`;

test.for([
  "PYTHONPATH=lib python3 -m unittest tests.test_a",
  'env -i PATH="$PATH" python3 -m unittest tests.test_a',
])("Python's runner reports although its command shuts the hook out: %s", async (command, { project }) => {
  await project.write({ "tests/__init__.py": "", "tests/test_a.py": UNITTEST });
  expect(await project.run(command)).toMatchObject({
    end: { how: "exited", code: 0 },
    runner: "unittest",
    tests: {
      "tests.test_a.A > test_clean": "passed",
      "tests.test_a.A > test_place": "passed",
      "tests.test_a.A > test_name": "passed",
    },
  });
});

test("a program that is not on PATH is not put there", async ({ project }) => {
  const { tail } = await project.run(
    "command -v ruby3.9 node-gyp-none || echo none; command -v node",
    [],
    PATH,
  );
  expect(tail).toMatch(/^none\n/);
});
