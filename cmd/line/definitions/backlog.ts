// The commands about the backlog. Cheap to load: what they do is imported only when it is asked for.
import {
  FILE,
  JSON_FLAG,
  TASK,
  TASKS,
  TODO_FILE,
  TRUST,
  type CommandDefinition,
} from "../../context/definition.js";

/** In the order of the help. */
export const BACKLOG_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "ls",
    operands: [
      {
        spelled: "[status]",
        help: "todo, doing, blocked or done; or the task file",
        completes: "status-or-file",
      },
      { spelled: "[file]", help: "the task file", completes: "file" },
    ],
    help: "list the tasks in the order a run takes them",
    flags: [
      { spelled: "--status <status>", help: "only tasks with this status", completes: "status" },
      { spelled: "--tag <tag>", help: "only tasks with this tag", completes: "tag" },
      { spelled: "--ready", help: "only tasks that a run could take now" },
      { spelled: "--watch", help: "list again whenever the file changes" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper ls --ready", help: "list the tasks a run could take now" },
      { line: "looper ls blocked --json", help: "list the tasks that wait for you, as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/ls.js")).ls,
  },
  {
    name: "show",
    operands: [TASK],
    help: "show a task, its attempts and why it is blocked",
    flags: [
      {
        spelled: "--explain",
        help: "show what its attempt changed and find what its checks need; may run them",
      },
      { ...TRUST, help: `with --explain: ${TRUST.help}` },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      { line: "looper show T7", help: "show every field of T7 and every attempt at it" },
      { line: "looper show T3 --explain", help: "find the changes that T3's checks need" },
      { line: "looper show T7 --json", help: "the same, as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/show.js")).show,
  },
  {
    name: "why",
    operands: [TASK],
    help: "explain why a task is or isn't next",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper why T7", help: "show what T7 waits for, or which tasks come first" },
      { line: "looper why T3 --json", help: "the same, as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/why.js")).why,
  },
  {
    name: "add",
    operands: [
      {
        spelled: "[title]",
        help: "the task in one line; - reads one title a line from stdin",
        sentence: "title",
      },
    ],
    help: "add a task, or import the tasks of a file",
    flags: [
      {
        spelled: "--import <file>",
        help: "add the tasks of a file (see init); - reads stdin",
        completes: "file",
      },
      {
        spelled: "--template <name>",
        help: "begin as .looper/templates/<name>.json says",
        completes: "template",
      },
      {
        spelled: "-p, --priority <n>",
        help: "1 (first) to 5 (default: 3)",
        completes: ["1", "2", "3", "4", "5"],
      },
      {
        spelled: "--depends-on <ids>",
        help: "tasks to do first, as A,B; repeatable",
        completes: "tasks",
        repeatable: true,
      },
      { spelled: "--tag <tag>", help: "a tag; repeatable", completes: "tag", repeatable: true },
      { spelled: "--details <text>", help: "what an agent must know; - reads stdin" },
      {
        spelled: "--verify <command>",
        help: "must pass before it counts as done; repeatable",
        repeatable: true,
      },
      {
        spelled: "--changes <pattern>",
        help: "tests or configuration it may change; repeatable",
        completes: "file",
        repeatable: true,
      },
      { spelled: "--agent <name>", help: "the agent that works on it", completes: "agent" },
      { spelled: "--workflow <name>", help: "the workflow that it goes through", completes: "workflow" },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'looper add "Dates are right in leap years" -p 1 --tag bug',
        help: "add an urgent task",
      },
      {
        line: 'looper add "Release it" --depends-on T3,T4 --details - < notes.md',
        help: "add a task that waits for T3 and T4, with details from a file",
      },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).add,
  },
  {
    name: "set",
    operands: [
      TASK,
      {
        spelled: "<assignments...>",
        help: "key=value; lists: += and -=; key= removes; key=- reads stdin",
        completes: "assignment",
      },
    ],
    help: "change a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper set T3 priority=1 tags+=urgent", help: "make T3 urgent and add a tag" },
      {
        line: 'looper set T3 depends-on=T1,T2 steps+="write the test" agent=',
        help: "replace its dependencies, add a step, allow any agent",
      },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).set,
  },
  {
    name: "block",
    operands: [TASK, { spelled: "<why>", help: "the reason", sentence: "reason" }],
    help: "mark a task as blocked, with a reason",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      {
        line: 'looper block T3 "waits for the key of the test account"',
        help: "block T3; tasks that depend on it wait",
      },
      {
        line: 'looper block T4 "the design is open" --json',
        help: "the same, and print the changed task as JSON",
      },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).block,
  },
  {
    name: "todo",
    operands: [TASKS],
    help: "mark tasks as still to do",
    flags: [
      { spelled: "--restart", help: "begin their workflow again, and keep its outputs" },
      {
        spelled: "--stage <stage>",
        help: "with --restart: begin at this stage, with the work so far",
        completes: "stage",
      },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      { line: "looper todo T3", help: "reopen T3 after its blockers are settled" },
      { line: "looper todo T3 T4", help: "reopen both, or neither when one is unknown" },
      { line: "looper todo T3 --restart", help: "begin the workflow of T3 again" },
      { line: "looper todo T3 --restart --stage plan", help: "begin it again at the stage plan" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).todo,
  },
  {
    name: "done",
    operands: [TASKS],
    help: "mark tasks as done by hand, without checks",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper done T3 T4", help: "mark both as done; tasks that wait for them can start" },
      { line: "looper done T7 --json", help: "the same, and print the changed task as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).done,
  },
  {
    name: "accept",
    operands: [TASKS],
    help: "count done but unverified tasks as verified",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper accept T3 T7", help: "accept both, and all that only waited for them" },
      { line: "looper accept T3 --json", help: "the same, and print the changed tasks as JSON" },
    ],
    load: async () => (await import("../../commands/backlog/accept.js")).accept,
  },
  {
    name: "rm",
    operands: [TASKS],
    help: "remove tasks",
    flags: [
      { spelled: "--force", help: "also remove dependencies of other tasks on them" },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      { line: "looper rm T7", help: "remove T7, unless another task depends on it" },
      { line: "looper rm T3 --force", help: "remove T3 and every dependency on it" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).rm,
  },
  {
    name: "validate",
    operands: [FILE],
    help: "check the task file and list every problem",
    flags: [
      { spelled: "--schema <file>", help: "also validate against this JSON Schema", completes: "file" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper validate", help: "list every problem with line and column" },
      {
        line: "looper validate --json",
        help: "the same as JSON, for CI; exit code 1 when there are any",
      },
    ],
    load: async () => (await import("../../commands/backlog/validate.js")).validate,
  },
  {
    name: "fmt",
    operands: [FILE],
    help: "format the task file: canonical order of tasks and keys",
    flags: [
      { spelled: "-w, --write", help: "write the result to the file" },
      { spelled: "--fix", help: "correct obvious mistakes, write the file, keep a copy" },
      { spelled: "--keep-order", help: "keep the order of the tasks" },
      { spelled: "--check", help: "exit with 1 when the file is not formatted" },
      { spelled: "-d, --diff", help: "print what would change" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper fmt -w", help: "format the project's task file" },
      { line: "looper fmt --fix", help: "correct another tool's keys, comments and commas" },
      { line: "looper fmt --check --keep-order", help: "fail in CI when it is not formatted" },
    ],
    load: async () => (await import("../../commands/backlog/fmt.js")).fmt,
  },
];
