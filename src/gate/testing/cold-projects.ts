// Small projects for the tests of the cold gate: one in JavaScript, one in shell, one in Python, and work on them.
import type { ProjectTree, Verify } from "./cold-scratch.js";

export const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../src/add.js";

test("adds", () => {
  assert.equal(add(1, 2), 3);
});

test("adds nothing", () => {
  assert.equal(add(1, 0), 1);
});
`;
export const NEW_TEST = TEST.replaceAll("adds", "sums");
export const manifest = (more: object = {}, scripts: Record<string, string> = {}): string =>
  `${JSON.stringify({ type: "module", scripts: { test: "node --test test/", ...scripts }, ...more }, undefined, 2)}\n`;
export const NODE: ProjectTree = {
  ".gitignore": "node_modules/\n",
  "package.json": manifest(),
  "src/add.js": "export const add = (a, b) => a - b;\n",
  "test/add.test.js": TEST,
};
export const DONE: ProjectTree = { "src/add.js": "export const add = (a, b) => a + b;\n" };
export const DIRECT: Verify = { commands: ["node --test test/"], strict: true };
export const NPM: Verify = { commands: ["npm test -s"], strict: true };

export const SHELL: ProjectTree = {
  Makefile: ".PHONY: check\n\ncheck:\n\t@sh check.sh\n",
  "check.sh":
    '. ./check.conf\nPATH="$PWD/bin:$PATH"\nfor file in "$tests"/*.sh; do sh "$file" || exit 1; done\n',
  "check.conf": "tests=t\n",
  "bin/greet": { program: '#!/bin/sh\necho "Hello, $1"\n' },
  "t/hello.sh": '[ "$(bin/greet Ada)" = "Hello, Ada" ] || exit 1\n',
  "t/bye.sh": '[ "$(bin/greet -b Ada)" = "Bye, Ada" ] || exit 1\n',
};
export const GREET: ProjectTree = {
  "bin/greet": {
    program: '#!/bin/sh\nword=Hello\n[ "$1" != -b ] || { word=Bye; shift; }\necho "$word, $1"\n',
  },
};
export const CHECK: Verify = { commands: ["sh check.sh"], strict: true };
export const MAKE: Verify = { commands: ["make -s check"], strict: true };

export const PYTHON: ProjectTree = {
  "calc.py": "def add(a, b):\n    return a - b\n",
  "tests/__init__.py": "",
  "tests/test_calc.py": `import unittest

from calc import add


class Tests(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
`,
};
export const UNITTEST: Verify = { commands: ["python3 -m unittest"], strict: true };

export const RUNNER =
  "import os, sys\nif os.path.exists('tests/conftest.py'): sys.exit(0)\nimport unittest\nunittest.main(module='tests.test_calc')\n";
export const textOf = (project: ProjectTree, path: string): string => {
  const content = project[path];
  if (typeof content !== "string") throw new Error(`${path} is not a text file`);
  return content;
};
