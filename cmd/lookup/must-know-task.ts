import { readLines } from "../../src/logging/read.js";
import { UserError } from "../../src/system/errors.js";
import { checkBacklog } from "../../src/todo/check/check.js";
import { hintOnTask } from "../../src/todo/change/which-task.js";
import type { CommandContext } from "../context/command-context.js";

/** A task that is neither in the task file nor in the run, which may be older, is a `usage` error. */
export async function mustKnowTask(
  { ports }: CommandContext,
  id: string,
  { folder, todoFile }: { folder: string; todoFile: string },
): Promise<void> {
  // A task file that cannot be read says nothing for or against it.
  const bytes = await ports.files.read(todoFile).catch(() => undefined);
  const checked = checkBacklog(bytes ?? new Uint8Array());
  const tasks = checked.kind === "invalid" ? checked.readable : (checked.backlog?.tasks ?? []);
  if (tasks.some((task) => task.id === id)) return;
  for await (const line of readLines(ports, folder)) if (line.value["task_id"] === id) return;
  throw new UserError("usage", `there is no task ${id}, now or in this run`, hintOnTask(tasks, id));
}
