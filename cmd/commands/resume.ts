// `looper resume ID`: lifts the pause of a task.
import { resumeTask } from "../../src/todo/change/person-answers.js";
import { TASK } from "../context/command.js";
import { EDITING, steer, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";

export const command: EditingCommand<{ id: string }> = {
  ...EDITING,
  arguments: [TASK],
  examples: [
    ["looper resume T3", "a run may take T3 again"],
    ["looper resume T3 --json", "the same, and print the task as JSON"],
  ],
  answer: (context, request) =>
    steer(context, request, {
      what: "resume a task",
      decide: resumeTask(request.id, personOf(context)),
      say: (id) => `${id}: not paused any more`,
    }),
};
