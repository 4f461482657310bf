// JUnit XML of many runners, element by element; report.test.ts reads their whole reports.
import { expect, test } from "vitest";
import { readJUnit } from "./junit.js";
import { cleanParts, type TestReport } from "./test-names.js";

const clean = cleanParts((text) => text, []);
const read = (xml: string): TestReport => readJUnit(xml, clean);

/** The cases of one suite `s`, as `status name`. */
function cases(...elements: string[]): string[] {
  const report = read(`<testsuite name="s">${elements.join("\n")}</testsuite>`);
  return report.how === "read" ? report.cases.map(({ name, status }) => `${status} ${name}`) : [report.how];
}

test("a report has its cases in their order", () => {
  expect(
    read('<testsuites><testsuite name="s"><testcase name="b"/><testcase name="a"/></testsuite></testsuites>'),
  ).toEqual({
    how: "read",
    cases: [
      { name: "s > b", status: "passed" },
      { name: "s > a", status: "passed" },
    ],
  });
  expect(read("<testsuites/>")).toEqual({ how: "read", cases: [] });
  expect(read("<testsuite></testsuite>")).toEqual({ how: "read", cases: [] });
});

test.each([
  ["another root", '<coverage><testsuite><testcase name="a"/></testsuite></coverage>'],
  ["another root, with nothing in it", '<?xml version="1.0"?><project/>'],
  ["a case without a suite", '<testcase name="a"/>'],
  ["a root that begins like one", "<testsuitesResult/>"],
  ["another root that is not closed", "<html><body>"],
])("XML without a suite as its root is not a report: %s", (_, xml) => {
  expect(read(xml)).toEqual({ how: "none" });
});

test("the namespace of an element is ignored", () => {
  expect(
    read(
      '<j:testsuites xmlns:j="urn:x"><j:testsuite name="s"><j:testcase name="a"/></j:testsuite></j:testsuites>',
    ),
  ).toEqual({ how: "read", cases: [{ name: "s > a", status: "passed" }] });
});

test.each([
  ["not closed", '<testsuite><testcase name="a"/>'],
  ["nothing", ""],
  ["two roots", "<testsuite/><testsuite/>"],
  ["text behind it", "<testsuite/>done"],
  ["an unknown entity", "<testsuite>&nbsp;</testsuite>"],
])("not well-formed: %s", (_, xml) => {
  expect(read(xml)).toEqual({
    how: "broken",
    why: expect.stringMatching(/^not well-formed XML, \d+:\d+: \w/) as string,
  });
});

test("a report with any output of a test in it is read", () => {
  const printed = '<testcase name="a"><system-out>if (a[b[0]]>1) ]]></system-out></testcase>';
  expect(cases(printed)).toEqual(["passed s > a"]);
  // A bell is left out, and a control sequence is removed whole.
  expect(cases('<testcase name="a\u0007b"/>')).toEqual(["passed s > ab"]);
  expect(cases('<testcase name="a\u001b[31mb"/>')).toEqual(["passed s > ab"]);
  expect(cases('<testcase name="a&#27;[31mb"/>')).toEqual(["passed s > ab"]);
  expect(cases('<testcase name="a\ufffeb\uffffc\u0085d"/>')).toEqual(["passed s > abcd"]);
  expect(cases('<testcase name="a&#9;b&#10;c"/>', '<testcase name="d\te"/>')).toEqual([
    "passed s > a b c",
    "passed s > d e",
  ]);
});

const words: Record<string, [word: string, status: string][]> = {
  "an element in the case": [
    ["<failure/>", "failed"],
    ["<error/>", "failed"],
    ["<failed/>", "failed"],
    ["<fail/>", "failed"],
    ["<skipped/>", "skipped"],
    ["<disabled/>", "skipped"],
    ["<notrun/>", "skipped"],
    ["<ignored/>", "skipped"],
    ["<suppressed/>", "skipped"],
    ["<failures/>", "passed"],
    ["<rerunFailure/>", "passed"],
    ["<flakyError/>", "passed"],
    ["<system-err>error</system-err>", "passed"],
    ["<properties><error/></properties>", "passed"],
    ["<testcase><failure/></testcase>", "passed"],
    ["<skipped/><failure/>", "failed"],
    ["<failure/><skipped/>", "failed"],
    ['<skipped type="todo"/><failure/>', "skipped"],
    ['<failure/><skipped type="todo"/>', "skipped"],
    ['<skipped type="pytest.skip"/><failure/>', "failed"],
    ['<skipped message="todo"/><failure/>', "failed"],
    ['<failure type="todo"/>', "failed"],
    ['<ignored type="todo"/><failure/>', "failed"],
  ],
  "an attribute of the case": [
    ['status="failed"', "failed"],
    ['status="Failed"', "failed"],
    ['status="FAILURE"', "failed"],
    ['status="error"', "failed"],
    ['status="fail"', "failed"],
    ['status="skipped"', "skipped"],
    ['status="disabled"', "skipped"],
    ['status="NotRun"', "skipped"],
    ['status="ignored"', "skipped"],
    ['status="run" result="suppressed"', "skipped"],
    ['status="run" result="failed"', "failed"],
    ['status="run" result="completed"', "passed"],
    ['status="skipped" result="error"', "failed"],
    ['status="passed"', "passed"],
    ['outcome="failed"', "passed"],
  ],
};

test.each(Object.entries(words))("the status of a case is read from %s", (where, all) => {
  const told = all.map(([word]) => [
    word,
    ...cases(
      where === "an element in the case"
        ? `<testcase name="a">${word}</testcase>`
        : `<testcase name="a" ${word}/>`,
    ),
  ]);
  expect(told).toEqual(all.map(([word, status]) => [word, `${status} s > a`]));
});

test("the failure of a case does not affect the next case", () => {
  expect(
    cases(
      '<testcase name="a"><failure/></testcase>',
      '<testcase name="b"/>',
      "<failure/>",
      '<testcase name="c"><skipped/></testcase>',
      '<testcase name="d"></testcase>',
    ),
  ).toEqual(["failed s > a", "passed s > b", "skipped s > c", "passed s > d"]);
});

const names: [what: string, xml: string, name: string][] = [
  ["in no suite", '<testsuites name="all"><testcase name="a"/></testsuites>', "a"],
  ["in a suite", '<testsuite name="s"><testcase name="a"/></testsuite>', "s > a"],
  [
    "in suites within suites",
    '<testsuite name="s"><testsuite name="t"><testcase name="a"/></testsuite></testsuite>',
    "s > t > a",
  ],
  [
    "in a suite without a name",
    '<testsuite name="s"><testsuite><testcase name="a"/></testsuite></testsuite>',
    "s > a",
  ],
  ["in a suite with a blank name", '<testsuite name=" "><testcase name="a"/></testsuite>', "a"],
  [
    "in an element that is not a suite",
    '<testsuite name="s"><group name="g"><testcase name="a"/></group></testsuite>',
    "s > a",
  ],
  ["behind a suite", '<testsuites><testsuite name="s"/><testcase name="a"/></testsuites>', "a"],
  ["without a name", '<testsuite name="s"><testcase/></testsuite>', "s > (no name)"],
  ["of a class", '<testsuite name="s"><testcase classname="C" name="a"/></testsuite>', "s > C > a"],
  ["of a class, in no suite", '<testsuites><testcase classname="C" name="a"/></testsuites>', "C > a"],
  [
    "of a class that is the suite",
    '<testsuite name="C"><testcase classname="C" name="a"/></testsuite>',
    "C > a",
  ],
  [
    "of a class that is the inner suite",
    '<testsuite name="s"><testsuite name="C"><testcase classname="C" name="a"/></testsuite></testsuite>',
    "s > C > a",
  ],
  [
    "of a class that is the outer suite",
    '<testsuite name="C"><testsuite name="s"><testcase classname="C" name="a"/></testsuite></testsuite>',
    "C > s > C > a",
  ],
  [
    "of a class that is its name",
    '<testsuite name="s"><testcase classname="a" name="a"/></testsuite>',
    "s > a",
  ],
  ["of node's class", '<testsuite name="s"><testcase classname="test" name="a"/></testsuite>', "s > a"],
  [
    "of a class like node's",
    '<testsuite name="s"><testcase classname="tests" name="a"/></testsuite>',
    "s > tests > a",
  ],
  [
    "cleaned",
    '<testsuite name=" s\ts "><testcase classname=" C&#10;" name=" a  b "/></testsuite>',
    "s s > C > a b",
  ],
];

test.each(names)("a case has its full name: %s", (_, xml, name) => {
  expect(read(xml)).toEqual({ how: "read", cases: [{ name, status: "passed" }] });
});
