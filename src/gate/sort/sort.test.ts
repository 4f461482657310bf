// One row of the table for each row of the sorter and each ecosystem that it is about: project, change, and what becomes of it.
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
const REPLACED: Texts = {
  ...GO,
  "go.mod": "module box\nrequire (\n\tx.org/same v0.0.0\n)\nreplace x.org/same v0.0.0 => ./same\n",
  "edge_test.go": 'import "x.org/same"',
  "same/a.go": "package same",
};
const C: Texts = {
  Makefile: "test: t\n\t./t\n\nt: src/edge.o\n\tcc -o t src/edge.o\n",
  "src/edge.c": "",
  "src/edge.h": "",
};
const JAVA: Texts = {
  "pom.xml": "",
  "src/main/java/box/Edge.java": "",
  "src/test/java/box/EdgeTest.java": "",
};
const RUBY: Texts = { "lib/box.rb": "", "lib/digest/box.rb": "", "spec/box_spec.rb": "" };
const RUST: Texts = { "Cargo.toml": '[package]\nname = "box"\n', "src/lib.rs": "", "tests/edge.rs": "" };

type Case = [what: string, row: number, kind: string, before: Texts, after: After, setting?: Setting];

const CASES: Case[] = [
  ["settings of Looper", 1, "check", NODE, { ".looper/config.json": "{}" }],
  [
    "settings of Looper, whatever a person says",
    1,
    "check",
    NODE,
    { "looper.config.json": "{}" },
    { patterns: ["!*"] },
  ],
  ["a file that a person protects", 2, "check", NODE, { "src/edge.js": "x" }, { patterns: ["src/edge.js"] }],
  [
    "a test that a person takes out",
    2,
    "source",
    NODE,
    { "test/edge.test.js": "x" },
    { patterns: ["!test/**"] },
  ],
  [
    "the last pattern counts",
    2,
    "check",
    NODE,
    { "test/edge.test.js": "x" },
    { patterns: ["!test/**", "test/edge*"] },
  ],
  [
    "a program in bin/ without an ending, in a project of nothing else",
    11,
    "source",
    { "check.sh": 'test "$(bin/greet)" = Ada\n', "bin/greet": "#!/bin/sh\necho Ada\n" },
    { "bin/greet": "#!/bin/sh\necho Bob\n" },
    { commands: ["sh check.sh"] },
  ],
  [
    "code beside the folder of an entry, in the same usual folder",
    11,
    "source",
    { ...NODE, "package.json": '{"exports":"./src/lib/a.js"}', "src/lib/a.js": "", "src/page/b.js": "" },
    { "src/page/b.js": "x" },
  ],
  [
    "settings of a program on Rails",
    11,
    "source",
    { Gemfile: "", "config/application.rb": "", "config/routes.rb": "", "app/a.rb": "", "db/schema.rb": "" },
    { "config/routes.rb": "x" },
  ],
  [
    "those that are for its tests",
    6,
    "check",
    { Gemfile: "", "config/application.rb": "", "config/environments/test.rb": "", "app/a.rb": "" },
    { "config/environments/test.rb": "x" },
  ],
  [
    "the first code of a project that has none",
    11,
    "source",
    { "README.md": "# Words\n" },
    { "src/words.js": "export const words = 1;\n" },
    { commands: ["node --test"] },
  ],
  [
    "data whose name is only in a longer word of a check",
    12,
    "source",
    { ...NODE, "check.sh": "node --test; echo done\n" },
    { "data/one": "1" },
    { commands: ["sh check.sh"] },
  ],
  ["pytest's conftest", 3, "check", PYTHON, { "box/conftest.py": "" }],
  ["Python's sitecustomize", 3, "check", PYTHON, { "sitecustomize.py": "" }],
  ["Java's ServiceLoader", 3, "check", NODE, { "src/META-INF/services/x": "" }],
  [
    ...([
      "a dependency more",
      4,
      "source",
      { ...NODE, "package.json": '{"dependencies":{"a":"1.0.0"}}' },
    ] as const),
    { "package.json": '{"dependencies":{"a":"1.0.0","b":"^2.0.0"}}' },
  ],
  [
    ...([
      "a dependency raised",
      4,
      "source",
      { ...NODE, "package.json": '{"dependencies":{"a":"1.0.0"}}' },
    ] as const),
    { "package.json": '{"dependencies":{"a":"1.1.0"}}' },
  ],
  [
    ...([
      "a dependency lowered",
      4,
      "check",
      { ...NODE, "package.json": '{"dependencies":{"a":"1.1.0"}}' },
    ] as const),
    { "package.json": '{"dependencies":{"a":"1.0.0"}}' },
  ],
  [
    ...(["a script", 4, "check", NODE] as const),
    { "package.json": '{"name":"box","main":"src/index.js","scripts":{"test":"true"}}' },
  ],
  [
    "a dependency from a folder",
    4,
    "check",
    { ...NODE, "package.json": "{}" },
    { "package.json": '{"dependencies":{"a":"file:a"}}' },
  ],
  [
    ...(["a plugin of a runner", 4, "check", { ...PYTHON, "requirements.txt": "a==1\n" }] as const),
    { "requirements.txt": "a==1\npytest-all-green==1\n" },
  ],
  ["a crate more", 4, "source", RUST, { "Cargo.toml": '[package]\nname = "box"\n[dependencies]\na = "1"\n' }],
  ["replace in go.mod", 4, "check", GO, { "go.mod": "module box\nreplace a => ./b\n" }],
  [
    ...(["a new package", 4, "source", NODE] as const),
    { "packages/new/package.json": '{"name":"@box/new"}', "packages/new/index.js": "" },
  ],
  [
    ...([
      "a package whose name was there",
      4,
      "check",
      { ...NODE, "package-lock.json": "@box/new" },
    ] as const),
    { "packages/new/package.json": '{"name":"@box/new"}' },
  ],
  [
    ...([
      "a lock file",
      4,
      "source",
      { ...NODE, "yarn.lock": 'a@1:\n  resolved "https://registry.yarnpkg.com/a"\n' },
    ] as const),
    {
      "yarn.lock":
        'a@1:\n  resolved "https://registry.yarnpkg.com/a"\nb@1:\n  resolved "https://registry.yarnpkg.com/b"\n',
    },
  ],
  [
    ...([
      "a lock file with a new host",
      4,
      "check",
      { ...NODE, "yarn.lock": 'a@1:\n  resolved "https://registry.yarnpkg.com/a"\n' },
    ] as const),
    { "yarn.lock": 'a@1:\n  resolved "https://evil.example/a"\n' },
  ],
  [
    "a lock file with a folder",
    4,
    "check",
    { ...NODE, "package-lock.json": "{}" },
    { "package-lock.json": '{"resolved":"file:a"}' },
  ],
  [
    "a manifest above folders that are there",
    4,
    "check",
    { ...NODE, "scenarios/login/a.js": "" },
    { "scenarios/package.json": '{"name":"scenarios-of-box","main":"login/a.js"}' },
  ],
  [
    ...(["a lock file of a changed manifest", 4, "check", { ...NODE, "package-lock.json": "{}" }] as const),
    { "package.json": '{"name":"other"}', "package-lock.json": "{ }" },
  ],
  [
    ...(["a file of the work in a Makefile", 4, "source", C] as const),
    { Makefile: C["Makefile"]?.replaceAll("src/edge.o", "src/edge.o src/more.o"), "src/more.c": "" },
  ],
  [
    ...(["another flag in a Makefile", 5, "check", C] as const),
    { Makefile: C["Makefile"]?.replaceAll("cc", "cc -DALL_GREEN"), "src/more.c": "" },
  ],
  [
    ...(["a file of the work on a further line", 4, "source"] as const),
    { ...C, Makefile: `OBJS = src/edge.o \\\n  src/two.o\n${C["Makefile"]}` },
    { Makefile: `OBJS = src/edge.o \\\n  src/two.o \\\n  src/more.o\n${C["Makefile"]}`, "src/more.c": "" },
  ],
  ...(
    [
      ["quotes that join commands", "\t./t && ./u", '\t./t "&&" ./u'],
      ["a file of the work as a command", "\t./t", "\ttrue ./t"],
      ["a file of the work before another", "\tsh all.c", "\tsh true.c all.c"],
      ["a backslash that swallows a line", "# all\n", "# all \\\n"],
    ] as const
  ).map(([what, old, now]): Case => [
    ...([`${what} in a Makefile`, 5, "check"] as const),
    { Makefile: `# all\ntest:\n${old}\n`, "all.c": "", "u.c": "" },
    { Makefile: `# all\ntest:\n${old}\n`.replace(old, now), "true.c": "" },
  ]),
  ["settings of a compiler", 5, "check", NODE, { "tsconfig.json": "{}" }],
  [
    "settings of a program of the checks",
    5,
    "check",
    NODE,
    { "knip.json": "{}" },
    { commands: ["npx knip"] },
  ],
  ["data of another name", 12, "source", NODE, { "shop.json": "{}" }, { commands: ["npx knip"] }],
  ["settings of a linter", 5, "check", PYTHON, { "ruff.toml": "" }],
  ["continuous integration", 5, "check", NODE, { ".github/workflows/test.yml": "" }],
  ["unknown settings where a package begins", 5, "check", NODE, { "x.config.js": "" }],
  ["the same name deeper in the program", 11, "source", NODE, { "src/app/app.config.js": "" }],
  ["a test of Node", 6, "check", NODE, { "src/edge.test.js": "" }],
  ["a test by the other pattern of Node's runner", 6, "check", NODE, { "src/test-edge.js": "" }],
  ["a test of Go", 6, "check", GO, { "edge_test.go": "x" }],
  ["a file of Go whose name says test", 11, "source", GO, { "test_edge.go": "" }],
  ["a folder of tests in the program", 6, "check", NODE, { "src/__tests__/same.js": "" }],
  ["a helper outside of the program", 6, "check", NODE, { "support/test-helper.js": "" }],
  ["helper alone, in the program", 11, "source", NODE, { "src/helper.js": "" }],
  ["a name with test, all tests in folders", 11, "source", NODE, { "src/ab-test.js": "" }],
  ["a name with test, tests beside", 6, "check", { ...NODE, "src/a.test.js": "" }, { "src/ab-test.js": "" }],
  [
    "a check of a home-made runner at the top",
    6,
    "check",
    { "a.py": "", "check_a.py": "" },
    { "check_a.py": "x" },
  ],
  [
    "a program of Maven",
    11,
    "source",
    { "pom.xml": "", "src/main/java/box/A.java": "" },
    { "src/main/java/box/RoadTest.java": "" },
  ],
  [
    "a script of a command",
    7,
    "check",
    { ...NODE, "all.sh": "node --test" },
    { "all.sh": "true" },
    { commands: ["sh all.sh"] },
  ],
  [
    ...([
      "a script behind npm",
      7,
      "check",
      { ...NODE, "package.json": '{"scripts":{"test":"sh tools/all.sh"}}', "tools/all.sh": "" },
    ] as const),
    { "tools/all.sh": "true" },
    { commands: ["npm test"] },
  ],
  [
    ...([
      "a script of a make goal",
      7,
      "check",
      { Makefile: "test:\n\tsh tools/all.sh\n", "tools/all.sh": "", "src/a.c": "" },
    ] as const),
    { "tools/all.sh": "true" },
    { commands: ["make test"] },
  ],
  [
    ...([
      "what a script sources",
      7,
      "check",
      { ...NODE, "run.sh": ". tools/lib.sh\nnode --test", "tools/lib.sh": "" },
    ] as const),
    { "tools/lib.sh": "exit 0" },
    { commands: ["sh run.sh"] },
  ],
  [
    "behind --import",
    7,
    "check",
    { ...NODE, "src/hook.js": "" },
    { "src/hook.js": "x" },
    { commands: ["node --import ./src/hook.js --test"] },
  ],
  [
    "behind -p of pytest",
    7,
    "check",
    { ...PYTHON, "box/plug.py": "" },
    { "box/plug.py": "x" },
    { commands: ["pytest -p box.plug"] },
  ],
  [
    "an argument file",
    7,
    "check",
    { ...NODE, "src/list.txt": "" },
    { "src/list.txt": "x" },
    { commands: ["javac @src/list.txt"] },
  ],
  [
    "a file on the input",
    7,
    "check",
    { ...NODE, "src/list.txt": "" },
    { "src/list.txt": "x" },
    { commands: ["node src/index.js <src/list.txt"] },
  ],
  [
    "BASH_ENV",
    7,
    "check",
    { "lib/a.sh": "", "lib/env.sh": "" },
    { "lib/env.sh": "exit 0" },
    { commands: ["BASH_ENV=lib/env.sh bash run.sh"] },
  ],
  [
    ...([
      "a setup file in a runner's settings",
      7,
      "check",
      { ...NODE, "vitest.config.js": 'setupFiles: ["./src/setup.js"]', "src/setup.js": "" },
    ] as const),
    { "src/setup.js": "x" },
  ],
  [
    ...([
      "a pattern of tests in a runner's settings",
      7,
      "check",
      { ...NODE, "vitest.config.js": 'test: { include: ["src/**/*.probe.js"] }' },
    ] as const),
    { "src/edge.probe.js": "" },
  ],
  [
    ...([
      "a folder that a manifest takes in for tests",
      7,
      "check",
      { ...NODE, "package.json": '{"devDependencies":{"same":"file:lib/same"}}', "lib/same/a.js": "" },
    ] as const),
    { "lib/same/a.js": "x" },
  ],
  ["a module of tests that go.mod replaces", 7, "check", REPLACED, { "same/a.go": "package same //" }],
  [
    "a module of the program that go.mod replaces",
    11,
    "source",
    { ...REPLACED, "use.go": 'import "x.org/same"' },
    { "same/a.go": "package same //" },
  ],
  [
    "what is handed to a runner",
    11,
    "source",
    NODE,
    { "src/edge.js": "x" },
    { commands: ["node --test src/edge.js"] },
  ],
  ["what is handed to a compiler", 11, "source", C, { "src/edge.c": "x" }, { commands: ["cc src/edge.c"] }],
  [
    "what a runner finds by the name of tests",
    7,
    "check",
    { ...NODE, "src/edge.check.js": "" },
    { "src/edge.check.js": "x" },
    { commands: ["node --test src/*.check.js"] },
  ],
  [
    "what a runner is told to find",
    7,
    "check",
    { ...PYTHON, "box/check_edge.py": "" },
    { "box/check_edge.py": "x" },
    { commands: ["python3 -m unittest discover -s box -p 'check_*.py'"] },
  ],
  [
    "all of the program, for a runner",
    11,
    "source",
    NODE,
    { "src/edge.js": "x" },
    { commands: ["node --test src/*.js"] },
  ],
  ...[
    "npm test --workspaces",
    "npm test -w packages/a",
    "npx turbo test",
    "npm --prefix packages/a test",
  ].map((command): Case => [
    ...([`a script of a package by ${command}`, 7, "check"] as const),
    {
      "package.json": '{"workspaces":["packages/*"]}',
      "packages/a/package.json": '{"name":"a","main":"index.js","scripts":{"test":"node run.js"}}',
      "packages/a/index.js": "",
      "packages/a/run.js": "",
    },
    { "packages/a/run.js": "x" },
    { commands: [command] },
  ]),
  [
    "a script of composer.json",
    7,
    "check",
    { "composer.json": '{"scripts":{"test":["@php run.php"]}}', "index.php": "", "run.php": "" },
    { "run.php": "x" },
    { commands: ["composer test"] },
  ],
  ["a link", 8, "doubt", NODE, { "src/a.js": { mode: "120000", text: "edge.js" } }],
  ["a submodule", 8, "doubt", NODE, { "src/a": { mode: "160000" } }],
  ["vendored code", 8, "doubt", GO, { "vendor/a/a.go": "" }],
  ["built code", 8, "doubt", NODE, { "dist/index.js": "" }],
  ["a name with a dot", 8, "doubt", NODE, { "src/.a.js": "" }],
  [
    "a program in bin/ named like a command",
    9,
    "check",
    NODE,
    { "bin/node": { mode: "100755", text: "#!/bin/sh\n" } },
  ],
  [
    "an installed program on PATH",
    9,
    "check",
    NODE,
    { "tools/jq": { mode: "100755", text: "#!/bin/sh\n" } },
    { commands: ["PATH=tools:$PATH npm test"] },
  ],
  ["a module of Python's library", 9, "check", PYTHON, { "random.py": "" }],
  [
    "a module of Python before a package outside the program",
    9,
    "check",
    { ...PYTHON, "more/comparing/__init__.py": "" },
    { "comparing.py": "" },
  ],
  ["a class of JUnit's", 9, "check", JAVA, { "src/main/java/org/junit/Assert.java": "" }],
  ["a file of Ruby's library", 9, "check", RUBY, { "lib/ostruct.rb": "" }],
  ["a file in a name that the program has", 11, "source", RUBY, { "lib/digest/more.rb": "" }],
  ["a module of Python that runs tests", 9, "check", PYTHON, { "pytest/__init__.py": "" }],
  ["a header of the standard library", 9, "check", C, { "src/assert.h": "" }],
  ["a header named like another", 9, "check", { ...C, "include/same.h": "" }, { "src/same.h": "" }],
  ["the same name in a package", 11, "source", PYTHON, { "box/random.py": "" }],
  ["documentation", 10, "source", NODE, { "docs/edge.md": "" }],
  [
    "documentation that a test names",
    10,
    "doubt",
    { ...NODE, "test/a.test.js": 'read("README.md")' },
    { "README.md": "" },
  ],
  [
    "documentation in a folder that a test names",
    10,
    "doubt",
    { ...NODE, "test/a.test.js": 'list("docs/")' },
    { "docs/a/edge.md": "" },
  ],
  [
    "documents that a runner takes",
    10,
    "doubt",
    { ...PYTHON, "pytest.ini": "addopts = --doctest-glob=*.md" },
    { "README.md": "" },
  ],
  ["code of the program", 11, "source", NODE, { "src/edge.js": "x" }],
  ["code that is gone", 11, "source", NODE, { "src/edge.js": undefined }],
  ["a package of Python", 11, "source", PYTHON, { "box/deep/more.py": "" }],
  ["the module of Go", 11, "source", GO, { "internal/x/x.go": "" }],
  ["new code beside the program", 11, "source", NODE, { "server/more.js": "" }],
  ["a program in bin/", 11, "source", NODE, { "bin/box.js": "" }],
  ["what a person says is source", 11, "source", NODE, { "web/a.js": "" }, { source: ["web"] }],
  ["a migration", 12, "source", PYTHON, { "box/migrations/1.sql": "" }],
  ["a locale", 12, "source", NODE, { "locales/de.json": "{}" }],
  [
    "data that a test names",
    12,
    "doubt",
    { ...NODE, "test/a.test.js": 'read("sizes.csv")' },
    { "src/sizes.csv": "" },
  ],
  [
    "data in a folder that a test names",
    12,
    "doubt",
    { ...NODE, "vectors/1.txt": "", "test/a.test.js": "`vectors/${n}.txt`" },
    { "vectors/1.txt": "x" },
  ],
  [
    "data that settings name",
    12,
    "doubt",
    { ...NODE, "tsconfig.json": '{"extends":"./etc/base.json"}' },
    { "etc/base.json": "{}" },
  ],
  ...['new URL("../cases", here)', 'walk("cases")', 'glob("cases/**/*.txt")'].map((reads): Case => [
    ...([`data in a folder that a check lists by ${reads}`, 12, "doubt"] as const),
    { ...NODE, "cases/a/x.txt": "", "test/edge.test.js": reads },
    { "cases/a/x.txt": "x" },
  ]),
  [
    "data beside what a check reads",
    12,
    "source",
    { ...NODE, "locales/de/x.txt": "", "test/edge.test.js": '"locales/en/x.json"' },
    { "locales/de/x.txt": "x" },
  ],
  [
    "data whose ending a linter is given",
    12,
    "source",
    NODE,
    { "locales/de.json": "{}" },
    { commands: ["prettier --check '**/*.json'"] },
  ],
  [
    "data whose ending a runner is given",
    12,
    "doubt",
    PYTHON,
    { "docs/a.txt": "x" },
    { commands: ["pytest --doctest-glob='*.txt'"] },
  ],
  ["other code outside", 13, "doubt", { ...NODE, "extra/a.js": "" }, { "extra/a.js": "x" }],
  ["new code in examples", 13, "check", NODE, { "examples/a.js": "" }],
  ["a language that the program has not", 13, "check", NODE, { "src/a.py": "" }],
  ["code that a person did not name", 13, "doubt", NODE, { "src/edge.js": "x" }, { source: ["web"] }],
  ["data that a person did not name", 13, "doubt", NODE, { "locales/de.json": "{}" }, { source: ["src"] }],
];

test.each(CASES)("%s: row %i, %s", (...one) => {
  const [, row, kind, before, after, setting = {}] = one;
  const [first] = sorted(setting, before, after);
  expect({ row: first?.row, kind: first?.kind }).toEqual({ row, kind });
});

test("each answer has a reason", () => {
  for (const [, , , before, after, setting = {}] of CASES)
    for (const { why } of sorted(setting, before, after)) expect(why).toMatch(/\w/);
});

test("a task's own script is what the task is about, until a check of the project loads it", () => {
  const files = { "src/run.sh": "", "src/a.sh": "" };
  const kindsBy = (setting: Setting): (string | undefined)[] =>
    sorted(setting, files, { "src/run.sh": "x" }).map(({ kind }) => kind);
  expect(kindsBy({ own: ["sh src/run.sh"] })).toEqual(["source"]);
  expect(kindsBy({ commands: ["sh src/run.sh"] })).toEqual(["check"]);
});

test("a thousand changes in a project of ten thousand files take no time to speak of", () => {
  const before: Record<string, string> = { ...NODE };
  for (let at = 0; at < 10_000; at++) before[`src/part${at % 100}/file${at}.js`] = "";
  const after = Object.fromEntries(
    Object.keys(before)
      .slice(-1_000)
      .map((path) => [path, "x"]),
  );
  expect(sorted({}, before, after).every(({ kind }) => kind === "source")).toBe(true);
});
