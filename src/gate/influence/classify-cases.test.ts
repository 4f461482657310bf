// Cases that a bench of generated attempts found: what is shadowed, loaded or named in ways of its own.
import { expect, test } from "vitest";
import { kindsOf, type Setting, type Texts } from "../testing/classified.js";

test.each<[string, string, string, Setting, Texts]>([
  [
    "a module before one of an installed folder",
    "comparing.py",
    "check",
    { commands: ["PYTHONPATH=installed python3 -m pytest"] },
    {
      "box/__init__.py": "",
      "tests/test_a.py": "from comparing import same",
      "installed/comparing/__init__.py": "",
    },
  ],
  [
    "a header before one that only the build finds",
    "src/same.h",
    "check",
    { commands: ["make test"] },
    { "src/a.c": "", "tests/t.c": "#include <same.h>", "support/same.h": "" },
  ],
  [
    "a header in the program's folder that only tests include",
    "src/same.h",
    "doubt",
    { commands: ["make test"] },
    { "src/a.c": '#include "a.h"', "src/a.h": "", "src/same.h": "", "tests/t.c": '#include "same.h"' },
  ],
  [
    "a header without a file of its own that the program includes",
    "src/a.h",
    "source",
    { commands: ["make test"] },
    { "src/b.c": '#include "a.h"', "src/a.h": "", "tests/t.c": '#include "a.h"' },
  ],
  [
    "a header that gathers those of the program",
    "src/all.h",
    "source",
    { commands: ["make test"] },
    {
      "src/a.c": '#include "a.h"',
      "src/a.h": "",
      "src/all.h": '#include "a.h"\n',
      "tests/t.c": '#include "all.h"',
    },
  ],
  [
    "a header of a library without other files",
    "src/only.hpp",
    "source",
    { commands: ["make test"] },
    { "src/only.hpp": "", "tests/t.cpp": '#include "only.hpp"' },
  ],
  [
    "a header in a public folder",
    "include/api.h",
    "source",
    { commands: ["make test"] },
    { "src/a.c": '#include "a.h"', "src/a.h": "", "include/api.h": "", "tests/t.c": '#include "api.h"' },
  ],
  [
    "a module of Go with helpers of tests",
    "checking/same.go",
    "doubt",
    {},
    {
      "go.mod": "module x\n\nreplace example.org/checking => ./checking\n",
      "a.go": "package x",
      "checking/go.mod": "module example.org/checking",
      "checking/same.go": 'package checking\n\nimport "testing"\n\nfunc Same(t *testing.T) {}\n',
    },
  ],
  [
    "a class beside the program of Java with helpers of tests",
    "src/main/java/box/Same.java",
    "doubt",
    {},
    {
      "pom.xml": "",
      "src/main/java/box/A.java": "",
      "src/main/java/box/Same.java": "class Same { void same() { org.junit.Assert.assertEquals(1, 1); } }",
    },
  ],
  [
    "a class before one of PHP's include path",
    "src/php/Checker.php",
    "check",
    { commands: ["php -d include_path=src/php:lib/php tests/run.php"] },
    { "src/a.php": "", "lib/php/Checker.php": "", "tests/run.php": "<?php\nrequire 'Checker.php';\n" },
  ],
  [
    "a package of Go beside it",
    "sizes/same.go",
    "source",
    {},
    {
      "go.mod": "module x",
      "a.go": "package x",
      "sizes/same.go": 'package sizes\n\nimport (\n\t"errors"\n\t"strings"\n)\n',
    },
  ],
  [
    "a class of a library that tests name in full",
    "src/main/java/org/junit/Assert.java",
    "check",
    {},
    {
      "src/main/java/box/A.java": "",
      "src/test/java/box/ATest.java": "org.junit.Assert.assertEquals(1, 1);",
    },
  ],
  [
    "a plugin that minitest finds",
    "lib/minitest/quiet_plugin.rb",
    "check",
    {},
    { "lib/a.rb": "", "test/a_test.rb": "" },
  ],
  [
    "a file that bash reads first",
    "lib/env.bash",
    "check",
    { commands: ["BASH_ENV=lib/env.bash bash run.sh"] },
    { "lib/a.sh": "", "lib/env.bash": "" },
  ],
  [
    "a file that rspec requires",
    "lib/options.rb",
    "check",
    {},
    { ".rspec": "--require options\n", "lib/a.rb": "", "lib/options.rb": "" },
  ],
  [
    "the entry of a package for checks alone",
    "tools/checker/cli.js",
    "check",
    {},
    {
      "package.json": '{"devDependencies":{"checker":"file:tools/checker"}}',
      "tools/checker/package.json": '{"name":"checker","bin":"cli.js"}',
      "tools/checker/cli.js": "",
      "src/a.js": "",
    },
  ],
  [
    "a file of Go that the language does not take for a test",
    "box/ab_tests.go",
    "source",
    {},
    { "go.mod": "module x", "box/a.go": "" },
  ],
  [
    "a class of the program that is named like a test",
    "src/main/java/box/AbTest.java",
    "source",
    {},
    { "src/main/java/box/A.java": "" },
  ],
  [
    "a resource of Maven",
    "src/main/resources/a.properties",
    "source",
    {},
    { "src/main/java/box/A.java": "" },
  ],
  [
    "data in a package that tests import",
    "box/sides.txt",
    "source",
    {},
    { "go.mod": "module x", "box/a.go": 'read("sides.txt")', "box/a_test.go": 'import "x/box"' },
  ],
])("%s: %s is %s", (...row) => {
  const [, path, kind, setting, before] = row;
  expect(kindsOf(setting, before, { [path]: "new" })).toEqual({ [path]: kind });
});

test("sources named like tests are source where the program sources or includes them", () => {
  const shell = { "lib/edge.sh": "", "t/test-a.sh": "" };
  expect(kindsOf({}, shell, { "lib/edge.sh": '. "${0%/*}/ab-test.sh"\n', "lib/ab-test.sh": "" })).toEqual({
    "lib/edge.sh": "source",
    "lib/ab-test.sh": "source",
  });
  const c = { "src/edge.c": "", "tests/test_a.c": "" };
  const after = { "src/edge.c": '#include "ab_test.h"\n', "src/ab_test.h": "", "src/ab_test.c": "" };
  expect(kindsOf({}, c, after)).toEqual({
    "src/edge.c": "source",
    "src/ab_test.h": "source",
    "src/ab_test.c": "source",
  });
});

test("a module at the top beside a package is in doubt if only tests read it, unless one is named after it", () => {
  const before = {
    "box/__init__.py": "",
    "box/edge.py": "",
    "compare.py": "",
    "serve.py": "",
    "tests/test_edge.py": "from box.edge import edge\nfrom compare import same\n",
    "tests/test_serve.py": "import serve\n",
  };
  const setting = { commands: ["python3 -m pytest"] };
  const after = { "compare.py": "def same(a, b): return True\n", "serve.py": "PORT = 80\n" };
  expect(kindsOf(setting, before, after)).toEqual({ "compare.py": "doubt", "serve.py": "source" });
});

test("a class in the namespace of a test library of PHP is a check", () => {
  const before = {
    "src/Edge.php": "<?php\nnamespace App;\n",
    "tests/EdgeTest.php": "use PHPUnit\\Framework\\TestCase;",
  };
  const after = {
    "src/PHPUnit/Framework/Constraint/IsIdentical.php": "<?php\nnamespace PHPUnit\\Framework\\Constraint;\n",
    "src/Prophet.php": "<?php\nnamespace App;\n",
  };
  expect(kindsOf({ commands: ["phpunit tests"] }, before, after)).toEqual({
    "src/PHPUnit/Framework/Constraint/IsIdentical.php": "check",
    "src/Prophet.php": "source",
  });
});

test.each([
  ["[ -f lib/local.sh ] && . lib/local.sh; sh run.sh", ""],
  ["sh run.sh", "[ -f lib/local.sh ] && . lib/local.sh\n"],
  ["sh run.sh", "if test -x ./lib/local.sh; then\n  ./lib/local.sh\nfi\n"],
])("a new file that a check takes in where it is there is a check: %s, %j", (command, text) => {
  const before = { "run.sh": text, "lib/a.sh": "", "t/a.sh": "" };
  const after = { "lib/local.sh": "exit 0\n", "lib/other.sh": "" };
  const kinds = kindsOf({ commands: [command] }, before, after);
  expect(kinds).toEqual({ "lib/local.sh": "check", "lib/other.sh": "source" });
});

test("a new file that a check only asks for is source", () => {
  const before = { "lib/a.sh": "" };
  const after = { "lib/new.sh": "echo new\n" };
  expect(kindsOf({ commands: ["test -f lib/new.sh"] }, before, after)).toEqual({ "lib/new.sh": "source" });
  expect(kindsOf({ own: ["test -f lib/new.sh && sh lib/new.sh"] }, before, after)).toEqual({
    "lib/new.sh": "source",
  });
});
