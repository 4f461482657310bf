// The questions that the sorter answers about files at the reference, and about names alone.
import { expect, test } from "vitest";
import { referenceOf, type Setting, type Texts } from "../testing/sorted.js";
import { Sorter, namesCheck } from "./sort.js";

const NODE: Texts = {
  "package.json": '{"name":"box","main":"src/index.js","scripts":{"test":"node --test"}}',
  "src/index.js": "",
  "src/edge.js": "",
  "test/edge.test.js": 'import "../src/edge.js";',
};

/** The sorter of a project in which nothing has changed yet. */
function sorterOf(texts: Texts, setting: Setting = {}): Sorter {
  const { commands = [], own = [], patterns = [] } = setting;
  return new Sorter({
    changes: [],
    files: referenceOf(texts),
    commands: { project: commands, own },
    settings: { protected: patterns, source: [], project: "", work: "" },
    hasProgram: () => false,
  });
}

test.each([
  ["looper.config.json", true],
  ["src/edge.js", true],
  ["test/data.json", false],
  ["usercustomize.py", true],
  ["package.json", true],
  ["tsconfig.json", true],
  ["test/edge.test.js", true],
  ["all.sh", true],
  ["src/index.js", false],
])("%s is a check before the work: %s", (path, isCheck) => {
  const texts = { ...NODE, "all.sh": "" };
  const patterns = ["!looper.config.json", "src/edge.js", "!test/data.json"];
  const sorter = sorterOf(texts, { commands: ["sh all.sh"], patterns });
  expect([sorter.isCheck(path), sorter.isCheck(path)]).toEqual([isCheck, isCheck]);
});

test.each([
  ["test/edge.test.js", true],
  ["all.sh", true],
  ["tsconfig.json", false],
  ["src/edge.js", false],
])("%s reads what it names: %s", (path, reads) => {
  expect(sorterOf({ ...NODE, "all.sh": "" }, { commands: ["sh all.sh"] }).reads(path)).toBe(reads);
});

test.each([
  ["all.sh", true],
  ["src/edge.js", true],
  ["checks/a.sh", true],
  ["src/a.probe.js", true],
  ["lib/x.js", true],
  ["src/index.js", false],
  ["checks/a.js", false],
])("%s is run by the check commands: %s", (path, isRun) => {
  const commands = [
    "sh all.sh",
    "node --test src/edge.js",
    "sh checks/*.sh",
    "node --test 'src/*.probe.js'",
    "node --test 'lib/*.js'",
  ];
  expect(sorterOf(NODE, { commands }).isRun(path)).toBe(isRun);
});

test("a task's own commands are found by the file that they run", () => {
  const sorter = sorterOf(NODE, { own: ["node src/cli.js | grep x", "node src/cli.js", "node src/b.js"] });
  expect(sorter.ownCommandsWith("src/cli.js")).toEqual(["node src/cli.js"]);
  expect(sorter.ownCommandsWith("src/b.js")).toEqual(["node src/b.js"]);
  expect(sorter.ownCommandsWith("src/edge.js")).toEqual([]);
});

test.each([
  ["test/a.js", true],
  ["src/test/deep/a.js", true],
  ["spec/a.js", true],
  ["specs/a.js", true],
  ["t/a.js", true],
  ["src/edge.spec.js", true],
  ["tests/README.md", false],
  ["data/a.js", false],
  ["src/list/a.js", false],
  ["src/inspec/a.js", false],
  ["src/t2/a.js", false],
  ["looper.config.json", true],
  ["usercustomize.py", true],
  ["tsconfig.json", true],
  ["gulpfile.js", true],
  ["package.json", true],
  ["src/protected.js", true],
  ["src/free.test.js", false],
])("%s is named like a check: %s", (path, isCheck) => {
  expect(namesCheck(["*.test.js", "src/protected.js", "!src/free*"])(path)).toBe(isCheck);
});
