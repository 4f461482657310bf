// The definition of a command for the parser and the help: name, operands, flags; and those that several commands share.
// Leaves the commands themselves to definitions/.
import { Option } from "commander";
import { list } from "./command.js";
import type { Command } from "./command-context.js";

/** The kind of a value, so that a shell can complete it (contract §1, `completion`); a list holds all possible words. */
export type Completes =
  | readonly string[]
  | "agent"
  /** As a,b,c. */
  | "agents"
  | "assignment"
  | "event-type"
  | "file"
  | "folder"
  | "outcome"
  | "question"
  | "rescue"
  | "run"
  | "run-or-file"
  | "schedule"
  | "session"
  | "setting"
  | "skill"
  | "stage"
  | "status"
  | "status-or-file"
  | "tag"
  | "task"
  /** As A,B. */
  | "tasks"
  | "template"
  | "workflow";

/** A positional argument. */
export interface OperandDefinition {
  /** As commander spells it: `[file]`, `<ids...>`. */
  spelled: string;
  help: string;
  /** Absent: free text, which cannot be completed. */
  completes?: Completes;
  /** For a sentence, which must be quoted: the name of the value. */
  sentence?: string;
}

/** A flag. */
export interface FlagDefinition {
  /** As commander spells it: `-n <N>`, `--json`, `--no-review`. */
  spelled: string;
  help: string;
  /** The flag that switches it off: `--no-git-init`. */
  opposite?: string;
  /** The kind of its value. */
  completes?: Completes;
  /** Can be repeated. */
  repeatable?: true;
}

/** A command. */
export interface CommandDefinition {
  name: string;
  operands: readonly OperandDefinition[];
  help: string;
  flags: readonly FlagDefinition[];
  /** Command lines for the help, each with a description. */
  examples?: readonly { line: string; help: string }[];
  hidden?: true;
  load(): Promise<Command>;
}

/** `--json`. */
export const JSON_FLAG: FlagDefinition = { spelled: "--json", help: "print JSON" };

/** Whether the next word belongs to a flag. */
export function takesValue({ spelled }: FlagDefinition): boolean {
  return spelled.includes("<");
}

/** The option of a flag, and the hidden one that switches it off. */
export function optionsOf({ spelled, help, opposite, repeatable }: FlagDefinition): Option[] {
  const option = repeatable === true ? list(spelled, help) : new Option(spelled, help);
  return opposite === undefined ? [option] : [option, new Option(opposite).hideHelp()];
}
