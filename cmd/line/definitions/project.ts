// The commands about the project and the machine. Cheap to load: what they do is imported only when it is asked for.
import { JSON_FLAG, type CommandDefinition } from "../../context/definition.js";

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
];
