// `looper set ID key=value …`: changes a task.
import { Argument } from "commander";
import {
  readAssignment,
  listVerifyCommands,
  orThrow,
  setValues,
} from "../../src/todo/change/person-edits.js";
import { TASK } from "../context/command.js";
import { edit, EDITING, type EditingCommand } from "../lookup/edit.js";

export const command: EditingCommand<{ id: string; assignments: readonly string[] }> = {
  ...EDITING,
  arguments: [
    TASK,
    new Argument("<assignments...>", "key=value; lists: += and -=; key= removes; key=- reads stdin"),
  ],
  examples: [
    ["looper set T3 priority=1 tags+=urgent", "make T3 urgent and add a tag"],
    [
      'looper set T3 depends-on=T1,T2 steps+="write the test" agent=',
      "replace its dependencies, add a step, allow any agent",
    ],
  ],
  answer: async (context, { id, assignments: words, file }) => {
    const assignments = await Promise.all(
      words.map(async (word) => {
        const read = orThrow(readAssignment(word));
        return read.value === "-" ? { ...read, value: (await context.stdin.readAll()).trim() } : read;
      }),
    );
    const workflow = assignments.findLast(({ key }) => key === "workflow");
    return edit(
      context,
      { file },
      {
        decide: setValues(id, assignments),
        say: () => [`${id}: ${[...new Set(assignments.map(({ key }) => key))].join(", ")}`],
        commands: listVerifyCommands(assignments),
        workflow: { name: workflow?.value, namedBy: "workflow=" },
      },
    );
  },
};
