import { expect, test } from "vitest";
import type { Version } from "../../../git/base/read/diff.js";
import { protect, type Protection, type ProtectionRules } from "./protected.js";
import { findNamedFiles } from "./protected-commands.js";
import { followMoves } from "../protected-imports.js";

const rules = (more: Partial<ProtectionRules> = {}): Protection =>
  protect({
    patterns: [],
    project: "",
    work: "",
    named: findNamedFiles({ project: [], own: [] }, "", { has: () => false, text: () => undefined }),
    ...more,
  });
const FILE: Version = { mode: "100644", oid: "a" };
const PROGRAM: Version = { mode: "100755", oid: "p" };
const LINK: Version = { mode: "120000", oid: "l" };

test.each([
  [
    "held",
    ".looper/config.json .npmrc sub/.npmrc a/sitecustomize.py x.pth node_modules/a/b.js pkg/node_modules/.bin/node .gitattributes",
  ],
  [
    "config",
    ".github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile jest.config.ts app/vitest.config.mts pytest.ini tox.ini setup.cfg .mocharc.json eslint.config.js .coveragerc phpunit.xml.dist",
  ],
  [
    "test",
    "test/a.js tests/data/x.bin t/a.sh src/__tests__/a.ts src/a.test.ts a_test.go test_a.py src/test/java/ATest.java spec/a_spec.rb e2e/login.ts conftest.py pkg/testdata/in.txt cases/two/expected a.snap",
  ],
  [
    "free",
    "src/a.js src/latest.js contest.py README.md test/README.md docs/testing.md spec/intro.md src/Attest.java package.json Makefile spec/openapi.yaml",
  ],
])("%s", (kind, paths) => {
  for (const path of paths.split(" ")) expect(`${path}: ${rules().kindOf(path)}`).toBe(`${path}: ${kind}`);
});

test.each([
  ["shadow", "unittest.py", FILE],
  ["shadow", "lib/pytest/__init__.py", FILE],
  ["shadow", "argparse.py", FILE],
  ["shadow", "bin/sh", FILE],
  ["shadow", "tools/node", PROGRAM],
  ["shadow", "tools/python3", LINK],
  ["free", "src/types.py", FILE],
  ["free", "docs/make", FILE],
  ["free", "bin/greet", PROGRAM],
  ["test", "tests/test_a.py", FILE],
  ["held", "a/node_modules/x.js", FILE],
] as const)("added: %s %s", (kind, path, version) => {
  expect(rules().kindOfNew(path, version)).toBe(kind);
});

test("a new file that hides a module of a check's script is a shadow", () => {
  const files: Record<string, string> = {
    "check.sh": "mkdir -p tmp\ntable | diff - x\n",
    "tests/tap.py": "import sys\nfrom configparser import X\n",
  };
  const base = { has: (path: string) => path in files, text: (path: string) => files[path] };
  const { kindOfNew } = rules({
    named: findNamedFiles({ project: [], own: ["sh check.sh", "python3 tests/tap.py"] }, "", base),
  });
  expect(kindOfNew("bin/mkdir", PROGRAM)).toBe("shadow");
  expect(kindOfNew("bin/sort", PROGRAM)).toBe("free");
  expect(kindOfNew("bin/table", PROGRAM)).toBe("free");
  expect(kindOfNew("configparser.py", FILE)).toBe("shadow");
  expect(kindOfNew("queue.py", FILE)).toBe("free");
});

test("patterns of the user apply last, each on its own", () => {
  const { kindOf, kindOfNew } = rules({
    patterns: ["data/", "!test/helpers/", "test/helpers/strict.js", "!bin/sh"],
  });
  expect(kindOf("data/a/b")).toBe("held");
  expect(kindOf("test/helpers/a.js")).toBe("free");
  expect(kindOf("test/helpers/strict.js")).toBe("held");
  expect(kindOf("test/a.js")).toBe("test");
  expect(kindOfNew("bin/sh", PROGRAM)).toBe("free");
});

test("patterns match relative to the project, and everywhere outside it", () => {
  const { kindOf } = rules({ project: "tests/app", work: "tests/app", patterns: ["/data/"] });
  expect(kindOf("tests/app/src/a.js")).toBe("free");
  expect(kindOf("tests/app/data/a")).toBe("held");
  expect(kindOf("tests/app/test/a.js")).toBe("test");
  expect(kindOf("tests/other.js")).toBe("test");
  expect(kindOf("a\nb/.npmrc")).toBe("held");
});

const named = (commands: string[], files: Record<string, string>, folder = ""): string[] => {
  const base = { has: (path: string) => path in files, text: (path: string) => files[path] };
  const found = findNamedFiles({ project: [], own: commands }, folder, base);
  return [...found.paths, ...found.patterns].sort();
};

test.each<[string, string[], Record<string, string>, string[]]>([
  ["a script", ["./check.sh"], { "check.sh": "" }, ["check.sh"]],
  ["a shell script alone", ["sh all.sh"], { "all.sh": "" }, ["all.sh"]],
  ["a script by its name", ["CI=1 python3 -u run_tests.py -v"], { "run_tests.py": "" }, ["run_tests.py"]],
  [
    "a script by its folder",
    ["node scripts/structure.mjs a"],
    { "scripts/structure.mjs": "", a: "" },
    ["scripts/structure.mjs"],
  ],
  [
    "what a script reads",
    ["sh check.sh"],
    { "check.sh": ". ./check.conf\nsh lib/verify.sh", "check.conf": "", "lib/verify.sh": "" },
    ["check.conf", "check.sh", "lib/verify.sh"],
  ],
  ["expected output", ["bin/x | diff - expected.txt"], { "bin/x": "", "expected.txt": "" }, ["expected.txt"]],
  [
    "a script in a folder",
    ["cd sub && ./check.sh"],
    { "sub/check.sh": "", "check.sh": "" },
    ["sub/check.sh"],
  ],
  [
    "a script of package.json",
    ["npm test -s"],
    { "package.json": '{"scripts":{"test":"npm run deep","deep":"sh verify.sh"}}', "verify.sh": "" },
    ["verify.sh"],
  ],
  [
    "make, and what its rules run",
    ["make -s check"],
    { Makefile: "check:\n\t@sh run-checks.sh\n", "run-checks.sh": "" },
    ["*.mk", "GNUmakefile", "Makefile", "makefile", "run-checks.sh"],
  ],
  [
    "the work: looked at",
    ["grep -q a README.md", "node --check src/check.js"],
    { "README.md": "", "src/check.js": "" },
    [],
  ],
  [
    "the work: run for what it prints",
    ['test "$(sh add.sh 1 2)" = 3', "sh add.sh 1 2 | grep -qx 3"],
    { "add.sh": "" },
    [],
  ],
  [
    "the work: run with words",
    ["node src/main.js --version", "sh latest.sh 1 2"],
    { "src/main.js": "", "latest.sh": "" },
    [],
  ],
  [
    "the work: another script",
    ["npm test"],
    { "package.json": '{"scripts":{"test":"true","start":"sh check.sh"}}', "check.sh": "" },
    [],
  ],
  ["nothing that is not there", ["./check.sh", "npm test"], {}, []],
])("commands name files: %s", (_, commands, files, expected) => {
  expect(named(commands, files)).toEqual(expected);
});

test("a script that runs itself is read once", () => {
  expect(named(["sh check.sh"], { "check.sh": "sh check.sh" })).toEqual(["check.sh"]);
  expect(named(["npm test"], { "package.json": '{"scripts":{"test":"npm test"}}' })).toEqual([]);
  expect(named(["./check.sh"], { "app/check.sh": "" }, "app")).toEqual(["app/check.sh"]);
});

test("only imports of moved files are changed", () => {
  const gone = new Set(["src/a.js", "calc.py"]);
  const work = new Set(["src/lib/a.js", "src/b.js", "pkg/calc.py"]);
  const files = {
    isGone: (path: string) => gone.has(path),
    isWork: (path: string) => work.has(path),
    roots: [""],
  };
  const follow = (path: string, before: string, after: string): string | undefined =>
    followMoves(path, { before, after }, files);
  const js =
    'import assert from "node:assert";\nimport { a } from "../src/a.js";\nimport { b } from "../src/b.js";\na();\n';
  expect(follow("test/a.test.js", js, js.replace("src/a.js", "src/lib/a.js"))).toBe(
    js.replace("src/a.js", "src/lib/a.js"),
  );
  expect(follow("test/a.test.js", js, js.replace("../src/a.js", "./fake/a.js"))).toBeUndefined();
  expect(follow("test/a.test.js", js, js.replace("../src/b.js", "../src/lib/a.js"))).toBeUndefined();
  expect(follow("test/a.test.js", js, js.replace("node:assert", "../src/lib/a.js"))).toBeUndefined();
  const py = "import os\nfrom calc import add\n";
  expect(follow("tests/test_a.py", py, "import os\nfrom pkg.calc import add, sub\n")).toBe(
    "import os\nfrom pkg.calc import add\n",
  );
  expect(follow("tests/test_a.py", "import calc\n", "from pkg import calc\n")).toBe("from pkg import calc\n");
  expect(follow("tests/test_a.py", py, "import os\nfrom tests.fake import add\n")).toBeUndefined();
});
