// Lines that skip tests, skip all others, or end the program: the words of each language, and words that only look like them.
import { expect, test } from "vitest";
import { hasExit, hasOnly, hasSkip } from "./tamper-lines.js";

const skips: Record<string, [says: string[], not: string[]]> = {
  "JavaScript: a test by its function": [
    [
      'it.skip("a", () => {',
      'test.skip("a", () => {});',
      "describe.skip(`a ${b}`, function () {",
      "suite.skip(name, run);",
      'context.skip("a", () => {',
      'specify.skip("a", () => {',
      'test.todo("a");',
      'test.fixme("a", async ({ page }) => {',
      'test.failing("a", () => {',
      'it.fails("a", () => {',
      'test.skipIf(isCi)("a", () => {',
      'test.runIf(isCi)("a", () => {',
      'it.skip.each([1, 2])("%i", (n) => {',
      't.skip("no net");',
      "t.todo();",
      "this.skip();",
      "ctx.skip();",
    ],
    [
      'contest.skip("a");',
      "list.skip(1);",
      "test.skipper();",
      "test.skipped = 1;",
      "it.todos.add(1);",
      "test.each([1])(name, run);",
      "at.skip(1);",
      'it("skips", () => {',
      'check("test.skip(");',
      "check('it.skip(', `t.todo(`);",
    ],
  ],
  "JavaScript: a test that runs beside others": [
    [
      'test.concurrent.skip("a", async () => {',
      'describe.sequential.skip("a", () => {',
      'test.describe.serial.skip("a", () => {',
      'test.describe.parallel.fixme("a", () => {',
    ],
    ['test.concurrent("a", async () => {', "test.list.skip(1);"],
  ],
  "JavaScript: x before the function": [
    [
      'xit("a", () => {',
      'xdescribe("a", () => {',
      "xtest.each([1])(name, run);",
      "xcontext (name, run)",
      "xspecify(a);",
    ],
    ["exit(code);", "axit(1);", "xitem(1);", "const xit = 1;", "xdescribed(a);"],
  ],
  "JavaScript: an option": [
    [
      'test("a", { skip: true }, () => {',
      'test("a", { skip: "no net" }, () => {',
      'test("a", { todo: true }, () => {',
      "{ skip: process.platform === name }",
      "{ pending: reason }",
      "{ skip: falsely }",
      "{ skip: undefinedYet }",
    ],
    [
      'test("a", { skip: false }, () => {',
      'test("a", { skip:false }, () => {',
      'test("a", { todo: undefined }, () => {',
      "{ skipped: 1 }",
      "{ noskip: true }",
    ],
  ],
  "Python: a decorator": [
    [
      '@unittest.skip("a")',
      "@unittest.skipIf(sys.platform == x, y)",
      "@unittest.skipUnless(a, b)",
      "@unittest.expectedFailure",
      "@skip",
      "@expectedFailure",
    ],
    ["@unittest.mock.patch(a)", "@skipper", "@skipped(1)", "@case.skip(1)", "unittest.skip"],
  ],
  "Python: pytest": [
    [
      "@pytest.mark.skip",
      '@pytest.mark.skipif(sys.platform == "win32", reason="a")',
      "@pytest.mark.xfail(strict=True)",
      "pytestmark = pytest.mark.skip",
      'pytest.skip("a")',
      "pytest.xfail()",
      'np = pytest.importorskip("numpy")',
    ],
    [
      "@pytest.mark.skipper",
      "@pytest.mark.slow",
      "@pytest.mark.parametrize(a, b)",
      "pytest.skipped",
      "pytest.raises(Skip)",
      "mypytest.skip()",
      "@pytest.fixture",
    ],
  ],
  "Python: unittest": [
    ['self.skipTest("a")', "raise unittest.SkipTest(a)", "raise SkipTest (a)"],
    ["except SkipTest:", "skipTests(a)", "self.skipTester(a)", "myself.skipTest(a)", "NoSkipTest(a)"],
  ],
  "Java, Kotlin: an annotation": [
    [
      "@Disabled",
      '@Disabled("a")',
      "@Ignore",
      "@Ignored",
      "@DisabledIf(a)",
      "@DisabledOnOs(OS.MAC)",
      "@Ignore class A {",
    ],
    ["@Test", "@DisabledUser", "@IgnoreCase", "@Ignores", "Disabled"],
  ],
  "C#: an attribute": [
    ["[Ignore]", '[Ignore("a")]', '[Fact(Skip = "a")]', '[Theory(Skip="a")]', '[ Fact ( Skip = "a" ) ]'],
    [
      "[Fact]",
      "[Theory]",
      "[IgnoreCase]",
      '[Fact(DisplayName = "a")]',
      "[Fact(Skipped = 1)]",
      "[Theory(Skips = 1)]",
    ],
  ],
  Go: [
    ['t.Skip("a")', 't.Skipf("%d", n)', "t.SkipNow()", "if testing.Short() { t.Skip() }"],
    ["t.Skipped()", "out.Skip(1)", "t.SkipAll", "t.Skip"],
  ],
  Rust: [
    ["#[ignore]", '#[ignore = "slow"]', "#[ ignore ]"],
    ["#[test]", "#[ignored]", "#[cfg(ignore)]", "[ignore]"],
  ],
  PHP: [
    ['$this->markTestSkipped("a");', "$this->markTestIncomplete();", "self::markAsSkipped();"],
    ["$this->markTested();", "$this->remarkTestSkipped();", "$this->markTestSkippedBy();"],
  ],
  "Ruby, bats": [
    ["skip", '  skip "no net"', 'skip if ENV["CI"]', "pending", 'pending "later"', "pending do"],
    ["skipped", "skip = 1", "skip(1)", "skip.call", "pending = []", "pendings", "a skip", "let skip"].filter(
      (line) => !line.startsWith("skip:"),
    ),
  ],
  "shell: the code that says skipped": [
    ["exit 77", "command -v jq || exit 77", "exit  77;"],
    ["exit 7", "exit 770", "exit 1", "texit 77", "exit77"],
  ],
};

test.each(Object.entries(skips))("a line skips a test: %s", (_, [says, not]) => {
  expect(says.filter((line) => !hasSkip(line))).toEqual([]);
  expect(not.filter((line) => hasSkip(line))).toEqual([]);
});

/** Lines that skip all other tests; each of them counts as a skip as well. */
const only = [
  'it.only("a", () => {',
  'test.only("a", () => {',
  'describe.only("a", () => {',
  'suite.only("a", () => {',
  'context.only("a", () => {',
  'specify.only("a", () => {',
  'test.only.each([1])("%i", (n) => {',
  'test.concurrent.only("a", async () => {',
  'describe.sequential.only("a", () => {',
  'test.describe.serial.only("a", () => {',
  'test.describe.parallel.only("a", () => {',
  'fit("a", () => {',
  '  fdescribe("a", () => {',
  'fcontext("a", function () {',
  "ftest(name, run);",
  'fdescribe("a", () => { fit("b", run); });',
  'if (a) { fit("b", run); }',
  'a(); fit("b", run);',
  'const focus = () => fit("a", run);',
  'test("a", { only: true }, () => {',
  'test("a", { only:true }, run);',
];
const notOnly = [
  'contest.only("a");',
  "item.only(1);",
  "it.onlyOnce();",
  'it("only", () => {',
  'check("it.only(");',
  "only(1);",
  "test.list.only(1);",
  "model.fit(X, y)",
  "layout.fit(box);",
  "def fit(self, X, y):",
  "function fit(box) {",
  "fn fit(a: Box) -> Box {",
  "  fit(box) {",
  "  fit(a, b){",
  "const box = fit(a);",
  "assert fit(X) == 1",
  "expect(fit(a)).toBe(1);",
  "outfit(a);",
  "fitting(a);",
  "fits(a);",
  "{ only: false }",
  "{ only: trueish }",
  "{ readonly: true }",
  "{ lonely: true }",
];

test("a line skips all other tests", () => {
  expect(only.filter((line) => !hasOnly(line))).toEqual([]);
  expect(only.filter((line) => !hasSkip(line))).toEqual([]);
  expect(notOnly.filter((line) => hasOnly(line))).toEqual([]);
  expect(hasOnly('test.skip("a", () => {')).toBe(false);
});

const exits: Record<string, [says: string[], not: string[]]> = {
  JavaScript: [
    [
      "process.exit(0);",
      "process.exit();",
      "process.reallyExit(0);",
      "process.exitCode = 0;",
      "process.exitCode=0",
      "after(() => process.exit(0));",
      "exit();",
    ],
    [
      "process.exit(1);",
      "process.exit(code);",
      "process.exits(0);",
      "process.exitCode = 1;",
      "process.exitCode === 0",
      "process.exitCodes = 0;",
      "subprocess.exit(0);",
      "child.exit(0);",
      "child.exit();",
      'check("process.exit(0)");',
    ],
  ],
  Python: [
    [
      "sys.exit(0)",
      "sys.exit()",
      "os._exit(0)",
      "raise SystemExit(0)",
      "raise SystemExit()",
      "raise SystemExit",
      "if done: raise  SystemExit",
      "exit()",
      "quit(0)",
      "    quit()",
    ],
    [
      "sys.exit(1)",
      "sys.exit(main())",
      "os._exit(1)",
      "os.exit(0)",
      "raise SystemExit(1)",
      "with pytest.raises(SystemExit):",
      "except SystemExit as e:",
      "raise SystemExits",
      "raise SystemExit from e",
      "window.quit()",
      "my_quit()",
      "mysys._exit(0)",
    ],
  ],
  "Java, Go, Rust, PHP": [
    ["System.exit(0);", "os.Exit(0)", "std::process::exit(0);", "exit(0);"],
    ["System.exit(1);", "os.Exit(2)", "std::process::exit(1);", "exit(1);", "exits(0)", "MySystem.exit(0)"],
  ],
  Ruby: [
    ["exit!", "exit! 0", "exit!(0)", "exit 0", "  exit"],
    ["exit! 1", "exit!(1)", "exit 1", "exits", "at_exit do", "at_exit"],
  ],
  shell: [
    [
      "exit 0",
      "exit",
      "  exit 0 # done",
      "sh a.sh; exit 0",
      "sh a.sh;exit",
      "sh a.sh && exit 0",
      "sh a.sh||exit 0",
      "if true; then exit; fi",
      "if true; then exit 0; fi",
    ],
    [
      "exit 1",
      "exit $?",
      "exit $code",
      "[ 1 = 1 ] || exit 1",
      "sh a.sh; exit 1",
      "sh a.sh && exit 2",
      "if true; then exit 1; fi",
      "trap cleanup EXIT",
      "no exit 0",
      "lengthen exit",
      "sh a.sh; exited",
      "exit_early",
      "| exit 0",
    ],
  ],
};

test.each(Object.entries(exits))("a line ends the program with exit code 0: %s", (_, [says, not]) => {
  expect(says.filter((line) => !hasExit(line))).toEqual([]);
  expect(not.filter((line) => hasExit(line))).toEqual([]);
});

test("white space between the parts of a line does not hide them", () => {
  const spread = (line: string, space: string): string =>
    line.replaceAll(/(?<!\[)[.()]|(?<=\w)=/g, (part) => space + part + space);
  for (const space of [" ", "  ", "\t"]) {
    const hidden = [
      ...only.filter((line) => !/^\s*test\("a"/.test(line)).filter((line) => !hasOnly(spread(line, space))),
      ...["it.skip(a)", "test.concurrent.todo(a)", "pytest.mark.skip", "pytest.importorskip(a)"]
        .concat("self.skipTest(a)", "t.Skip(a)", "xit(a)")
        .filter((line) => !hasSkip(spread(line, space))),
      ...["process.exit(0)", "process.exit()", "process.reallyExit()", "process.exitCode=0", "sys.exit(0)"]
        .concat("os._exit(0)", "SystemExit()", "System.exit(0)", "os.Exit()", "quit(0)", "exit()")
        .filter((line) => !hasExit(spread(line, space))),
    ];
    expect(hidden).toEqual([]);
  }
  expect(["{ only : true }", "{ only  :  true }"].filter((line) => !hasOnly(line))).toEqual([]);
  expect(
    ["[ Ignore ]", "#[ ignore ]", "[Theory (Skip = 1)]", "{ skip : 1 }"].filter((line) => !hasSkip(line)),
  ).toEqual([]);
  expect(
    ["exit  0", "exit   ", "a ;  exit 0", "a; exit  ;", "raise\tSystemExit "].filter((l) => !hasExit(l)),
  ).toEqual([]);
});
