import { expect, test } from "vitest";
import { codeLines, familyOf, plainLine, unquoted, type Family } from "./tamper-lines.js";

/** The lines of code of a text. */
const code = (path: string, ...lines: string[]): string[] =>
  codeLines(path, lines.join("\n")).map(({ text }) => text);
/** The numbers of the lines that count. */
const numbers = (path: string, ...lines: string[]): number[] =>
  codeLines(path, lines.join("\n")).map(({ number }) => number);

/** By language: lines of code, and other lines. */
const single: Record<string, [path: string, says: string[], silent: string[]]> = {
  "JavaScript, comments": [
    "a.js",
    [
      "check(); // it",
      "/* a */ check();",
      "/** the sum */check();",
      "*/ check();",
      "* the end. */ check();",
      "*each() {",
      "a / b",
      "/[*]/.test(a)",
      "# no comment here",
    ],
    [
      "// check();",
      "//check();",
      "// see test/**/*.js and lib",
      "/* check(); */",
      "/*",
      "/**",
      "/* a */  ",
      "/* of two lines",
      "* check();",
      "*\tcheck();",
      "*",
      "*/",
      "  */  ",
    ],
  ],
  "JavaScript, imports": [
    "a.test.mts",
    [
      'import("./a.js");',
      'import ("./a.js");',
      'await import("./a.js");',
      "import.meta.env.mode = 1;",
      "import: 3,",
      "import = 3;",
      "importAll();",
      're.import "a"',
    ],
    [
      'import "../rooms/setup.js";',
      'import"./setup.js"',
      "import './setup.js'",
      'import add from "./add.js"',
      'import $ from "jquery";',
      'import * as all from "./all.js";',
      'import { add } from "./add.js";',
      'import{add}from"./add.js";',
      'import type { Sum } from "./sum.js";',
      'import fs = require("node:fs");',
      'import data from "./a.json" with { type: "json" };',
      'import { add } from "./add.js"; // why',
      'import { add } from "./add.js";//why',
      "import add,",
    ],
  ],
  "JavaScript, exports from elsewhere": [
    "a.tsx",
    [
      'export const from = "a";',
      'export const all = () => "it"; // from "a"',
      "export default \"taken from 'a'\";",
      "export default check(\"copied from 'a'\");",
      'export{add}from"./a.js" ',
      "export { add };",
      "export { add, from };",
      'reexport { add } from "./a.js";',
    ],
    [
      'export { add } from "./add.js";',
      "export * from './add.js'",
      'export * as all  from  "./add.js";',
      'export type { Sum } from "./sum.js"; // why',
    ],
  ],
  "JavaScript, require and dynamic import": [
    "a.cjs",
    [
      'const a = require("./a")();',
      'const a = require("./a").b;',
      "const a = require(name);",
      'const a = requireActual("./a");',
      'const a = import("./a.js");',
      'const a = check("./a");',
      'const a = b.c = require("./a");',
      'const a = (require("./a"));',
      'a = require("./a");',
      'require("./a").run();',
      'myconst a = require("./a");',
      'const a = require("./a" + b);',
    ],
    [
      'const a = require("./a");',
      "var a = require('./a')",
      'let a=require("./a");',
      "const  a  =  require( './a' );",
      'const { a, b: c } = require("./a");',
      'const {a} = await import("./a.js");',
      'const a = await  import( "./a.js" );',
      'const a = require(""); // why',
      'const a = require("./a");//why',
    ],
  ],
  "a statement behind an import is none": [
    "a.js",
    [
      'import "./a.js"; process.exit(0);',
      'import a from "./a.js";check();',
      'export * from "./a.js"; process.exit(0);',
      'const a = require("./a"); process.exit(0);',
    ],
    [],
  ],
  "Go, Java, Kotlin, C#, PHP, C, Rust: comments and imports": [
    "a.java",
    [
      "assertEquals(1, add(1, 0)); // one",
      "import a(b)",
      "package(a)",
      "using var file = Open();",
      "using (var file = Open())",
      "mod tests {",
      "namespace Tests {",
      "use a; exit;",
      "use strict = 1",
      "important;",
      "useAll;",
      "x.import a",
      "require_twice 'a';",
      "#includes <a.h>",
    ],
    [
      "// assertEquals(1, 2);",
      "/* assertEquals(1, 2); */",
      "* @param a",
      "import org.junit.Test;",
      "import static org.junit.Assert.*;",
      "import kotlin.test.assertEquals",
      'import "testing"',
      "import calc.Add; // what is tested",
      "import calc.Add;//what is tested",
      "package calc",
      "package com.example.calc;",
      "using Xunit;",
      "using static Xunit.Assert;",
      "namespace Tests;",
      "use PHPUnit\\Framework\\TestCase;",
      "use super::*;",
      "include 'calc.php';",
      "require 'calc.php';",
      "require_once __DIR__ . '/calc.php';",
      "mod calc;",
      "extern crate calc;",
      "#include <assert.h>",
      '#include "calc.h"',
    ],
  ],
  Python: [
    "test_a.py",
    [
      "check()  # it",
      "// 2",
      "import_module('a')",
      "import a; sys.exit(0)",
      "from a import b; sys.exit(0)",
      "imported = 1",
      "from_a = 1",
      "yield from a",
      "x = 1; import a",
      "from a import (",
      "import a if b() else c",
    ],
    [
      "# check()",
      "#!/usr/bin/env python3",
      "import a",
      "import  a.b as c, d",
      "from a import b",
      "from  a.b  import  c as d, e",
      "from . import a",
      "from ..a import *",
    ],
  ],
  Ruby: [
    "a_test.rb",
    [
      "#!/usr/bin/env ruby",
      "check # it",
      'require "a"; exit',
      "required = 1",
      "load = 3",
      "load=3",
      "load.first",
      "loader",
      "a.require 'b'",
      "// 2",
    ],
    [
      "# check",
      "#check",
      'require "minitest/autorun"',
      "require_relative '../lib/a'",
      'load "a.rb"',
      "load(a)",
    ],
  ],
  shell: [
    "a.sh",
    ["#!/bin/sh", "sh a.sh # it", ". ./lib.sh", "import a", "require a", "echo undefined"],
    ["# sh a.sh", "#sh a.sh"],
  ],
  "a text of no known language": [
    "a.json",
    ["# a", "// a", "* a", "import a", '"a": 1', "undefined"],
    ["", "  ", "\t", ","],
  ],
};

test.each(Object.entries(single))("%s", (_, [path, says, silent]) => {
  expect(says.filter((line) => code(path, line).length === 0)).toEqual([]);
  expect(silent.filter((line) => code(path, line).length > 0)).toEqual([]);
});

test("blank lines are ignored in any language, and lines are trimmed of white space and a final comma", () => {
  for (const path of ["a.js", "a.go", "a.py", "a.rb", "a.sh", "a.txt"])
    expect(code(path, "", "  one,", "\t", "\ttwo(a, b)  ", ",")).toEqual(["one", "two(a, b)"]);
  expect(plainLine("  a, b,  ")).toBe("a, b");
  expect(plainLine("a,,")).toBe("a,");
});

/** By language: import statements of several lines, with one line of code right behind. */
const blocks: Record<string, [path: string, ...lines: string[]]> = {
  "import { … }": ["a.ts", "import {", "  add,", "  sub as minus, // why", '} from "../src/add.js";'],
  "import type { … }": ["a.ts", "import type {", "  Sum,", "} from '../src/add.js'"],
  "import type  {…}, spread": ["a.ts", "import  type  {", "  Sum", "}", "from", '"../src/add.js"'],
  "import a, { … }": ["a.ts", "import add, {", "  sub,", '} from "../src/add.js";'],
  "import a , { … }, spread": ["a.ts", "  import add ,  {", "  sub,", '}  from  "../src/add.js";'],
  "import a,{…}, close": ["a.ts", "import add,{", "  sub", '}from"../src/add.js";'],
  "an import that is indented": ["a.ts", "\timport {", "\t  add,", '\t} from "../src/add.js";'],
  "Go: import ( … )": ["a_test.go", "import (", '\t"testing"', '\tcalc "example.com/calc"', ")"],
  "Go: import(…)": ["a_test.go", "import(", '\t"testing"', ")"],
  "Rust: use a::{ … }": ["a.rs", "use calc::{", "    add,", "    sub,", "};"],
  "Rust: use, nested": [
    "a.rs",
    "    use  calc::math::{",
    "    self,",
    "    ops::{add, sub as minus},",
    "    };",
  ],
  "Rust: use, on one line": ["a.rs", "use calc::{add, ops::*};"],
  "Scala: import a.{ … }": ["a.scala", "import calc.{", "  Add,", "  Sub", "}"],
  "PHP: use A\\{ … }": ["a.php", "use App\\{", "    Add,", "    Sub", "};"],
  "Python: from a import ( … )": ["test_a.py", "from calc import (", "    add,", "    sub as minus,", ")"],
  "Python: relative": ["test_a.py", "from ..calc.ops import(", "    add", ")"],
  "Python: indented, spread": ["test_a.py", "    from  calc  import  (", "        add,", "    )"],
  "Python: from a import () of one line": ["test_a.py", "from calc import (add, sub)"],
};

test.each(Object.entries(blocks))(
  "import statements of several lines are ignored: %s",
  (_, [path, ...lines]) => {
    expect(numbers(path, "one", ...lines, "two", "")).toEqual([1, lines.length + 2]);
  },
);

test("code behind an import of several lines counts", () => {
  expect(code("a.js", "import {", "  add,", '} from "./a.js"; check();')).toEqual(["check();"]);
  expect(code("a.rs", "use a::{", "  b,", "}; check();")).toEqual(["check();"]);
});

/** Texts of several lines that only look like an import. */
const noBlocks: Record<string, [path: string, ...lines: string[]]> = {
  "a function that is called": ["a.js", "reimport {", "  add", '} from "./a.js"'],
  "an object with a call in it": ["a.js", "const a = {", '  b: "}",', '} from "./a.js"'],
  "Go: a call": ["a_test.go", "reimport (", "  a", ")"],
  "Go: an import is not indented": ["a_test.go", "  calc.import (", "  a", ")"],
  "Rust: a block with calls": ["a.rs", "user::{", "  add()", "};"],
  "Rust: no path before the braces": ["a.rs", "use_it {", "  add", "}"],
  "Python: a call": ["test_a.py", "x from calc import (", "    add", ")"],
};

test.each(Object.entries(noBlocks))(
  "text that only looks like an import counts: %s",
  (_, [path, ...lines]) => {
    expect(numbers(path, ...lines)).toEqual(lines.map((_line, index) => index + 1));
  },
);

const families: [Family, ...string[]][] = [
  [
    "braces",
    "a.js",
    "a.cjs",
    "a.mjs",
    "a.jsx",
    "a.ts",
    "a.mts",
    "a.cts",
    "a.tsx",
    "A.vue",
    "A.svelte",
    "A.JS",
  ],
  ["braces", "A.java", "A.kt", "a.kts", "A.scala", "a.groovy", "a.go", "a.rs", "A.cs", "a.php", "A.swift"],
  ["braces", "a.dart", "a.c", "a.cc", "a.cpp", "a.h", "a.hpp", "a.m"],
  ["indents", "test_a.py", "a.pyi", "tests.d/test_a.py"],
  ["ruby", "a.rb", "a.ex", "a.exs", "a.cr"],
  ["shell", "a.sh", "a.bash", "a.zsh", "a.bats", "a.t", "a.pl", "rules.mk"],
  ["data", "a.json", "a.json5", "js", "a.xjs", "a.js.snap", "a.py.txt", "a.pyx", "a.go.mod", "a.rb.orig"],
  ["data", "a.sh.in", "a.tsv", "Makefile", "lib.rs/a", "a.rsx", "a.erb", "a.css"],
];

test.each(families)("family %s: %s …", (family, ...paths) => {
  expect(paths.filter((path) => familyOf(path, "") !== family)).toEqual([]);
});

test("the language of a program without an extension is read from its first line", () => {
  expect(familyOf("run", "#!/usr/bin/env python3\nnode\n")).toBe("indents");
  expect(familyOf("run", "#!/usr/bin/env node\n# python\n")).toBe("braces");
  expect(familyOf("run", "#!/bin/sh\nnode a.js\npython a.py\n")).toBe("shell");
  expect(familyOf("run", "#!/bin/sh")).toBe("shell");
  expect(familyOf("run", "\n#!/bin/sh\n")).toBe("data");
  expect(familyOf("run", "echo '#!/bin/sh'\n")).toBe("data");
  expect(familyOf("run", "echo 1 #!")).toBe("data");
  expect(familyOf("a.js", "#!/bin/sh\n")).toBe("braces");
  expect(code("run", "#!/usr/bin/env node", "// no", "import a from 'a'", "yes")).toEqual([
    "#!/usr/bin/env node",
    "yes",
  ]);
});

test.each([
  ['check("a", b)', 'check("", b)'],
  ["check('a b', 'c')", 'check("", "")'],
  ["check(`a ${b}`, `c`)", 'check("", "")'],
  ['check("it\'s", \'"a"\')', 'check("", "")'],
  ['check("a \\" b", c)', 'check("", c)'],
  ["check('a \\' b', c)", 'check("", c)'],
  ["check(`a \\` b`, c)", 'check("", c)'],
  ['check("\\\\", "a")', 'check("", "")'],
  ["check('', ``, \"\")", 'check("", "", "")'],
  ["it isn't quoted", "it isn't quoted"],
])("the content of quotes is removed: %s", (line, bare) => {
  expect(unquoted(line)).toBe(bare);
});
