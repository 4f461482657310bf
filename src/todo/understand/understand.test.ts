import { expect, test } from "vitest";
import { checkBacklog } from "../check/check.js";
import { describeCorrections, understandFile } from "./understand.js";

const T1 = { id: "T1", title: "One", priority: 1, status: "todo" };

function file(...tasks: unknown[]): string {
  return `${JSON.stringify({ schema_version: 1, source_files: [], tasks }, undefined, 2)}\n`;
}

function understood(text: string | Uint8Array): { text: string; says: string } | undefined {
  const read = understandFile(typeof text === "string" ? Buffer.from(text) : text);
  if (read === undefined) return undefined;
  return { text: Buffer.from(read.bytes).toString("utf8"), says: describeCorrections(read.corrections) };
}

function tasksOf(text: string | Uint8Array): unknown[] {
  const checked = checkBacklog(Buffer.from(understood(text)?.text ?? ""));
  return checked.kind === "ok" ? checked.backlog.tasks : [];
}

test.each([
  ["completed", "done"],
  ["Complete", "done"],
  ["FINISHED", "done"],
  ["closed", "done"],
  ["Done", "done"],
  ["in_progress", "doing"],
  ["in-progress", "doing"],
  ["In Progress", "doing"],
  ["wip", "doing"],
  ["pending", "todo"],
  ["open", "todo"],
  ["not_started", "todo"],
  ["to-do", "todo"],
  ["on hold", "blocked"],
])("the status %s of another tool becomes %s", (word, status) => {
  expect(tasksOf(file({ ...T1, status: word }))).toEqual([{ ...T1, status }]);
});

test.each([
  "cancelled",
  "review",
  "almost done",
  "not done",
  "undone",
  "x",
  "",
  true,
  1,
  ["done"],
  { done: true },
])("the status %j is not guessed", (status) => {
  expect(understood(file({ ...T1, status }))).toBeUndefined();
});

test.each([
  ["high", 2],
  ["P1", 1],
  ["p4", 4],
  ["1", 1],
  ["Medium", 3],
  ["critical", 1],
])("the priority %s becomes %i", (word, priority) => {
  expect(tasksOf(file({ ...T1, priority: word }))).toEqual([{ ...T1, priority }]);
});

test.each(["P0", "0", "9", "soon", 0, 9, 1.5])("the priority %j is not guessed", (priority) => {
  expect(understood(file({ ...T1, priority }))).toBeUndefined();
});

test("other spellings of keys become the known ones", () => {
  const { id, title, priority, status } = T1;
  const other = { ID: "T2", name: "Two", Priority: 2, state: "open", dependsOn: [id] };
  const third = { Id: "T3", title, priority, status, dependencies: [id], "depends-on-x": 1 };
  const fourth = {
    id: "T4",
    Title: title,
    priority,
    status,
    "Depends-On": id,
    createdAt: "2025-01-01T00:00:00Z",
  };
  expect(tasksOf(file(T1, other, { ...third, "depends-on-x": undefined }, fourth))).toEqual([
    { id, title, priority, status },
    { id: "T2", title: "Two", priority: 2, status: "todo", depends_on: ["T1"] },
    { id: "T3", title, priority, status, depends_on: ["T1"] },
    { id: "T4", title, priority, status, depends_on: ["T1"], created_at: "2025-01-01T00:00:00Z" },
  ]);
});

test.each([
  [{ ...T1, ID: "T2" }],
  [{ ID: "T1", Id: "T2", title: "One", priority: 1, status: "todo" }],
  [{ ...T1, state: "done" }],
  [{ ...T1, depends_on: [], dependencies: ["T1"] }],
  [{ ...T1, depend_on: ["T2"] }],
  [{ ...T1, Titel: "Two" }],
  [{ ...T1, subtasks: [{ title: "Two" }] }],
  [{ ...T1, verdict: "verified" }],
  [{ ...T1, notes: "a", meta: { notes: "b" } }],
])("two values for one thing, or a key that may mean another, are not guessed: %j", (task) => {
  expect(tasksOf(file(task))).toEqual([]);
  expect(understood(file(task))?.text ?? file(task)).toBe(file(task));
});

test("unknown keys of a task and of the root move into meta beside its keys", () => {
  const text = JSON.stringify({
    schema_version: 1,
    owner: { name: "Ann" },
    source_files: [],
    tasks: [{ ...T1, notes: ["a"], epic: "E1", meta: { old: 1 } }],
  });
  const read = understood(text);
  expect(JSON.parse(read?.text ?? "")).toEqual({
    schema_version: 1,
    source_files: [],
    tasks: [{ ...T1, meta: { old: 1, notes: ["a"], epic: "E1" } }],
    meta: { owner: { name: "Ann" } },
  });
  expect(read?.says).toBe(
    '"notes" moved into meta (T1); "epic" moved into meta (T1); "owner" moved into meta',
  );
});

test("ids that are numbers become texts as they are written, and so do the dependencies on them", () => {
  const text = file(T1)
    .replace('"T1"', "1.10")
    .replace("}\n", '},\n{"id": 2, "title": "b", "priority": 1, "status": "todo", "depends_on": [2]}\n');
  expect(understood(text)?.text).toContain('"id": "1.10"');
  const numbers = file({ ...T1, id: 1 }, { ...T1, id: 2, depends_on: [1] }, { ...T1, id: 3, depends_on: 1 });
  expect(tasksOf(numbers)).toMatchObject([
    { id: "1" },
    { id: "2", depends_on: ["1"] },
    { id: "3", depends_on: ["1"] },
  ]);
});

const COMMENTED = `// The backlog.
{
  /* Ours. */ "schema_version": 1,
  "source_files": ["a//b", "/* c */",], // a list
  "tasks": [
    // The first.
    {"id": "T1", "title": "One, ]", "priority": 1, "status": "todo",},
  ],
}
`;

test("comments and trailing commas are removed", () => {
  const read = understood(COMMENTED);
  const tasks = [{ id: "T1", title: "One, ]", priority: 1, status: "todo" }];
  const root = { schema_version: 1, source_files: ["a//b", "/* c */"], tasks };
  expect(read?.text).toBe(`${JSON.stringify(root, null, 2)}\n`);
  expect(read?.says).toBe("4 comments removed; 4 trailing commas removed");
});

test("a corrected file keeps its indentation, its order, and how it ends", () => {
  const root = { tasks: [{ status: "todo", id: "T1", title: "é", priority: 1 }], source_files: [] };
  for (const indent of ["", " ", "    ", "\t"])
    for (const end of ["", "\n"]) {
      const text = JSON.stringify({ ...root, schema_version: 1 }, null, indent) + end;
      expect(understood(text.replace('"todo"', '"open"'))?.text).toBe(text);
    }
});

test("a date without a time is that day's midnight; another text is not guessed", () => {
  expect(tasksOf(file({ ...T1, created_at: "2026-01-02" }))).toEqual([
    { ...T1, created_at: "2026-01-02T00:00:00Z" },
  ]);
  for (const updated_at of ["2026-02-30", "yesterday", "02.01.2026"])
    expect(understood(file({ ...T1, updated_at }))).toBeUndefined();
});

test("a missing value is added where the file does not contradict it", () => {
  const { id, title } = T1;
  expect(understood(JSON.stringify({ tasks: [{ id, title }] }))?.text).toBe(
    '{"schema_version":1,"source_files":[],"tasks":[{"id":"T1","title":"One","priority":3,"status":"todo"}]}',
  );
  // Another key may say that it is done.
  expect(tasksOf(file({ id, title, priority: 1, passes: true }))).toEqual([]);
});

test("UTF-16 with a byte order mark becomes UTF-8, and the mark of UTF-8 stays", () => {
  const wide = Buffer.from(`\ufeff${file({ ...T1, title: "Ä" })}`, "utf16le");
  expect(tasksOf(wide)).toEqual([{ ...T1, title: "Ä" }]);
  expect(tasksOf(wide.swap16())).toEqual([{ ...T1, title: "Ä" }]);
  expect(understood(`\ufeff${file({ ...T1, status: "open" })}`)?.text).toBe(`\ufeff${file(T1)}`);
});

test.each([
  ["an empty file", ""],
  ["white space", " \n"],
  ["a valid file", file(T1)],
  ["a truncated file", file({ ...T1, status: "completed" }).slice(0, -20)],
  ["a comment that is not closed", `${file(T1)}/* `],
  ["a missing comma", file(T1).replace(",", "")],
  ["a key that stands twice", file({ ...T1, status: "open" }).replace('"id"', '"title": "Two", "id"')],
  [
    "a number that would change",
    file({ ...T1, status: "open", meta: 0 }).replace(": 0", ": 12345678901234567890"),
  ],
  ["no object", "[1, 2,]"],
  ["no list of tasks", '{"tasks": {}, "notes": 1}'],
  ["deep nesting", `{"tasks": [], "notes": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["deep nesting that is cut off", `{"notes": ${"[".repeat(100_000)}`],
  ["no tasks that are objects", '{"schema_version": 1, "source_files": [], "tasks": [1, null, "T1"]}'],
])("left as it is: %s", (_, text) => {
  expect(understood(text)).toBeUndefined();
});

test("bytes of another encoding are left as they are", () => {
  expect(understood(Buffer.from(file({ ...T1, title: "Ä", status: "open" }), "latin1"))).toBeUndefined();
});

test("correcting a corrected file changes nothing", () => {
  const once = understood(COMMENTED.replace('"todo"', '"wip", "notes": 1'))?.text ?? "";
  expect(checkBacklog(Buffer.from(once)).kind).toBe("ok");
  expect(understood(once)).toBeUndefined();
});

test("one line names at most three tasks for each kind of correction", () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...T1, id: `T${String(at)}`, status: "completed" }));
  expect(understood(file(...many))?.says).toBe('status "completed" → done (T0, T1, T2, 6 more)');
});
