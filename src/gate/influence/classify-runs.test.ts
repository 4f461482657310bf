// Files that commands and other checks run, source or load: checks, however the command is spelled. And the program they run: source.
import { expect, test } from "vitest";
import { kindsOf, type Setting, type Texts } from "../testing/classified.js";

const APP: Texts = {
  "package.json": JSON.stringify({
    scripts: { test: "npm run both", both: "sh a.sh && sh b.sh", pretest: "sh pre.sh" },
    bin: { app: "./src/cli.js" },
  }),
  "src/cli.js": 'import "./a.js";',
  "src/a.js": "",
  "src/main.js": "",
  "a.sh": "",
  "b.sh": "",
  "pre.sh": "",
  "checks/run.sh": '. "$(dirname "$0")/lib.sh"\n. ./tools/env.sh\nbash tools/deep.sh\n',
  "checks/lib.sh": "",
  "tools/env.sh": "",
  "tools/deep.sh": "node tools/last.mjs || exit 1\n",
  "tools/last.mjs": "",
  "tools/other.mjs": "",
  Makefile: "test:\n\tsh a.sh\n\tsh b.sh\n",
};

function kindOf(path: string, setting: Setting, before: Texts = APP): string | undefined {
  return kindsOf(setting, before, { [path]: "changed" })[path];
}

test.each([
  "sh a.sh && sh b.sh",
  'bash -c "sh a.sh && sh b.sh"',
  "sh -c 'sh a.sh; sh b.sh'",
  "timeout 60 sh -c 'sh a.sh && sh b.sh'",
  "cd . && sh -c 'sh a.sh || exit 1'",
  "npm test",
  "npm run both",
  "make test",
  "for f in *.sh; do sh $f || exit 1; done",
  "for f in a b; do sh $f.sh || exit 1; done",
  'DIR=.; sh "$DIR/a.sh"',
  'sh "$HERE/a.sh"',
  ". ./a.sh",
  "sh ./?.sh",
  "find . -name '*.sh' -exec sh a.sh ';'",
])("a script that a command runs is a check: %s", (command) => {
  expect(kindOf("a.sh", { commands: [command] })).toBe("check");
});

test("scripts that run before a script of npm are checks", () => {
  expect(kindOf("pre.sh", { commands: ["npm test"] })).toBe("check");
});

test("scripts that a check sources or runs are checks, from where it runs and from where it is", () => {
  const setting = { commands: ["sh checks/run.sh"] };
  for (const path of ["checks/run.sh", "checks/lib.sh", "tools/env.sh", "tools/deep.sh", "tools/last.mjs"])
    expect([path, kindOf(path, setting)]).toEqual([path, "check"]);
  expect(kindOf("tools/other.mjs", setting)).not.toBe("source");
});

test("a new file that the wildcard of a command takes in is a check", () => {
  const setting = { commands: ["for t in src/cases/*.sh; do sh $t || exit 1; done"] };
  const before = { ...APP, "src/cases/a.sh": "", "src/x.sh": "" };
  expect(kindsOf(setting, before, { "src/cases/new.sh": "", "src/cases/a.sh": "1" })).toEqual({
    "src/cases/new.sh": "check",
    "src/cases/a.sh": "check",
  });
});

test("the file behind a link is a check where a command runs the link", () => {
  const links = { "check.sh": "src/real.sh", ci: "src/more" };
  const before = { ...APP, "src/real.sh": "", "src/more/a.sh": "" };
  expect(kindOf("src/real.sh", { commands: ["sh check.sh"], links }, before)).toBe("check");
  expect(kindOf("src/more/a.sh", { commands: ["sh ci/a.sh"], links }, before)).toBe("check");
});

test.each([
  'test "$(node src/main.js)" = 3',
  "node src/main.js | grep -qx 3",
  "node src/main.js > out.txt && diff out.txt wanted.txt",
  "node --check src/main.js",
  "gcc -o app src/main.js && ./app",
  "[ `node src/main.js` = 3 ]",
])("a program that runs in a substitution, a pipe or a comparison is source: %s", (command) => {
  expect(kindOf("src/main.js", { commands: [command] })).toBe("source");
});

test("an entry point that a manifest declares, and what the program imports, are source though a command runs them", () => {
  expect(kindOf("src/cli.js", { commands: ["node src/cli.js --selftest"] })).toBe("source");
  expect(kindOf("src/a.js", { commands: ["node src/a.js"] })).toBe("source");
  expect(kindOf("src/main.js", { commands: ["node src/main.js"] })).toBe("check");
});

test("a program that a script of checks runs is source; a shell script that it runs is not", () => {
  const before = {
    ...APP,
    "check.sh": "node src/main.js --help >/dev/null || exit 1\n. src/asserts.sh\n",
    "src/asserts.sh": "",
  };
  const setting = { commands: ["sh check.sh"] };
  expect(kindOf("src/main.js", setting, before)).toBe("source");
  expect(kindOf("src/asserts.sh", setting, before)).toBe("check");
});

test("a program of shell scripts is source where its tests source it", () => {
  const before = { "src/greet.sh": "", "tests/run.sh": '. src/greet.sh\n[ "$(greet)" = hi ]\n' };
  const setting = { commands: ["sh tests/run.sh"] };
  expect(kindsOf(setting, before, { "src/greet.sh": "1", "tests/run.sh": "1" })).toEqual({
    "src/greet.sh": "source",
    "tests/run.sh": "check",
  });
});

test("every file of a check script's folder is a check unless the program imports it", () => {
  const before = {
    ...APP,
    "src/a.js": 'import "../scripts/shared.js";',
    "scripts/check.mjs": "",
    "scripts/shared.js": "",
    "scripts/words.json": "",
  };
  const setting = { commands: ["node scripts/check.mjs"] };
  const after = {
    "scripts/shared.js": "1",
    "scripts/words.json": "1",
    "scripts/deep/x.js": "",
    "scripts/b.js": "",
  };
  expect(kindsOf(setting, before, { ...after, "src/cli.js": 'import "../scripts/b.js";' })).toEqual({
    "scripts/shared.js": "source",
    "scripts/words.json": "check",
    "scripts/deep/x.js": "check",
    "scripts/b.js": "check",
    "src/cli.js": "source",
  });
});

test("the folder of a script is not a folder of checks where the program is in it", () => {
  const before = { "app/package.json": "{}", "app/check.sh": "", "app/index.js": "", "app/b.js": "" };
  const setting = { commands: ["sh check.sh"], work: "app" };
  expect(kindsOf(setting, before, { "app/b.js": "1", "app/check.sh": "1" })).toEqual({
    "app/b.js": "source",
    "app/check.sh": "check",
  });
  const go = {
    "go.mod": "module x",
    "main.go": "",
    "scripts/check.sh": "",
    "scripts/lib.sh": "",
    "tool/x.go": "",
  };
  expect(
    kindsOf({ commands: ["sh scripts/check.sh"] }, go, { "tool/x.go": "1", "scripts/lib.sh": "1" }),
  ).toEqual({
    "tool/x.go": "source",
    "scripts/lib.sh": "check",
  });
});

test.each([
  ["node --test cases/", "cases/a.mjs"],
  ["node --test 'cases/*.mjs'", "cases/a.mjs"],
  ["npx vitest run src/cases/all.mjs", "src/cases/all.mjs"],
  ["python3 -m pytest -q cases", "cases/new.py"],
  ["python3 -m unittest cases.a", "cases/a.py"],
  ["python3 -m unittest discover -s cases -p '*.py'", "cases/a.py"],
  ["pytest cases/a.py::one", "cases/a.py"],
  ["prove -l cases", "cases/a.pl"],
  ["bundle exec rspec cases", "cases/a.rb"],
  ["php vendor/bin/phpunit cases", "cases/A.php"],
])("a file that a command gives to a test runner is a check: %s", (command, path) => {
  const before = {
    ...{ ...APP, "src/cases/all.mjs": "", "cases/a.mjs": "", "cases/a.py": "", "cases/a.pl": "" },
    ...{ "cases/a.rb": "", "cases/A.php": "" },
  };
  expect(kindOf(path, { commands: [command] }, before)).toBe("check");
});

test("a test runner that is given the program's own folder takes only tests from it", () => {
  const before = { ...APP, "package.json": "{}", "src/util/slug.js": "", "src/util/slug.test.js": "" };
  const setting = { commands: ["npx vitest run src/util", "npx jest src"] };
  expect(kindsOf(setting, before, { "src/util/slug.js": "1", "src/util/slug.test.js": "1" })).toEqual({
    "src/util/slug.js": "source",
    "src/util/slug.test.js": "check",
  });
});

test("a script of a task's own command is a check; the program that the task is about is not", () => {
  expect(kindOf("checks/run.sh", { own: ["sh checks/run.sh"] })).toBe("check");
  expect(kindOf("src/main.js", { own: ["node src/main.js --version"] })).toBe("source");
});

test("a module that a command loads by name is a check", () => {
  const python = { "app.py": "", "plug.py": "", "mine.py": "" };
  expect(kindOf("plug.py", { commands: ["pytest -p plug"] }, python)).toBe("check");
  expect(kindOf("mine.py", { commands: ["python3 -m mine"] }, python)).toBe("check");
  expect(kindsOf({ commands: ["python3 -m outer.tool"] }, python, { "outer.py": "" })).toEqual({
    "outer.py": "check",
  });
  const node = { ...APP, "src/hook.mjs": "", "src/pre.cjs": "" };
  expect(kindOf("src/hook.mjs", { commands: ["node --import ./src/hook.mjs --test"] }, node)).toBe("check");
  expect(kindOf("src/pre.cjs", { commands: ["mocha -r ./src/pre.cjs"] }, node)).toBe("check");
  const perl = { "lib/A.pm": "", "lib/Hook.pm": "" };
  expect(kindOf("lib/Hook.pm", { commands: ["perl -Ilib -MHook t/a.t"] }, perl)).toBe("check");
});

test("data that a command compares is in doubt though the program names it", () => {
  const before = { ...APP, "src/a.js": 'read("./words.txt")', "src/words.txt": "" };
  expect(kindOf("src/words.txt", { commands: ["node src/cli.js | diff - src/words.txt"] }, before)).toBe(
    "doubt",
  );
  expect(kindOf("src/words.txt", { commands: ["npx eslint src"] }, before)).toBe("source");
});

const SHELL: Texts = {
  Makefile: "check:\n\t@sh check.sh\n",
  "check.sh": '. ./check.conf\nfor file in "$tests"/*.sh; do sh "$file" || exit 1; done\n',
  "check.conf": "tests=t\n",
  "bin/greet": '#!/bin/sh\necho "Hello, $1"\n',
  "t/hello.sh": '[ "$(bin/greet Ada)" = "Hello, Ada" ] || exit 1\n',
};

test("a program without an extension is source by the interpreter that its first line names", () => {
  const after = {
    "bin/greet": "1",
    "bin/new": "#!/usr/bin/env bash\n",
    "check.conf": "tests=u",
    "t/hello.sh": "1",
  };
  const expected = {
    "bin/greet": "source",
    "bin/new": "source",
    "check.conf": "check",
    "t/hello.sh": "check",
  };
  expect(kindsOf({ commands: ["sh check.sh"] }, SHELL, after)).toEqual(expected);
  expect(kindsOf({ commands: ["make check"] }, SHELL, after)).toEqual(expected);
});

test("the name of the project's own folder says nothing of its files", () => {
  const below = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [`fixtures/app/${path}`, text]));
  const setting = { commands: ["node --test test/"], work: "fixtures/app" };
  const before = below({ "package.json": "{}", "src/a.js": "", "test/a.test.js": "" });
  expect(kindsOf(setting, before, below({ "src/a.js": "1", "src/b.js": "", "test/a.test.js": "1" }))).toEqual(
    {
      "fixtures/app/src/a.js": "source",
      "fixtures/app/src/b.js": "source",
      "fixtures/app/test/a.test.js": "check",
    },
  );
});

test("a crate that others need for their checks alone is a check", () => {
  const before: Texts = {
    "Cargo.toml":
      '[package]\nname = "box"\n[dependencies]\ncore = { path = "core" }\n[dev-dependencies]\nchecking = { path = "checking" }\n',
    "src/lib.rs": "pub mod area;",
    "src/area.rs": "",
    "core/Cargo.toml": '[package]\nname = "core"\n',
    "core/src/lib.rs": "",
    "checking/Cargo.toml": '[package]\nname = "checking"\n',
    "checking/src/lib.rs": "",
  };
  expect(kindsOf({}, before, { "checking/src/lib.rs": "", "core/src/lib.rs": "" })).toEqual({
    "checking/src/lib.rs": "check",
    "core/src/lib.rs": "source",
  });
});

test("data that the program embeds is source, although tests import its folder", () => {
  const before: Texts = {
    "go.mod": "module example.com/it\n",
    "box/box.go": "package box",
    "box/box_test.go": 'package box_test\nimport "example.com/it/box"\n',
  };
  const after = {
    "box/edge.go": "package box\n//go:embed sides.txt\nvar sides string\n",
    "box/sides.txt": "4\n",
  };
  expect(kindsOf({}, before, after)).toEqual({ "box/edge.go": "source", "box/sides.txt": "source" });
});

test.each(['. "${0%/*}/ab-test.sh"', '. "$(dirname "$0")/ab-test.sh"', ". ${HERE:-.}/ab-test.sh"])(
  "a file that the program sources is source, whatever its name: %s",
  (line) => {
    const before: Texts = { "lib/box.sh": "", "test/run.sh": ". ../lib/box.sh" };
    const after = { "lib/box.sh": `${line}\n`, "lib/ab-test.sh": "" };
    expect(kindsOf({ commands: ["sh test/run.sh"] }, before, after)).toEqual({
      "lib/box.sh": "source",
      "lib/ab-test.sh": "source",
    });
  },
);

test("beside packages of Python, a file in a folder by custom that only tests import is in doubt", () => {
  const before: Texts = {
    "box/__init__.py": "",
    "box/area.py": "from lib.units import UNIT",
    "lib/units.py": "",
    "lib/same.py": "",
    "tests/test_area.py":
      "from box.area import area\nfrom lib.same import same\nfrom lib.units import UNIT\n",
  };
  expect(kindsOf({}, before, { "lib/same.py": "x", "lib/units.py": "x", "box/area.py": "x" })).toEqual({
    "lib/same.py": "doubt",
    "lib/units.py": "source",
    "box/area.py": "source",
  });
});

test("a module of the program that a conftest loads as a plugin is not source", () => {
  const before: Texts = {
    "box/__init__.py": "",
    "box/area.py": "",
    "box/fixtures.py": "import pytest\n",
    "tests/conftest.py": 'pytest_plugins = ["box.fixtures"]\n',
    "tests/test_area.py": "from box.area import area\n",
  };
  const found = kindsOf({}, before, { "box/fixtures.py": "x", "box/area.py": "x" });
  expect(found["box/fixtures.py"]).not.toBe("source");
  expect(found["box/area.py"]).toBe("source");
});

test.each([
  ['PATH="$PWD/bin:$PATH" sh check.sh', ""],
  ["PATH=bin:$PATH sh check.sh", ""],
  ["sh check.sh", 'PATH="$PWD/bin:$PATH"\nexport PATH\n'],
  ["make check", "export PATH := $(CURDIR)/bin:$(PATH)\ncheck:\n\tsh t/a.sh\n"],
  ["node tools/run.js", "run({ env: { ...process.env, PATH: `${top}/bin:${process.env.PATH}` } });\n"],
])("a new file is a check if checks would start it in place of an installed program: %s", (command, text) => {
  const file = command.startsWith("make")
    ? "Makefile"
    : command.startsWith("node")
      ? "tools/run.js"
      : "check.sh";
  const before = { "bin/hello": "#!/bin/sh\n", "lib/a.sh": "", "t/a.sh": "", [file]: text };
  const setting = { commands: [command], installed: { shell: ["factor"] } };
  const after = { "bin/factor": "#!/bin/sh\necho fine\n", "bin/greet": "#!/bin/sh\necho hello\n" };
  expect(kindsOf(setting, before, after)).toEqual({ "bin/factor": "check", "bin/greet": "source" });
});

test("a folder that no check puts on PATH may have programs of any name", () => {
  const before = { "bin/hello": "#!/bin/sh\n", "check.sh": "sh t/a.sh\n" };
  const setting = { commands: ["sh check.sh"], installed: { shell: ["factor"] } };
  expect(kindsOf(setting, before, { "bin/factor": "#!/bin/sh\n" })).toEqual({ "bin/factor": "source" });
});

test.each([
  ["src/lib.rs", "// as in rules.toml\nfn a() {}\n", 'fn a() { open("rules.toml") }\n'],
  ["src/a.js", "/* See rules.toml. */\n", 'import rules from "./rules.toml";\n'],
  ["src/a.py", '"""See rules.toml."""\n# rules.toml\n', "RULES = open('rules.toml')\n"],
])("data is not source because a comment of the program names it: %s", (path, comment, code) => {
  const before = { [path]: "" };
  const kindOfRules = (text: string): string | undefined =>
    kindsOf({}, before, { [path]: text, "rules.toml": "x = 1\n" })["rules.toml"];
  expect(kindOfRules(comment)).toBe("doubt");
  expect(kindOfRules(code)).toBe("source");
});

test("files whose ending checks name with a wildcard are in doubt, documentation too", () => {
  const before = {
    ...{ "pytest.ini": "[pytest]\naddopts = --doctest-glob=*.md\n", "box/__init__.py": "", "README.md": "" },
    "USAGE.rst": "",
  };
  const after = { "README.md": ">>> 1\n1\n", "USAGE.rst": ">>> 1\n1\n" };
  expect(kindsOf({ commands: ["pytest"] }, before, after)).toEqual({
    "README.md": "doubt",
    "USAGE.rst": "source",
  });
});

test("documentation that the program takes in is in doubt if it has examples", () => {
  const before = {
    "Cargo.toml": "",
    "src/lib.rs": '#![doc = include_str!("../README.md")]\n',
    "README.md": "# It\n",
  };
  const kindOfReadme = (text: string): string | undefined =>
    kindsOf({}, { ...before, "README.md": text }, { "README.md": `${text}more\n` })["README.md"];
  expect(kindOfReadme("```\nassert!(true);\n```\n")).toBe("doubt");
  expect(kindOfReadme("# It\n")).toBe("source");
});
