// `looper complete ID`: ends the workflow of a task, and delivers its work.
import { completeTask } from "../../src/todo/change/person-answers.js";
import { TASK } from "../context/command.js";
import { EDITING, steer, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";

export const command: EditingCommand<{ id: string }> = {
  ...EDITING,
  arguments: [TASK],
  examples: [
    ["looper complete T3", "the job in progress ends, then T3 is finished"],
    ["looper complete T3 --json", "the same, and print the task as JSON"],
  ],
  answer: (context, request) =>
    steer(context, request, {
      what: "complete a task",
      decide: completeTask(request.id, personOf(context)),
      say: (id, run) =>
        `${id}: complete; ${run === null ? "the next run finishes it" : `run ${run} finishes it after the job in progress`}`,
    }),
};
