// `looper pause ID [-m WHY]`: starts no more jobs on a task.
import { Option } from "commander";
import { pauseTask } from "../../src/todo/change/person-answers.js";
import { TASK } from "../context/command.js";
import { EDITING, steer, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";

export const command: EditingCommand<{ id: string; message?: string }> = {
  ...EDITING,
  arguments: [TASK],
  options: [new Option("-m, --message <text>", "why"), ...EDITING.options],
  examples: [
    ['looper pause T3 -m "legal looks at it"', "leave T3 out until `looper resume T3`"],
    ["looper pause T3 --json", "the same, and print the task as JSON"],
  ],
  answer: (context, request) =>
    steer(context, request, {
      what: "pause a task",
      decide: pauseTask(request.id, request.message, personOf(context)),
      say: (id, run) =>
        `${id}: paused; ${run === null ? "" : "a job in progress ends first; "}no job starts on it`,
    }),
};
