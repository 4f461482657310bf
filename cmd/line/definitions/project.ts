// The commands about the project and the machine. Cheap to load: what they do is imported only when it is asked for.
import { FILE, JSON_FLAG, type CommandDefinition } from "../../context/definition.js";
import { CONFIG_VERBS } from "../../context/words.js";

/** In the order of the help. */
export const PROJECT_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "init",
    operands: [],
    says: "make a task file and settings for a project; asks three questions on a terminal",
    flags: [
      {
        spelled: "--import <file>",
        says: "take the tasks from a Markdown checklist or document, prd.json, task-master's tasks.json, beads' JSONL, gh issue list --json; - reads stdin",
        completes: "file",
      },
      {
        spelled: "--from-looper-go",
        says: "move tasks and settings of the Go program over; its files are kept",
      },
      { spelled: "--dry-run", says: "with --from-looper-go: show the move, change nothing" },
      { spelled: "--force", says: "replace what is there; of what it held a copy stays" },
      {
        spelled: "--verify <command>",
        says: "a command that proves a task done; repeatable",
        repeatable: true,
      },
      { spelled: "--here", says: "set up the current folder, also below the root of a repository" },
      { spelled: "--skip-config", says: "write no settings" },
      { spelled: "-y, --yes", says: "ask nothing" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper init",
        says: "asks who is to work, where the tasks come from, and what proves them done",
      },
      { line: 'looper init --verify "npm test"', says: "with the command that proves a task done" },
      { line: "looper init --import TODO.md", says: "the same, with the tasks of a checklist" },
    ],
    load: async () => (await import("../../commands/project/init.js")).init,
  },
  {
    name: "config",
    operands: [
      {
        spelled: "[verb]",
        says: "get, set, unset, or path; without it every setting",
        completes: CONFIG_VERBS,
      },
      { spelled: "[key]", says: "a setting, e.g. loop.max_attempts", completes: "setting" },
      { spelled: "[values...]", says: "for set: its value; several make a list, and JSON is read as such" },
    ],
    says: "show the settings in force and where each comes from, or change one",
    flags: [
      { spelled: "--user", says: "for set and unset: your own settings instead of the project's" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper config",
        says: "every setting, its value, and the file, variable or default it comes from",
      },
      { line: "looper config get loop.max_attempts", says: "one value" },
      {
        line: 'looper config set verify.commands "npm test"',
        says: "set it in the project's settings file; commands set this way are approved",
      },
      { line: "looper config unset verify.commands", says: "remove it from there" },
      { line: "looper config path", says: "the files that are read, and whether they are there" },
    ],
    load: async () => (await import("../../commands/project/config.js")).config,
  },
  {
    name: "doctor",
    operands: [FILE],
    says: "check what a run needs, and what dead runs left behind",
    flags: [
      {
        spelled: "--fix",
        says: "end leftover processes of dead runs, remove their locks, write missing schemas",
      },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper doctor",
        says: "what is missing, each with its remedy; exit 1 when a run could not start",
      },
      { line: "looper doctor --fix", says: "what dead runs left behind goes" },
    ],
    load: async () => (await import("../../commands/project/doctor.js")).doctor,
  },
  {
    name: "demo",
    operands: [],
    says: "watch a small backlog being worked through; needs no agent and no network",
    flags: [
      { spelled: "--chapo", says: "by the built-in engine, with a scripted model: it really runs its tools" },
    ],
    examples: [
      { line: "looper demo", says: "leaves a folder to look at" },
      { line: "looper demo --chapo", says: "the same with the engine that comes with looper" },
    ],
    load: async () => (await import("../../commands/project/demo.js")).demo,
  },
  {
    name: "agent-host",
    operands: [{ spelled: "<file>", says: "a module, a file of steps, a program, or a model" }],
    says: "the child that hosts an agent",
    flags: [
      { spelled: "--scripted", says: "the file is a file of steps" },
      { spelled: "--acp", says: "the file is a program that speaks the Agent Client Protocol" },
      { spelled: "--chapo", says: "the built-in engine; it is a model, and no file" },
    ],
    hidden: true,
    load: async () => (await import("../../commands/project/agent-host.js")).agentHost,
  },
];
