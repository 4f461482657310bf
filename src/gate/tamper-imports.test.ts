import { expect, test } from "vitest";
import { findSwapped } from "./tamper-imports.js";
import { codeLines } from "./tamper-lines.js";

const JS = `import assert from "node:assert";
import { test } from "node:test";
import { add } from "../src/add.js";

assert.equal(add(1, 2), 3);
`;
const PY = "import unittest\nfrom calc import add\n";

const isOurs = (module: string): boolean => /^(?:\.|calc|helper)/.test(module);
const swapped = (path: string, before: string, after: string): string | undefined =>
  findSwapped(path, { before, after, added: codeLines(path, after) }, isOurs);

type Swap = [what: string, path: string, from: string, to: string, text?: string];

const swaps: Swap[] = [
  ["what checks is the project's own", "a.test.mjs", '"node:assert"', '"./helper.mjs"'],
  ["a runner of the project's own", "a.test.mjs", 'from "node:test"', 'from "../src/test.mjs"'],
  [
    "defined in its place",
    "a.test.mjs",
    'import assert from "node:assert";',
    "const assert = { equal() {} };",
  ],
  [
    "required from the project",
    "a.test.js",
    '"node:assert"',
    '"./helper"',
    'const { equal } = require("node:assert");\n',
  ],
  ["a module of the project's", "test_a.py", "import unittest", "from helper import unittest", PY],
  [
    "one name of a module",
    "test_a.py",
    "from unittest import TestCase",
    "from calc import TestCase",
    "from unittest import TestCase, mock\n",
  ],
];

test.for(swaps)("tests that get what they check with from elsewhere: %s", ([, path, from, to, text = JS]) => {
  expect(text).toContain(from);
  const after = text.replace(from, to);
  expect(swapped(path, text, after)).toContain("came from");
});

const moves: Swap[] = [
  ["the work moves", "a.test.mjs", "../src/add.js", "../src/math/add.js"],
  ["a stricter one", "a.test.mjs", '"node:assert"', '"node:assert/strict"'],
  ["another library", "a.test.mjs", '"node:test"', '"vitest"'],
  ["more of the same", "a.test.mjs", "{ test }", "{ before, test }"],
  ["one that is not used any more", "a.test.mjs", 'import { test } from "node:test";\n', ""],
  ["the work moves, in python", "test_a.py", "from calc import add", "from calc.sums import add", PY],
  ["one more from a library", "test_a.py", "import unittest", "import os, unittest", PY],
];

test.for(moves)("imports may change: %s", ([, path, from, to, text = JS]) => {
  expect(text).toContain(from);
  expect(swapped(path, text, text.replace(from, to))).toBeUndefined();
});
