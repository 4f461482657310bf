// The commands about the project and the machine. Cheap to load: what they do is imported only when it is asked for.
import { FILE, JSON_FLAG, TODO_FILE, type CommandDefinition } from "../../context/definition.js";
import { CONFIG_VERBS, WORKFLOW_VERBS } from "../../context/words.js";

/** In the order of the help. */
export const PROJECT_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "init",
    operands: [],
    help: "set up a project: task file and settings",
    flags: [
      {
        spelled: "--import <file>",
        help: "take tasks from Markdown, prd.json, tasks.json, beads or gh issues; - reads stdin",
        completes: "file",
      },
      { spelled: "--force", help: "replace existing files; keeps a copy of each" },
      {
        spelled: "--verify <command>",
        help: "must pass before a task counts as done; repeatable",
        repeatable: true,
      },
      { spelled: "--here", help: "use the current folder, also inside a repository" },
      { spelled: "--skip-config", help: "do not write settings" },
      { spelled: "-y, --yes", help: "do not ask; take the check that it finds" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper init",
        help: "ask for the agent, the tasks and the check, then write files",
      },
      { line: 'looper init --verify "npm test"', help: "set up with the check every task must pass" },
      { line: "looper init --import TODO.md", help: "set up with the tasks of a checklist" },
    ],
    load: async () => (await import("../../commands/project/init.js")).init,
  },
  {
    name: "config",
    operands: [
      {
        spelled: "[verb]",
        help: "get, set, unset or path; without it: every setting",
        completes: CONFIG_VERBS,
      },
      { spelled: "[key]", help: "a setting, e.g. loop.max_attempts", completes: "setting" },
      { spelled: "[values...]", help: "for set: a value, several for a list, or JSON" },
    ],
    help: "show the settings in force, or change one",
    flags: [{ spelled: "--user", help: "for set and unset: change your own settings" }, JSON_FLAG],
    examples: [
      {
        line: "looper config",
        help: "list every setting, its value and its source",
      },
      { line: "looper config get loop.max_attempts", help: "print one value" },
      {
        line: 'looper config set verify.commands "npm test"',
        help: "change the project's settings and approve the command",
      },
      {
        line: `looper config set agents.mine '{"kind": "command", "binary": "./agent.sh"}'`,
        help: "add an agent of your own",
      },
      { line: "looper config unset verify.commands", help: "remove it from the project's settings" },
      { line: "looper config path", help: "list the settings files and which of them exist" },
    ],
    load: async () => (await import("../../commands/project/config.js")).config,
  },
  {
    name: "workflows",
    operands: [
      { spelled: "[verb]", help: "show, copy or check; without it: a list", completes: WORKFLOW_VERBS },
      { spelled: "[name]", help: "a workflow; for check a file", completes: "workflow" },
    ],
    help: "list the workflows, show, copy or check one",
    flags: [
      { spelled: "--mermaid", help: "for show: draw a mermaid diagram" },
      { spelled: "--force", help: "for copy: replace the project's own" },
      JSON_FLAG,
    ],
    examples: [
      { line: "looper workflows", help: "list them, and where each comes from" },
      { line: "looper workflows show implement-review", help: "draw its stages and print its file" },
      { line: "looper workflows copy implement-review", help: "copy it to .looper/workflows to change it" },
      {
        line: "looper workflows check .looper/workflows/implement-review.json",
        help: "list its problems; exit code 1 if there are any",
      },
    ],
    load: async () => (await import("../../commands/project/workflows.js")).workflows,
  },
  {
    name: "doctor",
    operands: [FILE],
    help: "check what a run needs and what dead runs left behind",
    flags: [
      {
        spelled: "--fix",
        help: "end processes and remove locks of dead runs, write missing schemas",
      },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "looper doctor",
        help: "list what is missing; exit code 1 when a run could not start",
      },
      { line: "looper doctor --fix", help: "also remove what dead runs left behind" },
    ],
    load: async () => (await import("../../commands/project/doctor.js")).doctor,
  },
  {
    name: "demo",
    operands: [],
    help: "watch a scripted run; needs no agent and no network",
    flags: [{ spelled: "--chapo", help: "use the built-in engine with a scripted model" }],
    examples: [
      { line: "looper demo", help: "run a small backlog in a temporary folder" },
      { line: "looper demo --chapo", help: "the same with the built-in engine, which runs its tools" },
    ],
    load: async () => (await import("../../commands/project/demo.js")).demo,
  },
  {
    name: "mcp",
    operands: [],
    help: "serve the backlog to a coding agent over MCP (stdio)",
    flags: [
      { spelled: "--allow-answers", help: "offer the tool that answers questions in your name" },
      TODO_FILE,
    ],
    examples: [
      { line: "looper mcp", help: "serve until the client closes stdin; the client starts it" },
      { line: "looper mcp --allow-answers", help: "also let the client pass on your answers" },
    ],
    load: async () => (await import("../../commands/mcp/mcp.js")).mcp,
  },
  {
    name: "agent-host",
    operands: [{ spelled: "<file>", help: "a module, a file of steps, a program, or a model" }],
    help: "host an agent in a child process",
    flags: [
      { spelled: "--scripted", help: "the file is a file of steps" },
      { spelled: "--acp", help: "the file is a program that speaks the Agent Client Protocol" },
      { spelled: "--chapo", help: "the built-in engine; the argument names a model" },
    ],
    hidden: true,
    load: async () => (await import("../../commands/project/agent-host.js")).agentHost,
  },
];
