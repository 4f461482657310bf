import { join } from "node:path";
import { expect } from "vitest";
import { PATH, ports, test, type TestProject } from "../testing/runner-room.js";
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

test("cargo, go and ctest report by a wrapper on PATH, which passes their output and exit code on", async ({
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

  const ctest = `test "$1" = --help && { echo --output-junit; exit 0; }
test "$1" = --output-junit || exit 3
echo '<testsuite name="c"><testcase name="good"/></testsuite>' > "$2"
echo "100% tests passed"
`;
  expect(await runWith(project, { ctest }, "ctest --test-dir build")).toMatchObject({
    end: { how: "exited", code: 0 },
    tail: "100% tests passed\n",
    runner: "ctest",
    tests: { "c > good": "passed" },
  });
});

test("prove reports the points of its tests", async ({ project: { write, run } }) => {
  await write({
    "t/a.t":
      'print "1..3\\nok 1 - adds\\n", $ENV{PERL5OPT} ? "not " : "", "ok 2 - clean\\nok 3 - later # SKIP why\\n";\n',
  });
  expect(await run("prove")).toMatchObject({
    end: { how: "exited", code: 0 },
    runner: "prove",
    tests: { "t/a.t > adds": "passed", "t/a.t > clean": "passed", "t/a.t > later": "skipped" },
  });
});

const has = async (program: string): Promise<boolean> =>
  (await ports.processes.which(program, PATH, "/")) !== undefined;

test.runIf(await has("rspec"))("rspec reports its examples", async ({ project: { write, run } }) => {
  await write({
    "spec/a_spec.rb":
      'RSpec.describe "math" do\n  it("adds") { expect(ENV["SPEC_OPTS"]).to be_nil }\n  it "later"\n  it("fails") { raise }\nend\n',
  });
  expect(await run("rspec")).toMatchObject({
    end: { how: "exited", code: 1 },
    runner: "rspec",
    tests: {
      "spec/a_spec.rb > math > adds": "passed",
      "spec/a_spec.rb > math > later": "skipped",
      "spec/a_spec.rb > math > fails": "failed",
    },
  });
});

test.runIf(await has("ruby"))("minitest reports its tests", async ({ project: { write, run } }) => {
  await write({
    "a_test.rb":
      'begin\n  require "minitest/autorun"\nrescue LoadError\n  exit 0\nend\nclass A < Minitest::Test\n  def test_adds = assert_nil(ENV["RUBYLIB"])\n  def test_later = skip\n  def test_fails = flunk\nend\n',
  });
  const { end, ...ran } = await run("ruby a_test.rb");
  if (end.how === "exited" && end.code === 0) return;
  expect(ran).toMatchObject({
    runner: "minitest",
    tests: { "A > test_adds": "passed", "A > test_later": "skipped", "A > test_fails": "failed" },
  });
});

test.runIf(await has("phpunit"))("phpunit reports its tests", async ({ project: { write, run } }) => {
  await write({
    "tests/ATest.php":
      '<?php\nclass ATest extends PHPUnit\\Framework\\TestCase {\n  function testAdds() { $this->assertFalse(getenv("PHP_INI_SCAN_DIR")); }\n  function testLater() { $this->markTestSkipped(); }\n}\n',
  });
  expect(await run("phpunit tests")).toMatchObject({
    end: { how: "exited", code: 0 },
    runner: "phpunit",
    tests: { "tests > ATest > testAdds": "passed", "tests > ATest > testLater": "skipped" },
  });
});
