// Further rows of the sorter, with the reasons that a person reads.
import { expect, test } from "vitest";
import { sorted, type After, type Setting, type Texts } from "../testing/sorted.js";

const NODE: Texts = {
  "package.json": '{"name":"box","main":"src/index.js","scripts":{"test":"node --test"}}',
  "src/index.js": "",
  "src/edge.js": "",
  "test/edge.test.js": 'import "../src/edge.js";',
};
const PYTHON: Texts = { "box/__init__.py": "", "box/edge.py": "", "tests/test_edge.py": "import box" };
const GO: Texts = { "go.mod": "module box\n", "edge.go": "package box", "edge_test.go": "package box" };
const MAKE: Texts = { Makefile: "t: a.o\n\tcc -o t a.o\n", "a.c": "", "b.c": "" };

const REST = "it is in no folder of the program, or of a language that the program has not";
const IN_PROGRAM = "it is code in a folder of the program";
const LIKE_TEST = "it is named like a test";
const NO_CHECK = "it is data that no check names";

type Row = [about: string, before: Texts, after: After, becomes: string, setting?: Setting];

const BY_NAME: Row[] = [
  ["settings of Looper", NODE, { ".gitattributes": "" }, "1 check: it is a setting of Looper"],
  [
    "a file that a person protects",
    NODE,
    { "src/edge.js": "x" },
    "2 check: verify.protected names it",
    { patterns: ["src/edge.js"] },
  ],
  [
    "a test that a person takes out",
    NODE,
    { "test/edge.test.js": "x" },
    "2 source: verify.protected says that it is source",
    { patterns: ["!test/**"] },
  ],
  [
    "patterns from the project's folder",
    { "app/src/a.js": "" },
    { "app/src/a.js": "x" },
    "2 check: verify.protected names it",
    { work: "app", patterns: ["/src/a.js"] },
  ],
  [
    "a module for every start of Python",
    PYTHON,
    { "usercustomize.py": "" },
    "3 check: it is loaded because of its name",
  ],
  ["settings of a compiler", NODE, { "tsconfig.json": "{}" }, "5 check: it is named like settings of tools"],
  [
    "settings beside the program",
    NODE,
    { "etc/x.config.js": "" },
    "5 check: it is named like settings of tools",
  ],
  [
    "settings of a program that the checks run, hidden",
    NODE,
    { ".kniprc.json": "{}" },
    "5 check: it is named like settings of tools",
    { commands: ["npx knip"] },
  ],
  ...[
    ["shop.knip.json", `12 source: ${NO_CHECK}`],
    ["knip.local.json", `12 source: ${NO_CHECK}`],
    ["src/knip.js", `11 source: ${IN_PROGRAM}`],
    ["knip.js", "11 source: it is new code of the program's language"],
    ["knip.md", "10 source: it is documentation"],
  ].map(([path = "", becomes = ""]): Row => [
    `${path}, where the checks run knip`,
    NODE,
    { [path]: "" },
    becomes,
    { commands: ["npx knip"] },
  ]),
];

const BY_MANIFEST: Row[] = [
  [
    "a lock file beside a manifest that gains a dependency",
    { ...NODE, "package.json": '{"dependencies":{"a":"1.0.0"}}', "package-lock.json": "{}" },
    { "package-lock.json": "{ }", "package.json": '{"dependencies":{"a":"1.0.0","b":"1.0.0"}}' },
    "4 source: its manifest is source, and it names no new place",
  ],
  [
    "a lock file beside a manifest that gains a script",
    { ...NODE, "package-lock.json": "{}" },
    { "package-lock.json": "{ }", "package.json": '{"name":"box","scripts":{"test":"true"}}' },
    "4 check: package.json is a check",
  ],
  [
    "a lock file that links a new package of the project",
    { ...NODE, "package-lock.json": "{}\n" },
    {
      "package-lock.json": '{}\n"node_modules/@box/new": {"resolved": "packages/new", "link": true}\n',
      "packages/new/package.json": '{"name":"@box/new"}',
    },
    "4 source: its manifest is source, and it names no new place",
  ],
  [
    "a lock file that links a folder",
    { ...NODE, "package-lock.json": "{}\n" },
    { "package-lock.json": '{}\n"node_modules/@box/new": {"resolved": "packages/new", "link": true}\n' },
    '4 check: it names an address: "node_modules/@box/new": {"resolved": "packages/new", "link": true}',
  ],
  [
    "a new package",
    NODE,
    { "packages/new/package.json": '{"name":"@box/new"}' },
    "4 source: it is the manifest of a new package",
  ],
  [
    "a dependency more",
    { "package.json": "{}" },
    { "package.json": '{"dependencies":{"a":"1.0.0"}}' },
    "4 source: it only gains or raises dependencies",
  ],
  [
    "a new file in a Makefile",
    MAKE,
    { Makefile: "t: a.o more.o\n\tcc -o t a.o more.o\n", "more.c": "" },
    "4 source: its lines only gain files of the work",
  ],
  [
    "a new file in a Makefile, beside a new build file",
    MAKE,
    { Makefile: "t: a.o more.o\n\tcc -o t a.o more.o\n", "more.c": "", "rules.mk": "" },
    "4 source: its lines only gain files of the work",
  ],
  [
    "a file in a Makefile that was there before",
    MAKE,
    { Makefile: "t: a.o b.o\n\tcc -o t a.o b.o\n", "b.c": "x" },
    "5 check: it is named like settings of tools",
  ],
  [
    "a new test in a Makefile",
    MAKE,
    { Makefile: "t: a.o test_more.o\n\tcc -o t a.o test_more.o\n", "test_more.c": "" },
    "5 check: it is named like settings of tools",
  ],
];

const TESTS_AND_NONE: Row[] = [
  ["a word of tests outside of the program", NODE, { "support/helper.js": "" }, `6 check: ${LIKE_TEST}`],
  [
    "a folder called testing that a person says is source",
    { "testing/a.js": "" },
    { "testing/a.js": "x" },
    `11 source: ${IN_PROGRAM}`,
    { source: ["testing"] },
  ],
  [
    "one folder of tests among others in the program",
    NODE,
    { "src/a/fixtures/b/x.js": "" },
    `6 check: ${LIKE_TEST}`,
  ],
  [
    "a file of Go at the top, without a module",
    { "edge.go": "" },
    { "test_edge.go": "" },
    `11 source: ${IN_PROGRAM}`,
  ],
  [
    "a name with more after test",
    { ...NODE, "src/a.test.js": "" },
    { "src/ab-test.min.js": "" },
    `11 source: ${IN_PROGRAM}`,
  ],
  ...["spec", "specs", "test", "tests", "t", "__tests__"].map((folder): Row => [
    `a name with test, all tests in ${folder}/`,
    { "package.json": '{"main":"src/a.js"}', "src/a.js": "", [`${folder}/a.test.js`]: "" },
    { "src/ab-test.js": "" },
    `11 source: ${IN_PROGRAM}`,
  ]),
  [
    "a name with test in a project without tests",
    { "package.json": '{"main":"src/a.js"}', "src/a.js": "" },
    { "src/ab-test.js": "" },
    `6 check: ${LIKE_TEST}`,
  ],
  ...[
    "my_test_a.js my-tests-a.js spec_a.js specs_a.js my_check.js checks-a.js a_fixture_b.js fixtures-a.js mock_a.js",
    "mocks_a.js expected-a.js golden golden1.js selftest.js Check_a.js",
  ]
    .flatMap((names) => names.split(" "))
    .map((name): Row => [
      `${name} beside a program at the top`,
      { "a.js": "" },
      { [name]: "" },
      `6 check: ${LIKE_TEST}`,
    ]),
  ...["recheck.js", "checker.js", "latest.js", "goldens.js"].map((name): Row => [
    `${name} beside a program at the top`,
    { "a.js": "" },
    { [name]: "" },
    `11 source: ${IN_PROGRAM}`,
  ]),
];

const BY_CHECKS: Row[] = [
  [
    "a script of a command",
    { ...NODE, "all.sh": "" },
    { "all.sh": "true" },
    "7 check: a check command loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a script that a script runs",
    { ...NODE, "all.sh": "sh etc/more.sh", "etc/more.sh": "" },
    { "etc/more.sh": "true" },
    "7 check: all.sh loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a setup file",
    { ...NODE, "vitest.config.js": 'setupFiles: ["./src/setup.js"]', "src/setup.js": "" },
    { "src/setup.js": "x" },
    "7 check: vitest.config.js loads it",
  ],
  [
    "a package for tests only",
    { ...NODE, "package.json": '{"devDependencies":{"same":"file:lib/same"}}', "lib/same/a.js": "" },
    { "lib/same/a.js": "x" },
    "7 check: a manifest takes in lib/same for tests",
  ],
  [
    "a file of the program where a runner looks for tests",
    { ...NODE, "playwright.config.js": 'testDir: "./src"' },
    { "src/edge.js": "x" },
    `11 source: ${IN_PROGRAM}`,
  ],
  [
    "the program that a command starts",
    NODE,
    { "src/index.js": "x" },
    `11 source: ${IN_PROGRAM}`,
    { commands: ["node src/index.js"] },
  ],
  [
    "the program that a runner's settings name",
    { ...NODE, "vitest.config.js": 'setupFiles: ["./src/index.js"]' },
    { "src/index.js": "x" },
    `11 source: ${IN_PROGRAM}`,
  ],
  [
    "the program at the top of a package that a script starts",
    { "packages/a/package.json": '{"main":"a.js"}', "packages/a/a.js": "", "all.sh": "node packages/a/a.js" },
    { "packages/a/a.js": "x" },
    `11 source: ${IN_PROGRAM}`,
    { commands: ["sh all.sh"] },
  ],
  [
    "a file of the program that a command starts",
    NODE,
    { "src/edge.js": "x" },
    "7 check: a check command loads it",
    { commands: ["node src/edge.js"] },
  ],
  [
    "a file of the program that a script starts",
    { ...NODE, "all.sh": "node src/edge.js" },
    { "src/edge.js": "x" },
    `11 source: ${IN_PROGRAM}`,
    { commands: ["sh all.sh"] },
  ],
  [
    "a file beside the program that a script starts",
    { ...NODE, "all.sh": "node extra/edge.js", "extra/edge.js": "" },
    { "extra/edge.js": "x" },
    "7 check: all.sh loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a file at the top of a package that a script starts",
    {
      "packages/a/package.json": '{"main":"a.js"}',
      "packages/a/a.js": "",
      "packages/a/run.js": "",
      "all.sh": "node packages/a/run.js",
    },
    { "packages/a/run.js": "x" },
    "7 check: all.sh loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a file at the top of a module of Go that a script starts",
    { ...GO, "all.sh": "python3 tool.py", "tool.py": "" },
    { "tool.py": "x" },
    "7 check: all.sh loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a script of the shell in a program of another language",
    { ...NODE, "all.sh": "sh src/run.sh", "src/run.sh": "" },
    { "src/run.sh": "x" },
    "7 check: all.sh loads it",
    { commands: ["sh all.sh"] },
  ],
  [
    "a script of the shell in a program of nothing else",
    { "all.sh": "sh src/run.sh", "src/run.sh": "" },
    { "src/run.sh": "x" },
    `11 source: ${IN_PROGRAM}`,
    { commands: ["sh all.sh"] },
  ],
];

const ODD: Row[] = [
  ["a link", NODE, { "src/a.js": { mode: "120000" } }, "8 doubt: it is a link"],
  ["a submodule", NODE, { "src/a": { mode: "160000" } }, "8 doubt: it is a submodule"],
  [
    "a file that can be started now",
    NODE,
    { "src/edge.js": { mode: "100755", text: "x" } },
    "8 doubt: its mode changed",
  ],
  [
    "what others made",
    NODE,
    { "vendor/a.js": "" },
    "8 doubt: it is in a folder of outputs or of others' code",
  ],
  ["a hidden file", NODE, { "src/.a.js": "" }, "8 doubt: its name begins with a dot"],
  [
    "a module of Python's library",
    PYTHON,
    { "random.py": "" },
    "9 check: it would be found before the module random",
  ],
  ...["src", "lib"].map((folder): Row => [
    `the same in ${folder}/`,
    PYTHON,
    { [`${folder}/random.py`]: "" },
    "9 check: it would be found before the module random",
  ]),
  ...["test", "tests"].map((folder): Row => [
    `the same in a folder ${folder}/ that a person says is source`,
    { [`${folder}/a.py`]: "" },
    { [`${folder}/random.py`]: "" },
    "9 check: it would be found before the module random",
    { source: [folder] },
  ]),
  ...["app/random.py", "app/src/random.py", "random.py"].map((path): Row => [
    `${path} of a project in app/`,
    { "app/box/__init__.py": "" },
    { [path]: "" },
    "9 check: it would be found before the module random",
    { work: "app" },
  ]),
  [
    "the same beside a script of the checks",
    { ...PYTHON, "tools/run.py": "" },
    { "tools/random.py": "" },
    "9 check: it would be found before the module random",
    { commands: ["python3 tools/run.py"] },
  ],
  [
    "a module named like a package of the program",
    { "src/box/__init__.py": "", "src/box/a.py": "" },
    { "box.py": "" },
    "11 source: it is new code of the program's language",
  ],
  [
    "a program named like a command that was there",
    { "bin/node": "#!/bin/sh\n" },
    { "bin/node": "#!/bin/sh\necho\n" },
    "11 source: it is a program in bin/",
  ],
];

const DOCUMENTS_AND_DATA: Row[] = [
  ["a document", NODE, { "docs/edge.md": "" }, "10 source: it is documentation"],
  [
    "a document that a test names",
    { ...NODE, "test/a.test.js": 'read("README.md")' },
    { "README.md": "" },
    "10 doubt: test/a.test.js names it",
  ],
  [
    "a document that a command names",
    NODE,
    { "docs/a.md": "" },
    "10 doubt: a check command names it",
    { commands: ["grep -q x docs/a.md"] },
  ],
  [
    "a document that the program names",
    { ...NODE, "src/edge.js": 'read("README.md")' },
    { "README.md": "" },
    "10 source: it is documentation",
  ],
  [
    "a document in a folder that a test names",
    { ...NODE, "test/a.test.js": 'list("docs/a")' },
    { "docs/edge.md": "" },
    "10 doubt: test/a.test.js names it",
  ],
  [
    "a document in a folder below the one that counts",
    { ...NODE, "test/a.test.js": 'list("help/")' },
    { "docs/help/edge.md": "" },
    "10 source: it is documentation",
  ],
  [
    "a document in a new folder of the program",
    { ...NODE, "test/a.test.js": 'list("help/")' },
    { "src/help/edge.md": "" },
    "10 source: it is documentation",
  ],
  [
    "a document in a folder that holds a package",
    { ...NODE, "box/a/package.json": "{}", "test/a.test.js": 'list("box/")' },
    { "box/edge.md": "" },
    "10 source: it is documentation",
    { source: ["src"] },
  ],
  [
    "a document in a folder that holds a part of the program",
    { ...NODE, "box/a/a.js": "", "test/a.test.js": 'list("box/")' },
    { "box/edge.md": "" },
    "10 source: it is documentation",
    { source: ["src", "box/a"] },
  ],
  [
    "a document in a folder beside the program that a person named",
    { ...NODE, "box/a/a.js": "", "test/a.test.js": 'list("box/")' },
    { "box/edge.md": "" },
    "10 doubt: test/a.test.js names it",
    { source: ["src"] },
  ],
  [
    "documents that a runner takes",
    { ...PYTHON, "pytest.ini": "addopts = --doctest-glob=a*.md" },
    { "README.md": "" },
    "10 doubt: pytest.ini names it",
  ],
  ["data", NODE, { "locales/de.json": "{}" }, `12 source: ${NO_CHECK}`],
  ["data in a project without code", { "README.md": "" }, { "src/de.json": "{}" }, `12 source: ${NO_CHECK}`],
  [
    "data in a folder that a person named",
    NODE,
    { "src/de.json": "{}" },
    `12 source: ${NO_CHECK}`,
    { source: ["src"] },
  ],
  [
    "data at the beginning of a test",
    { ...NODE, "test/list.txt": "sizes.csv" },
    { "src/sizes.csv": "" },
    "12 doubt: test/list.txt names it",
  ],
  [
    "data that a longer word of a test begins with",
    { ...NODE, "test/a.test.js": '"ones"' },
    { "data/one": "1" },
    `12 source: ${NO_CHECK}`,
  ],
  [
    "data that a word of a test ends with",
    { ...NODE, "test/a.test.js": '"stone" "x-one"' },
    { "data/one": "1" },
    `12 source: ${NO_CHECK}`,
  ],
  [
    "data that a test has after a longer word",
    { ...NODE, "test/a.test.js": '"ones" "one"' },
    { "data/one": "1" },
    "12 doubt: test/a.test.js names it",
  ],
  [
    "data that the program names",
    { ...NODE, "src/edge.js": '"sizes.csv"' },
    { "etc/sizes.csv": "" },
    `12 source: ${NO_CHECK}`,
  ],
  [
    "data that a manifest names",
    { ...NODE, "package.json": '{"main":"src/index.js","files":["sizes.csv"]}' },
    { "etc/sizes.csv": "" },
    `12 source: ${NO_CHECK}`,
  ],
  [
    "data that settings name",
    { ...NODE, "tsconfig.json": '{"extends":"./etc/base.json"}' },
    { "etc/base.json": "{}" },
    "12 doubt: tsconfig.json names it",
  ],
];

const CODE_AND_REST: Row[] = [
  ["code of the program", NODE, { "src/edge.js": "x" }, `11 source: ${IN_PROGRAM}`],
  [
    "a program without an ending that a manifest names",
    {
      ...NODE,
      "package.json": '{"bin":"cli/box","main":"src/index.js"}',
      "cli/box": "#!/usr/bin/env node\n",
    },
    { "cli/box": "#!/usr/bin/env node\nx" },
    "11 source: a manifest names it",
  ],
  [
    "a new program in bin/ without an ending",
    { "bin/greet": "#!/bin/sh\n" },
    { "bin/part": "#!/bin/sh\n" },
    "11 source: it is a program in bin/",
  ],
  [
    "new code beside the program",
    NODE,
    { "extra/a.js": "" },
    "11 source: it is new code of the program's language",
  ],
  [
    "new code beside what a person named",
    NODE,
    { "extra/a.js": "" },
    `13 check: ${REST}`,
    { source: ["src"] },
  ],
  [
    "changed code beside the program",
    { ...NODE, "extra/a.js": "" },
    { "extra/a.js": "x" },
    `13 doubt: ${REST}`,
  ],
  [
    "a new script of a language that the program has not",
    NODE,
    { "extra/tool": "#!/bin/sh\n" },
    `13 check: ${REST}`,
  ],
  ["a new program of no language", NODE, { "extra/thing": { mode: "100755" } }, `13 doubt: ${REST}`],
  [
    "a language of a file without an ending in the program",
    { ...NODE, "src/tool": "#!/usr/bin/env python3\n" },
    { "src/b.py": "" },
    `11 source: ${IN_PROGRAM}`,
  ],
  [
    "a language of a file without an ending beside the program",
    { ...NODE, "extra/tool": "#!/usr/bin/env python3\n" },
    { "src/b.py": "" },
    `13 check: ${REST}`,
  ],
  [
    "a language of a program in bin/, after another file without an ending",
    { ...NODE, LICENSE: "", "bin/greet": "#!/bin/sh\n" },
    { "bin/greet": "#!/bin/sh\necho\n" },
    "11 source: it is a program in bin/",
  ],
  [
    "another language, where a test comes before all code",
    { "a.test.js": "", "src/a.js": "" },
    { "src/b.py": "" },
    `13 check: ${REST}`,
  ],
  [
    "a language that only settings have",
    { ...PYTHON, "vite.config.js": "" },
    { "box/a.js": "" },
    `13 check: ${REST}`,
  ],
  [
    "a language that only tests have",
    { ...PYTHON, "tests/a.js": "" },
    { "box/a.js": "" },
    `13 check: ${REST}`,
  ],
  [
    "a language that only others' code has",
    { ...PYTHON, "vendor/a.js": "" },
    { "box/a.js": "" },
    `13 check: ${REST}`,
  ],
];

test.each([
  ...BY_NAME,
  ...BY_MANIFEST,
  ...TESTS_AND_NONE,
  ...BY_CHECKS,
  ...ODD,
  ...DOCUMENTS_AND_DATA,
  ...CODE_AND_REST,
])("%s", (...one) => {
  const [, before, after, becomes, setting = {}] = one;
  const [first] = sorted(setting, before, after);
  expect(`${first?.row} ${first?.kind}: ${first?.why}`).toBe(becomes);
});
