import { expect, test } from "vitest";
import { NOTHING, type DiffEntry, type Version } from "../../git/base/diff.js";
import { toBytes } from "../../git/base/bytes.js";
import { protect, type Protection, type ProtectionRules } from "./protected.js";
import { findNamedFiles } from "./protected-commands.js";
import { mergeMakefile } from "./protected-makefile.js";
import { mergeManifest } from "./protected-manifests.js";
import { followMoves } from "./protected-imports.js";
import { planRoom, type Pass } from "../rooms/protected-room.js";

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

const json = (value: object): string => JSON.stringify(value);
const merged = (base: object, now: object, keepNew = false): unknown => {
  const text = mergeManifest("package.json", { base: json(base), now: json(now) }, keepNew);
  return text === undefined ? undefined : JSON.parse(text);
};

test("existing scripts of package.json are restored, and new ones stay unless they run automatically", () => {
  const base = { name: "a", scripts: { test: "vitest", lint: "eslint" }, jest: { bail: 1 } };
  expect(
    merged(base, { ...base, scripts: { ...base.scripts, start: "node ." }, dependencies: { b: "1" } }),
  ).toBeUndefined();
  expect(
    merged(base, {
      ...base,
      scripts: { test: "true", pretest: "x", postlint: "x", install: "x", prepare: "x", prefix: "y" },
    }),
  ).toEqual({
    ...base,
    scripts: { ...base.scripts, prefix: "y" },
  });
  expect(merged(base, { name: "b", mocha: { forbidOnly: false } })).toEqual({
    name: "b",
    scripts: base.scripts,
    jest: base.jest,
  });
  expect(merged(base, { ...base, mocha: {} }, true)).toBeUndefined();
  expect(mergeManifest("package.json", { base: "{", now: "{}" }, false)).toBeUndefined();
});

test("settings of checks in pyproject.toml are restored, and the rest stays", () => {
  const base =
    '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-ra"\n\n[tool.coverage.report]\nfail_under = 90.0\n';
  const now =
    '[project]\nname = "a"\ndependencies = ["x"]\nbig = 9007199254740993\nwhen = 2024-01-01T00:00:00Z\n\n[tool.pytest.ini_options]\naddopts = "--co"\n\n[tool.ruff]\nignore = ["ALL"]\n';
  const text = mergeManifest("pyproject.toml", { base, now }, false) ?? "";
  expect(text).toContain('addopts = "-ra"');
  expect(text).toContain("fail_under = 90.0");
  expect(text).toContain('dependencies = [ "x" ]');
  expect(text).toContain("big = 9007199254740993");
  expect(text).toMatch(/when = 2024-01-01T00:00:00/);
  expect(text).not.toContain("ruff");
  expect(mergeManifest("pyproject.toml", { base, now: base.replace('"a"', '"b"') }, false)).toBeUndefined();
});

test("a Makefile has its old rules, and new ones", () => {
  const base = "CC = cc\n\ncheck: all\n\t@sh check.sh $(FLAGS)\n";
  expect(mergeMakefile(base, `${base}\nlint:\n\t@x\n`)).toBeUndefined();
  const sly =
    "SHELL = /bin/true\nFLAGS = --help\nOTHER = 1\ncheck:\n\t@true\n%:\n\t@true\nlint:\n\t@x \\\n\ty\n.DEFAULT:\n\tz\n";
  expect(mergeMakefile(base, sly)).toBe(`${base}\nOTHER = 1\n\nlint:\n\t@x \\\n\ty\n`);
  expect(mergeMakefile(base, "")).toBe(base);
});

const change = (path: string, from: Version, to: Version): DiffEntry => ({ path: toBytes(path), from, to });
const planned = (pass: Pass, changes: DiffEntry[]): string[] =>
  planRoom(changes, rules(), pass).entries.map(({ path }) => path);

test("a room has the work, and the tests of its pass", () => {
  const changes = [
    change("src/a.js", FILE, PROGRAM),
    change("test/old.test.js", FILE, PROGRAM),
    change("test/new.test.js", NOTHING, FILE),
    change(".npmrc", NOTHING, FILE),
    change("jest.config.js", FILE, PROGRAM),
    change("bin/sh", NOTHING, PROGRAM),
  ];
  expect(planned("work", changes)).toEqual(["src/a.js"]);
  expect(planned("tests", changes)).toEqual(["src/a.js", "test/old.test.js", "test/new.test.js"]);
  expect(planned("red", changes)).toEqual(["test/old.test.js", "test/new.test.js"]);
});

test("a new setting of a runner is only in the pass with new tests", () => {
  const changes = [
    change("a.js", FILE, PROGRAM),
    change("test/a.test.js", NOTHING, FILE),
    change("conftest.py", NOTHING, FILE),
    change("vitest.config.js", NOTHING, FILE),
  ];
  expect(planned("work", changes)).toEqual(["a.js"]);
  expect(planned("tests", changes)).toEqual(["a.js", "test/a.test.js", "conftest.py", "vitest.config.js"]);
});

test("a kept path is not replaced by a link, a file or a folder", () => {
  expect(planned("work", [change("test/a.js", FILE, NOTHING), change("test", NOTHING, LINK)])).toEqual([]);
  expect(planned("work", [change(".npmrc", FILE, NOTHING), change(".npmrc/a.js", NOTHING, FILE)])).toEqual(
    [],
  );
  expect(planned("work", [change("package.json", FILE, LINK)])).toEqual([]);
  expect(planned("work", [change("package.json", FILE, NOTHING)])).toEqual([]);
  expect(planned("work", [change("package.json", FILE, PROGRAM)])).toEqual(["package.json"]);
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
