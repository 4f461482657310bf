import { expect, test } from "vitest";
import type { ToolResult } from "../../tool.js";
import { createTodoTools } from "./todos.js";

function session(kept?: unknown) {
  let list = kept;
  const tools = createTodoTools({
    read: () => Promise.resolve(list),
    write: (todos) => {
      list = todos;
      return Promise.resolve();
    },
  });
  return async (name: string, args: unknown): Promise<ToolResult> => {
    const prepared = tools.find((tool) => tool.name === name)?.prepare(args) ?? { problem: "no such tool" };
    if ("problem" in prepared) return { success: false, error: prepared.problem };
    const { signal } = new AbortController();
    return prepared.run({ callId: "c", signal });
  };
}

const LIST = [
  { id: "1", content: "read the code", status: "completed", priority: "high" },
  { id: 2, content: "mend it", status: "in_progress", priority: "medium" },
  { content: "test it", status: "pending", activeForm: "testing it" },
];

async function listed(call: ReturnType<typeof session>): Promise<unknown> {
  const result = await call("todo_read", {});
  return result.success ? JSON.parse(result.output) : result.error;
}

test("todo_write replaces the whole list and todo_read returns it unchanged", async () => {
  const call = session();
  expect(await listed(call)).toEqual([]);
  expect(await call("todo_write", { todos: LIST })).toEqual({
    success: true,
    output:
      "3 to do: 1 completed, 1 in progress, 1 pending\n[x] read the code (high)\n[~] mend it (medium)\n[ ] test it",
  });
  expect(await listed(call)).toEqual(LIST);
  await call("todo_write", { todos: LIST.slice(2) });
  expect(await listed(call)).toEqual(LIST.slice(2));
});

test.each([
  [{ content: "x", status: "done" }, "todos.0.status"],
  [{ content: "x" }, "todos.0.status"],
  [{ id: "1", status: "pending" }, "todos.0.content"],
  [{ content: "  ", status: "pending" }, "todos.0.content"],
  [{ id: 1, content: "x", status: "pending", priority: "urgent" }, "todos.0.priority"],
  [{ content: "x", status: "pending", priority: "high" }, "todos.0.id: missing"],
])("todo_write with %j is an error and keeps the old list", async (todo, field) => {
  const call = session(LIST);
  const result = await call("todo_write", { todos: [todo] });
  expect(result).toEqual({ success: false, error: expect.stringContaining(field) as string });
  expect(await listed(call)).toEqual(LIST);
});

test("todo_read returns an empty list if the stored value is invalid", async () => {
  expect(await listed(session({ todos: "x" }))).toEqual([]);
});
