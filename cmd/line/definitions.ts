// Every command there is, in the order of the help.
import type { CommandDefinition } from "../context/definition.js";
import { BACKLOG_COMMANDS } from "./definitions/backlog.js";
import { CHAPO_COMMANDS } from "./definitions/chapo.js";
import { completionCommands } from "./definitions/completion.js";
import { PROJECT_COMMANDS } from "./definitions/project.js";
import { RUN_COMMANDS } from "./definitions/run.js";
import { LOG_COMMANDS } from "./definitions/runs.js";

/** Read by the parser, the help, and the completion of shells. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...RUN_COMMANDS,
  ...CHAPO_COMMANDS,
  ...BACKLOG_COMMANDS,
  ...LOG_COMMANDS,
  ...PROJECT_COMMANDS,
  ...completionCommands(() => COMMANDS),
];
