// Which changed files are part of the program, part of its checks, or neither for certain, in small projects of each language.
import { expect, test } from "vitest";
import { classify } from "./classify.js";
import type { ChangedFile, Influence, NameRules, ReferenceFiles } from "./program/kinds.js";

type Texts = Readonly<Record<string, string>>;

const GONE = { mode: "000000", oid: "" };

function referenceOf(texts: Texts): ReferenceFiles {
  const paths = Object.keys(texts);
  return {
    paths,
    has: (path) => Object.hasOwn(texts, path),
    text: (path) => texts[path],
    mentions: (word) => paths.filter((path) => texts[path]?.includes(word)),
  };
}

/** Tests and settings by name, as far as these cases need it. */
const TEST = /(?:^|\/)(?:tests?|__tests__|spec|t)\/|[._-](?:test|spec)\.\w+$|^test[_-]|_test\.\w+$/;
const CHECK = /(?:^|\/)(?:package\.json|pytest\.ini|vitest\.config\.\w+|conftest\.py|check\.sh|Makefile)$/;
const RULES: NameRules = {
  kindOf: ({ path }) => (CHECK.test(path) ? "check" : TEST.test(path) ? "test" : "unknown"),
  isHeld: (path) => CHECK.test(path) || TEST.test(path),
  checkFolders: ["", "src", "scripts"],
  search: ["", "src", "lib", "tests", "test", "t"],
};

function change(
  path: string,
  before: string | undefined,
  after: string | undefined,
  mode = "100644",
): ChangedFile {
  return {
    path,
    from: before === undefined ? GONE : { mode: "100644", oid: `old ${path}` },
    to: after === undefined ? GONE : { mode, oid: `new ${path}` },
    before,
    after,
  };
}

/** The kinds of the paths that an attempt changes: to a text, or to nothing. */
function kinds(
  before: Texts,
  after: Readonly<Record<string, string | undefined>>,
): Record<string, Influence> {
  const changes = Object.entries(after).map(([path, text]) => change(path, before[path], text));
  const found = classify(changes, referenceOf(before), RULES);
  return Object.fromEntries(found.map(({ path, kind }) => [path, kind]));
}

const NODE: Texts = {
  "package.json": '{"main":"src/index.js"}',
  "src/index.js": 'export { a } from "./a.js";',
  "src/a.js": "export const a = 1;",
  "test/a.test.js": 'import { a } from "../src/index.js"; import { ok } from "assert-more";',
  "README.md": "# It",
};

test("a file in a folder of the program is source, changed, new and removed", () => {
  expect(
    kinds(NODE, {
      "src/a.js": "export const a = 2;",
      "src/b.js": "",
      "src/deep/c.ts": "",
      "src/index.js": undefined,
    }),
  ).toEqual({
    "src/a.js": "source",
    "src/b.js": "source",
    "src/deep/c.ts": "source",
    "src/index.js": "source",
  });
});

test("tests, settings and scripts of checks are checks", () => {
  expect(
    kinds(NODE, {
      "test/a.test.js": "",
      "test/new.test.js": "",
      "package.json": "{}",
      "vitest.config.ts": "",
    }),
  ).toEqual({
    "test/a.test.js": "check",
    "test/new.test.js": "check",
    "package.json": "check",
    "vitest.config.ts": "check",
  });
});

test("a new file named like a test is source where the program imports it, and a check where it does not", () => {
  const importing = 'export { a } from "./a.js"; export * from "./ab-test.js";';
  expect(kinds(NODE, { "src/ab-test.js": "", "src/index.js": importing })).toMatchObject({
    "src/ab-test.js": "source",
  });
  expect(kinds(NODE, { "src/ab-test.js": "" })).toEqual({ "src/ab-test.js": "check" });
});

test("a file that says mock or helper in its name is in doubt unless the program imports it", () => {
  const importing = 'export { a } from "./a.js"; import "./date-helper.js";';
  expect(kinds(NODE, { "src/date-helper.js": "" })).toEqual({ "src/date-helper.js": "doubt" });
  expect(kinds(NODE, { "src/date-helper.js": "", "src/index.js": importing })).toMatchObject({
    "src/date-helper.js": "source",
  });
});

test("a file outside the program's folders is source where the program imports it, through others too", () => {
  const before = {
    ...NODE,
    "src/a.js": 'import "../extra/one.js";',
    "extra/one.js": 'import "./two.js";',
    "extra/two.js": "",
  };
  expect(kinds(before, { "extra/two.js": "1", "extra/three.js": "1" })).toEqual({
    "extra/two.js": "source",
    "extra/three.js": "doubt",
  });
});

test("files that only import each other are not part of the program", () => {
  const before = { ...NODE, "extra/a.js": 'import "./b.js";', "extra/b.js": 'import "./a.js";' };
  expect(kinds(before, { "extra/a.js": "1", "extra/b.js": "1" })).toEqual({
    "extra/a.js": "doubt",
    "extra/b.js": "doubt",
  });
});

test("where entry points are declared, a file that only checks import is in doubt", () => {
  const before = { ...NODE, "src/setup.js": "", "test/b.test.js": 'import "../src/setup.js";' };
  expect(kinds(before, { "src/setup.js": "process.exit(0)" })).toEqual({ "src/setup.js": "doubt" });
  const undeclared = { ...before, "package.json": "{}" };
  expect(kinds(undeclared, { "src/setup.js": "1" })).toEqual({ "src/setup.js": "source" });
});

test.each([
  ["an installed package", "node_modules/a/index.js"],
  ["a copy of others' code", "vendor/a.js"],
  ["an output", "dist/a.js"],
  ["a dotfile", "src/.hidden.js"],
  ["another language", "src/a.py"],
  ["a binary", "src/a.so"],
])("%s is never source", (_, path) => {
  expect(kinds(NODE, { [path]: "1" })).toEqual({ [path]: "doubt" });
});

test.each([
  ["a link", change("src/l.js", undefined, undefined, "120000"), { mode: "120000", oid: "l" }],
  ["a submodule", change("src/m", undefined, undefined, "160000"), { mode: "160000", oid: "m" }],
  ["a changed mode", change("src/a.js", "", "", "100755"), { mode: "100755", oid: "x" }],
])("%s is never source", (_, changed, to) => {
  expect(classify([{ ...changed, to }], referenceOf(NODE), RULES)[0]?.kind).toBe("doubt");
});

test("data is source where the program alone names it, or its folder; and in doubt where a check does", () => {
  const before = {
    ...NODE,
    "src/a.js": 'read("./words.txt"); list("templates");',
    "src/words.txt": "",
    "src/cases.txt": "",
    "src/templates/x.html": "",
    "test/c.test.js": 'read("../src/cases.txt")',
  };
  expect(
    kinds(before, {
      "src/words.txt": "1",
      "src/cases.txt": "1",
      "src/templates/x.html": "1",
      "src/other.txt": "1",
    }),
  ).toEqual({
    "src/words.txt": "source",
    "src/cases.txt": "doubt",
    "src/templates/x.html": "source",
    "src/other.txt": "doubt",
  });
});

test("a file beside a script that checks is a check, unless the program imports it", () => {
  const before = {
    ...NODE,
    "src/a.js": 'import "../scripts/shared.js";',
    "scripts/shared.js": "",
    "scripts/lib.sh": "",
  };
  expect(
    kinds(before, { "scripts/lib.sh": "1", "scripts/words.txt": "1", "scripts/shared.js": "1" }),
  ).toEqual({
    "scripts/lib.sh": "check",
    "scripts/words.txt": "check",
    "scripts/shared.js": "source",
  });
});

test("a package that the others need for their checks alone is a check", () => {
  const before = {
    "packages/a/package.json": '{"name":"a","dependencies":{"b":"1"},"devDependencies":{"kit":"1"}}',
    "packages/a/src/a.js": "",
    "packages/b/package.json": '{"name":"b"}',
    "packages/b/src/b.js": "",
    "packages/kit/package.json": '{"name":"kit"}',
    "packages/kit/src/kit.js": "",
  };
  const after = { "packages/a/src/a.js": "1", "packages/b/src/c.js": "1", "packages/kit/src/kit.js": "1" };
  expect(kinds(before, after)).toEqual({
    "packages/a/src/a.js": "source",
    "packages/b/src/c.js": "source",
    "packages/kit/src/kit.js": "check",
  });
});

test("documentation is source unless a check names it", () => {
  expect(kinds(NODE, { "README.md": "# More", "docs/a.md": "" })).toEqual({
    "README.md": "source",
    "docs/a.md": "source",
  });
  const read = { ...NODE, "test/d.test.js": 'read("README.md")' };
  expect(kinds(read, { "README.md": "# More" })).toEqual({ "README.md": "doubt" });
});

const PYTHON: Texts = {
  "greet.py": "import os\n",
  "pkg/__init__.py": "from . import core\n",
  "pkg/core.py": "",
  "tests/test_greet.py": "import greet\nimport pytest\nfrom datetime import date\n",
  "check.sh": "python3 -m pytest\n",
};

test("Python: modules at the top and packages are source; others in folders without a package are not", () => {
  expect(kinds(PYTHON, { "greet.py": "1", "pkg/core.py": "1", "pkg/new.py": "", "tools/x.py": "" })).toEqual({
    "greet.py": "source",
    "pkg/core.py": "source",
    "pkg/new.py": "source",
    "tools/x.py": "doubt",
  });
});

test("a new module that takes over an import of a check is a check", () => {
  expect(kinds(PYTHON, { "datetime.py": "", "pytest/__init__.py": "", "tests/greet.py": "" })).toEqual({
    "datetime.py": "check",
    "pytest/__init__.py": "check",
    "tests/greet.py": "check",
  });
});

test("a program's file that takes over from another file of the program is not a shadow", () => {
  expect(kinds(PYTHON, { "greet.py": undefined, "greet/__init__.py": "" })).toEqual({
    "greet.py": "source",
    "greet/__init__.py": "source",
  });
});

test.each<[string, Texts, string, string]>([
  [
    "C",
    { "src/main.c": '#include "a.h"', "src/a.h": "", "tests/t.c": "#include <assert.h>" },
    "src/a.c",
    "assert.h",
  ],
  ["Perl", { "lib/A.pm": "", "t/a.t": "", "t/b.pl": "use Test::More;" }, "lib/A.pm", "lib/Test/More.pm"],
  [
    "Ruby",
    { "lib/a.rb": "", "test/a.rb": "require 'minitest/autorun'" },
    "lib/b.rb",
    "lib/minitest/autorun.rb",
  ],
  [
    "Java",
    { "pom.xml": "", "src/main/java/A.java": "", "src/test/java/T.java": "import org.junit.Test;" },
    "src/main/java/B.java",
    "src/test/java/X.java",
  ],
  [
    "Go",
    { "go.mod": "module x", "a.go": "package a", "deep/b.go": "package b" },
    "deep/c.go",
    "deep/c_test.go",
  ],
  ["Rust", { "Cargo.toml": "[package]", "src/lib.rs": "mod a;", "src/a.rs": "" }, "src/a.rs", "tests/a.rs"],
  [
    "PHP",
    { "composer.json": '{"autoload":{"psr-4":{"A\\\\":"classes/"}}}', "classes/A.php": "" },
    "classes/B.php",
    "tests/B.php",
  ],
])("%s", (_, before, program, checking) => {
  expect(kinds(before, { [program]: "1", [checking]: "1" })).toEqual({
    [program]: "source",
    [checking]: "check",
  });
});
