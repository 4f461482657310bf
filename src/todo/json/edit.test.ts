import fc from "fast-check";
import { expect, test } from "vitest";
import { applyChanges } from "../change/update.js";
import { checkBacklog } from "../check/check.js";
import { editBacklog } from "./edit.js";
import { joinText, readText } from "./file-text.js";
import { isBacklog } from "../check/shape.js";
import { backlog, id, task } from "../testing/testing.js";
import type { Change } from "../model/changes/change.js";
import type { Backlog, Task } from "../model/task.js";

/** As a file would give it back: there is no -0 in what JSON writes. */
function written(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return values.map((value): unknown => JSON.parse(JSON.stringify(value)));
}

const NOW = "2026-11-20T21:46:01.000Z";

function parse(text: string): Backlog {
  const value: unknown = JSON.parse(text);
  if (!isBacklog(value)) throw new Error("not a backlog");
  return value;
}

function changed(text: string, ...changes: Change[]): string {
  const before = parse(text);
  return joinText(editBacklog(readText(text).file, before, applyChanges(before, changes, NOW).backlog));
}

const claim: Change = { op: "claim", id: id("T1"), expect: "todo" };
const addOne: Change = {
  op: "add",
  keepVerify: false,
  tasks: [{ title: "New", steps: ["a", "b"], tags: ["x"] }],
};

test("a claim changes only its own keys in the text", () => {
  const text = `{
  "schema_version": 1,
  "source_files":   [ "a" ],

  "tasks": [
    {
      "status": "todo",
      "title": "\\u00e9",
      "priority": 1, "id": "T1",
      "tags": ["a","b"],
      "meta": {"2": 1, "1": 1.0}
    }
  ]
}
`;
  expect(changed(text, claim)).toBe(
    text
      .replace('"todo"', '"doing"')
      .replace('["a","b"],', `["a","b"],\n      "attempts": 1,\n      "updated_at": "${NOW}",`),
  );
});

test("an edit keeps a single line, CRLF and tabs", () => {
  const one = {
    schema_version: 1,
    source_files: [],
    tasks: [{ id: "T1", title: "a", priority: 1, status: "todo", steps: ["x"] }],
  };
  const small = changed(JSON.stringify(one), claim, addOne);
  expect(small).toBe(
    `{"schema_version":1,"source_files":[],"tasks":[{"id":"T1","title":"a","priority":1,"status":"doing","steps":["x"],"attempts":1,"updated_at":"${NOW}"},` +
      `{"id":"T2","title":"New","priority":3,"status":"todo","steps":["a","b"],"tags":["x"],"created_at":"${NOW}","updated_at":"${NOW}"}]}`,
  );
  const tabs = JSON.stringify(one, null, "\t").replaceAll("\n", "\r\n");
  expect(changed(tabs, claim, addOne)).toBe(
    JSON.stringify(JSON.parse(small), null, "\t").replaceAll("\n", "\r\n"),
  );
});

test("one task a line stays one task a line; arrays on one line too", () => {
  const text = `{ "schema_version": 1, "source_files": [],
  "tasks": [
    { "id": "T001", "title": "a", "priority": 1, "status": "doing", "files": ["x"] }
  ] }`;
  const finish: Change = {
    op: "finish",
    id: id("T001"),
    result: "ok",
    files: ["y", "z"],
    verdict: "unverified",
  };
  expect(changed(text, finish, addOne)).toBe(`{ "schema_version": 1, "source_files": [],
  "tasks": [
    { "id": "T001", "title": "a", "priority": 1, "status": "done", "files": ["x", "y", "z"], "result": "ok", "updated_at": "${NOW}", "meta": {"verdict": "unverified"} },
    { "id": "T002", "title": "New", "priority": 3, "status": "todo", "steps": ["a", "b"], "tags": ["x"], "created_at": "${NOW}", "updated_at": "${NOW}" }
  ] }`);
});

test("the first task is added to an empty list", () => {
  const empty = { schema_version: 1, source_files: [], tasks: [] };
  for (const indent of [0, 1, 4]) {
    const text = changed(JSON.stringify(empty, null, indent), addOne);
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, indent));
    expect(parse(text).tasks.map((task) => task.id)).toEqual(["T1"]);
  }
});

test("the marker is added and removed", () => {
  const text = `{"schema_version":1,"source_files":[],"tasks":[{"id":"T1","title":"a","priority":1,"status":"done"}]}`;
  const marked = changed(text, { op: "mark-complete" });
  const marker =
    '{"id":"PROJECT-DONE","title":"Project done: no new tasks","priority":5,"status":"done","tags":["project-done"]}';
  expect(marked).toBe(text.replace("]}", `,${marker}]}`));
  expect(parse(changed(marked, addOne)).tasks.map((task) => task.id)).toEqual(["T1", "T2"]);
  expect(changed(marked, { ...addOne, tasks: [] })).toBe(marked);
});

/** The text of an edit that makes one backlog of another. */
function turned(text: string, after: (before: Backlog) => Backlog): string {
  const before = parse(text);
  return joinText(editBacklog(readText(text).file, before, after(before)));
}

test("an edit without differences returns the same text", () => {
  const text = JSON.stringify(backlog(task("T1"), task("T2")));
  const { file } = readText(text);
  const before = parse(text);
  expect(editBacklog(file, before, structuredClone(before))).toBe(file);
});

test("the last task, or all tasks, can be removed", () => {
  const two = backlog(task("T1"), task("T2"));
  for (const indent of [0, 2]) {
    const text = JSON.stringify(two, null, indent);
    const [first] = two.tasks;
    expect(turned(text, (before) => ({ ...before, tasks: before.tasks.slice(0, 1) }))).toBe(
      JSON.stringify({ ...two, tasks: [first] }, null, indent),
    );
    expect(turned(text, (before) => ({ ...before, tasks: [] }))).toBe(
      JSON.stringify({ ...two, tasks: [] }, null, indent),
    );
  }
});

test("two tasks for an empty list are separated like the rest of the file", () => {
  const two: Change = { op: "add", keepVerify: false, tasks: [{ title: "a" }, { title: "b" }] };
  for (const indent of [0, 2]) {
    const text = changed(JSON.stringify(backlog(), null, indent), two);
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, indent));
  }
});

test("a key without a value is left out, in a task that stays and in a new one", () => {
  const text = JSON.stringify(backlog(task("T1", { result: "x", details: "d" })));
  const gone = turned(text, ({ tasks: [one], ...rest }) => ({
    ...rest,
    tasks: [
      { ...one, result: undefined },
      { ...task("T2"), result: undefined },
    ] as Task[],
  }));
  expect(gone).toBe(JSON.stringify(backlog(task("T1", { details: "d" }), task("T2"))));
});

test("an edit that would reorder tasks throws", () => {
  const text = `{"schema_version":1,"source_files":[],"tasks":[{"id":"T1","title":"a","priority":1,"status":"done"},{"id":"T2","title":"a","priority":1,"status":"done"}]}`;
  const before = parse(text);
  const after = { ...before, tasks: before.tasks.toReversed() };
  expect(() => editBacklog(readText(text).file, before, after)).toThrow("reorder");
});

interface Look {
  indent: string;
  eol: string;
  colon: string;
  arrays: "inline" | "lines";
}

/** Writes a value in some style of its own. */
function write(value: unknown, look: Look, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const inner = indent + look.indent;
  const items = Object.entries(value).map(([key, item]: [string, unknown]) => {
    return isArray ? write(item, look, inner) : JSON.stringify(key) + look.colon + write(item, look, inner);
  });
  const [open = "", close = ""] = isArray ? "[]" : "{}";
  const plain = isArray && value.every((item) => typeof item !== "object");
  if (items.length === 0 || look.eol === "" || (plain && look.arrays === "inline"))
    return open + items.join(", ") + close;
  return `${open}${look.eol}${inner}${items.join(`,${look.eol}${inner}`)}${look.eol}${indent}${close}`;
}

const look = fc.record<Look>({
  indent: fc.constantFrom("  ", "\t", "    ", ""),
  eol: fc.constantFrom("\n", "\r\n", "\n\n", ""),
  colon: fc.constantFrom(": ", ":", " : "),
  arrays: fc.constantFrom("inline", "lines"),
});

const words = fc.array(fc.string({ unit: "grapheme", maxLength: 5 }), { maxLength: 3 });
const parts = fc.record(
  {
    description: fc.string(),
    steps: words,
    blockers: words,
    tags: words,
    files: words,
    result: fc.string(),
    attempts: fc.nat({ max: 9 }),
    meta: written(fc.jsonValue({ maxDepth: 2 })),
  },
  { requiredKeys: [] },
);
const needed = fc.record({
  title: fc.string({ minLength: 1 }),
  priority: fc.integer({ min: 1, max: 5 }),
  status: fc.constantFrom("todo" as const, "doing" as const, "done" as const),
});

function taskNumbered(number: number): fc.Arbitrary<Task> {
  return fc.tuple(needed, parts, fc.boolean()).map(([must, may, turned]) => {
    const task = { id: id(`T${number}`), ...must, ...may };
    return turned ? { ...may, ...must, id: task.id } : task;
  });
}

const root = fc.record(
  {
    $schema: fc.string(),
    project: fc.record({ name: fc.string() }, { requiredKeys: [] }),
    meta: written(fc.jsonValue({ maxDepth: 1 })),
  },
  { requiredKeys: [] },
);

/** Ten possible tasks, each in two versions; which of them are there before and after. */
const change = fc.record({
  look,
  pairs: fc.tuple(...Array.from({ length: 8 }, (_, n) => fc.tuple(taskNumbered(n), taskNumbered(n)))),
  fates: fc.array(fc.constantFrom("same", "edited", "added", "removed", "never"), {
    minLength: 8,
    maxLength: 8,
  }),
  roots: fc.tuple(root, root),
  rootChanges: fc.boolean(),
});

test("an edited text has the new content, and unchanged parts stay byte for byte", () => {
  fc.assert(
    fc.property(change, ({ look, pairs, fates, roots, rootChanges }) => {
      const pick = (fate: string[], version: 0 | 1): Task[] =>
        pairs.flatMap((pair, n) => (fate.includes(fates[n] ?? "") ? [pair[version]] : []));
      const edited = pairs.map((pair, n) =>
        fates[n] === "edited" || fates[n] === "added" ? pair[1] : pair[0],
      );
      const must = { schema_version: 1 as const, source_files: ["a", "b"] };
      const before: Backlog = { ...roots[0], ...must, tasks: pick(["same", "edited", "removed"], 0) };
      const after: Backlog = {
        ...(rootChanges ? roots[1] : roots[0]),
        ...must,
        tasks: edited.filter((_, n) => ["same", "edited", "added"].includes(fates[n] ?? "")),
      };
      const text = write(before, look);
      const checked = checkBacklog(Buffer.from(text));
      const was = parse(text);
      const result = editBacklog(readText(text).file, was, after);
      const now = joinText(result);
      expect(checked.kind).not.toBe("invalid");
      expect(JSON.parse(now)).toEqual(JSON.parse(JSON.stringify(after)));
      expect(result).toEqual(readText(now).file);
      const old = readText(text).file;
      const row = (file: typeof old, tasks: readonly Task[], name: string): string | undefined =>
        file.rows[tasks.findIndex((task) => task.id === name)];
      for (const [n, fate] of fates.entries()) {
        if (fate !== "same") continue;
        expect(row(result, after.tasks, `T${n}`)).toBe(row(old, before.tasks, `T${n}`));
      }
      if (look.eol === "") expect(now).not.toContain("\n");
      if (look.eol !== "\r\n" && look.eol !== "") expect(now).not.toContain("\r");
      if (look.eol === "\r\n") expect(now.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    }),
    { numRuns: 1000 },
  );
});

test("in a style of two spaces the result is what JSON.stringify would write", () => {
  fc.assert(
    fc.property(taskNumbered(1), taskNumbered(2), (one, two) => {
      const before: Backlog = { schema_version: 1, source_files: [], tasks: [one] };
      const text = JSON.stringify(before, null, 2);
      const after = { ...before, tasks: [one, two] };
      expect(joinText(editBacklog(readText(text).file, parse(text), after))).toBe(
        JSON.stringify(after, null, 2),
      );
    }),
  );
});
