// The commands with which people take part in workflows. Cheap to load: what they do is imported only when it is asked for.
import {
  JSON_FLAG,
  TASK,
  TODO_FILE,
  type CommandDefinition,
  type FlagDefinition,
} from "../../context/definition.js";

/** A question. */
const QUESTION = { spelled: "<id>", help: "the task, or the question", completes: "question" } as const;
/** A remark. */
const MESSAGE: FlagDefinition = { spelled: "-m, --message <text>", help: "a remark, or the answer's text" };
/** The digest of the text that the person saw. */
const SHOWN: FlagDefinition = {
  spelled: "--shown <text>",
  help: "only if it still shows this SHA-256 (see questions --json)",
};

/** The text that the question shows, as the person changed it. */
const EDIT: FlagDefinition = {
  spelled: "--edit [file]",
  help: "change what is shown: in $EDITOR, or as this JSON file",
  completes: "file",
};

/** In the order of the help. */
export const PEOPLE_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "questions",
    operands: [{ ...QUESTION, spelled: "[id]" }],
    help: "list the questions that wait for a person",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper questions", help: "list what is asked, with the commands that answer" },
      { line: "looper questions T3", help: "one question in full, with the plan or the diff that it shows" },
      { line: "looper questions --json", help: "all of them, as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/questions.js")).questions,
  },
  {
    name: "answer",
    operands: [
      QUESTION,
      { spelled: "[outcome]", help: "one of its outcomes, or the answer's text", completes: "outcome" },
    ],
    help: "answer the question of a task",
    flags: [MESSAGE, EDIT, SHOWN, TODO_FILE, JSON_FLAG],
    examples: [
      { line: 'looper answer T3 revise -m "leave the API as it is"', help: "send a plan back" },
      { line: 'looper answer T3 -m "port 8080"', help: "answer the question of an agent" },
      { line: "looper answer T3 edit", help: "change the plan in $EDITOR; you are asked about it again" },
      { line: "looper answer T3 edit --edit plan.json", help: "the same with a file" },
    ],
    load: async () => (await import("../../commands/backlog/answer.js")).answer,
  },
  {
    name: "approve",
    operands: [QUESTION],
    help: "answer yes to the question of a task",
    flags: [MESSAGE, EDIT, SHOWN, TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper approve T3", help: "carry out what T3 asks about" },
      { line: "looper approve T3 --edit", help: "change the plan in $EDITOR, see it, and approve that" },
      {
        line: 'looper approve T3 -m "skip the tests of the CLI"',
        help: "the same, with a remark for the agent",
      },
    ],
    load: async () => (await import("../../commands/backlog/answer.js")).approve,
  },
  {
    name: "reject",
    operands: [QUESTION],
    help: "answer no to the question of a task",
    flags: [MESSAGE, SHOWN, TODO_FILE, JSON_FLAG],
    examples: [
      { line: 'looper reject T3 -m "too big"', help: "give T3 up, or send it back, as its workflow says" },
      { line: "looper reject T3.3", help: "the same, only if that question is still open" },
    ],
    load: async () => (await import("../../commands/backlog/answer.js")).reject,
  },
  {
    name: "pause",
    operands: [TASK],
    help: "start no more jobs on a task",
    flags: [{ ...MESSAGE, help: "why" }, TODO_FILE, JSON_FLAG],
    examples: [
      { line: 'looper pause T3 -m "legal looks at it"', help: "leave T3 out until `looper resume T3`" },
      { line: "looper pause T3 --json", help: "the same, and print the task as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/steer.js")).pause,
  },
  {
    name: "resume",
    operands: [TASK],
    help: "lift the pause of a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper resume T3", help: "a run may take T3 again" },
      { line: "looper resume T3 --json", help: "the same, and print the task as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/steer.js")).resume,
  },
  {
    name: "steer",
    operands: [TASK, { spelled: "<text>", help: "the message", sentence: "message" }],
    help: "send a message to the agent of a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: 'looper steer T3 "use the new client"', help: "the next prompt of T3 has the message" },
      { line: 'looper steer T3 "leave the docs" --json', help: "the same, and print the task as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/steer.js")).steer,
  },
  {
    name: "complete",
    operands: [TASK],
    help: "end the workflow of a task, and deliver its work",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper complete T3", help: "the job in progress ends, then T3 is finished" },
      { line: "looper complete T3 --json", help: "the same, and print the task as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/steer.js")).complete,
  },
];
