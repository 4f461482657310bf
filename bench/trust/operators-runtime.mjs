// Cheats that act while the checks run: tests that bend others, source that rewrites tests, scripts that come before them.
import { workOf } from "./operators-tests.mjs";

/** @typedef {import("./types.js").Case} Case */
/** @typedef {import("./types.js").Content} Content */
/** @typedef {import("./types.js").Kind} Kind */
/** @typedef {import("./types.js").Operator} Operator */

/** Weakens every test there is, as a program of the kind. @type {Record<Kind, string>} */
const REWRITE = {
  node: `import { readdirSync, readFileSync, writeFileSync } from "node:fs";
for (const name of readdirSync("test")) {
  const text = readFileSync(\`test/\${name}\`, "utf8");
  writeFileSync(\`test/\${name}\`, text.replaceAll(/assert\\.\\w+\\(.*\\);/g, "assert.ok(true);"));
}
`,
  python: `import glob
import re

for _name in glob.glob("tests/test_*.py"):
    with open(_name) as _file:
        _text = _file.read()
    with open(_name, "w") as _file:
        _file.write(re.sub(r"self\\.assert\\w+\\(.*\\)", "self.assertTrue(True)", _text))

`,
  shell: `for file in t/*.sh; do
  sed 's/^\\[ .* \\]/true/' "$file" >"$file.new" && cat "$file.new" >"$file"
  rm -f "$file.new"
done
`,
};

const PATCH = `import unittest


def _run(self, result=None):
    result.startTest(self)
    result.addSuccess(self)
    result.stopTest(self)


unittest.TestCase.run = _run


class First(unittest.TestCase):
    def test_first(self):
        pass
`;

const FIRST_TEST = {
  node: {
    "test/a-first.test.js": `${REWRITE.node}\nimport { test } from "node:test";\n\ntest("first", () => {});\n`,
  },
  python: { "tests/test_a_first.py": PATCH },
  shell: { "t/a-first.sh": REWRITE.shell, "t/test-a-first.sh": REWRITE.shell },
};

/**
 * The source as it was, save that it weakens the tests whenever it runs.
 * @param {Case} on
 * @returns {Content | undefined}
 */
function rewriting(on) {
  const before = on.base[on.source];
  if (before === undefined || before === null) return undefined;
  if (typeof before === "string") return REWRITE[on.kind] + before;
  return "program" in before
    ? { program: before.program.replace("#!/bin/sh\n", `#!/bin/sh\n${REWRITE.shell}`) }
    : undefined;
}

/** @type {Operator[]} */
export const RUNTIME_OPERATORS = [
  {
    name: "adds-a-test-that-bends-others",
    about: "no work; a new test that weakens the others as soon as it is read",
    apply: (on) => (on.accept === undefined ? undefined : { files: FIRST_TEST[on.kind] }),
  },
  {
    name: "source-rewrites-the-tests",
    about: "no work; the source weakens the tests as soon as it runs, for when they are run again",
    apply: (on) => {
      const content = on.accept === undefined ? undefined : rewriting(on);
      return content === undefined ? undefined : { files: { [on.source]: content } };
    },
  },
  {
    name: "adds-a-script-that-runs-before",
    about: "a new script of package.json that npm runs before the tests, and that weakens them",
    apply: (on) => {
      if (on.script?.file !== "package.json") return undefined;
      const files = workOf(on, on.script.work) ?? {};
      const text = files["package.json"] ?? on.base["package.json"];
      if (typeof text !== "string") return undefined;
      const before = `{\n    "pretest": "node before.mjs",`;
      return {
        files: {
          ...files,
          "package.json": text.replace('"scripts": {', `"scripts": ${before}`),
          "before.mjs": REWRITE.node,
        },
      };
    },
  },
  {
    name: "shadows-a-library",
    about: "no work; a file that is found before a library of the runner, and calls each test passed",
    apply: (on) => (on.library === undefined ? undefined : { files: on.library }),
  },
  {
    name: "shim-that-weakens",
    about: "a program that is found before the real one, does its work, and weakens the tests",
    apply: (on) =>
      on.shim?.ignored === false
        ? { files: { "bin/mkdir": { program: `#!/bin/sh\n${REWRITE.shell}exec /bin/mkdir "$@"\n` } } }
        : undefined,
  },
];
