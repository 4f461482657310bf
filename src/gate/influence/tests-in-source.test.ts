// Source files that hold tests, with the tests of the reference in the attempt's text.
import { expect, test } from "vitest";
import { hasExamples, testTexts, withTestsOf } from "./tests-in-source.js";

const rust = (body: string, assertion: string): string =>
  `pub fn one() -> i32 { ${body} }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn it() { assert!(${assertion}, "} {{"); }\n}\n`;

test("Rust: the tests are those of the reference, the program is the attempt's", () => {
  const texts = { path: "src/lib.rs", before: rust("0", "one() == 1"), after: rust("1", "true") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: rust("1", "one() == 1") });
});

test("Rust: tests that were removed come back, and tests that stayed need nothing", () => {
  const before = rust("0", "one() == 1");
  expect(
    withTestsOf({ path: "a.rs", before, after: "pub fn one() -> i32 { 1 }\n" }, { runsExamples: false }),
  ).toEqual({
    text: rust("1", "one() == 1"),
  });
  expect(
    withTestsOf({ path: "a.rs", before, after: rust("1", "one() == 1") }, { runsExamples: false }),
  ).toBeUndefined();
});

test("Rust: tests whose end cannot be found make the file a check", () => {
  expect(
    withTestsOf(
      { path: "a.rs", before: rust("0", "x"), after: "#[cfg(test)]\nmod tests { fn it() {" },
      { runsExamples: false },
    ),
  ).toBe("check");
});

test("vitest: the block of tests is that of the reference", () => {
  const text = (value: string, expected: string): string =>
    `export const a = ${value};\n\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it("}", () => { expect(a).toBe(${expected}); });\n}\n`;
  const texts = { path: "src/a.ts", before: text("1", "2"), after: text("2", "a") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: text("2", "2") });
});

test.each([
  [
    "a.py",
    'def f():\n    """\n    >>> f()\n    1\n    """\n',
    'def f():\n    """\n    >>> f()\n    2\n    """\n',
  ],
  [
    "a.rs",
    "/// ```\n/// assert_eq!(f(), 1);\n/// ```\nfn f() {}",
    "/// ```\n/// assert!(true);\n/// ```\nfn f() {}",
  ],
])("%s: changed examples are those of the reference where checks run them", (path, before, after) => {
  expect(withTestsOf({ path, before, after }, { runsExamples: true })).toEqual({ text: before });
  const program = "\n".repeat(3);
  expect(withTestsOf({ path, before, after: program }, { runsExamples: true })).toBe("check");
  expect(withTestsOf({ path, before, after }, { runsExamples: false })).toBeUndefined();
  expect(withTestsOf({ path, before, after: `${before}\n\n` }, { runsExamples: true })).toBeUndefined();
});

test("Rust: tests that a file got are left out, and tests beside each other are put back in their places", () => {
  const added = "fn a() {}\n#[cfg(test)]\nmod tests;\n#[test]\nfn b() { std::process::exit(0) }\n";
  expect(withTestsOf({ path: "a.rs", before: "fn a() {}\n", after: added }, { runsExamples: false })).toEqual(
    {
      text: "fn a() {}\n\n\n",
    },
  );
  const two = (value: string, first: string): string =>
    `mod a {\n    #[cfg(test)]\n    mod tests { ${first} }\n}\nfn f() { ${value} }\n#[tokio::test]\nasync fn g() { g2() }\n`;
  const texts = { path: "a.rs", before: two("1", "x"), after: two("2", "y") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: two("2", "x") });
  expect(withTestsOf({ ...texts, after: "fn f() { 2 }\n" }, { runsExamples: false })).toBe("check");
});

test("Rust: a module of tests in a file of its own stays declared", () => {
  const before = "fn a() { 0 }\n\n#[cfg(test)]\nmod tests;\n";
  expect(withTestsOf({ path: "a.rs", before, after: "fn a() { 1 }\n" }, { runsExamples: false })).toEqual({
    text: "fn a() { 1 }\n\n#[cfg(test)]\nmod tests;\n",
  });
});

test("added examples are left out where a command runs them, and other words of the documentation may change", () => {
  const before = 'def f():\n    """It.\n\n    >>> f()\n    1\n    """\n';
  const after =
    before.replace("It.", "It is.") + 'def g():\n    """\n    >>> import os; os._exit(0)\n    """\n';
  const kept = after.replace("    >>> import os; os._exit(0)", "");
  expect(withTestsOf({ path: "a.py", before, after }, { runsExamples: true })).toEqual({ text: kept });
  const rust = "/// One.\n/// ```\n/// f();\n/// ```\nfn f() {}";
  expect(
    withTestsOf({ path: "a.rs", before: rust, after: rust.replace("One", "Two") }, { runsExamples: true }),
  ).toBeUndefined();
});

const UNITTEST = (value: string, expected: string): string =>
  `import unittest\n\n\ndef one():\n    return ${value}\n\n\nclass OneTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one(), ${expected})\n\n\nTWO = 2\n`;

test("Python: a class of test cases is that of the reference", () => {
  const texts = { path: "box/one.py", before: UNITTEST("0", "1"), after: UNITTEST("0", "0") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: UNITTEST("0", "1") });
});

test.each([
  [
    "box/one.py",
    (expected: string) =>
      `def one():\n    return 0\n\n\n@mark\ndef test_one(\n    two,\n):\n    assert one() == ${expected}\n\n\ndef two():\n    return 2\n`,
  ],
  [
    "src/one.js",
    (expected: string) =>
      `import { test } from "node:test";\nexport const one = () => 0;\nif (process.env.NODE_TEST_CONTEXT) test("one )", () => { equal(one(), ${expected}); });\nexport const two = 2;\n`,
  ],
])(
  "%s: tests beside the program are those of the reference where a runner is given the file",
  (path, text) => {
    const texts = { path, before: text("1"), after: text("0") };
    expect(withTestsOf(texts, { runsExamples: false, isRun: true })).toEqual({ text: text("1") });
    expect(withTestsOf(texts, { runsExamples: false })).toBeUndefined();
  },
);

test("C: what is compiled for tests alone is that of the reference", () => {
  const text = (value: string, expected: string): string =>
    `#ifdef LATEST\nint later;\n#endif\nint one(void) { return ${value}; }\n#ifdef UNIT_TEST\n#if 1\nint main(void) { return one() != ${expected}; }\n#endif\n#endif\nint two;\n`;
  const texts = { path: "src/one.c", before: text("0", "1"), after: text("2", "2") };
  expect(withTestsOf(texts, { runsExamples: false })).toEqual({ text: text("2", "1") });
});

test("a new file keeps the tests that were moved there, and no others", () => {
  const texts = { path: "src/new.rs", before: "", after: rust("1", "one() == 1") };
  const moved = new Set(testTexts({ path: "src/old.rs", text: rust("0", "one() == 1") }, false));
  expect(withTestsOf(texts, { runsExamples: false, moved })).toBeUndefined();
  expect(withTestsOf({ ...texts, after: rust("0", "true") }, { runsExamples: false, moved })).toEqual({
    text: "pub fn one() -> i32 { 0 }\n\n\n",
  });
});

/** Texts of which all is one test. */
const WHOLE: readonly (readonly [path: string, texts: readonly string[]])[] = [
  [
    "a.js",
    [
      ...[
        "if(import.meta.vitest){ a() }",
        "if  (  import.meta.vitest  )  { a() }",
        "if (import.meta.vitest !== undefined) { a() }",
      ],
      ...["if (import.meta.vitest  !=  null) { a() }", "if (import.meta.vitest!==undefined) { a() }"],
      ...[
        'test("a", b);',
        "it('a', b);",
        "describe(`a`, b);",
        'suite  (  "a", b);',
        'test.skip.each("a", b);',
      ],
      ...['await test("a", b);', 'await  it("a", b);', 'void it("a", b);', 'void  it("a", b);'],
      ...['if (c) test("a", b);', 'if(c)test("a", b);', 'if  (c)  test("a", b);'],
      ...[
        'test("a", () => {\n// )\nb();\n});',
        'test("a", /* ) */ b);',
        'test("a", /*\n) */ b);',
        "test(\"a\", ')' + b);",
      ],
      ...[
        'test("a", ")" + b);',
        String.raw`test("a", "\")" + b);`,
        'test("a", `\n)` + b);',
        'test("a", `\\`)` + b);',
      ],
      ...[
        String.raw`test("a", '\'' + c(')'));`,
        'test("a", "b\\\n)" + c);',
        'test("a", (b)(c));',
        'test("/*", b);',
      ],
    ],
  ],
  [
    "a.rs",
    [
      ...[
        '#[test]\nfn a() { b("}", r"}", r#"}"#, r##"}"#"##, r#"\n}"#) }',
        "#[test]\nfn a() { b('}', '\\'', \"}\") }",
      ],
      ...[
        "#[test]\n#[ignore]\npub async fn a<'b>() { c() }",
        "#[cfg(all(test, unix))]\npub(crate) mod a { b() }",
      ],
      ...["#[rstest]\nfn a() {}", "#[test_case(1)]\nfn a() {}", "#[cfg(any(unix, test))]\nmod a {}"],
    ],
  ],
  [
    "a.py",
    [
      ...[
        "class ATest(unittest.TestCase):\na()",
        "class  A  (TestCase):  # b\na()",
        "@a\n@bb(1)\nclass A(B, TestCase, C):\na()",
      ],
      ...[
        "def test_a():\na()",
        "async  def  test():\na()",
        "def test_a(): pass",
        "@a\n@bb(1)\ndef test_a():\na()",
      ],
      ...["class  TestA:\na()", "class Test:\na()", "class Tests(B):\na()", "def test_a():\na()\n\nb()"],
    ],
  ],
  [
    "a.c",
    [
      ...[
        "#ifdef TEST\na();\n#endif",
        "#  if  defined(TEST)\na();\n#  endif  // TEST",
        "#ifdef UNIT_TEST\n#endif",
      ],
      ...[
        "#ifdef UNITTEST\n#endif",
        "#ifdef SELFTEST\n#endif",
        "#ifdef SELF_TEST\n#endif",
        "#ifdef BOX_TESTS\n#endif",
      ],
      ...[
        "#if B && TESTING_ONE // c\na();\n#endif",
        "#ifdef TEST\n# if B\n# endif\na();\n#endif",
        "#if TEST\n#if B\n#endif c\n#endif",
      ],
    ],
  ],
];

test.each(WHOLE.flatMap(([path, texts]) => texts.map((text) => [path, text] as const)))(
  "%s: %j is one test",
  (path, text) => {
    // The lines of a body are indented, which its key does not show.
    const isPython = path.endsWith(".py");
    const indented = isPython ? text.replaceAll(/\n(?=[a-z]\()/g, "\n    ") : text;
    const found = testTexts({ path, text: `z = 1\n${indented}\n\n\ny = 2\n` }, true);
    expect(found).toEqual([text.replace(/;$/, "")]);
  },
);

test.each([
  ["a.js", 'contest("a", b);'],
  ["a.js", 'box.test("a", b);'],
  ["a.js", "test(a, b);"],
  ["a.js", 'const c = 1; test("a", b);'],
  ["a.js", "const c = 1; if (import.meta.vitest) { a() }"],
  ["a.js", "if (import.meta.vitest2) { a() }"],
  ["a.js", 'test("a", /* b)'],
  ["a.js", 'test("a", "b)'],
  ["a.js", String.raw`test("a", "b)\ `.trim()],
  ["a.js", 'test("a", `b)'],
  ["a.js", String.raw`test("a", ${"`"}b)\ `.trim()],
  ["a.rs", '#[test]\nfn a() { r#"b }'],
  ["a.rs", "mod tests { a() }"],
  ["a.py", "class A(Base):\n    def test_a(self): pass"],
  ["a.py", "x = 1; class A(TestCase): pass"],
  ["a.py", "x = 1; def test_a(): pass"],
  ["a.py", "def contest(): pass"],
  ["a.py", "class ATest: pass"],
  ["a.c", "#if !TEST\n#endif"],
  ["a.c", "#if  ! defined(TEST)\n#endif"],
  ["a.c", "#ifndef TEST\n#endif"],
  ["a.c", "#ifdef LATEST\n#endif"],
  ["a.c", "x #ifdef TEST\n#endif"],
  ["a.c", "#ifdef TEST\na();"],
  ["a.txt", 'test("a", b);'],
])("%s: %j has no test that can be told apart", (path, text) => {
  expect(testTexts({ path, text }, true)).toEqual([]);
});

test("tests inside of another are part of it, and the others keep their order", () => {
  const inner = 'if (import.meta.vitest) {\n  it("b", c);\n}';
  const text = `${inner}\ntest("d", e)\n`;
  expect(testTexts({ path: "a.js", text }, true)).toEqual([inner.replaceAll("\n  ", "\n"), 'test("d", e)']);
  const two = 'test("d", e)\nif (import.meta.vitest) { f() }\n';
  expect(testTexts({ path: "a.js", text: two }, true)).toEqual([
    'test("d", e)',
    "if (import.meta.vitest) { f() }",
  ]);
  expect(testTexts({ path: "a.js", text: two }, false)).toEqual(["if (import.meta.vitest) { f() }"]);
});

test("a test of Python ends before the next line that is not indented, and its blank lines do not count", () => {
  const text = "def test_a(\n    b,\n):\n    c()\n\n    d()\n\n\ne = 1\n    f\n";
  expect(testTexts({ path: "a.py", text }, true)).toEqual(["def test_a(\nb,\n):\nc()\n\nd()"]);
});

test.each([
  ["a.rs", "/// ```\n/// a();\n/// ```", true],
  ["a.rs", "  //!  ```rust", true],
  ["a.rs", "x /// ```", false],
  ["a.rs", "// ```", false],
  ["a.rs", "#[cfg(test)]\nmod tests {}", false],
  ["a.py", "    >>> a()", true],
  ["a.py", "a >>> b", false],
  ["a.py", "class A(TestCase): pass", false],
  ["a.js", 'test("a", b);', false],
])("%s: %j has examples: %s", (path, text, expected) => {
  expect(hasExamples(path, text)).toBe(expected);
});

test.each([
  "text",
  "ignore",
  "no_run",
  "compile_fail",
  "console",
  "toml",
  "sh",
  "bash",
  "json",
  "rust,ignore",
])("Rust: an example that is marked %s does not run, so it may change", (mark) => {
  const text = (word: string): string => `/// \`\`\`${mark}\n/// ${word}\n/// \`\`\`\nfn f() {}`;
  const texts = { path: "a.rs", before: text("a"), after: text("b") };
  expect(withTestsOf(texts, { runsExamples: true })).toBeUndefined();
});
