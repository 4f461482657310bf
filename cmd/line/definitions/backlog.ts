// The commands about the backlog. Cheap to load: what they do is imported only when it is asked for.
import { FILE, JSON_FLAG, TASK, TASKS, TODO_FILE, type CommandDefinition } from "../../context/definition.js";
import { EXPORT_FORMATS } from "../../context/words.js";

/** In the order of the help. */
export const BACKLOG_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "ls",
    operands: [
      {
        spelled: "[status]",
        says: "todo, doing, blocked or done; or the task file",
        completes: "status-or-file",
      },
      { spelled: "[file]", says: "the task file", completes: "file" },
    ],
    says: "list the tasks, in the order they will be taken",
    flags: [
      { spelled: "--status <status>", says: "only tasks with this status", completes: "status" },
      { spelled: "--tag <tag>", says: "only tasks with this tag", completes: "tag" },
      { spelled: "--ready", says: "only tasks that could be taken now" },
      { spelled: "--watch", says: "again whenever the file changes; Ctrl-C ends it" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper ls --ready", says: "what could be taken now" },
      { line: "looper ls blocked --json", says: "what needs somebody, for a program" },
    ],
    load: async () => (await import("../../commands/backlog/ls.js")).ls,
  },
  {
    name: "show",
    operands: [TASK],
    says: "show one task whole, and what became of it so far",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper show T7", says: "all it says, every attempt at it, and why it is blocked" },
      { line: "looper show T7 --json", says: "the same, for a program" },
    ],
    load: async () => (await import("../../commands/backlog/show.js")).show,
  },
  {
    name: "why",
    operands: [TASK],
    says: "say why a task is the next one, or why not",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper why T7", says: "what it waits for, or what comes before it" },
      { line: "looper why T3 --json", says: "the same, for a program" },
    ],
    load: async () => (await import("../../commands/backlog/why.js")).why,
  },
  {
    name: "add",
    operands: [
      {
        spelled: "[title]",
        says: "what is to be done, in one line; - reads titles from stdin, one a line",
        sentence: "title",
      },
    ],
    says: "add a task, or those of a file; prints the ids",
    flags: [
      {
        spelled: "--import <file>",
        says: "add the tasks of a file, as init --import reads it; - reads stdin",
        completes: "file",
      },
      {
        spelled: "-p, --priority <n>",
        says: "1 (first) to 5 (default: 3)",
        completes: ["1", "2", "3", "4", "5"],
      },
      {
        spelled: "--depends-on <ids>",
        says: "tasks that must be done first, as A,B; repeatable",
        completes: "tasks",
        repeatable: true,
      },
      { spelled: "--tag <tag>", says: "a tag; repeatable", completes: "tag", repeatable: true },
      { spelled: "--details <text>", says: "what an agent must know to do it; - reads stdin" },
      {
        spelled: "--verify <command>",
        says: "must pass before it counts as done; repeatable",
        repeatable: true,
      },
      { spelled: "--agent <name>", says: "the agent that is to do it", completes: "agent" },
      TODO_FILE,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'looper add "Dates are right in leap years" -p 1 --tag bug',
        says: "comes before what is less urgent",
      },
      {
        line: 'looper add "Release it" --depends-on T3,T4 --details - < notes.md',
        says: "after T3 and T4, with all that is to be known",
      },
      { line: "looper add --import TODO.md", says: "the tasks of a checklist, after those there are" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).add,
  },
  {
    name: "set",
    operands: [
      TASK,
      {
        spelled: "<assignments...>",
        says: "key=value; a list takes += and -= as well; key= takes it away; key=- reads stdin",
        completes: "assignment",
      },
    ],
    says: "change a task",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper set T3 priority=1 tags+=urgent", says: "sooner, and one tag more" },
      {
        line: 'looper set T3 depends-on=T1,T2 steps+="write the test" agent=',
        says: "other dependencies, a further step, and any agent",
      },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).set,
  },
  {
    name: "block",
    operands: [TASK, { spelled: "<why>", says: "what keeps it from being done", sentence: "reason" }],
    says: "mark a task as blocked, with the reason",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      {
        line: 'looper block T3 "waits for the key of the test account"',
        says: "what depends on it waits as well",
      },
      {
        line: 'looper block T4 "the design is open" --json',
        says: "and the task as it is then, for a program",
      },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).block,
  },
  {
    name: "todo",
    operands: [TASKS],
    says: "mark tasks as to be done, again",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper todo T3", says: "its blockers are settled" },
      { line: "looper todo T3 T4", says: "both, or neither" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).todo,
  },
  {
    name: "done",
    operands: [TASKS],
    says: "mark tasks as done, by hand: nothing checks it",
    flags: [TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper done T3 T4", says: "what depends on them can begin" },
      { line: "looper done T7 --json", says: "and the task as it is then, for a program" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).done,
  },
  {
    name: "rm",
    operands: [TASKS],
    says: "remove tasks; refused while others depend on them",
    flags: [{ spelled: "--force", says: "remove these dependencies as well" }, TODO_FILE, JSON_FLAG],
    examples: [
      { line: "looper rm T7", says: "refused while others depend on it" },
      { line: "looper rm T3 --force", says: "and nothing depends on it any more" },
    ],
    load: async () => (await import("../../commands/backlog/edit.js")).rm,
  },
  {
    name: "validate",
    operands: [FILE],
    says: "show every problem of the task file",
    flags: [
      { spelled: "--schema <file>", says: "another JSON Schema it must meet", completes: "file" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper validate", says: "every problem at once, with line and column" },
      {
        line: "looper validate --json",
        says: "in CI: each with its JSON pointer; exit 1 when there are any",
      },
    ],
    load: async () => (await import("../../commands/backlog/validate.js")).validate,
  },
  {
    name: "fmt",
    operands: [FILE],
    says: "print the task file in its canonical form: one order of tasks and keys",
    flags: [
      { spelled: "-w, --write", says: "write it into the file" },
      { spelled: "--fix", says: "correct what is plain, write it, and keep a copy" },
      { spelled: "--keep-order", says: "leave the tasks in their order" },
      { spelled: "--check", says: "only say whether it is formatted: exit 1 when it is not" },
      { spelled: "-d, --diff", says: "print what would change" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper fmt -w", says: "format the project's task file" },
      { line: "looper fmt --fix", says: "correct another tool's words, comments and trailing commas" },
      { line: "looper fmt --check --keep-order", says: "in CI: exit 1 when it is not formatted" },
    ],
    load: async () => (await import("../../commands/backlog/fmt.js")).fmt,
  },
  {
    name: "export",
    operands: [FILE],
    says: "print the backlog as Markdown, CSV or JSON",
    flags: [
      {
        spelled: "--format <format>",
        says: "markdown (the default), csv or json",
        completes: EXPORT_FORMATS,
      },
      { spelled: "--json", says: "the same as --format json" },
    ],
    examples: [
      { line: "looper export > TODO.md", says: "a checklist that people read, and init --import takes" },
      {
        line: "looper export --format csv > tasks.csv",
        says: "for a spreadsheet; no cell is taken for a formula",
      },
    ],
    load: async () => (await import("../../commands/backlog/export.js")).exportBacklog,
  },
];
