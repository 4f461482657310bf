// The list of what is to do in a session: todo_write replaces it whole, todo_read gives it back. Leaves where it is kept to
// the session.
import { z } from "zod";
import { defineTool, done, type Tool } from "../../tool.js";

const MOST = 200;
const LONGEST = 2000;

const TODO = z.strictObject({
  id: z
    .union([z.string().max(LONGEST), z.number()])
    .optional()
    .describe("Names the entry; may be left out where activeForm is given"),
  content: z.string().trim().min(1, "missing; say what is to do").max(LONGEST).describe("What is to do"),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z.enum(["high", "medium", "low"]).optional(),
  activeForm: z.string().max(LONGEST).optional().describe("What is said while it is being done"),
});
const TODOS = z
  .array(
    TODO.refine(({ id, activeForm }) => id !== undefined || activeForm !== undefined, {
      path: ["id"],
      message: "missing; each entry has one, or an activeForm",
    }),
  )
  .max(MOST);

type Todo = z.output<typeof TODO>;

/** Where the list of a session is kept. */
export interface TodoStore {
  /** What was written last; anything else counts as no list. */
  read(): Promise<unknown>;
  write(todos: readonly unknown[]): Promise<void>;
}

/** The tools of the list. */
export function createTodoTools(store: TodoStore): Tool[] {
  return [
    defineTool({
      name: "todo_write",
      description:
        "Replaces the whole list of what is to do. Use it to plan work of several steps, and again after each step; one entry at a time is in_progress.",
      arguments: z.strictObject({ todos: TODOS.describe("The whole new list") }),
      changes: false,
      run: async ({ todos }) => {
        await store.write(todos);
        return done([countTodos(todos), ...todos.map(formatTodo)].join("\n"));
      },
    }),
    defineTool({
      name: "todo_read",
      description: "The list of what is to do, as it was written last, as JSON.",
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
