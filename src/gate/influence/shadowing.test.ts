// New files that checks would read in place of what they read now, and new files that only look like it.
import { expect, test } from "vitest";
import { kindsOf, type Setting, type Texts } from "../testing/classified.js";

const kindOf = (path: string, before: Texts, setting: Setting = {}): string | undefined =>
  kindsOf(setting, before, { [path]: newText(path) })[path];

/** A Java file says which package it is in. */
const newText = (path: string): string => {
  const [, folder = ""] = /src\/main\/java\/(.*)\/[^/]+$/.exec(path) ?? [];
  return folder === "" ? "new" : `package ${folder.replaceAll("/", ".")};\n`;
};

const PYTHON: Texts = {
  "greet.py": "import os\n",
  "pkg/__init__.py": "from . import core\n",
  "pkg/core.py": "",
  "tests/test_greet.py":
    "import greet\nimport pytest\nimport requests\nfrom datetime import date\nimport slug, pkg.more\n",
  "tests/util.py": "",
  "tests/test_more.py": "import util\n",
  "scripts/check.py": "import json\n",
};

test.each([
  ["a library of the interpreter that a test imports", "datetime.py"],
  ["an installed package that a test imports", "requests.py"],
  ["the same as a package", "requests/__init__.py"],
  ["the runner", "pytest/__init__.py"],
  ["a library that only the runner imports", "random.py"],
  ["a library beside a script of checks", "scripts/json.py"],
  ["a library on a search path", "src/json.py"],
  ["a file that serves the tests", "util.py"],
  ["a start hook", "sitecustomize.py"],
  ["another start hook", "usercustomize/__init__.py"],
  ["a start hook of the runner in the program", "pkg/conftest.py"],
  ["a path file", "greet.pth"],
])("Python: %s is a check", (_, path) => {
  expect(kindOf(path, PYTHON, { commands: ["python3 scripts/check.py"] })).toBe("check");
});

test.each([
  ["a module that the tests ask for and that is missing", "slug.py"],
  ["a module of a package that they ask for", "pkg/more.py"],
  ["a module in a package with the name of a library", "pkg/types.py"],
])("Python: %s is source", (_, path) => {
  expect(kindOf(path, PYTHON)).toBe("source");
});

test("a folder that a command names for modules is a search path", () => {
  const before = { "code/__init__.py": "", "code/a.py": "", "more/a.py": "", "main.py": "import a" };
  expect(kindOf("more/json.py", before)).toBe("doubt");
  expect(kindOf("more/json.py", before, { commands: ["PYTHONPATH=more python3 -m pytest"] })).toBe("check");
});

const NODE: Texts = {
  "package.json": '{"dependencies":{"chalk":"5"},"devDependencies":{"sinon":"1"}}',
  "src/index.js": 'export * from "./a.js";',
  "src/a.js": "",
  "test/a.test.js":
    'import { a } from "../src/a.js"; import { s } from "../src/slug.js"; import chalk from "chalk";',
  "test/b.test.js": 'import sinon from "sinon"; import data from "../src/data";',
  "src/data.json": "{}",
};

test("JavaScript: a file that tests ask for by its path is source, and so is one named like a package", () => {
  expect(kindOf("src/slug.js", NODE)).toBe("source");
  expect(kindOf("src/chalk.js", NODE)).toBe("source");
});

test("JavaScript: where settings lead bare names into the project, a file named like a package is a check", () => {
  const mapped = { ...NODE, "tsconfig.json": '{"compilerOptions":{"baseUrl":"./src"}}' };
  expect(kindOf("src/sinon.ts", mapped)).toBe("check");
  const paths = { ...NODE, "tsconfig.json": '{"compilerOptions":{"paths":{"sin*":["./src/sin*"]}}}' };
  expect(kindOf("src/sinon.ts", paths)).toBe("check");
});

test("a file that takes the place of data that the checks read is a check", () => {
  expect(kindOf("src/data.js", NODE)).toBe("check");
});

test("a program's file that takes over from another file of the program is source", () => {
  expect(kindsOf({}, NODE, { "src/a.js": undefined, "src/a.ts": "", "src/slug.ts": "" })).toEqual({
    "src/a.js": "source",
    "src/a.ts": "source",
    "src/slug.ts": "source",
  });
  expect(kindsOf({}, PYTHON, { "greet.py": undefined, "greet/__init__.py": "" })).toEqual({
    "greet.py": "source",
    "greet/__init__.py": "source",
  });
});

test.each<[string, string, string, Texts]>([
  [
    "C, by brackets",
    "src/assert.h",
    "check",
    { "tests/t.c": "#include <assert.h>", "src/a.c": "", "src/a.h": "" },
  ],
  [
    "C, by a header that headers include",
    "include/features.h",
    "check",
    { "include/a.h": "", "src/a.c": "" },
  ],
  ["C, by a missing header", "src/slug.h", "source", { "tests/t.c": '#include "slug.h"', "src/a.c": "" }],
  ["Perl, by a library", "lib/Test/More.pm", "check", { "t/a.t": "use Test::More;", "lib/A.pm": "" }],
  ["Perl, by a pragma", "lib/strict.pm", "check", { "t/a.t": "use A;", "lib/A.pm": "" }],
  ["Perl, by a missing module", "lib/Slug.pm", "source", { "t/a.t": "use Slug;", "lib/A.pm": "" }],
  ["Ruby, by a library", "lib/json.rb", "check", { "lib/a.rb": "", "test/a_test.rb": "require 'json'" }],
  [
    "Ruby, by a plugin of the runner",
    "lib/minitest/quiet_plugin.rb",
    "check",
    { "lib/a.rb": "", "test/a_test.rb": "require 'minitest/autorun'" },
  ],
  [
    "Ruby, by a missing file",
    "lib/slug.rb",
    "source",
    { "lib/a.rb": "", "test/a_test.rb": "require 'slug'" },
  ],
  [
    "Java, by a class of a library",
    "src/main/java/org/junit/Assert.java",
    "check",
    {
      "src/main/java/com/x/A.java": "",
      "src/test/java/com/x/ATest.java": "import static org.junit.Assert.*;",
    },
  ],
  [
    "Java, by a class that a test names whole",
    "src/main/java/org/junit/Assert.java",
    "check",
    {
      "src/main/java/com/x/A.java": "",
      "src/test/java/com/x/ATest.java": "class T { void t() { org.junit.Assert.fail(); } }",
    },
  ],
  [
    "Java, by a missing class",
    "src/main/java/com/x/y/Slug.java",
    "source",
    { "src/main/java/com/x/A.java": "", "src/test/java/com/x/ATest.java": "import com.x.y.Slug;" },
  ],
  [
    "Java, by a service",
    "src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener",
    "check",
    { "src/main/java/com/x/A.java": "" },
  ],
  [
    "PHP, by a class of a library",
    "src/PHPUnit/Framework/TestCase.php",
    "check",
    { "src/A.php": "", "tests/ATest.php": "<?php\nuse PHPUnit\\Framework\\TestCase;" },
  ],
  [
    "PHP, by a missing class",
    "src/Slug.php",
    "source",
    {
      "composer.json": '{"autoload":{"psr-4":{"X\\\\":"src/"}}}',
      "src/A.php": "",
      "tests/ATest.php": "<?php\nuse X\\Slug;",
    },
  ],
  ["PHP, by settings of a folder", "src/.user.ini", "check", { "src/A.php": "" }],
])("%s: %s is %s", (_, path, kind, before) => {
  expect(kindOf(path, before)).toBe(kind);
});

test("Go: a new file of a package is source, and a new test is a check", () => {
  const before = { "go.mod": "module x", "a/a.go": "package a", "a/a_test.go": "package a" };
  expect(kindsOf({}, before, { "a/init.go": "", "a/main_test.go": "func TestMain" })).toEqual({
    "a/init.go": "source",
    "a/main_test.go": "check",
  });
});

test("Rust: programs of the build and settings of cargo are checks; a module of the same name is source", () => {
  const before = { "Cargo.toml": "[package]", "src/lib.rs": "mod build;", "src/a.rs": "" };
  expect(kindsOf({}, before, { "build.rs": "", ".cargo/config.toml": "", "src/build.rs": "" })).toEqual({
    "build.rs": "check",
    ".cargo/config.toml": "check",
    "src/build.rs": "source",
  });
});

test("a nested manifest is a check, and so are the settings of a compiler", () => {
  expect(kindsOf({}, NODE, { "src/package.json": '{"type":"commonjs"}', "src/tsconfig.json": "{}" })).toEqual(
    {
      "src/package.json": "check",
      "src/tsconfig.json": "check",
    },
  );
});

test("an installed package is never source", () => {
  expect(kindsOf({}, NODE, { "node_modules/chalk/index.js": "", "src/node_modules/x.js": "" })).toEqual({
    "node_modules/chalk/index.js": "check",
    "src/node_modules/x.js": "check",
  });
});
