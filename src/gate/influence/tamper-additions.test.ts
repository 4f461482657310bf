import { expect, test } from "vitest";
import { findSkips } from "./tamper-additions.js";

/** Old tests; lines are inserted at the mark, with its indentation. */
const TESTS: Record<string, string> = {
  "a.test.js": `import { add } from "../src/add.js";

test("adds", (t) => {
  const sum = add(1, 2);
  <here>
  assert.equal(sum, 3);
});
`,
  "test_a.py": `from calc import add


class Tests(TestCase):
    def test_add(self):
        total = add(1, 2)
        <here>
        self.assertEqual(total, 3)
`,
  "a.sh": `#!/bin/sh
set -eu
out=$(sh add.sh 1 2)
<here>
[ "$out" = 3 ]
`,
  "a_spec.rb": `describe "add" do
  it "adds" do
    sum = add(1, 2)
    <here>
    expect(sum).to eq(3)
  end
end
`,
  "a_test.go": `package calc

func TestAdd(t *testing.T) {
	sum := Add(1, 2)
	<here>
	check(t, sum, 3)
}
`,
  "ATest.java": `class ATest {
  <here>
  @Test
  void adds() {
    check(add(1, 2), 3);
  }
}
`,
  "a.rs": `mod tests {
    <here>
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
`,
  "a.json": `[
  <here>
  1
]
`,
};

/** Judges lines that are inserted into the tests of that name. */
function put(name: string, added: string): string | undefined {
  const text = TESTS[name] ?? "";
  const after = text.replace(/^([ \t]*)<here>$/m, (_, blank: string) => added.replaceAll(/^/gm, blank));
  return findSkips(name, text.replace(/^\s*<here>\n/m, ""), after)[0]?.detail;
}

/** The added lines; and the reported line, if it is not the only one. */
type Row = [name: string, added: string, line?: string];

const leaving: Row[] = [
  // Other tests do not run, or the program ends, anywhere in the file.
  ["a.test.js", 'test.only("new", () => {});'],
  ["a.test.js", "process.exit(0);"],
  ["test_a.py", "pytestmark = pytest.mark.skip"],
  ["test_a.py", "pytestmark = [pytest.mark.slow, pytest.mark.xfail]"],
  ["a.sh", "exit 0"],
  // Leaves the test before its assertions.
  ["a.test.js", "return;"],
  ["a.test.js", "return"],
  ["a.test.js", "return xs.map((x) => x);"],
  ["a.test.js", "return new Promise(function () {});"],
  ["a.test.js", "break;"],
  ["a.test.js", "continue;"],
  ["a.test.js", "if (!ready) return;"],
  ["a.test.js", "if(ready)return;"],
  ["a.test.js", "if (ready) { return; }"],
  ["a.test.js", "if (ready);else return;"],
  ["a.test.js", "else return;"],
  ["a.test.js", "while (ready) break;"],
  ["a.test.js", "for (;;) {return; }"],
  ["a.test.js", "t.skip();"],
  ["a.test.js", "t . skip ('later');"],
  ["a.test.js", 't.todo("later");'],
  ["a.test.js", "this.skip();"],
  ["a.test.js", "if (windows) this.skip();"],
  ["a.test.js", "ctx.skip();"],
  ["a.test.js", "context.skip();"],
  ["a.test.js", "test.skip();"],
  ["a.test.js", 'test.skip("(");'],
  ["a.test.js", "t.skip(why());"],
  ["a.test.js", "{ skip: true },"],
  ["a.test.js", "{todo : 1}"],
  ["test_a.py", "return"],
  ["test_a.py", "if windows: return"],
  ["test_a.py", "elif windows:return"],
  ["test_a.py", 'self.skipTest("later")'],
  ["test_a.py", 'self . skipTest ("later")'],
  ["test_a.py", 'skipTest("later")'],
  ["test_a.py", "raise SkipTest"],
  ["test_a.py", 'raise  SkipTest("later")'],
  ["test_a.py", 'raise unittest.SkipTest("later")'],
  ["test_a.py", "pytest.skip()"],
  ["test_a.py", 'pytest . xfail ("later")'],
  ["test_a.py", 'pytest.importorskip("numpy")'],
  ["test_a.py", "tc.skip()"],
  ["a_test.go", "t.Skip()"],
  ["a_test.go", 't.Skipf("later %d", 1)'],
  ["a_test.go", "t.SkipNow()"],
  ["a_spec.rb", "skip"],
  ["a_spec.rb", 'skip "later"'],
  ["a_spec.rb", "pending"],
  ["a_spec.rb", 'pending "later"'],
  ["a_spec.rb", "return unless ready"],
  ["a_spec.rb", "unless ready; return; end"],
  ["a.sh", "exit 77"],
  ["a.sh", "exit  77"],
  ["a.sh", "command -v jq || exit 77"],
  ["a.sh", "if ! command -v jq; then exit 77; fi"],
  ["a.sh", "command -v jq || { echo no jq; exit 77; }"],
  // In blocks around a statement that leaves the test.
  ["a.test.js", "if (ready) {\n  return;\n}", "return;"],
  ["a.test.js", "if (ready) {\n  for (const x of xs) {\n    return;\n  }\n}", "return;"],
  ["a.test.js", "if (a) {\n  go();\n} else {\n  return;\n}", "return;"],
  ["a.test.js", "if (a) {\n  go();\n}else if (b) {\n  return;\n}", "return;"],
  ["a.test.js", "if (a) {\n  go();\n}\nelse {\n  return;\n}", "return;"],
  ["a.test.js", "{\n  return;\n}", "return;"],
  ["a.test.js", "{ // a block\n  return;\n}", "return;"],
  ["a.test.js", "do {\n  break;\n} while (a);", "break;"],
  ["a.test.js", "switch (a) {\n  case 1:\n    return;\n}", "return;"],
  ["a.test.js", "try {\n  return;\n} finally {\n}", "return;"],
  ["a.test.js", "go();\n  go();\nreturn;", "return;"],
  ["test_a.py", "with a:\n    if b:\n        return", "return"],
  ["test_a.py", "try:\n    import numpy\nexcept ImportError:\n    self.skipTest('')", "self.skipTest('')"],
  ["a_spec.rb", 'if windows\n  skip "later"\nend', 'skip "later"'],
  ["a.sh", "case $x in\n  a) exit 77 ;;\nesac", "a) exit 77 ;;"],
  ["a_test.go", "if short {\n\tt.Skip()\n}", "t.Skip()"],
  // Around old lines.
  ["a.test.js", "if (false) {"],
  ["a.test.js", "const never = () => {"],
  ["a.test.js", "go();\n/*", "/*"],
  ["a.test.js", "if (describe) {\n}\ngo(() => {", "go(() => {"],
  ["a.test.js", 'describe.skip("new", () => {'],
  ["a.test.js", 'go("describe", () => {'],
  ["test_a.py", "if False:\n    pass\nif (", "if ("],
  ["test_a.py", 'x = """'],
  ["a.sh", "if false; then"],
  ["a.sh", ": <<EOF"],
  ["a_spec.rb", "if false"],
  ["a_spec.rb", "=begin"],
  ["ATest.java", "void never() {"],
  // Marks of the following test.
  ["ATest.java", "@Disabled"],
  ["ATest.java", '@Disabled\n@Tag("slow")', "@Disabled"],
  ["ATest.java", "@Test\nvoid n() {\n}\n@Disabled\n@Slow", "@Disabled"],
  ["ATest.java", "[Ignore]"],
  ["a.rs", "#[ignore]"],
  ["a.rs", '#[ignore = "slow"]\n#[should_panic]', '#[ignore = "slow"]'],
];

test.for(leaving)("added lines disable old ones: %s: %s", ([name, added, line = added]) => {
  const told = put(name, added);
  expect(told).toMatch(/^line \d+ leaves tests out: /);
  expect(told?.replace(/^.*?: /, "")).toBe(line);
});

const honest: Row[] = [
  // Words that only look like it.
  ["a.test.js", "returned();"],
  ["a.test.js", "breaks();"],
  ["a.test.js", "continues = 1;"],
  ["a.test.js", "iffy return;"],
  ["a.test.js", "if (a) go.return;"],
  ["a.test.js", 'log("return;");'],
  ["a.test.js", "value.return();"],
  ["a.test.js", "contest.skip();"],
  ["a.test.js", "t.skipper();"],
  ["a.test.js", "tskip();"],
  ["a.test.js", "lines.skip(1);"],
  ["a.test.js", "skip = 1;"],
  ["a.test.js", "skip(1),"],
  ["a.test.js", "skip: 1,"],
  ["a.test.js", "skip .count()"],
  ["a.test.js", "skipped();"],
  ["a.test.js", "{ skipped: 1 },"],
  ["a.test.js", "x = { skip: true };"],
  ["a.test.js", "const all = [{ skip: true }];"],
  ["a.test.js", "const two = one << ONE;"],
  ["a.test.js", "exit = 77;"],
  ["test_a.py", "pytestmarks = skip"],
  ["test_a.py", "pytestmark = pytest.mark.asyncio"],
  ["test_a.py", "x.pytestmark = skip"],
  ["test_a.py", "raise SkipError"],
  ["test_a.py", "raised SkipTest"],
  ["test_a.py", "pytest.skipping()"],
  ["test_a.py", "myself.skipTest2()"],
  ["test_a.py", "self.skipTests()"],
  ["a.sh", "exit 1"],
  ["a.sh", "exit 770"],
  ["a.sh", "texit 77"],
  ["a.sh", 'echo "exit 77"'],
  ["a.sh", "grep -q 3 out || return 1"],
  // Functions and tests that are entirely new, with their own returns.
  ["a.test.js", "const twice = (x) => { return 2 * x; };"],
  ["a.test.js", "if (a) f = () => { return 1; };"],
  ["a.test.js", "if (a) f = function () { return 1; };"],
  ["a.test.js", 't.skip("new", () => {});'],
  ["a.test.js", 't.skip("new", function () {});'],
  ["a.test.js", 't.skip("new", { a: 1 }, () => {\n  go();\n});'],
  ["a.test.js", "t.skip({ \n});"],
  ["a.test.js", "function twice(x) {\n  return 2 * x;\n}"],
  ["a.test.js", "const twice = (x) => {\n  if (x) {\n    return 1;\n  }\n  return 2;\n};"],
  ["a.test.js", "run(() => {\n  if (a) {\n    go();\n  } else {\n    return;\n  }\n});"],
  ["a.test.js", "iffy(() => {\n  return;\n});"],
  ["a.test.js", "x.if(() => {\n  return;\n});"],
  ["test_a.py", "def twice(x):\n    return 2 * x"],
  ["test_a.py", "for n in (1, 2):\n    self.assertEqual(add(n, 0), n)"],
  ["a_spec.rb", "twice = lambda do |x|\n  return 2 * x\nend"],
  ["a_test.go", "twice := func(x int) int {\n\treturn 2 * x\n}"],
  // Groups around old tests.
  ["a.test.js", 'describe("add", () => {'],
  ["a_spec.rb", 'context "new" do'],
  ["ATest.java", "class More {"],
  // Marks of something else.
  ["ATest.java", '@Tag("slow")'],
  ["ATest.java", "@Disabled\nvoid never() {\n}"],
  ["ATest.java", "@Disabled\nvoid never() {\n}\n@Slow"],
  ["a.rs", "#[should_panic]"],
  ["a.rs", "#[test]\n#[ignore]\nfn never() {\n}"],
  ["a.test.js", 'go("@Disabled"); [1].map(go);'],
  // Here-documents and data have no code.
  ["a.sh", "cat >stub <<EOF\nexit 0\nreturn\nEOF"],
  ["a_spec.rb", "text = <<~EOS\n  exit 0\n  skip\nEOS"],
  ["a.json", '{ "only": true },\n{ skip: true, only: true },'],
  // Comments and imports are not code.
  ["a.test.js", "// return;\n// it.only("],
  ["test_a.py", "# return\nimport sys"],
];

test.for(honest)("added lines do not disable old ones: %s: %s", ([name, added]) => {
  expect(put(name, added)).toBeUndefined();
});

test.for<[what: string, name: string, before: string, after: string, line?: string]>([
  [
    "a return at the end of its block",
    "a.js",
    "a(() => {\n  b();\n});\nc();\n",
    "a(() => {\n  b();\n  return;\n});\nc();\n",
  ],
  ["a return before what ends a list", "a.js", "b();\n  ]\n", "b();\nreturn;\n  ]\n"],
  ["a return behind all", "a.js", "a();\n", "a();\nreturn;\n"],
  ["a block that is open behind all", "a.js", "a();\n", "a();\nif (b) {\n"],
  ["a return before less deep lines", "a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    return\nc()\n"],
  [
    "a return before lines as deep",
    "a.py",
    "def a():\n    b()\n    c()\n",
    "def a():\n    b()\n    return\n    c()\n",
    "line 3: return",
  ],
  [
    "tabs are as deep as four blanks",
    "a.py",
    "if a:\n\tb()\n    c()\n",
    "if a:\n\tb()\n\treturn\n    c()\n",
    "line 3: return",
  ],
  ["tabs are deeper than two blanks", "a.py", "if a:\n\tb()\n  c()\n", "if a:\n\tb()\n\treturn\n  c()\n"],
  ["a head of old lines", "a.py", "def a():\n    b()\n", "def a():\n  if c:\n    b()\n", "line 2: if c:"],
  [
    "a head with a comment",
    "a.py",
    "def a():\n    b()\n",
    "def a():\n  if c:  # later\n    b()\n",
    "line 2: if c:  # later",
  ],
  [
    "a head with blanks behind",
    "a.py",
    "def a():\n    b()\n",
    "def a():\n  if c:  \n    b()\n",
    "line 2: if c:",
  ],
  ["a class around old lines", "a.py", "def a():\n    b()\n", "def a():\n  class  C(D):\n    b()\n"],
  [
    "a class around old lines, at the margin",
    "a.py",
    "  def a():\n    b()\n",
    "class C:\n  def a():\n    b()\n",
  ],
  [
    "a name that ends as class does",
    "a.py",
    "def a():\n    b()\n",
    "def a():\n  if subclass:\n    b()\n",
    "line 2: if subclass:",
  ],
  ["not the head of a block", "a.py", "def a():\n    b()\n", "def a():\n  c(d[:])\n    b()\n"],
  ["a head before lines as deep", "a.py", "a()\nb()\n", "a()\nif c: pass\nelse:\nb()\n"],
  ["a label in another language", "a.js", "  b();\n", "case 1:\n  b();\n"],
  [
    "lines that moved on",
    "a.js",
    "// 1\n// 2\n// 3\na();\nb();\n",
    "a();\nreturn;\nb();\n",
    "line 2: return;",
  ],
  [
    "the second place",
    "a.js",
    "a();\nb();\nc();\n",
    "a();\nx();\nb();\ny();\nreturn;\nc();\n",
    "line 5: return;",
  ],
  ["only a comment follows", "a.js", "a();\n// b\n", "a();\nreturn;\n// b\n"],
  ["lines behind a comment", "a.js", "a();\n// b\nc();\n", "a();\nreturn;\n// b\nc();\n", "line 2: return;"],
  ["new lines are none that follow", "a.js", "a();\n// b\n", "a();\nreturn;\n// b\nc();\n"],
  ["the end of what runs", "a.rb", "a\nb\n", "a\n__END__\nb\n", "line 2: __END__"],
  ["the same text", "a.js", "a();\nreturn;\nb();\n", "a();\nreturn;\nb();\n"],
])("the position of an added line counts: %s", ([, name, before, after, line]) => {
  const [one] = findSkips(name, before, after);
  expect(one).toEqual(
    line === undefined
      ? undefined
      : { path: name, what: "skipped", detail: line.replace(":", " leaves tests out:") },
  );
});

test("the line is reported without blanks around it, in UTF-8, and cut if long", () => {
  const long = Buffer.from(`  return "${"ä".repeat(300)}";  `).toString("latin1");
  const [one] = findSkips("a.js", "a();\n  b();\n", `a();\n${long}\n  b();\n`);
  expect(one?.detail).toBe(`line 2 leaves tests out: return "${"ä".repeat(192)}`);
});

test("in texts with too many differences only a line that ends all tests is found", () => {
  const lines = Array.from({ length: 20_010 }, (_, line) => `go(${line});\n`).join("");
  expect(findSkips("a.js", "a();\n", `return;\n${lines}a();\n`)).toEqual([]);
  const [one] = findSkips("a.js", "a();\n", `return;\n${lines}process.exit(0);\na();\n`);
  expect(one?.detail).toBe("line 20012 leaves tests out: process.exit(0);");
});

const CLASS = "class Tests:\n    def test_a(self):\n        a()\n    def test_b(self):\n        b()\n";

test.for<[name: string, before: string, added: string, twice?: string]>([
  ["test_a.py", CLASS, "    def test_a(self):\n        pass\n", "Tests.test_a"],
  ["test_a.py", CLASS, "    async  def  test_a(self):\n        pass\n", "Tests.test_a"],
  ["test_a.py", CLASS, "class  Tests:\n    pass\n", "Tests"],
  ["test_a.py", "def a():\n    b()\n", "def a(): pass\n", "a"],
  ["test_a.py", "async def a():\n    b()\n", "def a(): pass\n", "a"],
  ["test_a.py", CLASS, "class More:\n    def test_a(self):\n        pass\n"],
  ["test_a.py", CLASS, "def test_a(self):\n    pass\n"],
  ["test_a.py", CLASS, "    def test_ab(self):\n        def test_a(): pass\n"],
  ["test_a.py", CLASS, "def new(): pass\ndef new(): pass\n"],
  ["test_a.py", CLASS, "x = 1 # def a and class Tests\nundef test_a\n"],
  ["test_a.py", "def a():\n    b()\nx = 'def a'\n", "y = 'def a'\n"],
  ["a.sh", "check() {\n  grep -q a out\n}\n", "check() {\n  true\n}\n", "check"],
  ["a.sh", "check() {\n  grep -q a out\n}\n", "function  check () {\n  true\n}\n", "check"],
  ["a.sh", "check-it () {\n  grep -q a out\n}\n", "check-it() { true; }\n", "check-it"],
  ["a.sh", "  function check() {\n  grep -q a out\n}\n", "  check() { true; }\n", "check"],
  ["a.sh", "check() {\n  grep -q a out\n}\n", "check_it() {\n  true\n}\ncheck out\n"],
  ["a.sh", "check() {\n  grep -q a out\n}\n", "echo 'check()'\n"],
  ["a.js", "function a() {\n  b();\n}\n", "def a() {\n}\n"],
  ["a.js", "check();\n", "check();\n"],
  ["a.rb", "def a()\n  b\nend\n", "def a()\nend\n"],
])("a name is defined twice: %s %s + %s", ([name, before, added, twice]) => {
  expect(findSkips(name, before, before + added)).toEqual(
    twice === undefined
      ? []
      : [{ path: name, what: "weakened", detail: `${twice} is defined once more, and hides the first` }],
  );
});
