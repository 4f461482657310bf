// Every command there is, in the order of the help.
import type { CommandDefinition } from "../context/definition.js";
import { BACKLOG_COMMANDS } from "./definitions/backlog.js";
import { CHAPO_COMMANDS } from "./definitions/chapo.js";
import { PEOPLE_COMMANDS } from "./definitions/people.js";
import { PROJECT_COMMANDS } from "./definitions/project.js";
import { RUN_COMMANDS } from "./definitions/run.js";
import { LOG_COMMANDS } from "./definitions/runs.js";

/** The commands by their heading in the help. */
export const COMMAND_GROUPS: readonly { heading: string; commands: readonly CommandDefinition[] }[] = [
  { heading: "Work", commands: [...RUN_COMMANDS, ...CHAPO_COMMANDS] },
  { heading: "Backlog", commands: BACKLOG_COMMANDS },
  { heading: "People", commands: PEOPLE_COMMANDS },
  { heading: "Runs", commands: LOG_COMMANDS },
  { heading: "Project", commands: [...PROJECT_COMMANDS] },
];

/** Read by the parser, the help, and the completion of shells. */
export const COMMANDS: readonly CommandDefinition[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
