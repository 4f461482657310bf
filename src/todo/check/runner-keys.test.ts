import { expect, test } from "vitest";
import { findForbiddenChange, withoutRunnerKeys, compileUserSchema } from "./user-schema.js";

const task = { id: "T1", title: "a", priority: 1, status: "todo" };

function backlog(...tasks: unknown[]): unknown {
  return { schema_version: 1, source_files: [], tasks };
}

/** A schema whose tasks have these properties and no others. */
function schemaOf(more: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) {
  const properties = {
    ...Object.fromEntries(
      ["id", "title", "priority", "status", "tags", "files", "blockers"].map((key) => [key, {}]),
    ),
    ...more,
  };
  const items = { properties, additionalProperties: false, ...rest };
  const root = { schema_version: {}, source_files: {}, tasks: { items } };
  const compiled = compileUserSchema({ properties: root, additionalProperties: false });
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
}

test("a schema need not know the keys that only the runner writes", () => {
  const schema = schemaOf();
  const worked = {
    ...task,
    attempts: 2,
    result: "made",
    updated_at: "2026-01-01T00:00:00Z",
    meta: { verdict: "unbroken" },
  };
  expect(schema({ $schema: "./x.json", schema_version: 1, source_files: [], tasks: [worked] })).toEqual([]);
  expect(schema(backlog({ ...task, meta: { verdict: "unbroken", owner: "me" } }))).toMatchObject([
    { pointer: "/tasks/0/meta" },
  ]);
  expect(schema(backlog({ ...task, notes: "x" }))).toMatchObject([{ pointer: "/tasks/0/notes" }]);
});

test("a schema may require the keys that only the runner writes", () => {
  const demands = schemaOf({ result: { type: "string" } }, { required: ["result"] });
  expect(demands(backlog({ ...task, result: "made" }))).toEqual([]);
  expect(demands(backlog(task))).toMatchObject([{ pointer: "/tasks/0" }]);
});

test.each([
  [{}, undefined],
  [
    { status: { enum: ["todo", "doing", "done"] } },
    'a task with the status "blocked" and a list of blockers',
  ],
  [{ status: { enum: ["todo", "done", "blocked"] } }, 'a task with the status "doing"'],
  [{ files: { maxItems: 0 } }, 'a task with the status "done" and a list of files'],
  [{ id: { pattern: "^T\\d+$" } }, "the task PROJECT-DONE that marks a finished backlog"],
])("a change that a run needs and a schema with %j forbids is named", (more, expected) => {
  const schema = schemaOf(more);
  const breaks = (value: unknown): boolean => schema(value).length > 0;
  expect(findForbiddenChange(backlog(task), breaks, { marks: true })).toBe(expected);
  if (expected?.includes("PROJECT-DONE") === true)
    expect(findForbiddenChange(backlog(task), breaks, { marks: false })).toBeUndefined();
});

test("a backlog that already violates the schema, or is empty, is not checked for a run's changes", () => {
  expect(findForbiddenChange(backlog(task), () => true, { marks: true })).toBeUndefined();
  expect(findForbiddenChange(backlog(), () => false, { marks: true })).toBeUndefined();
  expect(withoutRunnerKeys([1])).toEqual([1]);
});
