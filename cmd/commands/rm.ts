// `looper rm ID …`: removes tasks.
import { Option } from "commander";
import { removeTasks } from "../../src/todo/change/person-edits.js";
import { TASKS } from "../context/command.js";
import { edit, EDITING, type EditingCommand } from "../lookup/edit.js";

export const command: EditingCommand<{ ids: readonly string[]; force?: true }> = {
  ...EDITING,
  arguments: [TASKS],
  options: [new Option("--force", "also remove dependencies of other tasks on them"), ...EDITING.options],
  examples: [
    ["looper rm T7", "remove T7, unless another task depends on it"],
    ["looper rm T3 --force", "remove T3 and every dependency on it"],
  ],
  answer: (context, request) =>
    edit(context, request, {
      decide: removeTasks(request.ids, { force: request.force === true }),
      say: ({ changed }) => changed.map(({ id }) => `${id}: removed`),
    }),
};
