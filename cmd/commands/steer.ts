// `looper steer ID TEXT`: sends a message to the agent of a task.
import { steerTask } from "../../src/todo/change/person-answers.js";
import { Sentence, TASK } from "../context/command.js";
import { EDITING, steer, type EditingCommand } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";

export const command: EditingCommand<{ id: string; text: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<text>", "the message", "message")],
  examples: [
    ['looper steer T3 "use the new client"', "the next prompt of T3 has the message"],
    ['looper steer T3 "leave the docs" --json', "the same, and print the task as JSON"],
  ],
  answer: (context, request) =>
    steer(context, request, {
      what: "send messages to other agents",
      decide: steerTask(request.id, request.text, personOf(context)),
      say: (id) => `${id}: its agent gets the message with the next prompt`,
    }),
};
