// The task that marks a finished and reviewed backlog.
import { TaskId, type Task } from "./task.js";

/** The completion marker (contract §3.7). */
export const MARKER: Task = {
  id: TaskId.parse("PROJECT-DONE"),
  title: "Project done: no new tasks",
  priority: 5,
  status: "done",
  tags: ["project-done"],
};
