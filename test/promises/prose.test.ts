// Plain English: no area has more slips than docs/prose-budget.json allows, and the budget only shrinks.
// `npm run prose` prints the slips; `npm run prose -- --lower` writes smaller counts into the budget.
import { expect, test } from "vitest";
import { areaOf, isRead, RULES, sentencesIn, slipsIn } from "../../scripts/prose-rules.mjs";
import { allSlips, countByArea, lower, readBudget } from "../../scripts/prose.mjs";

/** The numbers of the rules that a file breaks, from 0 in the order of RULES. */
function broken(file: string, text: string): number[] {
  return slipsIn(file, text).map(({ rule }) => RULES.findIndex(({ name }) => name === rule));
}

test("no area has more slips than its budget", () => {
  const budget = readBudget();
  const slips = allSlips();
  const over = Object.entries(countByArea(slips))
    .filter(([area, count]) => count > (budget[area] ?? 0))
    .map(
      ([area, count]) => `${area}: ${count} slips, ${budget[area] ?? 0} allowed (npm run prose -- ${area})`,
    );
  expect(over).toEqual([]);
});

test.each<[string, number]>([
  ["A room is no sandbox.", 0],
  ["The run goes on.", 1],
  ["It went on with T2.", 1],
  ["What git ignores stays.", 2],
  ["- Who edits the file waits.", 2],
  ["1. Of what is written nothing is lost.", 2],
  ["The tree stays. What is new goes.", 2],
  ["Nobody watches.", 3],
  ["The file lies in the root.", 4],
  ["This is a bug of ours.", 5],
  ["x".repeat(121), 6],
])("the sentence %j breaks rule %i", (text, rule) => {
  expect(broken("docs/a.md", text)).toEqual([rule]);
});

test.each([
  "There is no backlog.",
  "It is no longer there.",
  "The run continues.",
  "What does it cost? Nothing.",
  "See What it costs.",
  "# What it works with",
  "| What it is | what it does |",
  `| ${"x".repeat(121)} |`,
  `https://example.com/${"x".repeat(121)}`,
])("the sentence %j breaks no rule", (text) => {
  expect(broken("docs/a.md", text)).toEqual([]);
});

test("a document's code is left out, and a prompt may have long lines", () => {
  expect(broken("docs/a.md", "```\nnobody\n```\nnobody")).toEqual([3]);
  expect(broken("prompts/a.md", `${"x".repeat(121)}\nnobody`)).toEqual([3]);
});

test("comments, test names and messages are read in a source file, its code is not", () => {
  const source = [
    "// A first line.",
    "// What continues it is a line of it.",
    "const nobody = 1;",
    "/** What it is. */",
    '  const text = "nobody is there";',
    'test("what is given stays", () => {',
    "test.each(CASES)(",
    '  "who stops a run waits",',
    'test.each([1])("what %s does", () => {',
  ].join("\n");
  const slips = slipsIn("src/a.ts", source).map(({ line }) => line);
  expect(slips).toEqual([4, 5, 6, 8, 9]);
  expect(sentencesIn("src/a.ts", source).map(({ kind }) => kind)).toEqual([
    "comment",
    "comment",
    "comment",
    "string",
    "test",
    "test",
    "test",
  ]);
});

test("of a Makefile, a workflow and a patch only comments are read", () => {
  expect(broken("Makefile", "# Nobody.\nnobody:\n")).toEqual([3]);
  expect(broken("test/sabotage/a.patch", "# Nobody.\n+// nobody\n")).toEqual([3]);
});

test("recorded texts and texts of other programs are not read", () => {
  const files = ["src/a/testdata/a.md", "test/recorded/a.md", "docs/a.md", "Makefile", "src/a.json"];
  expect(files.filter(isRead)).toEqual(["docs/a.md", "Makefile"]);
});

test("an area is a floor, a folder of docs or test, or a top folder", () => {
  const files = ["src/git/base/a.ts", "docs/a.md", "docs/decisions/a.md", "bench/trust/a.mjs", "README.md"];
  expect(files.map(areaOf)).toEqual(["src/git", "docs", "docs/decisions", "bench", "README.md"]);
});

test("a budget only shrinks, and forgets an area without slips", () => {
  expect(lower({ cmd: 3, docs: 2, bench: 1 }, { cmd: 5, docs: 1, scripts: 4 })).toEqual({ cmd: 3, docs: 1 });
});
