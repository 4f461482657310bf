// Markdown, read: checklists and documents.
import fc from "fast-check";
import { expect, test } from "vitest";
import { readImport } from "./read.js";
import { imported, refusal } from "./testing.js";

test("a checklist: boxes are tasks, boxes below them steps, the rest below them details; headings are tags and priorities", () => {
  const { tasks, format } = imported(`# Shop

## Login (P1)

- [ ] Form for the password #ui
  - [ ] fields
  - [x] styles
  Says what is wrong.

  \`\`\`
  - [ ] no task
  \`\`\`
- [x] T7: Session (after T1)

## Low priority
* [ ] Colours (blocked: no designer)
1. [/] Half
- Backend
    - [ ] Endpoint [high]
`);
  expect(format).toBe("a Markdown checklist");
  expect(tasks).toEqual([
    {
      id: "T8",
      title: "Form for the password",
      priority: 1,
      status: "todo",
      steps: ["fields"],
      tags: ["login", "ui"],
      details: "Says what is wrong.\n\n```\n- [ ] no task\n```",
    },
    { id: "T7", title: "Session", priority: 1, status: "done", tags: ["login"] },
    { id: "T9", title: "Colours", priority: 4, status: "blocked", blockers: ["no designer"] },
    { id: "T10", title: "Half", priority: 4, status: "doing" },
    { id: "T11", title: "Endpoint", priority: 2, status: "todo", tags: ["backend"] },
  ]);
});

test("a checklist: CRLF, a byte order mark, tabs, front matter, kanban columns; a note names the text beside the boxes", () => {
  const { tasks, notes } = imported(
    "\ufeff---\r\ntitle: x\r\n---\r\nSome words.\r\n\r\n## Doing\r\n- [ ] one\r\n\t- [ ] step\r\n- nothing\r\n\r\n- [ ]\r\n## Done\r\n- [x] two\r\n- [-] three\r\n",
  );
  expect(tasks).toEqual([
    { id: "T1", title: "one", priority: 3, status: "doing", steps: ["step"] },
    { id: "T2", title: "two", priority: 3, status: "done" },
    { id: "T3", title: "three", priority: 3, status: "done", tags: ["cancelled"] },
  ]);
  expect(notes).toEqual([
    "line 4 left out: Some words.",
    "line 9 left out: - nothing",
    "line 11 left out: - [ ]",
  ]);
});

test("ids: kept where valid and free, else the next in style; edges that lead nowhere or close a cycle go, and are told", () => {
  const { tasks, notes } = imported(
    "- [ ] US-001: a (after US-003)\n- [ ] US-001: b (after US-9)\n- [ ] US-003: c (after US-001)\n- [ ] d (after US-003, US-003)\n",
  );
  expect(tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([
    ["US-001", ["US-003"]],
    ["US-004", undefined],
    ["US-003", undefined],
    ["US-005", ["US-003"]],
  ]);
  expect(notes).toEqual([
    '"b" is called US-004: its id "US-001" is taken',
    'US-004: dependency on "US-9" dropped: no such task',
    "US-003: dependency on US-001 dropped: it would close a cycle",
  ]);
  expect(imported('{"tasks":[{"id":"X Y","title":"a"}]}').notes).toEqual([
    '"a" is called T1: its id "X Y" has white space',
  ]);
});

test("words in brackets without a meaning stay in the title, P1 is not an id, and #12 is not a tag", () => {
  const titles = imported(
    "- [ ] P1: Fix (it) (see #12)\n- [ ] Call (after lunch)\n- [ ] 1.2 Sum\n- [ ] T001 [P] Do\n",
  ).tasks;
  expect(titles.map(({ id, title, priority }) => [id, title, priority])).toEqual([
    ["T002", "Fix (it) (see #12)", 1],
    ["T003", "Call (after lunch)", 3],
    ["1.2", "Sum", 3],
    ["T001", "[P] Do", 3],
  ]);
});

test("a document: numbered headings are tasks, with all that stands deeper; boxes there are what they demand", () => {
  const { tasks, notes, format } = imported(`# PRD: Shop
## Introduction
We sell things.
## User Stories
### US-001: Basket
**Description:** As a buyer I want it.
- [ ] Typecheck passes
#### Notes
Small.
### US-002: Payment (P1)
## Non-Goals
- Taxes
`);
  expect(format).toBe("a document in Markdown");
  expect(tasks).toEqual([
    {
      id: "US-001",
      title: "Basket",
      priority: 3,
      status: "todo",
      details: "**Description:** As a buyer I want it.\n- [ ] Typecheck passes\n#### Notes\nSmall.",
    },
    { id: "US-002", title: "Payment", priority: 1, status: "todo" },
  ]);
  expect(notes).toEqual(["line 3 left out: We sell things.", "line 12 left out: - Taxes"]);
});

test("a document: lines that are fields give state, priority and edges; the open word counts; a struck heading is left out", () => {
  const { tasks, notes } = imported(
    [
      "# Plan",
      "### US-1: Schema",
      "**Status:** ✅ Done",
      "- [ ] Reviewed",
      "### US-2: Mails [P1]",
      "- Status: In Progress (since May)",
      "Priority: low",
      "### US-3: Bills",
      "*State*: blocked - waits for the bank",
      "**Depends on**: US-2, US-1",
      "### US-4: Old",
      "Status: Cancelled",
      "- [ ] Never",
      "### US-5: ~~gRPC~~",
      "No.",
      "### US-6: Words",
      "Status: the word of the day",
      "```",
      "Status: Done",
      "```",
      "Depends on: the weather",
      "Priority: must, says the boss",
    ].join("\n"),
  );
  expect(
    tasks.map(({ id, status, priority, depends_on, blockers, tags }) => [
      ...[id, status, priority],
      ...[depends_on, blockers, tags].map((list) => list?.join(" ") ?? ""),
    ]),
  ).toEqual([
    ["US-1", "todo", 3, "", "", ""],
    ["US-2", "doing", 1, "", "", ""],
    ["US-3", "blocked", 3, "US-2 US-1", "waits for the bank", ""],
    ["US-4", "done", 3, "", "", "cancelled"],
    ["US-6", "todo", 1, "", "", ""],
  ]);
  expect(notes).toEqual([
    '"Schema" is not taken as done: something in it is open',
    "line 14 left out: ### US-5: ~~gRPC~~",
    "line 15 left out: No.",
  ]);
});

test("a document without numbered headings: items about work, else numbered items, else sections", () => {
  const titles = (text: string) =>
    imported(text).tasks.map(({ id, title, details = "" }) => [id, title, details]);
  expect(
    titles(
      "# X\n## Goals\n- be good\n## Functional Requirements\n1. FR-1: Log in\n   with care\n2. **Log out**: at once\n## Out of scope\n- x\n",
    ),
  ).toEqual([
    ["FR-1", "Log in", "with care"],
    ["FR-2", "Log out: at once", ""],
  ]);
  expect(titles("Do this:\n\n1. One\n   - more\n2. Two\n- not\n")).toEqual([
    ["T1", "One", "- more"],
    ["T2", "Two", ""],
  ]);
  expect(titles("# App\n## Overview\nwords\n## 1. Search\nFind it.\n\n### Index\nFast.\n")).toEqual([
    ["T1", "Search", "Find it."],
    ["T2", "Index", "Fast."],
  ]);
  expect(refusal("# Only a title\n\nand words\n")).toBe("there are no tasks in it (a document in Markdown)");
});

test("the text below the words of a box is its details once", () => {
  const { tasks } = imported("- [ ] a\n  more\n\n  ```\n  code\n  ```\n");
  expect(tasks[0]?.details).toBe("more\n\n```\ncode\n```");
});

test("a text that begins with a bracket and is not JSON, and any .md, is read as Markdown", () => {
  expect(imported("[link](x)\n\n- [ ] one\n").tasks).toHaveLength(1);
  expect(imported("{curly}\n- [ ] one\n", "a.md").tasks).toHaveLength(1);
});

test("a table beside a list of requirements is counted as left out, one below an item is its details", () => {
  const table = ["| a | b |", "|---|---|", "| 1 | 2 |"];
  const document = (rows: string[]): string =>
    `# Shop\n\n## Requirements\n\n- Cart\n\n${rows.join("\n")}\n- List\n`;
  const read = (rows: string[]) => {
    const found = readImport(Buffer.from(document(rows)), "PRD.md");
    return found.ok
      ? [found.value.left, found.value.drafts.map(({ title, details }) => [title, details])]
      : [];
  };
  expect(read(table)).toEqual([
    3,
    [
      ["Cart", ""],
      ["List", ""],
    ],
  ]);
  const below = table.map((row) => `  ${row}`);
  expect(read(below)).toEqual([
    0,
    [
      ["Cart", table.join("\n")],
      ["List", ""],
    ],
  ]);
});

test("any text is read as a valid backlog or refused", () => {
  const word = fc.constantFrom(
    "- [ ] ",
    "- [x] ",
    "  - ",
    "# ",
    "## P1",
    "```",
    "\n",
    "\n",
    "T1: ",
    "(after T1)",
    "#a",
    "x",
    "\t",
    "<!-- looper {} -->",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(word).map((words) => words.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        const read = readImport(Buffer.from(text), "-");
        expect(read.ok ? imported(text).tasks.length : 1).toBeGreaterThan(0);
      },
    ),
  );
});

test("a long document is read in pieces, which change nothing: fences, comments and boxes below boxes stay whole", () => {
  const chapter = (n: number): string => `## Chapter ${String(n)}

- [ ] task ${String(n)} (P2)
  - [ ] step
    - [ ] step below
  Words about it.

\`\`\`
## no heading
- [ ] no task
\`\`\`

<!--
- [ ] nor this
-->
~~~~
\`\`\`
~~~
- [ ] nor that
~~~~
- plain
  - [x] task ${String(n)}b
`;
  const read = (text: string) =>
    imported(text).tasks.map(({ title, tags, status, steps, details }) => ({
      title,
      tags,
      status,
      steps,
      details,
    }));
  const chapters = Array.from({ length: 60 }, (_, n) => chapter(n));
  const whole = read(chapters.join(""));
  expect(whole).toHaveLength(120);
  expect(whole).toEqual(chapters.flatMap((text) => read(text)));
});
