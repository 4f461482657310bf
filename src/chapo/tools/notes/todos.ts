// The tools todo_write and todo_read for the session's to-do list. The session stores the list.
import { z } from "zod";
import { defineTool, done, type SessionPart, type Tool } from "../../tool.js";

const MOST = 200;
const LONGEST = 2000;

const TODO = z.strictObject({
  id: z.union([z.string().max(LONGEST), z.number()]).optional(),
  content: z.string().trim().min(1, "missing; describe the task").max(LONGEST),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z.enum(["high", "medium", "low"]).optional(),
  activeForm: z.string().max(LONGEST).optional(),
});
const TODOS = z
  .array(
    TODO.refine(({ id, activeForm }) => id !== undefined || activeForm !== undefined, {
      path: ["id"],
      message: "missing; each entry needs an id or an activeForm",
    }),
  )
  .max(MOST);

type Todo = z.output<typeof TODO>;

/** The list that a call of todo_write sets; `undefined` where its arguments are not one. */
export function readTodos(args: unknown): readonly Todo[] | undefined {
  return z.object({ todos: TODOS }).safeParse(args).data?.todos;
}

/** Creates the to-do tools. A stored value that is not a list counts as an empty one. */
export function createTodoTools(store: SessionPart): Tool[] {
  return [
    defineTool({
      name: "todo_write",
      description:
        "Replaces the whole to-do list: for work of several steps, again after each; one entry is in_progress.",
      arguments: z.strictObject({ todos: TODOS }),
      changes: false,
      run: async ({ todos }) => {
        await store.write(todos);
        return done([countTodos(todos), ...todos.map(formatTodo)].join("\n"));
      },
    }),
    defineTool({
      name: "todo_read",
      description: "Returns the to-do list, as it was written last, as JSON.",
      arguments: z.strictObject({}),
      changes: false,
      run: async () => {
        const kept = TODOS.safeParse(await store.read());
        return done(JSON.stringify(kept.success ? kept.data : [], undefined, 1));
      },
    }),
  ];
}

function countTodos(todos: readonly Todo[]): string {
  const count = (status: Todo["status"]) => todos.filter((todo) => todo.status === status).length;
  if (todos.length === 0) return "the list is empty";
  return `${todos.length} to do: ${count("completed")} completed, ${count("in_progress")} in progress, ${count("pending")} pending`;
}

const MARKS = { pending: "[ ]", in_progress: "[~]", completed: "[x]" } as const;

function formatTodo({ content, status, priority }: Todo): string {
  return `${MARKS[status]} ${content.replaceAll(/\s+/g, " ")}${priority === undefined ? "" : ` (${priority})`}`;
}
