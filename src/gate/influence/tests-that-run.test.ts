// Which tests in source the checks run: by the commands, and by settings, scripts and tests of the project.
import { expect, test } from "vitest";
import { referenceOf, type Texts } from "../testing/sorted.js";
import type { ChangedFile } from "../sort/files.js";
import { testsThatRun, type TestsThatRun } from "../rooms/study.js";

const REGULAR = { mode: "100644", oid: "x" };

/** Tests are in `tests/`, and these files are settings and scripts. */
function inProject(files: Texts, commands: readonly string[], path: string, before: string): TestsThatRun {
  const sorter = {
    isCheck: (one: string) => /^tests\/|^(?:Makefile|pytest\.ini|run\.sh)$/.test(one),
    isTest: () => false,
    isRun: (one: string) => commands.some((line) => line.includes(one)),
  };
  const change: ChangedFile = { path, from: REGULAR, to: REGULAR, before, after: "" };
  return testsThatRun([change], referenceOf(files), { sorter, commands });
}

const PYTHON = 'def f():\n    """\n    >>> f()\n    1\n    """\n';

test.each<[Texts, string, boolean]>([
  [{}, "python3 -m doctest box/a.py", true],
  [{ "pytest.ini": "[pytest]\naddopts = --doctest-modules\n" }, "pytest", true],
  [{ Makefile: "check:\n\tpython3 -m doctest box/a.py\n" }, "make check", true],
  [{ "tests/test_docs.py": "import doctest\n" }, "python3 -m unittest", true],
  [{ "box/b.py": "import doctest\n" }, "pytest", false],
  [{ "pytest.ini": "[pytest]\n" }, "pytest", false],
])("examples of Python run where a check says so: %j, %s", (files, command, runs) => {
  expect(inProject(files, [command], "box/a.py", PYTHON).runsExamples).toBe(runs);
});

test.each<[Texts, string, boolean]>([
  [{}, "cargo test", true],
  [{ Makefile: "check:\n\tcargo test\n" }, "make check", true],
  [{ "run.sh": "cargo build\n" }, "sh run.sh", false],
])("examples of Rust run where a check says so: %j, %s", (files, command, runs) => {
  expect(
    inProject(files, [command], "src/a.rs", "/// ```\n/// f();\n/// ```\nfn f() {}\n").runsExamples,
  ).toBe(runs);
});

test("a runner is given files that commands name, and every module where its settings say so", () => {
  expect(inProject({}, ["pytest box/a.py"], "box/a.py", "").isRun("box/a.py")).toBe(true);
  expect(inProject({}, ["pytest"], "box/a.py", "").isRun("box/a.py")).toBe(false);
  const all = { "pytest.ini": "[pytest]\npython_files = *.py\n" };
  expect(inProject(all, ["pytest"], "box/a.py", "").isRun("box/a.py")).toBe(true);
  const some = { "pytest.ini": "[pytest]\npython_files = check_*.py\n" };
  expect(inProject(some, ["pytest"], "box/a.py", "").isRun("box/a.py")).toBe(false);
});
