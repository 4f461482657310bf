// Names in the Go program's templates, each with the variables here that say the same. Data alone; docs/prompts.md shows them.

/** Where the list is empty, no prompt says it. */
export const GO_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["TodoPath", ["todo_file", "output_file"]],
  ["SchemaPath", []],
  ["WorkDir", ["project"]],
  ["SelectedTask", ["task"]],
  ["SelectedTask.ID", ["task_id"]],
  ["SelectedTask.Title", ["task"]],
  ["SelectedTask.Status", ["task"]],
  ["Iteration", ["iteration"]],
  ["Schedule", []],
  ["Now", []],
  ["HasGH", []],
  ["ErrorMessage", ["problems"]],
  ["UserPrompt", ["idea"]],
]);
