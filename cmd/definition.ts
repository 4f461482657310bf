// What a command is to the parser and the help: its name, operands, flags; and those that several commands share.
// Leaves the commands themselves to definitions/.
import type { Command } from "./shell.js";

/** A flag. */
export interface FlagDefinition {
  /** As commander spells it: `-n <N>`, `--json`, `--no-review`. */
  spelled: string;
  says: string;
  /** May be given several times. */
  repeatable?: true;
}

/** A command. */
export interface CommandDefinition {
  name: string;
  /** As commander spells them: `[file]`. */
  operands: readonly { spelled: string; says: string }[];
  says: string;
  flags: readonly FlagDefinition[];
  /** Command lines and what they do, for the help. */
  examples?: readonly { line: string; says: string }[];
  hidden?: true;
  load(): Promise<Command>;
}

/** `--json`. */
export const JSON_FLAG: FlagDefinition = { spelled: "--json", says: "print JSON" };

/** The task file, as a word. */
export const FILE = { spelled: "[file]", says: "the task file (default: the project's)" };
/** The task file, as a flag. */
export const TODO_FILE: FlagDefinition = {
  spelled: "--file <file>",
  says: "the task file (default: the project's)",
};
/** One task. */
export const TASK = { spelled: "<id>", says: "the task" };
/** Some tasks. */
export const TASKS = { spelled: "<ids...>", says: "the tasks" };
/** A run. */
export const RUN = { spelled: "[run]", says: "a run's id (default: the newest)" };

/** What every command takes. */
export const COMMON_FLAGS: readonly FlagDefinition[] = [
  { spelled: "-C <folder>", says: "as if started in this folder" },
  { spelled: "--log-level <level>", says: "what stderr tells: error, warn, info (the default) or debug" },
  { spelled: "--log-format <format>", says: "stderr as text (the default) or as json lines" },
  { spelled: "--no-color", says: "no colour, whatever FORCE_COLOR says" },
];
