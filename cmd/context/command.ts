// The parts of a command: its words for commander, and the answer, which cmd/line.ts prints. cmd/commands.ts
// names them all.
import { Argument, Option } from "commander";
import { agentNameIn } from "../../src/config/settings/setting-row.js";
import type { StderrNote } from "../../src/ui/terminal/diagnostics.js";
import type { CommandContext, CommandOutcome } from "./command-context.js";

/** The act that an agent of a run is refused, and what it can do instead. */
export type NotForAgents = readonly [what: string, instead: string];

/** The words of a command line. Its summary is in the table of commands. */
interface CommandWords {
  arguments?: readonly Argument[];
  options?: readonly Option[];
  /** Command lines for the help, each with what it does. */
  examples?: readonly (readonly [line: string, does: string])[];
  /** Of a command that is for people alone. */
  refused?: NotForAgents;
}

/** The answer of a command. */
export interface CommandAnswer {
  /** The value that `--json` prints; its shape is published. `undefined`: nothing was done or is printed. */
  json: unknown;
  /** The same for people, clean. */
  lines: readonly string[];
  /** Told on stderr below the lines, not beside the JSON. */
  note?: StderrNote | undefined;
  /** The problem of the file that was read: told on stderr below the answer, and the command ends with no. */
  problem?: string | undefined;
  /** How it ended; absent: as it should. */
  end?: CommandOutcome;
}

/**
 * A command that answers: the server and the library ask it the same. A request has the arguments and options
 * by the names that commander gives them: `<id>` is `id`, `--depends-on` is `dependsOn`.
 */
export interface AnsweringCommand<
  Request extends object,
  Answer extends CommandAnswer = CommandAnswer,
> extends CommandWords {
  answer(context: CommandContext, request: Request): Promise<Answer>;
}

/** A command that is a process of its own, such as a run, or prints as it goes. */
export interface WorkingCommand<Request extends object> extends CommandWords {
  work(context: CommandContext, request: Request): Promise<CommandOutcome | CommandAnswer>;
}

/** A file of cmd/commands exports this as `command`. */
export type CommandFile = AnsweringCommand<never> | WorkingCommand<never>;

export interface CommandRow {
  name: string;
  group: "Work" | "Backlog" | "People" | "Runs" | "Project";
  summary: string;
  /** Not for people: the program calls it itself. */
  hidden?: true;
  load: () => Promise<{ command: CommandFile }>;
}

/** Text, which must be in quotes when it has several words. `what` names it. */
export class Sentence extends Argument {
  constructor(
    flags: string,
    description: string,
    readonly what: string,
  ) {
    super(flags, description);
  }
}

/** An option that may be given several times: a list. */
export function list(flags: string, description: string): Option {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  return new Option(flags, description).argParser(collect);
}

/** An option that names an agent, in any spelling of its name. */
export function agentOption(description: string): Option {
  return new Option("--agent <name>", description).argParser((name) => agentNameIn(name));
}

export const JSON_OPTION = new Option("--json", "print JSON");
export const TRUST = new Option("--trust", "approve the commands that the project's files name");
export const TODO_FILE = new Option("--file <file>", "the task file (default: the project's)");
export const FILE = new Argument("[file]", "the task file (default: the project's)");
export const RUN = new Argument("[run]", "a run's id, or how it begins (default: the newest)");
export const TASK = new Argument("<id>", "the task");
export const TASKS = new Argument("<ids...>", "the tasks");
export const QUESTION = new Argument("<id>", "the task, or the question");

/** The options of every command; new ones, since each command hides its own in its help. */
export const commonOptions = (): Option[] => [
  new Option("-C <folder>", "run as if started in <folder>"),
  new Option("--log-level <level>", "what stderr shows: error, warn, info (default), debug"),
  new Option("--log-format <format>", "stderr as text (default) or json lines"),
  new Option("--no-color", "disable colour (overrides FORCE_COLOR)"),
];
