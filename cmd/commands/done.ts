// `looper done ID …`: done by hand.
import { setStatus } from "../../src/todo/change/person-edits.js";
import { TASKS } from "../context/command.js";
import { edit, EDITING, statusLines, type EditingCommand } from "../lookup/edit.js";

export const command: EditingCommand<{ ids: readonly string[] }> = {
  ...EDITING,
  arguments: [TASKS],
  examples: [
    ["looper done T3 T4", "mark both as done; tasks that wait for them can start"],
    ["looper done T7 --json", "the same, and print the changed task as JSON"],
  ],
  answer: (context, request) =>
    edit(context, request, { decide: setStatus(request.ids, "done"), say: statusLines }),
};
