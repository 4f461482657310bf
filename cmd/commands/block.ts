// `looper block ID WHY`: marks a task as blocked.
import { blockTask } from "../../src/todo/change/person-edits.js";
import { Sentence, TASK } from "../context/command.js";
import { edit, EDITING, statusLines, type EditingCommand } from "../lookup/edit.js";

export const command: EditingCommand<{ id: string; why: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<why>", "the reason", "reason")],
  examples: [
    ['looper block T3 "waits for the key of the test account"', "block T3; tasks that depend on it wait"],
    ['looper block T4 "the design is open" --json', "the same, and print the changed task as JSON"],
  ],
  answer: (context, request) =>
    edit(context, request, { decide: blockTask(request.id, request.why), say: statusLines }),
};
