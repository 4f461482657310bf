// Task files of other tools as people have them: what must not be lost, renamed or taken as done.
import { expect, test } from "vitest";
import { TaskId, type Task } from "../../model/task.js";
import { planImport } from "./plan.js";
import { imported } from "./testing.js";

function brief(text: string, name?: string): string[] {
  return imported(text, name).tasks.map(({ id, title, status, tags = [] }) =>
    [id, title, status, ...tags].join(" | "),
  );
}

function only(text: string, name?: string): Task {
  const { tasks } = imported(text, name);
  expect(tasks).toHaveLength(1);
  return tasks[0] as Task;
}

test.each([
  [
    "phases and tasks",
    "# Plan\n\n## Phase 1: Setup\n\n### Task 1: Repo\n\n- [x] init\n- [x] CI\n\n### Task 2: Code\n\n- [ ] parse\n",
    ["T1 | init | done | setup | repo", "T2 | CI | done | setup | repo", "T3 | parse | todo | setup | code"],
  ],
  [
    "milestones",
    "## Milestone 2 - Beta\n- [x] a\n- [ ] b\n",
    ["T1 | a | done | beta", "T2 | b | todo | beta"],
  ],
  ["steps with a dot", "## Step 3. Wire it\n- [ ] a\n", ["T1 | a | todo | wire-it"]],
  [
    "the letter of a group",
    "## M1: MVP\n- [x] a\n## v2.0 – New look\n- [ ] b\n",
    ["T1 | a | done | mvp", "T2 | b | todo | new-look"],
  ],
  [
    "a priority",
    "## P0: Fix now\n- [ ] a\n- [x] b\n",
    ["T1 | a | todo | fix-now", "T2 | b | done | fix-now"],
  ],
  ["weeks, with priorities", "## Week 1: Login (P1)\n* [x] a\n", ["T1 | a | done | login"]],
  [
    "a group without boxes is a task",
    "## Phase 1: Setup\n- [x] a\n\n## Phase 2: Later\nThink.\n",
    ["3 | a | done | setup", "2 | Later | todo"],
  ],
])("boxes below numbered headings are the tasks, the headings their group: %s", (_what, text, tasks) => {
  expect(brief(text).toSorted()).toEqual(tasks.toSorted());
});

test.each([
  ["all ticked", "### US-001: Basket\n- [x] a\n- [X] b\n", "done"],
  ["one open", "### US-001: Basket\n- [x] a\n- [ ] b\n", "todo"],
  ["none", "### US-001: Basket\nwords\n", "todo"],
  ["below a deeper heading", "### User story 1: Basket\n#### Criteria\n- [x] a\n", "done"],
])("a requirement is done when each of its boxes is ticked: %s", (_what, text, status) => {
  expect(only(text).status).toBe(status);
});

test.each([
  ["an open box below a ticked one", "- [x] a\n  - [x] b\n  - [ ] c\n"],
  ["a deeper one", "- [x] a\n  - [x] b\n    - [ ] c\n"],
  ["a word behind an open box", "- [ ] a [DONE]\n"],
  ["a flag beside a word", '{"userStories":[{"id":"A","title":"a","passes":true,"status":"partial"}]}'],
  [
    "a flag that is not set beside a word",
    '{"tasks":[{"id":"A","title":"a","status":"done","passes":false}]}',
  ],
  ["done and blocked", '{"tasks":[{"id":"A","title":"a","completed":true,"blocked":true}]}'],
  ["a word for open work behind a ticked box", "- [x] a (todo)\n"],
  ["one in brackets, before another mark", "- [x] a [not done] (P1)\n"],
  ["a field below a ticked box", "- [x] a\n  - **Status:** In progress\n"],
  ["an open box below one that is marked as cancelled", "- [-] a\n  - [ ] b\n"],
  ["two words", '{"tasks":[{"id":"A","title":"a","state":"done","status":"in progress"}]}'],
  ["two flags", '{"tasks":[{"id":"A","title":"a","passes":true,"completed":false}]}'],
  ["an open step", '{"tasks":[{"id":"A","title":"a","done":true,"steps":[{"title":"s","done":false}]}]}'],
  ["an open step in a column", '{"done":[{"id":"A","title":"a","steps":[{"text":"s","status":"open"}]}]}'],
])("the open word wins, with a note: %s", (_what, text) => {
  const { tasks, notes } = imported(text);
  expect(tasks[0]?.status).not.toBe("done");
  expect(notes.join("\n")).toMatch(/a\b.{0,13} is not taken as done: /);
});

test("a cancelled task stays cancelled over open steps", () => {
  const task = { id: "A", title: "a", status: "cancelled", steps: [{ title: "s", done: false }] };
  for (const text of ["- [ ] ~~a~~\n  - [ ] s\n", JSON.stringify({ tasks: [task] })])
    expect(only(text)).toMatchObject({ status: "done", tags: ["cancelled"], steps: ["s"] });
});

test("a task with an open part is not done", () => {
  const text =
    '{"tasks":[{"id":1,"title":"a","status":"done","subtasks":[{"id":1,"title":"b","status":"pending"}]}]}';
  const { tasks, notes } = imported(text);
  expect(tasks.map(({ id, status }) => [id, status])).toEqual([
    ["1.1", "todo"],
    ["1", "todo"],
  ]);
  expect(notes.join()).toContain('1 a is not taken as done: its part "b" is open');
});

test.each([
  ["a word for the priority", { priority: "high" }, { priority: 2 }],
  ["P1", { priority: "P1" }, { priority: 1 }],
  ["a number as text", { priority: "4" }, { priority: 4 }],
  ["MoSCoW", { Priority: "Must" }, { priority: 1 }],
  ["an object", { priority: { name: "Low" } }, { priority: 4 }],
  ["In Progress", { status: "In Progress" }, { status: "doing" }],
  ["a state in an object", { state: { name: "Closed" } }, { status: "done" }],
  ["in review", { status: "In Review" }, { status: "blocked", blockers: ["waits for a review"] }],
  ["blocked: true", { blocked: true }, { status: "blocked", blockers: ["blocked"] }],
  ["blocked by a reason", { blocked: "no key" }, { status: "blocked", blockers: ["no key"] }],
  ["completed: true", { completed: true }, { status: "done" }],
  ["done: false", { done: false }, { status: "todo" }],
  ["dependsOn", { dependsOn: ["B"], status: "open" }, { depends_on: ["B"] }],
  ["a body", { body: "why" }, { description: "why" }],
  ["a text of dependencies", { dependencies: "B, A2" }, { depends_on: ["B", "A2"] }],
  ["objects", { dependencies: [{ id: "B", title: "b" }, { task: "A2" }] }, { depends_on: ["B", "A2"] }],
  ["two keys", { blockedBy: ["B"], dependsOn: ["A2"] }, { depends_on: ["B", "A2"] }],
  ["parts that are texts", { subtasks: ["one", "two"] }, { steps: ["one", "two"] }],
  ["an empty title", { title: "", status: "open" }, { title: "a" }],
  ["labels and tags", { labels: ["x"], tags: ["y"], done: false }, { tags: ["x", "y"] }],
  ["a label for a state", { labels: ["status: in progress"], state: "open" }, { status: "doing" }],
  ["a label of a done task", { labels: ["blocked"], state: "closed" }, { status: "done" }],
  [
    "values of another shape",
    { criteria: { 1: "works" }, notes: [{ a: "b" }], completed: "2026-01-01", milestone: { id: 4 } },
    { meta: { imported: { criteria: { 1: "works" }, notes: [{ a: "b" }], completed: "2026-01-01" } } },
  ],
] as const)(
  "words and fields of a JSON backlog are read as corrections read them: %s",
  (_what, more, task) => {
    const records = [
      { id: "A", name: "a", ...more },
      { id: "B", name: "b", status: "todo" },
      { id: "A2", name: "c", status: "todo" },
    ];
    for (const text of [JSON.stringify({ tasks: records }), JSON.stringify(records)])
      expect(imported(text).tasks[0]).toMatchObject({ id: "A", title: "a", ...task });
  },
);

test.each([
  ...[
    "Out of scope",
    "Non-Goals",
    "Won't do",
    "Not planned",
    "Rejected ideas",
    "❌ Rejected",
    "Dropped for now",
  ],
  ...["Features (cancelled)", "5. Out of Scope", "Things we won’t do"],
])("boxes below %j are left out, and named", (heading) => {
  const { tasks, notes } = imported(`# X\n## Do\n- [ ] a\n## ${heading}\n- [ ] b\n### Deeper\n- c\n`);
  expect(tasks.map(({ title }) => title)).toEqual(["a"]);
  expect(notes).toEqual(["line 5 left out: - [ ] b", "line 7 left out: - c"]);
});

test("a plain item over things that will not be done, and an issue that is not planned, are not work", () => {
  const { tasks, notes } = imported("- [ ] a\n- Out of scope\n  - [ ] b\n");
  expect(tasks.map(({ title }) => title)).toEqual(["a"]);
  expect(notes).toEqual(["line 3 left out: - [ ] b"]);
  const issue = { number: 1, title: "x", state: "CLOSED", stateReason: "NOT_PLANNED" };
  expect(only(JSON.stringify([issue]))).toMatchObject({ status: "done", tags: ["cancelled"] });
});

test.each(["Handle rejected payments", "Abandoned carts", "Fix what won’t start", "Dropped packets"])(
  "boxes below %j are work",
  (heading) => {
    expect(imported(`## ${heading}\n- [ ] a\n- Cancelled orders\n  - [ ] b\n`).tasks).toHaveLength(2);
  },
);

test.each([
  ["🚧 In Progress", { status: "doing" }],
  ["Blocked 🛑", { status: "blocked" }],
  ["2. In Progress", { status: "doing" }],
  ["⏳ Waiting (2/5):", { status: "blocked" }],
  ["🔥 High Priority", { priority: 2 }],
  ["3) WIP (P1)", { status: "doing", priority: 1 }],
  ["1. Login 🔑", { tags: ["login"] }],
])("a heading is read without its number, its signs and its count: %s", (heading, task) => {
  expect(only(`# T\n## ${heading}\n- [ ] a\n`)).toMatchObject({ title: "a", ...task });
});

test("of one id the newest line counts", () => {
  const lines = [
    { id: "bd-1", title: "Old", status: "open", priority: 2, issue_type: "bug" },
    { id: "bd-2", title: "B", status: "open", priority: 2, issue_type: "bug" },
    { id: "bd-1", title: "New", status: "closed", priority: 2, issue_type: "bug" },
  ];
  const { tasks, notes } = imported(lines.map((one) => JSON.stringify(one)).join("\n"));
  expect(tasks.map(({ id, title, status }) => [id, title, status])).toEqual([
    ["bd-1", "New", "done"],
    ["bd-2", "B", "todo"],
  ]);
  expect(notes).toEqual(["bd-1 is there more than once: the last one counts"]);
  expect(brief("- [ ] US-1: a\n- [x] US-1: a\n")).toEqual(["US-1 | a | done"]);
  expect(brief('{"tasks":[{"id":1,"title":"a"},{"id":1,"title":"b"}]}')).toEqual(["1 | b | todo"]);
});

test.each([
  ["two keys", { userStories: [{ id: "A", title: "a" }], tasks: [{ id: "B", title: "b" }] }],
  ["columns", { todo: [{ id: "A", title: "a", priority: 1 }], done: [{ id: "B", title: "b", priority: 1 }] }],
  [
    "groups",
    {
      epics: [
        { name: "E", stories: [{ id: "A", title: "a" }] },
        { name: "F", stories: [{ id: "B", title: "b" }] },
      ],
    },
  ],
  ["below another key", { plan: { tasks: [{ id: "A", title: "a" }] }, backlog: [{ id: "B", title: "b" }] }],
])("all lists of a file are read: %s", (_what, file) => {
  const { tasks } = imported(JSON.stringify(file));
  expect(tasks.map(({ id, title }) => [id, title])).toEqual([
    ["A", "a"],
    ["B", "b"],
  ]);
});

const BACKLOG_MD = `---
id: task-12
title: Fix the login
status: In Progress
assignee:
  - '@sara'
labels:
  - web
dependencies:
  - task-11
priority: high
---

## Description

It fails.

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 Logs in
- [x] #2 Logs out
<!-- AC:END -->

## Implementation Plan

1. Look
`;

test("a Markdown task with a header is one task", () => {
  const { tasks, notes } = imported(BACKLOG_MD, "task-12.md");
  expect(tasks).toEqual([
    {
      id: "task-12",
      title: "Fix the login",
      priority: 2,
      status: "doing",
      details: "## Description\n\nIt fails.\n\n## Implementation Plan\n\n1. Look",
      steps: ["Logs in"],
      tags: ["web"],
      meta: { imported: { assignee: ["@sara"] } },
    },
  ]);
  expect(notes).toEqual([
    "left out of task-12: Logs out, which is done",
    'task-12: dependency on "task-11" dropped: no such task',
  ]);
  const done = BACKLOG_MD.replace("In Progress", "Done");
  expect(only(done).status).toBe("todo");
  expect(only(done.replace("[ ]", "[x]"))).toMatchObject({ status: "done", steps: ["Logs in", "Logs out"] });
  expect(only(BACKLOG_MD.replaceAll("\n", "\r\n")).id).toBe("task-12");
});

test.each([
  ["title and description", "title: Roadmap\ndescription: Next"],
  ["a state of the page", "title: Notes\nstatus: published"],
  ["a draft", "title: Notes\nstatus: draft"],
  ["an id of the page", "id: roadmap\ntitle: Roadmap"],
])("boxes below the header of a page are tasks: %s", (_what, header) => {
  expect(brief(`---\n${header}\n---\n## Login\n- [x] Form\n- [ ] Session\n`)).toEqual([
    "T1 | Form | done | login",
    "T2 | Session | todo | login",
  ]);
  expect(brief(`---\n${header}\n---\n### US-1: a\nx\n### US-2: b\n`)).toHaveLength(2);
});

test("a header without an id is one task with the boxes that it demands", () => {
  const text = "---\ntitle: Fix\nstatus: To Do\n---\nWhy.\n## Definition of Done\n- [ ] works\n";
  expect(only(text)).toMatchObject({ title: "Fix", steps: ["works"] });
});

test("a header of another program is not a task", () => {
  expect(brief("---\ntitle: My list\nlayout: page\n---\n- [ ] a\n- [ ] b\n")).toHaveLength(2);
});

test.each([
  ["US-003 — Basket", "US-003", "Basket"],
  ["T1.2 Basket", "T1.2", "Basket"],
  ["US-003 Basket", "US-003", "Basket"],
  ["**US-003** Basket", "US-003", "Basket"],
  ["**T2:** Basket", "T2", "Basket"],
  ["[T2] Basket", "T2", "Basket"],
  ["`FR-2` - Basket", "FR-2", "Basket"],
  ["TASK_7: Basket", "TASK_7", "Basket"],
  ["AB-12 | Basket", "AB-12", "Basket"],
  ["[AB-12](https://jira/AB-12) Basket", "AB-12", "Basket"],
  ["[US-3](#us-3): Basket", "US-3", "Basket"],
])("an id in an item is kept: %s", (text, id, title) => {
  const { tasks } = imported(`- [ ] ${text}\n- [ ] Pay (after ${id})\n`);
  expect(tasks).toMatchObject([
    { id, title },
    { title: "Pay", depends_on: [id] },
  ]);
});

test.each(["UTF-8 names", "P1 is wrong", "Python3 scripts", "SHA-256 of files", "S3 upload", "2 of them"])(
  "a word with a number is not an id: %s",
  (title) => {
    expect(imported(`- [ ] ${title}\n`).tasks[0]?.title).toBe(title);
  },
);

test.each([
  ["- [>] a\n", { status: "blocked", blockers: ["deferred"] }],
  ["- [ ] ~~a~~\n", { status: "done", tags: ["cancelled"] }],
  ["## Requirements\n- ✅ a\n", { status: "done" }],
  ["## Requirements\n- a [DONE]\n", { status: "done" }],
  ["- [ ] a (in progress)\n", { status: "doing" }],
  ["- [ ] a\n  and more (P1) (doing) #x\n", { status: "doing", priority: 1, tags: ["x"] }],
  ["- [ ] a\n  - **Status:** Blocked - no key\n", { status: "blocked", blockers: ["no key"] }],
  ["- [ ] a\n  Priority: High\n\n  ```\n  Status: Done\n  ```\n", { status: "todo", priority: 2 }],
  ["- [ ] a\n  - [ ] b\n    - Status: Done\n", { status: "todo", steps: ["b"] }],
])("marks in items are read: %j", (text, task) => {
  expect(only(text)).toMatchObject({ title: "a", ...task });
});

test("dependencies are named as people write them, and by the tasks that are there", () => {
  const edges = (text: string) => imported(text).tasks.map(({ depends_on }) => depends_on?.join(" ") ?? "");
  expect(edges("### Task 1: a\n### Task 2: b\n**Depends on:** Task 1\n")).toEqual(["", "1"]);
  expect(edges("### US-1: a\n### US-2: b\n**Depends on:** [US-1](#us-1).\n")).toEqual(["", "US-1"]);
  expect(edges("- [ ] 1. a\n- [ ] 2. b\n- [ ] c\n  Blocked by: tasks 1 & #2\n")).toEqual(["", "", "1 2"]);
  const there = [{ id: TaskId.parse("task-1"), title: "Base" }];
  const draft = { title: "Next", dependsOn: ["TASK-1"] };
  expect(planImport({ drafts: [draft], notes: [] }, there).tasks[0]?.depends_on).toEqual(["task-1"]);
  const own = { id: "task-1", title: "Other" };
  expect(planImport({ drafts: [own, draft], notes: [] }, there).tasks[1]?.depends_on).toEqual(["task-2"]);
});

test("spec-kit: phases keep their order, and a letter or number in brackets is not a box", () => {
  const { tasks, notes } = imported(
    "## Phase 3: Story 1 (Priority: P1) 🎯 MVP\n- [ ] T012 a\n## Phase 4: Story 2 (Priority: P2)\n- [ ] T020 b\n## Notes\n- [P] tasks = c\n- [1] Smith\n",
  );
  expect(tasks.map(({ id, priority }) => [id, priority])).toEqual([
    ["T012", 3],
    ["T020", 3],
  ]);
  expect(notes).toEqual(["line 6 left out: - [P] tasks = c", "line 7 left out: - [1] Smith"]);
});

test("the addresses of links stay, and text between tags is named", () => {
  expect(only("- [ ] Do [the spec](a.md#b)\n  - [ ] as [here](https://x.org)\n")).toMatchObject({
    title: "Do the spec",
    reference: "a.md#b",
    steps: ["as here (https://x.org)"],
  });
  const { notes } = imported("- [ ] a\n\n<!-- no\nthing -->\n\n<ul>\n- [ ] b\n</ul>\n");
  expect(notes).toEqual(["line 6 left out: <ul>", "line 7 left out: - [ ] b", "line 8 left out: </ul>"]);
});
