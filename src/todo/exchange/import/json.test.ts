// Each format of JSON, read: what becomes of its fields; and what is refused.
import fc from "fast-check";
import { expect, test } from "vitest";
import { readImport } from "./read.js";
import { imported, refusal } from "./testing.js";

test("prd.json of ralph: stories with their criteria; ranks beyond 5 become priorities in the same order", () => {
  const story = (id: string, more: object) => ({
    id,
    title: `Do ${id}`,
    description: "As a user",
    passes: false,
    notes: "",
    ...more,
  });
  const { tasks, notes } = imported(
    JSON.stringify({
      project: "Shop",
      branchName: "ralph/x",
      verificationCommands: { test: "npm test" },
      userStories: [
        story("US-001", {
          priority: 1,
          passes: true,
          acceptanceCriteria: ["a", "b"],
          notes: "n",
          model: "x",
        }),
        story("US-002", { priority: 9, dependencies: ["US-001"] }),
        story("US-003", { priority: 4 }),
      ],
    }),
  );
  expect(tasks).toMatchObject([
    {
      id: "US-001",
      status: "done",
      priority: 1,
      description: "As a user",
      details: "Acceptance criteria:\n- a\n- b\n\nNotes:\nn",
      meta: { imported: { model: "x" } },
    },
    {
      id: "US-002",
      status: "todo",
      priority: 4,
      depends_on: ["US-001"],
      meta: { imported: { priority: 9 } },
    },
    { id: "US-003", priority: 2 },
  ]);
  expect(notes.join()).toMatch(/ranks.*verificationCommands/);
});

const MASTER = [
  {
    id: 1,
    title: "Setup",
    description: "d",
    details: "how",
    testStrategy: "try",
    status: "done",
    priority: "high",
    dependencies: [],
    subtasks: [],
  },
  {
    id: 2,
    title: "Login",
    status: "in-progress",
    priority: "low",
    dependencies: [1],
    complexityScore: 7,
    subtasks: [
      { id: 1, title: "Form", status: "pending", dependencies: [] },
      { id: 2, title: "Session", status: "cancelled", dependencies: [1, "3"], priority: "critical" },
    ],
  },
  { id: 3, title: "Later", status: "deferred", dependencies: ["2.1", 99] },
  { id: 4, title: "Strange", status: "odd", priority: "soon", dependencies: [] },
];

test.each([
  ["plain", { tasks: MASTER, metadata: { projectName: "x" } }],
  ["tagged", { master: { tasks: MASTER, metadata: { created: "y" } } }],
])(
  "tasks.json of task-master, %s: subtasks are tasks, and the task above them waits for them",
  (_shape, whole) => {
    const { tasks, notes } = imported(JSON.stringify(whole));
    expect(tasks).toMatchObject([
      { id: "1", status: "done", priority: 2, description: "d", details: "how\n\nTest strategy:\ntry" },
      { id: "2.1", status: "todo", priority: 4, depends_on: ["1"], reference: "subtask of 2: Login" },
      { id: "2.2", status: "done", priority: 1, depends_on: ["2.1", "3", "1"], tags: ["cancelled"] },
      {
        id: "2",
        status: "doing",
        depends_on: ["1", "2.1", "2.2"],
        meta: { imported: { complexityScore: 7 } },
      },
      { id: "3", status: "blocked", blockers: ["deferred"], depends_on: ["2.1"] },
      { id: "4", status: "todo", priority: 3, meta: { imported: { status: "odd", priority: "soon" } } },
    ]);
    expect(notes).toContain('3: dependency on "99" dropped: no such task');
  },
);

test("tasks of further tags of task-master stay separate", () => {
  const one = (title: string, dependencies: number[] = []) => ({ id: title.length, title, dependencies });
  const { tasks } = imported(
    JSON.stringify({ feat: { tasks: [one("a"), one("bb", [1])] }, master: { tasks: [one("c")] } }),
  );
  expect(tasks.map(({ id, tags, depends_on }) => [id, tags, depends_on])).toEqual([
    ["feat-1", ["feat"], undefined],
    ["feat-2", ["feat"], ["feat-1"]],
    ["1", undefined, undefined],
  ]);
});

test("all lists of a file are read, those of groups without a title too", () => {
  const { tasks } = imported(
    JSON.stringify({
      userStories: [{ id: "US-1", title: "Log in", passes: false }],
      epics: [
        { id: "E1", tasks: [{ id: "E1.1", summary: "Parse", done: true }] },
        { tasks: [{ title: "Print", status: "open" }] },
      ],
    }),
  );
  expect(tasks.map(({ title, status, tags }) => [title, status, tags])).toEqual([
    ["Log in", "todo", undefined],
    ["Parse", "done", ["e1"]],
    ["Print", "todo", undefined],
  ]);
});

test("ids of parts stay where they are free; texts in lists are tasks; values that nothing reads are named", () => {
  const story = (id: string, dependsOn: unknown = []) => ({ id, title: `Do ${id}`, dependsOn });
  const { tasks, notes } = imported(
    JSON.stringify({
      epics: [
        { id: "E1", title: "e", stories: [story("US-1"), story("US-2", ["US-1"])] },
        { id: "E2", title: "f", stories: [story("US-1"), story("US-3", ["US-1", "US-2"])] },
        { name: "Pay", goal: "money", tasks: [story("US-4", { A: true }), "Cash"] },
      ],
      tasks: ["Ship", { title: "Big", id: 1234567890123456781 }, { title: "Two", id: 1234567890123456782 }],
    }),
  );
  expect(tasks.map(({ id, title, depends_on = [] }) => [id, title, depends_on.join(" ")])).toEqual([
    ["US-1", "Do US-1", ""],
    ["US-2", "Do US-2", "US-1"],
    ["E1", "e", "US-1 US-2"],
    ["E2.US-1", "Do US-1", ""],
    ["US-3", "Do US-3", "E2.US-1 US-2"],
    ["E2", "f", "E2.US-1 US-3"],
    ["US-4", "Do US-4", ""],
    ["US-5", "Cash", ""],
    ["US-6", "Ship", ""],
    ["US-7", "Big", ""],
    ["US-8", "Two", ""],
  ]);
  expect(notes).toEqual([
    "left out of the group pay: goal",
    'US-4 Do US-4: dependencies not read: [{"A":true}]',
  ]);
});

const BEADS = [
  {
    id: "bd-1",
    title: "Epic",
    status: "open",
    priority: 0,
    issue_type: "epic",
    created_at: "2026-01-02T03:04:05.678+01:00",
  },
  {
    id: "bd-1.1",
    title: "Part",
    description: "d",
    design: "so",
    acceptance_criteria: "works",
    notes: "n",
    status: "in_progress",
    priority: 4,
    issue_type: "task",
    labels: ["api"],
    assignee: "me",
    dependencies: [
      { issue_id: "bd-1.1", depends_on_id: "bd-1", type: "parent-child" },
      { issue_id: "bd-1.1", depends_on_id: "bd-2", type: "blocks" },
      { issue_id: "bd-1.1", depends_on_id: "bd-3", type: "related" },
    ],
  },
  { id: "bd-2", title: "Bug", status: "closed", priority: 2, issue_type: "bug", external_ref: "gh-9" },
  { id: "bd-3", title: "Gone", status: "tombstone", priority: 2, issue_type: "task" },
];

test.each([
  ["lines", BEADS.map((issue) => JSON.stringify(issue)).join("\n") + "\n"],
  ["a list", JSON.stringify(BEADS)],
])("beads as %s: an epic waits for its parts, 0 comes first, other edges are kept", (_how, text) => {
  const { tasks, notes } = imported(text, "issues.jsonl");
  expect(tasks).toEqual([
    {
      id: "bd-1",
      title: "Epic",
      priority: 1,
      status: "todo",
      tags: ["epic"],
      depends_on: ["bd-1.1"],
      created_at: "2026-01-02T03:04:05.678+01:00",
    },
    {
      id: "bd-1.1",
      title: "Part",
      description: "d",
      priority: 5,
      status: "doing",
      details: "Design:\nso\n\nAcceptance criteria:\nworks\n\nNotes:\nn",
      tags: ["api"],
      depends_on: ["bd-2"],
      meta: {
        imported: {
          assignee: "me",
          dependencies: [{ issue_id: "bd-1.1", depends_on_id: "bd-3", type: "related" }],
        },
      },
    },
    { id: "bd-2", title: "Bug", reference: "gh-9", priority: 3, status: "done", tags: ["bug"] },
  ]);
  expect(notes).toEqual(["left out: bd-3 Gone, which is deleted"]);
});

test("issues of GitHub: labels are tags and priorities, the text says what is waited for", () => {
  const { tasks } = imported(
    JSON.stringify([
      {
        number: 12,
        title: "Slow",
        body: "Depends on #3 and #4\r\nBlocked by: #99",
        labels: [{ id: "x", name: "priority: high", color: "f00" }, { name: "perf" }],
        state: "OPEN",
        url: "https://example.org/12",
        milestone: { title: "v1", number: 1 },
        assignees: [{ login: "me" }],
        createdAt: "2026-01-02T03:04:05Z",
      },
      { number: 3, title: "Old", body: "", labels: [], state: "CLOSED", assignees: [] },
      { number: 4, title: "  ", state: "OPEN" },
    ]),
  );
  expect(tasks).toEqual([
    {
      id: "GH-12",
      title: "Slow",
      description: "Depends on #3 and #4\nBlocked by: #99",
      reference: "https://example.org/12",
      priority: 2,
      status: "todo",
      tags: ["priority: high", "perf"],
      depends_on: ["GH-3", "GH-4"],
      created_at: "2026-01-02T03:04:05Z",
      meta: { imported: { assignees: [{ login: "me" }], milestone: "v1" } },
    },
    { id: "GH-3", title: "Old", priority: 3, status: "done" },
    { id: "GH-4", title: "Task GH-4", priority: 3, status: "todo" },
  ]);
});

test("issues with whole issues as dependencies, those of GitHub with both ids, and features without a title", () => {
  const edges = (records: object[]) =>
    imported(JSON.stringify(records)).tasks.map(({ id, depends_on = [] }) => [id, ...depends_on]);
  const one = { id: "bd-1", title: "One", status: "open" };
  const dependencies = [
    { ...one, dependency_type: "blocks" },
    { id: "bd-3", title: "Three", dependency_type: "related" },
  ];
  expect(edges([one, { id: "bd-2", title: "Two", status: "open", dependencies }])).toEqual([
    ["bd-1"],
    ["bd-2", "bd-1"],
  ]);
  const issue = (number: number, body: string) => ({
    body,
    id: `I_${number}`,
    number,
    state: "open",
    title: body,
  });
  expect(edges([issue(7, "Blocked by #5"), issue(5, "Base")])).toEqual([["GH-7", "GH-5"], ["GH-5"]]);
  const feature = { category: "x", description: "User can log in", steps: ["a"], passes: false };
  expect(imported(JSON.stringify([feature])).tasks).toMatchObject([
    { title: "User can log in", steps: ["a"] },
  ]);
});

test("a file without tasks is refused with a short reason", () => {
  expect(refusal("")).toBe("there is nothing in it");
  expect(refusal("\ufeff \n")).toBe("there is nothing in it");
  expect(refusal(Buffer.from([0x2d, 0xff]))).toBe("it is not UTF-8");
  expect(imported(Buffer.from("\ufeff- [ ] x", "utf16le")).tasks).toMatchObject([{ title: "x" }]);
  expect(refusal('{"userStories": [{"id": "US')).toMatch(/^it is not JSON: /);
  expect(refusal('{"id":"a","title":"x","status":"open"}\n{"id":"b","ti')).toMatch(/^line 2 is not JSON: /);
  expect(refusal("[".repeat(100_000))).toMatch(/^it is not JSON: /);
  expect(refusal("[".repeat(100_000) + "]".repeat(100_000))).toBe("it is nested too deeply");
  expect(refusal(`{"tasks":[{"id":1,"title":"x","y":${"[".repeat(200)}${"]".repeat(200)}}]}`)).toBe(
    "it is nested too deeply",
  );
  expect(refusal("[]")).toBe("the list in it is empty");
  for (const other of [
    "{}",
    "[1]",
    '"x"',
    '[{"id":1}]',
    '{"name":"pkg","version":"1"}',
    '[{"id":1,"title":"x"}]',
  ])
    expect(refusal(other), other).toMatch(/not a known list of tasks|no tasks in it/);
  expect(refusal('{"userStories":[]}')).toBe("there are no tasks in it (a prd.json of ralph)");
  expect(refusal('{"schema_version":1,"tasks":[{}]}')).toMatch(/^it is not a valid task file: line 1/);
  expect(refusal("---\nid: a\ntitle: Fix: x\n---\n")).toMatch(/^its header is not YAML: .* at line 3,/);
  expect(refusal("[x] done\n", "a.txt")).toMatch(/no tasks in it/);
});

test("any JSON of a known shape is read as a valid backlog", () => {
  const any = fc.jsonValue({ maxDepth: 3 });
  const keys = [
    "id",
    "title",
    "status",
    "priority",
    "dependencies",
    "subtasks",
    "labels",
    "passes",
    "number",
    "issue_type",
  ];
  const item = fc.dictionary(fc.constantFrom(...keys), any, { maxKeys: 8 });
  const list = fc.array(item, { minLength: 1, maxLength: 4 });
  const wrap = fc.constantFrom("userStories", "tasks", "");
  fc.assert(
    fc.property(list, wrap, (items, key) => {
      const text = JSON.stringify(key === "" ? items : { [key]: items });
      const read = readImport(Buffer.from(text), "-");
      expect(read.ok ? imported(text).tasks.length : 1).toBeGreaterThan(0);
    }),
  );
});
