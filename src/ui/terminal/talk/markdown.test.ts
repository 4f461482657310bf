import { expect, test } from "vitest";
import { coloursFor, PLAIN, type Colours } from "../../colours.js";
import { markdownLines } from "./markdown.js";
import { TalkLines } from "./talk-lines.js";

/** Styles as tags. */
const tag = (name: string) => (text: string | number | null | undefined) =>
  `<${name}>${String(text)}</${name}>`;
const TAGS: Colours = {
  bold: tag("b"),
  cyan: tag("c"),
  dim: tag("d"),
  green: tag("g"),
  red: tag("r"),
  yellow: tag("y"),
};

test.each([
  ["# A title", "<b>A title</b>"],
  ["## With `code`", "<b>With <c>code</c></b>"],
  ["#hash", "#hash"],
  ["- one", "• one"],
  ["  * two **bold**", "  • two <b>bold</b>"],
  ["1. first", "1. first"],
  ["> said", "<d>│</d> said"],
  ["---", "<d>---</d>"],
  ["Run `npm test` and **wait for `it`**.", "Run <c>npm test</c> and <b>wait for <c>it</c></b>."],
  ["src/** and 2 ** 3 and ** and a**b", "src/** and 2 ** 3 and ** and a**b"],
  ["an open ` and an open **bold", "an open ` and an open **bold"],
  ["`a` b `c", "<c>a</c> b `c"],
  ["snake_case and *one star*", "snake_case and *one star*"],
])("%s", (text, shown) => {
  expect(markdownLines(text, TAGS, 80)).toEqual([shown]);
});

test("a block of code with a language has its strings, comments and words in colours, a diff its lines", () => {
  const python = '```python\ndef f(a):\n  return "#1" # one\n```';
  expect(markdownLines(python, TAGS, 80).slice(1, -1)).toEqual([
    "<c>def</c> f(a):",
    '  <c>return</c> <g>"#1"</g> <d># one</d>',
  ]);
  const open = "```js\nconst a = \"it's // no end\n```";
  expect(markdownLines(open, TAGS, 80)[1]).toContain("<d>// no end</d>");
  const diff = "```diff\n-a\n+b\n```";
  expect(markdownLines(diff, TAGS, 80).slice(1, -1)).toEqual(["<r>-a</r>", "<g>+b</g>"]);
});

test("the lines of a table are drawn, and a bar in code stays", () => {
  expect(markdownLines("| a | `x|y` |\n|---|:-:|", TAGS, 80)).toEqual([
    "<d>│</d> a <d>│</d> <c>x|y</c> <d>│</d>",
    "<d>┼───┼───┼</d>",
  ]);
  expect(markdownLines("| a |", PLAIN, 80)).toEqual(["| a |"]);
});

test("a block of code without a language is shown as it is", () => {
  const text = "```\n# no title\n- **no list**\n```\n- a list";
  const code = ["<c># no title</c>", "<c>- **no list**</c>"];
  expect(markdownLines(text, TAGS, 80)).toEqual(["<d>```</d>", ...code, "<d>```</d>", "• a list"]);
});

test("without colours nothing changes", () => {
  const text = "# A\n- **b** `c`\n```\nd\n```";
  expect(markdownLines(text, PLAIN, 80)).toEqual(text.split("\n"));
  expect(markdownLines("# A", coloursFor(false), undefined)).toEqual(["# A"]);
});

test("a span over several rows is styled in each of them, and ends with its line", () => {
  expect(markdownLines("**one two three** four\n`five", TAGS, 8)).toEqual([
    "<b>one</b>",
    "<b>two</b>",
    "<b>three</b>",
    "four",
    "`five",
  ]);
});

const common = { seq: 1, timestamp: "2026-01-01T00:00:00.000Z" };
const TEXT = "# Title\n\nSome **bold words** and `code`:\n\n```ts\nconst a = 1;\n```\n- last **one**";

test("a text that streams is shown in the same styles, in whatever pieces it comes", () => {
  const whole = markdownLines(TEXT, TAGS, 24);
  for (const size of [1, 2, 3, 7, 50]) {
    const lines = new TalkLines("m");
    const screen = { colours: TAGS, columns: 24 };
    const shown: string[] = [];
    for (let at = 0; at < TEXT.length; at += size) {
      const data = { iteration: 1, request: 1, text: TEXT.slice(at, at + size) };
      shown.push(...lines.take({ type: "delta", data, ...common }, screen));
    }
    const data = { iteration: 1, text: TEXT };
    shown.push(...lines.take({ type: "message", data, ...common }, screen));
    expect(shown).toEqual(["", ...whole]);
  }
});
