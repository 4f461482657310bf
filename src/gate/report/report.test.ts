import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readReport } from "./report.js";
import { nameCases, cleanParts } from "./test-names.js";

const clean = cleanParts((text) => text, ["/project"]);

/** Names by status, in their order; the result unchanged if it is not a report. */
function read(text: string): unknown {
  const report = readReport(Buffer.from(text), clean);
  if (report.how !== "read") return report;
  const names: Record<string, string[]> = {};
  for (const [name, status] of nameCases(report.cases)) (names[status] ??= []).push(name);
  return names;
}

function recorded(file: string): string {
  return readFileSync(new URL(`testdata/${file}`, import.meta.url), "utf8");
}

const NODE_LEAVES = {
  failed: ["fails red", "suite > b", "twice", "b.test.mjs", "c.test.mjs"],
  passed: ["adds", "sub # hash \\ back", "suite > a", "suite > inner > a", "hooked > fine"],
  skipped: ["suite > inner > c", "todo", "todo plain", "todo ok", "skipped"],
};

test("suites in TAP of node's runner are cases too, because their hooks can fail", () => {
  expect(read(recorded("node20.tap"))).toEqual({
    failed: ["fails red", "suite > b", "suite", "hooked", "twice", "b.test.mjs", "c.test.mjs"],
    passed: [
      ...["adds", "sub # hash \\ back", "suite > a", "suite > inner > a", "suite > inner", "hooked > fine"],
      ...["new\\nline", "parent > kid", "parent > kid2 > grand", "parent > kid2", "parent", "unhandled"],
      "twice (2)",
    ],
    skipped: NODE_LEAVES.skipped,
  });
});

test("JUnit of node's runner has the same names, although it is not quite XML", () => {
  expect(read(recorded("node20.xml"))).toEqual({
    failed: NODE_LEAVES.failed,
    passed: [
      ...NODE_LEAVES.passed,
      ...["newline", "parent > kid", "parent > kid2 > grand", "unhandled", "twice (2)"],
    ],
    skipped: NODE_LEAVES.skipped,
  });
});

test("reports of pytest are read", () => {
  expect(read(recorded("pytest9.xml"))).toEqual({
    failed: ["pytest > test_a.TestX > test_p[2]", "pytest > test_a > test_td", "pytest > test_a > test_su"],
    passed: ["pytest > test_a > test_adds", "pytest > test_a.TestX > test_p[1]"],
    skipped: ["pytest > test_a > test_skip", "pytest > test_a > test_xf"],
  });
  expect(read(recorded("pytest9-collection-error.xml"))).toEqual({ failed: ["pytest > test_b"] });
});

test("reports of vitest are read: JUnit, TAP with braces, and flat TAP", () => {
  const rest = {
    passed: ["a.test.js > adds", "a.test.js > ff"],
    skipped: ["a.test.js > suite > s", "a.test.js > suite > t"],
  };
  expect(read(recorded("vitest4.xml"))).toEqual({
    failed: ["a.test.js > suite > b", "b.test.js > b.test.js"],
    ...rest,
  });
  expect(read(recorded("vitest4.tap"))).toEqual({
    failed: ["a.test.js", "a.test.js > suite", "a.test.js > suite > b", "b.test.js"],
    ...rest,
  });
  expect(read(recorded("vitest4-flat.tap"))).toEqual({
    failed: ["a.test.js > suite > b", "b.test.js"],
    ...rest,
  });
});

test("reports of Perl's Test::More are read", () => {
  expect(read(recorded("perl-test-more.tap"))).toEqual({
    failed: ["sub one > bad", "sub one"],
    passed: ["adds", "sub one > in"],
    skipped: ["todo", "4", "5"],
  });
});

test("reports of jest-junit, surefire and go-junit-report are read", () => {
  expect(read(recorded("jest-junit.xml"))).toEqual({
    failed: ["math > math divides > by zero", "undefined > Test suite failed to run > broken.test.js"],
    passed: ["math > math adds"],
    skipped: ["math > math later"],
  });
  expect(read(recorded("TEST-surefire.xml"))).toEqual({
    failed: ["com.example.MathTest > divides{int}[1]", "com.example.MathTest > throws"],
    passed: ["com.example.MathTest > adds", "com.example.MathTest > unsteady"],
    skipped: ["com.example.MathTest > ignored"],
  });
  expect(read(recorded("go-junit-report.xml"))).toEqual({
    failed: ["example.com/math > TestDivide/by_zero", "example.com/broken > [build failed]"],
    passed: ["example.com/math > TestAdd"],
    skipped: ["example.com/math > TestLater"],
  });
});

test("a report is found among other output", () => {
  const xml = '<testsuite name="s"><testcase name="a"/></testsuite>';
  expect(read(`> npm test && <what>\n\n${xml}\ndone & gone\n`)).toEqual({ passed: ["s > a"] });
  expect(read(`\ufeff<?xml version="1.0"?>${xml}`)).toEqual({ passed: ["s > a"] });
  expect(read(`one\n<?xml version="1.0"?>\n${xml}\n  <?xml version="1.0"?>\n${xml}\n`)).toEqual({
    passed: ["s > a", "s > a (2)"],
  });
  expect(read('<?xml version="1.0"?><testsuites/>')).toEqual({});
  expect(read("ok 1 - before\nTAP version 13\nok 1 - a\n")).toEqual({ passed: ["a"] });
  expect(read("> npm test\nTAP version 13\nok 1 - a\n1..1\n# <?xml\n")).toEqual({ passed: ["a"] });
  expect(read("TAP version 14\r\n1..1\r\nnot ok 1 - a\r\n<testsuite>\r\n")).toEqual({ failed: ["a"] });
  expect(read(`${xml}\nTAP version 13\n`)).toEqual({ passed: ["s > a"] });
  expect(read("hello\n1..2\nok 1 - a\nnot ok 2\n")).toEqual({ passed: ["a"], failed: ["2"] });
});

test("white space and a byte order mark before a document are ignored", () => {
  const one = '<?xml version="1.0"?><testsuite name="s"><testcase name="a"/></testsuite>';
  for (const before of ["  ", "\t", "\ufeff", "\ufeff  ", "npm test\n  "])
    expect([before, read(before + one)]).toEqual([before, { passed: ["s > a"] }]);
  // Files with a byte order mark, printed one after the other.
  expect(read(`\ufeff${one}\n\ufeff${one}\n\ufeff\t${one}`)).toEqual({
    passed: ["s > a", "s > a (2)", "s > a (3)"],
  });
  expect(read('\t<testsuite name="s"><testcase name="a"/></testsuite>')).toEqual({ passed: ["s > a"] });
});

test("other documents among reports are skipped", () => {
  const other = '<?xml version="1.0"?>\n<coverage line-rate="1"/>';
  const one = '<?xml version="1.0"?>\n<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>';
  expect(read(other)).toEqual({ how: "none" });
  expect(read(`${other}\n${other}`)).toEqual({ how: "none" });
  expect(read(`${other}\n${one}\n${other}`)).toEqual({ passed: ["a"] });
});

test("a document that a test printed belongs to the report around it", () => {
  const start = '<?xml version="1.0"?>';
  const one = (out: string): string =>
    `${start}\n<testsuite><testcase name="a"><system-out><![CDATA[${out}]]></system-out></testcase></testsuite>\n`;
  expect(read(one(`got ${start}<b/>`))).toEqual({ passed: ["a"] });
  expect(read(`<testsuite><!-- as ${start} --><testcase name="a"/></testsuite>`)).toEqual({ passed: ["a"] });
  expect(read(one(`got\n${start}\n<b/>\n  ${start}\n<b/>\n`))).toEqual({ passed: ["a"] });
  expect(read(one(`\n${start}<![CDATA[`) + one(start) + one("]]"))).toEqual({
    passed: ["a", "a (2)", "a (3)"],
  });
  expect(read(`${start}<testsuite><![CDATA[\n${start}`)).toMatchObject({ how: "broken" });
});

test("only the cases of a report are read", () => {
  const xml = '<testsuite><testcase name="a"/></testsuite>';
  expect(readReport(Buffer.from(xml), clean)).toEqual({
    how: "read",
    cases: [{ name: "a", status: "passed" }],
  });
  // Bytes in the middle of a larger buffer, as those of a pipe are.
  const among = Buffer.from(`TAP version 13\n${xml}\nok`).subarray(15, 15 + xml.length);
  expect(readReport(among, clean)).toEqual({ how: "read", cases: [{ name: "a", status: "passed" }] });
});

test("a text is TAP if it has a version, or a plan and a point", () => {
  const plan = "(as many tests as planned)";
  expect(read("TAP version 13  \nok 1 - a\n")).toEqual({ passed: ["a"] });
  expect(read("TAP version 14\t\nok 1 - a\n")).toEqual({ passed: ["a"] });
  expect(read("TAP version 13 is what we print\nok 1 - a\n")).toEqual({ how: "none" });
  expect(read("TAP version 13!\nok 1 - a\n")).toEqual({ how: "none" });
  expect(read("1..1\nok 1 - a\n")).toEqual({ passed: ["a"] });
  expect(read("1..1\nnot ok 1 - a\n")).toEqual({ failed: ["a"] });
  expect(read("1..12\nok 1 - a\n")).toEqual({ failed: [plan], passed: ["a"] });
  expect(read("see 1..2\nok 1 - a\n")).toEqual({ how: "none" });
  expect(read("1..2nd\nok 1 - a\n")).toEqual({ how: "none" });
  expect(read("1..1\nall is ok\n")).toEqual({ how: "none" });
  expect(read("1..1\nokay\n")).toEqual({ how: "none" });
});

test("a text that only looks like a report is not read as one", () => {
  for (const text of [
    "",
    "All tests passed\n",
    "ok 1 - a\n",
    "1..3 of 4\n",
    "x TAP version 13",
    "a <testsuite>",
  ]) {
    expect(read(text)).toEqual({ how: "none" });
  }
  expect(
    read('<?xml version="1.0"?><coverage><testsuite><testcase name="a"/></testsuite></coverage>'),
  ).toEqual({
    how: "none",
  });
  expect(readReport(Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80]), clean)).toEqual({ how: "none" });
});

test("XML that is broken, cut off or hostile is refused with a reason", () => {
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`);
  const broken = {
    'testsuite><testcase name="a"': '<testsuite><testcase name="a"',
    unclosed: '<testsuites><testsuite name="s"><testcase name="a"/>',
    mismatched: "<testsuite><testcase></testsuite>",
    laughs: `<?xml version="1.0"?><!DOCTYPE t [<!ENTITY e0 "lol">${laughs.join("")}]><testsuite><testcase name="&e9;"/></testsuite>`,
    external:
      '<?xml version="1.0"?><!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite>&x;</testsuite>',
    doubled: '<testsuite name="a" name="b"></testsuite>',
    second: '<testsuite>\n<?xml version="1.0"?><testsuite></testsuite>',
  };
  for (const [name, text] of Object.entries(broken)) {
    expect([name, read(text)]).toEqual([
      name,
      { how: "broken", why: expect.stringMatching(/^not well-formed XML, \d+:\d+: /) as string },
    ]);
  }
});

test("characters that XML does not allow are left out", () => {
  expect(read('<testsuite>\u0000<testcase name="a\u001b[31m &#27;[1mb\ufffe"/>]]></testsuite>')).toEqual({
    passed: ["a b"],
  });
});

test("JUnit cases have their status and their suites", () => {
  const cases = [
    '<testcase name="a"><failure/><system-out>x</system-out></testcase>',
    '<testcase name="b"><j:error xmlns:j="urn:x"/></testcase>',
    '<testcase name="c"><skipped/></testcase>',
    '<testcase name="d"><skipped/><error/></testcase>',
    '<testcase name="e"><skipped type="todo"/><failure/></testcase>',
    '<testcase name="f" status="notrun"/>',
    '<testcase name="g" status="run" result="suppressed"/>',
    '<testcase name="h" status="FAILED"/>',
    '<testcase name="i"><properties><failure/><skipped/></properties></testcase>',
    '<testcase name="j" type="todo"><failure type="todo"/></testcase>',
    '<testcase classname="test"/>',
    '<testcase name="k" classname="C"/>',
    '<testcase name="k" classname="D"/>',
  ];
  const all = read(
    `<testsuites name="all"><testsuite name=""><j:testsuite name="s">${cases.join("\n")}</j:testsuite></testsuite><testcase name="last"/></testsuites>`,
  );
  expect(all).toEqual({
    failed: ["s > a", "s > b", "s > d", "s > h", "s > j"],
    skipped: ["s > c", "s > e", "s > f", "s > g"],
    passed: ["s > i", "s > (no name)", "s > C > k", "s > D > k", "last"],
  });
});

function tap(...lines: string[]): unknown {
  return read(["TAP version 14", ...lines, ""].join("\n"));
}

test("TAP points are read with and without numbers, names and dashes", () => {
  expect(tap("ok", "ok 2", "ok - c", "ok 4 d", "not ok 5 -e", "not ok", "1..6")).toEqual({
    failed: ["-e", "(no name)"],
    passed: ["2", "c", "d", "(no name) (2)"],
  });
  expect(tap("okay 1", "ok then", "not okay", " ok 2", "ok 3 - real")).toEqual({ passed: ["real"] });
});

test("TAP directives change the status of a point, and other hashes are part of its name", () => {
  const all = tap(
    "ok 1 - a # SKIP no net",
    "not ok 2 - b # todo later",
    "ok 3 - c # TODO",
    "not ok 4 - d#skip",
    "ok 5 - e # 1 of # skips",
    "ok 6 - f \\# SKIP",
    "ok 7 - g # skipped 2",
    "ok 8 - h # time=3ms",
    "not ok 9 # Skip",
    "ok 10 - i #skip",
  );
  expect(all).toEqual({
    skipped: ["a", "b", "c", "9", "i"],
    failed: ["d#skip"],
    passed: ["e # 1 of # skips", "f # SKIP", "g # skipped 2", "h"],
  });
});

test("TAP subtests have the name of their point, else the announced name", () => {
  expect(tap("# Subtest: x", "    ok 1 - a", "    1..1", "ok 1 - y", "1..1")).toEqual({
    passed: ["y > a", "y"],
  });
  expect(tap("# Subtest: x", "    # Subtest: in", "        ok 1 - a", "    ok 2 - b")).toEqual({
    passed: ["x > b > a", "x > b"],
  });
  // The text ends before the points that would name them.
  expect(tap("# Subtest: x", "    # Subtest: in", "        ok 1 - a")).toEqual({ passed: ["x > in > a"] });
  expect(tap("    ok 1 - a", "ok 1 - x", "    ok 1 - a", "ok 2 - y")).toEqual({
    passed: ["x > a", "x", "y > a", "y"],
  });
  expect(tap("    ok 1 - a")).toEqual({ passed: ["a"] });
  // Indented too deep, or not by a multiple of four: a test printed it.
  expect(tap("ok 1 - a", "        ok 1 - b", "  ok 1 - c", "ok 2 - d")).toEqual({ passed: ["a", "d"] });
});

test("TAP subtests in braces belong to the point before them", () => {
  expect(tap("ok 1 - x {", "    not ok 1 - a", "    1..1", "}", "ok 2 - y", "1..2")).toEqual({
    failed: ["x > a"],
    passed: ["x", "y"],
  });
  // Subtests after the brace belong to another point.
  expect(tap("ok 1 - x {", "}", "    ok 1 - a", "ok 2 - y")).toEqual({ passed: ["x", "y > a", "y"] });
  expect(tap("ok 1 - x # time=5ms {", "    ok 1 - a", "ok 2 - y")).toEqual({ passed: ["x", "x > a", "y"] });
});

test("a TAP plan with another number of points is a failing case, at the start or the end", () => {
  const missed = "(as many tests as planned)";
  expect(tap("1..2", "ok 1 - a")).toEqual({ failed: [missed], passed: ["a"] });
  expect(tap("1..1", "ok 1 - a", "ok 2 - b")).toEqual({ failed: [missed], passed: ["a", "b"] });
  expect(tap("ok 1 - a", "1..2")).toEqual({ failed: [missed], passed: ["a"] });
  expect(tap("ok 1 - a", "    1..2", "    ok 1 - b", "ok 2 - x", "1..2")).toEqual({
    failed: [`x > ${missed}`],
    passed: ["a", "x > b", "x"],
  });
  expect(tap("1..0 # SKIP nothing here")).toEqual({});
  expect(tap("ok 1 - a")).toEqual({ passed: ["a"] });
});

test("TAP documents may follow each other, with and without a version", () => {
  const two = { passed: ["a", "b", "a (2)"] };
  expect(tap("1..2", "ok 1 - a", "ok 2 - b", "TAP version 13", "1..1", "ok 1 - a")).toEqual(two);
  expect(tap("1..2", "ok 1 - a", "ok 2 - b", "1..1", "ok 1 - a")).toEqual(two);
  expect(tap("ok 1 - a", "ok 2 - b", "1..2", "ok 1 - a", "1..1")).toEqual(two);
  expect(tap("ok 1 - a", "TAP version 13", "1..1", "ok 1 - b")).toEqual({ passed: ["a", "b"] });
  expect(tap("ok 1 - a", "1..2", "TAP version 13", "ok 1 - a", "1..2")).toEqual({
    failed: ["(as many tests as planned)", "(as many tests as planned) (2)"],
    passed: ["a", "a (2)"],
  });
});

test("bailing out in TAP is a failing case", () => {
  expect(tap("ok 1 - a", "Bail out! No database")).toEqual({ failed: ["(no bail out)"], passed: ["a"] });
  expect(tap("    bail OUT!")).toEqual({ failed: ["(no bail out)"] });
});

test("points in a YAML block of TAP are ignored, and those after an unfinished block are read", () => {
  expect(
    tap("not ok 1 - a", "  ---", "  out: |", "  ok 2 - b", "    ok 3 - c", "", "  ...", "ok 2 - d"),
  ).toEqual({
    failed: ["a"],
    passed: ["d"],
  });
  expect(tap("not ok 1 - a", "    ---", "    ok 1 - b", "        ...", "    ...", "ok 2 - d")).toEqual({
    failed: ["a"],
    passed: ["d"],
  });
  expect(tap("not ok 1 - a", "  ---", "  cut: |", "ok 2 - d", "    ok 1 - e")).toEqual({
    failed: ["a"],
    passed: ["d", "e"],
  });
  // Only a line of dots with the indentation of the block ends it.
  expect(
    tap("not ok 1 - a", "    ---", "        ...", "    ok 1 - b", "    ...", "    ok 1 - c", "ok 2 - d"),
  ).toEqual({ failed: ["a"], passed: ["d > c", "d"] });
  // A line of dashes anywhere else does not open a block.
  expect(tap("ok 1 - a", "# text", "  ---", "ok 2 - b")).toEqual({ passed: ["a", "b"] });
  expect(tap("ok 1 - a", "    ok 1 - b", "  ---", "    ok 2 - c", "  ...", "ok 2 - d")).toEqual({
    passed: ["a", "d > b", "d"],
  });
});

test("law: any bytes can be read, as a report or as none", () => {
  const line = fc.constantFrom(
    ...[
      "TAP version 13",
      "1..2",
      "ok 1 - a # SKIP",
      "not ok {",
      "}",
      "  ---",
      "  ...",
      "# Subtest: s",
      "ok",
      "<a>",
    ],
    ...[
      "<testsuite name='x'>",
      "<testcase name='a'>",
      "<failure/>",
      "</testcase>",
      "</testsuite>",
      "Bail out!",
    ],
  );
  const indented = fc
    .tuple(fc.constantFrom("", "    ", "        ", "\t"), line)
    .map(([indent, text]) => indent + text);
  const text = fc.array(fc.oneof(indented, fc.string()), { maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, (any) => {
      expect(["read", "none", "broken"]).toContain(readReport(Buffer.from(any), clean).how);
    }),
    { numRuns: 1000 },
  );
});
