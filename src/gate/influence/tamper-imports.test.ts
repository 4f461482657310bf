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

test.for(swaps)(
  "tests that import their assertions from elsewhere are reported: %s",
  ([, path, from, to, text = JS]) => {
    expect(text).toContain(from);
    const after = text.replace(from, to);
    expect(swapped(path, text, after)).toContain("came from");
  },
);

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

/** One form of importing `x` from a library; it is swapped for the same form from the project. */
type Form = [what: string, path: string, text: string, name?: string];

const forms: Form[] = [
  ["a default", "a.test.js", 'import x from "LIB";'],
  ["a default in other quotes", "a.test.js", "import x from 'LIB'"],
  ["one name", "a.test.jsx", 'import { x } from "LIB";'],
  ["one name without blanks", "a.test.js", 'import{x}from"LIB"'],
  ["all as one", "a.test.mjs", 'import * as x from "LIB";'],
  ["all as one, without blanks", "a.test.mjs", 'import*as x from"LIB"'],
  ["a default and names", "a.test.cjs", 'import x, { y } from "LIB";'],
  ["another name for it", "a.test.ts", 'import { default as x } from "LIB";'],
  ["lines of names", "a.test.tsx", 'import {\n  y,\n  x,\n} from\n  "LIB";'],
  ["a type", "a.test.mts", 'import type { x } from "LIB";'],
  ["a type of lines", "a.test.mts", 'import\n  type {\n  x } from "LIB";'],
  ["a name with a dollar", "a.test.cts", 'import { $ } from "LIB";', "$"],
  ["a type among names", "a.test.ts", 'import { y, type x } from "LIB";'],
  ["a name like the word from", "a.test.ts", 'import { fromEvent } from "LIB";', "fromEvent"],
  ["a default that is called type", "a.test.ts", 'import type from "LIB";', "type"],
  ["required", "a.test.js", 'const x = require("LIB");'],
  ["required without blanks", "a.test.js", "var{x}=require('LIB')"],
  ["required with blanks", "a.test.js", 'let  x  =  require( "LIB" );'],
  ["one name required", "a.test.js", 'const { y, x } = require("LIB");'],
  ["another name for what is required", "a.test.js", 'const { y: x } = require("LIB");'],
  ["a part of what is required", "a.test.js", 'const x = require("LIB").strict;'],
  ["required on lines of its own", "a.test.js", 'const {\n  x,\n} =\n  require(\n  "LIB",\n);'],
  ["required with a dollar", "a.test.js", 'const $x = require("LIB");', "$x"],
  ["required in TypeScript", "a.test.ts", 'import x = require("LIB");'],
  ["waited for", "a.test.js", 'const { x } = await import("LIB");'],
  ["waited for on the next line", "a.test.js", 'const { x } = await\n  import("LIB");'],
  ["a module under another name", "test_a.py", "import LIB as x"],
  ["a module under a longer name", "test_a.py", "import LIB as check", "check"],
  ["a module with blanks", "test_a.py", "\timport \tLIB  as  x  # why"],
  ["a module of a package under another name", "test_a.pyi", "import LIB.mock as x"],
  ["modules", "test_a.py", "import os , LIB as x,sys"],
  ["a name of a module", "test_a.py", "from LIB import x"],
  ["a name of a module with blanks", "test_a.py", "    from \tLIB \timport \tx  # why, what"],
  ["names of a module", "test_a.py", "from LIB import y, x"],
  ["names in brackets", "test_a.py", "from LIB import (y, x)"],
  ["names in brackets without a blank", "test_a.py", "from LIB import(x)"],
  ["names on lines", "test_a.py", "from LIB import (\n    y,\n    x  # why\n)"],
  ["another name for one", "test_a.py", "from LIB import y as x, z"],
  ["behind another statement", "test_a.py", "import os; from LIB import x; go()"],
  ["a module behind another statement", "test_a.py", "import os; import LIB as x; go()"],
];

test.for(forms)("imports are read: %s", ([, path, text, name = "x"]) => {
  const isPython = path.startsWith("test_");
  const own = isPython ? "helper" : "./x";
  // Only one of the names has another source.
  const others = isPython ? "from LIB import y, z\n" : 'const { y, z } = require("LIB");\n';
  const before = `first()\n${text}\nlast()\n${others}`.replaceAll("LIB", "unit.test");
  const after = `first()\n${text.replace("LIB", own)}\nlast()\n${others.replace("LIB", "unit.test")}`;
  const told = swapped(path, before, after)?.replaceAll(".mock", "");
  expect(told).toBe(`${name} came from unit.test and comes from ${own}`);
  expect(swapped(path, before, before)).toBeUndefined();
});

test.for([
  ["import unittest", "unittest"],
  ["import os, unittest, sys", "unittest"],
  ["import unittest.mock.more", "unittest.mock.more"],
])("a module of Python binds its first name: %s", ([text = "", module = ""]) => {
  expect(swapped("test_a.py", text, `${text}\nfrom helper import unittest\n`)).toBe(
    `unittest came from ${module} and comes from helper`,
  );
});

const NODE = 'import { equal } from "node:assert";\nimport { $ } from "zx";\nequal(1, 1);\n';
const UNIT = "from unit import mock\nmock(1)\n";

/** A line instead of the import of `equal`, `$` or `mock`, and whether it defines the name. */
const makes: [line: string, path: string, name?: string][] = [
  ["const equal = () => {};", "a.test.js", "equal"],
  ["let equal;", "a.test.js", "equal"],
  ["var equal=fake;", "a.test.js", "equal"],
  ["export const equal: Check = () => {};", "a.test.ts", "equal"],
  ["export  function  equal() {}", "a.test.js", "equal"],
  ["function equal() {}", "a.test.js", "equal"],
  ["function *equal() {}", "a.test.js", "equal"],
  ["function* equal() {}", "a.test.js", "equal"],
  ["async function equal() {}", "a.test.js", "equal"],
  ["class equal extends Object {}", "a.test.js", "equal"],
  ["const { ok, equal } = fakes();", "a.test.js", "equal"],
  ["const {equal} = fakes();", "a.test.js", "equal"],
  ["const{ equal } = fakes();", "a.test.js", "equal"],
  ["const [ok, equal] = fakes();", "a.test.js", "equal"],
  ["equal = () => {};", "a.test.js", "equal"],
  ["equal=fake", "a.test.js", "equal"],
  ["const $ = () => {};", "a.test.js", "$"],
  ["const { $ } = fakes;", "a.test.js", "$"],
  ["function $(parts) {}", "a.test.js", "$"],
  ["mock = print", "test_a.py", "mock"],
  ["mock: Any = print", "test_a.py", "mock"],
  ["mock, other = fakes()", "test_a.py", "mock"],
  ["def mock(x):", "test_a.py", "mock"],
  ["async  def  mock(x):", "test_a.py", "mock"],
  ["class mock:", "test_a.py", "mock"],
  ["class mock(object):", "test_a.py", "mock"],
  ["equal(2, 2);", "a.test.js"],
  ["equal (2, 2);", "a.test.js"],
  ["equal.only = true;", "a.test.js"],
  ["equal == 1 || equal === 1;", "a.test.js"],
  ["equal: (x) => x,", "a.test.js"],
  ["equal => equal(1);", "a.test.js"],
  ["equal, (x) => y", "a.test.js"],
  ["const equals = 1;", "a.test.js"],
  ["const unequal = 1;", "a.test.js"],
  ["const { unequal, $equal, equal$ } = fakes;", "a.test.js"],
  ["const same = equal;", "a.test.js"],
  ["const { same = equal } = {};", "a.test.js"],
  ["constequal = 1;", "a.test.js"],
  ["go(); const equal = 1;", "a.test.js"],
  ["exportequal = 1", "a.test.js"],
  ["const x = 1; const y = cost$;", "a.test.js"],
  ["const $x = 1; const x$ = 2;", "a.test.js"],
  ["unequal = 1;", "a.test.js"],
  ["mock(2)", "test_a.py"],
  ["mocked = 1", "test_a.py"],
  ["def mocked():", "test_a.py"],
  ["defmock = 1", "test_a.py"],
  ["x = mock = 1", "test_a.py"],
];

test.for(makes)("a name is defined instead of imported: %s", ([line, path, name]) => {
  const before = path.endsWith(".py") ? UNIT : NODE;
  const after = `${before.replace(/^.*(?:import).*\n/gm, "")}${line}\n`;
  const from = name === "$" ? "zx" : name === "mock" ? "unit" : "node:assert";
  expect(swapped(path, before, after)).toBe(
    name === undefined ? undefined : `${name} came from ${from} and is made here`,
  );
  expect(swapped(path, before, `${before}${line}\n`)).toBeUndefined();
});

const LAST = 'import { ok } from "node:assert";\n';

const alone: [what: string, path: string, before: string, after: string][] = [
  ["one more of the work, at the end", "a.test.js", LAST, `${LAST}import { add } from "./add.js";\n`],
  ["a default of the work", "a.test.js", LAST, `import add from "./add.js";\n${LAST}`],
  [
    "a type of the work",
    "a.test.ts",
    'import type { A } from "mocha";\n',
    'import type { A } from "mocha";\nimport type { B } from "./b.js";\n',
  ],
  ["what came from the work is made here", "a.test.js", 'import { a } from "./a.js";\n', "const a = 1;\n"],
  ["no language that is read", "a_test.go", 'import x from "y"\n', 'import x from "./y"\n'],
  ["a picture of a script", "a.test.js.snap", 'import x from "y"\n', 'import x from "./y"\n'],
  ["a picture of a program", "test_a.py.txt", "from y import x\n", "from helper import x\n"],
  ["a name that only ends so", "happy", "from y import x\n", "from helper import x\n"],
  ["a name that only ends as a script's does", "a/js", 'import x from "y"\n', 'import x from "./y"\n'],
  ["words with the word in them", "a.test.js", 'reimport x from "y"', 'reimport x from "./y"'],
  ["words that begin with the word", "a.test.js", 'imports x from "y"', 'imports x from "./y"'],
  ["quotes of lines", "a.test.js", 'import x from "y\n"', 'import x from "./y\n"'],
  ["required by another way", "a.test.js", 'const x = requires("y")', 'const x = requires("./y")'],
  ["a value", "a.test.js", 'nonconst x = require("y")', 'nonconst x = require("./y")'],
  ["a name that begins so", "a.test.js", 'constant x = require("y")', 'constant x = require("./y")'],
  ["what is required by a name", "a.test.js", "const x = require(y)", "const x = require(helper)"],
  ["in a text of Python", "test_a.py", "go(1) from y import x\n", "go(1) from helper import x\n"],
  ["a name that begins as import does", "test_a.py", "importer y as x\n", "importer helper as x\n"],
  ["a longer word", "test_a.py", "from y importing x\n", "from helper importing x\n"],
  ["a comment", "test_a.py", "# import y as x\n", "# import helper as x\n"],
  ["a comment behind", "test_a.py", "import x  # y\n", "import x  # helper as x\n"],
  [
    "a comment behind a name",
    "test_a.py",
    "from y import x  # z\n",
    "from y import x  # z\nfrom helper import z\n",
  ],
  [
    "what follows an import",
    "test_a.py",
    "from y import x; z\n",
    "from y import x; z\nfrom helper import z\n",
  ],
  ["what follows a module", "test_a.py", "import x; z\n", "import x; z\nfrom helper import z\n"],
  [
    "another module of the project",
    "test_a.py",
    "import unit.mock\n",
    "import unit.mock\nimport helper.mock\n",
  ],
];

test.for(alone)("an import is not swapped: %s", ([, path, before, after]) => {
  expect(swapped(path, before, after)).toBeUndefined();
});

test("the later of two imports of a name counts in every form", () => {
  const own = "from helper import unittest\n";
  expect(swapped("test_a.py", PY, `${PY}${own}`)).toBe("unittest came from unittest and comes from helper");
  expect(swapped("test_a.py", PY, `${own}${PY}`)).toBeUndefined();
});

test("a module is the project's only if the project has it", () => {
  const texts = { before: LAST, after: "", added: [] };
  expect(findSwapped("a.test.js", texts, (module) => !module.startsWith("node:"))).toBeUndefined();
});
