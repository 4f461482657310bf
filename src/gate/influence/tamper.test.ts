import { expect, test } from "vitest";
import { NOTHING } from "../../git/base/diff.js";
import { protect } from "./protected.js";
import { findNamedFiles } from "./protected-commands.js";
import { findTampering, type ChangedFile } from "./tamper.js";

const protection = protect({
  patterns: [],
  project: "",
  work: "",
  named: findNamedFiles({ project: [], own: [] }, "", { has: () => false, text: () => undefined }),
});

const file = (path: string, before: string | undefined, after: string | undefined): ChangedFile => ({
  path,
  from: before === undefined ? NOTHING : { mode: "100644", oid: `o ${before}` },
  to: after === undefined ? NOTHING : { mode: "100644", oid: `o ${after}` },
  before,
  after,
});
const isOurs = (module: string): boolean =>
  module.startsWith(".") || module === "calc" || module === "helper";
const found = (...files: ChangedFile[]): string[] =>
  findTampering(files, protection, isOurs).map(({ path, what }) => `${what} ${path ?? ""}`);

const JS = `import assert from "node:assert";
import { test } from "node:test";
import { add } from "../src/add.js";

test("adds", () => {
  const sum = add(1, 2);
  assert.equal(sum, 3);
});

describe("group", () => {
  it("adds nothing", () => {
    assert.equal(add(1, 0), 1);
  });
});
`;
const PY = `import unittest
from calc import add


class Tests(unittest.TestCase):
    def test_add(self):
        total = add(1, 2)
        self.assertEqual(total, 3)

    def test_none(self):
        self.assertEqual(add(1, 0), 1)
`;
const SH = `#!/bin/sh
# Adds.
set -eu
out=$(sh add.sh 1 2)
[ "$out" = 3 ] || exit 1
[ "$(sh add.sh 1 0)" = 1 ] || exit 1
`;
const GO = `package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("sum")
	}
}
`;

/** A text, its replacement, and the expected finding. */
const sly: Record<string, [path: string, before: string, after: string, what: string]> = {
  "an assertion goes": ["test/a.test.js", JS, JS.replace("  assert.equal(sum, 3);\n", ""), "weakened"],
  "an expected value": ["test/a.test.js", JS, JS.replace("sum, 3", "sum, -1"), "weakened"],
  "an assertion becomes a comment": [
    "test/a.test.js",
    JS,
    JS.replace("  assert.equal(sum", "  // assert.equal(sum"),
    "weakened",
  ],
  "it.skip": ["test/a.test.js", JS, JS.replace("it(", "it.skip("), "skipped"],
  xit: ["test/a.test.js", JS, JS.replace("it(", "xit("), "skipped"],
  "test.todo": ["test/a.test.js", JS, JS.replace('test("', 'test.todo("'), "skipped"],
  "an option skip": ["test/a.test.js", JS, JS.replace('"adds", ()', '"adds", { skip: true }, ()'), "skipped"],
  "test.only in a new test": ["test/a.test.js", JS, `${JS}test.only("new", () => {});\n`, "skipped"],
  "a return before an assertion": [
    "test/a.test.js",
    JS,
    JS.replace("  const sum", "  return;\n  const sum"),
    "skipped",
  ],
  "a return in a condition": [
    "test/a.test.js",
    JS,
    JS.replace("  const sum", "  if (1) {\n    return;\n  }\n  const sum"),
    "skipped",
  ],
  "a return in a condition of one line": [
    "test/a.test.js",
    JS,
    JS.replace("  const sum", "  if (1) return;\n  const sum"),
    "skipped",
  ],
  "a condition around": [
    "test/a.test.js",
    JS,
    JS.replace("  assert.equal(sum, 3);", "  if (false) {\n  assert.equal(sum, 3);\n  }"),
    "skipped",
  ],
  "a function around": [
    "test/a.test.js",
    JS,
    JS.replace('test("adds"', 'function never() {\ntest("adds"').replace("\n\ndescribe", "\n}\n\ndescribe"),
    "skipped",
  ],
  "a try around": [
    "test/a.test.js",
    JS,
    JS.replace("  assert.equal(sum, 3);", "  try {\n    assert.equal(sum, 3);\n  } catch {}"),
    "skipped",
  ],
  "describe.skip around": [
    "test/a.test.js",
    JS,
    JS.replace('test("adds"', 'describe.skip("x", () => {\ntest("adds"').replace(
      "\n\ndescribe",
      "\n});\n\ndescribe",
    ),
    "skipped",
  ],
  "a comment around": [
    "test/a.test.js",
    JS,
    JS.replace("  assert.equal(sum, 3);", "  /*\n  assert.equal(sum, 3);\n  */"),
    "skipped",
  ],
  "process.exit at the start": [
    "test/a.test.js",
    JS,
    JS.replace('test("adds"', 'process.exit(0);\ntest("adds"'),
    "skipped",
  ],
  "process.exit at the end": ["test/a.test.js", JS, `${JS}process.exit();\n`, "skipped"],
  "t.skip in the test": [
    "test/a.test.js",
    JS,
    JS.replace("  const sum", "  t.skip();\n  const sum"),
    "skipped",
  ],
  "@unittest.skip": [
    "tests/test_a.py",
    PY,
    PY.replace("    def test_add", '    @unittest.skip("x")\n    def test_add'),
    "skipped",
  ],
  "a skipped class": [
    "tests/test_a.py",
    PY,
    PY.replace("class Tests", "@unittest.skip\nclass Tests"),
    "skipped",
  ],
  pytestmark: ["tests/test_a.py", PY, `${PY}\npytestmark = pytest.mark.skip\n`, "skipped"],
  "self.skipTest": [
    "tests/test_a.py",
    PY,
    PY.replace("        total", '        self.skipTest("x")\n        total'),
    "skipped",
  ],
  "return in python": [
    "tests/test_a.py",
    PY,
    PY.replace("        total", "        return\n        total"),
    "skipped",
  ],
  "if False": [
    "tests/test_a.py",
    PY,
    PY.replace(
      "        self.assertEqual(total, 3)",
      "        if False:\n            self.assertEqual(total, 3)",
    ),
    "skipped",
  ],
  "a string around": [
    "tests/test_a.py",
    PY,
    PY.replace(
      "        self.assertEqual(total, 3)",
      '        """\n        self.assertEqual(total, 3)\n        """',
    ),
    "skipped",
  ],
  "sys.exit": ["tests/test_a.py", PY, `${PY}\nsys.exit(0)\n`, "skipped"],
  "raise SystemExit": [
    "tests/test_a.py",
    PY,
    PY.replace("\n\nclass", "\nraise SystemExit(0)\n\nclass"),
    "skipped",
  ],
  "a test defined again": [
    "tests/test_a.py",
    PY,
    `${PY}\n    def test_add(self):\n        pass\n`,
    "weakened",
  ],
  "a class defined again": [
    "tests/test_a.py",
    PY,
    `${PY}\n\nclass Tests(unittest.TestCase):\n    pass\n`,
    "weakened",
  ],
  "exit 0": ["test/a.sh", SH, SH.replace("set -eu\n", "set -eu\nexit 0\n"), "skipped"],
  "exit 77": ["t/a.sh", SH, SH.replace("out=", "exit 77\nout="), "skipped"],
  "exit 0 at the end": ["test/a.sh", SH, `${SH}exit 0\n`, "skipped"],
  "if false in shell": ["test/a.sh", SH, SH.replace("out=", "if false; then\nout=") + "fi\n", "skipped"],
  "a here-document around": ["test/a.sh", SH, SH.replace("out=", ": <<'X'\nout=") + "X\n", "skipped"],
  "another shell": ["test/a.sh", SH, SH.replace("#!/bin/sh", "#!/bin/true"), "weakened"],
  "|| true": ["test/a.sh", SH, SH.replace("|| exit 1", "|| true"), "weakened"],
  "t.Skip": ["calc_test.go", GO, GO.replace("\tif Add", "\tt.Skip()\n\tif Add"), "skipped"],
  "@Disabled": [
    "src/test/java/ATest.java",
    "class ATest {\n  @Test\n  void a() {\n    check();\n  }\n}\n",
    "class ATest {\n  @Disabled\n  @Test\n  void a() {\n    check();\n  }\n}\n",
    "skipped",
  ],
  "a fixture": ["test/fixtures/a.json", '{\n  "a": 1\n}\n', '{\n  "a": 2\n}\n', "weakened"],
  bytes: ["test/a.png", "\0\x01", "\0\x02", "weakened"],
};

test.each(Object.entries(sly))("tampering is found: %s", (_, [path, before, after, what]) => {
  expect(found(file(path, before, after))).toEqual([`${what} ${path}`]);
});

const NEW_JS = `
test("adds more", (t) => {
  const all = [1, 2].map((one) => {
    if (one === 1) return 2;
    return one;
  });
  for (const one of all) {
    if (one > 2) continue;
    assert.equal(add(one, 0), one);
  }
  assert.match("process.exit(0) /* it.skip(", /exit/);
});
`;
const honest: Record<string, [path: string, before: string, after: string]> = {
  "a test at the end": ["test/a.test.js", JS, JS + NEW_JS],
  "a test at the start": ["test/a.test.js", JS, JS.replace('test("adds"', `${NEW_JS}\ntest("adds"`)],
  "a test in a group": [
    "test/a.test.js",
    JS,
    JS.replace('  it("adds', '  it("is new", () => {\n    return add(1, 1);\n  });\n\n  it("adds'),
  ],
  "an assertion in a test": [
    "test/a.test.js",
    JS,
    JS.replace("  assert.equal(sum, 3);", "  assert.equal(sum, 3);\n  assert.equal(add(2, 2), 4);"),
  ],
  "a new import": ["test/a.test.js", JS, JS.replace("{ add }", "{ add, sub }")],
  "the source moved": ["test/a.test.js", JS, JS.replace("../src/add.js", "../src/math/add.js")],
  "an import of many lines": ["test/a.test.js", JS, JS.replace("{ add }", "{\n  add,\n  sub,\n}")],
  "a comment": ["test/a.test.js", JS, JS.replace("  const sum", "  // The sum.\n  const sum")],
  "a heading around": [
    "test/a.test.js",
    JS,
    `${JS.replace('test("adds"', 'describe("add", () => {\ntest("adds"')}});\n`,
  ],
  "other indentation": ["test/a.test.js", JS, JS.replaceAll("  ", "    ")],
  "a new skipped test": ["test/a.test.js", JS, `${JS}test.skip("later", () => {\n  assert.fail();\n});\n`],
  "a helper": [
    "test/a.test.js",
    JS,
    JS.replace('test("adds"', 'function twice(n) {\n  return 2 * n;\n}\n\ntest("adds"'),
  ],
  "a python test": [
    "tests/test_a.py",
    PY,
    `${PY}\n    def test_more(self):\n        """Adds more."""\n        if add(1, 1) != 2:\n            return\n        self.assertEqual(add(2, 2), 4)\n`,
  ],
  "a python test between": [
    "tests/test_a.py",
    PY,
    PY.replace(
      "    def test_none",
      "    def test_two(self):\n        for n in (1, 2):\n            if n == 1:\n                continue\n            self.assertEqual(add(n, 0), n)\n\n    def test_none",
    ),
  ],
  "another class": [
    "tests/test_a.py",
    PY,
    `${PY}\n\nclass More(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n`,
  ],
  "a python import": [
    "tests/test_a.py",
    PY,
    PY.replace("from calc import add", "from calc import (\n    add,\n    sub,\n)"),
  ],
  "a skip for a new test": [
    "tests/test_a.py",
    PY,
    `${PY}\n    @unittest.skipIf(True, "x")\n    def test_more(self):\n        pass\n`,
  ],
  "a shell check": [
    "test/a.sh",
    SH,
    `${SH}for n in 1 2; do\n  [ "$(sh add.sh "$n" 0)" = "$n" ] || exit 1\ndone\n`,
  ],
  "a stub in a here-document": [
    "test/a.sh",
    SH,
    `${SH}cat >stub <<'EOF'\nexit 0\nEOF\n[ "$(sh add.sh 5 0)" = 5 ] || exit 1\n`,
  ],
  "a fixture gets a line": ["test/fixtures/a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n'],
  "a snapshot gets an entry": ["test/__snapshots__/a.snap", "a\n", "a\n\nb\n"],
  "no test at all": ["src/a.js", "process.exit(1);\n", "process.exit(0);\n"],
  "a document beside tests": ["test/README.md", "a\n", "b\n"],
};

test.each(Object.entries(honest))("an honest change is accepted: %s", (_, [path, before, after]) => {
  expect(findTampering([file(path, before, after)], protection, isOurs)).toEqual([]);
});

test("deleted, moved, linked and no longer executable tests are reported", () => {
  const old = file("test/a.test.js", JS, undefined);
  expect(found(old)).toEqual(["deleted test/a.test.js"]);
  const moved = { ...file("test/b.js", undefined, JS) };
  expect(findTampering([old, moved], protection, isOurs)).toEqual([
    { path: "test/a.test.js", what: "deleted", detail: "moved to test/b.js" },
  ]);
  const link = { ...old, to: { mode: "120000", oid: "l" }, after: "b.js" };
  expect(found(link)).toEqual(["deleted test/a.test.js"]);
  const program = { mode: "100755", oid: "p" };
  const file2 = {
    path: "test/a.sh",
    from: program,
    to: { ...program, mode: "100644" },
    before: SH,
    after: SH,
  };
  expect(found(file2)).toEqual(["weakened test/a.sh"]);
});

test.each([
  ["src/a.js", "/etc/passwd", true],
  ["src/a.js", "../../outside.js", true],
  ["src/a.js", "../.git/config", true],
  ["src/a.js", "../lib/a.js", false],
])("a symlink leads out of the project or not: %s -> %s", (path, target, leaves) => {
  const link = { ...file(path, undefined, target), to: { mode: "120000", oid: "l" } };
  expect(found(link)).toEqual(leaves ? [`settings ${path}`] : []);
  const old = { ...link, from: link.to };
  expect(found({ ...old, to: { mode: "120000", oid: "l" } })).toEqual([]);
});

test("changes to Looper's settings are reported", () => {
  expect(found(file(".looper/config.json", undefined, "{}"))).toEqual(["settings .looper/config.json"]);
  const before = '{"looper":{"verify":{"commands":["npm test"]}},"name":"a"}';
  expect(found(file("package.json", before, before.replace("npm test", "true")))).toEqual([
    "settings package.json",
  ]);
  expect(found(file("package.json", before, '{"name":"a"}'))).toEqual(["settings package.json"]);
  expect(found(file("package.json", before, before.replace('"a"', '"b"')))).toEqual([]);
});

test("the line is reported in UTF-8", () => {
  const before = Buffer.from('check("ä");\ncheck("b");\n').toString("latin1");
  const [one] = findTampering([file("test/a.js", before, 'check("b");\n')], protection, isOurs);
  expect(one?.detail).toBe('line 1 is gone or changed: check("ä");');
});

test("a test that imports its assertions from elsewhere is reported", () => {
  const after = JS.replace('"node:assert"', '"./helper.mjs"');
  expect(found(file("test/a.test.mjs", JS, after))).toEqual(["weakened test/a.test.mjs"]);
});
