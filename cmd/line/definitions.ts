// Every command there is, in the order of the help.
import type { CommandDefinition } from "../context/definition.js";
import { PROJECT_COMMANDS } from "./definitions/project.js";

/** The commands by their heading in the help. */
export const COMMAND_GROUPS: readonly { heading: string; commands: readonly CommandDefinition[] }[] = [
  { heading: "Project", commands: [...PROJECT_COMMANDS] },
];

/** Read by the parser, the help, and the completion of shells. */
export const COMMANDS: readonly CommandDefinition[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
