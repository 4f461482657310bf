// From words to a command: commander reads flags and writes the help, from the definitions. A command is imported only
// when it is asked for. Leaves the order of the words to arguments.ts, and exit codes to looper.ts.
import path from "node:path";
import { Command as Commander, CommanderError, Option } from "commander";
import type { Flags } from "../src/config/resolve.js";
import { UserError } from "../src/system/errors.js";
import { never } from "../src/system/never.js";
import { sortArguments, unknownFlag, type CommandLine, type Sorted } from "./arguments.js";
import {
  COMMON_FLAGS,
  flagNames,
  takesValue,
  type CommandDefinition,
  type FlagDefinition,
} from "./definition.js";
import { COMMANDS } from "./definitions.js";
import type { Command, Typed } from "./shell.js";

/** What was asked for: a text to print, or a command to run. `folder`: what `-C` says. */
export type Asked =
  | { kind: "text"; text: string }
  | {
      kind: "command";
      name: string;
      /** Nobody types it: the program starts itself so. */
      hidden: boolean;
      typed: Typed;
      folder?: string;
      load: () => Promise<Command>;
    };

/** Reads a command line (without node and script). Throws only `usage` errors. Of files it takes absolute paths. */
export async function readCommandLine(
  argv: readonly string[],
  facts: {
    version: string;
    cwd: string;
    isFile: (file: string) => Promise<boolean>;
    namesIn: (folder: string) => Promise<readonly string[]>;
  },
): Promise<Asked> {
  const place = (word: string, folder = "."): string => path.resolve(facts.cwd, folder, word);
  const sorted = await sortArguments(argv, lineOf(COMMANDS), {
    isFile: (word, folder) => facts.isFile(place(word, folder)),
    namesBeside: (word, folder) => facts.namesIn(path.dirname(place(word, folder))),
  });
  return answer(sorted, facts.version);
}

function answer(sorted: Sorted, version: string): Asked {
  switch (sorted.kind) {
    case "version":
      return { kind: "text", text: `${version}\n` };
    case "help":
      return { kind: "text", text: helpText(sorted.command) };
    case "command": {
      const definition = definitionOf(sorted.command);
      const typed = parse(definition, sorted.words);
      const folder = sorted.folder === undefined ? {} : { folder: sorted.folder };
      const { name, hidden = false } = definition;
      return { kind: "command", name, hidden, typed, ...folder, load: () => definition.load() };
    }
    default:
      return never(sorted);
  }
}

function definitionOf(name: string): CommandDefinition {
  const found = COMMANDS.find((command) => command.name === name);
  if (found === undefined) throw new Error(`no command is called ${name}`);
  return found;
}

function lineOf(commands: readonly CommandDefinition[]): CommandLine {
  const flags = new Map<string, { takesValue: boolean }>();
  for (const definition of [...COMMON_FLAGS, ...commands.flatMap((command) => command.flags)]) {
    for (const name of flagNames(definition)) flags.set(name, { takesValue: takesValue(definition) });
  }
  return {
    commands: commands.map(({ name }) => name),
    hidden: commands.filter(({ hidden }) => hidden).map(({ name }) => name),
    flags,
  };
}

function toOption({ spelled, says, repeatable }: FlagDefinition): Option {
  const option = new Option(spelled, says);
  if (repeatable === true)
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  return option;
}

function toCommander({ name, operands, says, flags }: CommandDefinition): Commander {
  const command = new Commander(name).description(says).exitOverride().helpOption("-h, --help", "show this");
  command.configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  for (const operand of operands) command.argument(operand.spelled, operand.says);
  for (const flag of [...flags, ...COMMON_FLAGS]) command.addOption(toOption(flag));
  return command;
}

function parse(definition: CommandDefinition, words: readonly string[]): Typed {
  const command = toCommander(definition);
  try {
    command.parse([...words], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw toUserError(error, definition, command);
    throw error;
  }
  return { operands: command.args, flags: flagsOf(command) };
}

function flagsOf(command: Commander): Flags {
  const given: Record<string, string | boolean | readonly string[]> = {};
  for (const option of command.options) {
    const key = option.attributeName();
    if (command.getOptionValueSource(key) !== "cli") continue;
    given[option.long ?? option.short ?? key] = option.negate ? true : toFlag(command.getOptionValue(key));
  }
  return given;
}

/** A repeatable flag gives a list, others a text or true. */
function toFlag(value: unknown): string | boolean | readonly string[] {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(String);
  throw new Error(`a flag with the value ${String(value)}`);
}

function toUserError(error: CommanderError, { name }: CommandDefinition, command: Commander): UserError {
  const message = error.message.replace(/^error: /, "");
  const hint = `looper help ${name} shows how it is called`;
  if (error.code === "commander.unknownOption") {
    const flag = /'([^'=]+)/.exec(message)?.[1] ?? "";
    const elsewhere = COMMANDS.find(
      (other) => other.hidden !== true && other.flags.flatMap(flagNames).includes(flag),
    );
    if (elsewhere !== undefined)
      return new UserError(
        "usage",
        `looper ${name} has no flag ${flag}`,
        `looper ${elsewhere.name} has; ${hint}`,
      );
    return unknownFlag(
      flag,
      command.options.flatMap((option) => (option.long === undefined ? [] : [option.long])),
    );
  }
  if (error.code === "commander.excessArguments")
    return new UserError("usage", `looper ${name}: too many words: ${command.args.join(" ")}`, hint);
  if (error.code === "commander.missingArgument")
    return new UserError("usage", `looper ${name}: ${message}`, hint);
  return new UserError("usage", message, hint);
}

function examplesText({ examples = [] }: CommandDefinition): string {
  const lines = examples.map(({ line, says }) => `  ${line}\n      ${says}\n`);
  return lines.length === 0 ? "" : `\nExamples:\n${lines.join("")}`;
}

function helpText(name: string | undefined): string {
  if (name !== undefined) {
    const definition = definitionOf(name);
    const [command] = new Commander("looper").addCommand(toCommander(definition)).commands;
    return `${command?.helpInformation() ?? ""}${examplesText(definition)}`;
  }
  const program = new Commander("looper")
    .usage("[command] [file] [flags]")
    .description(
      "Works through a backlog of tasks with coding agents, until every task is done or it can say why not.\n" +
        "No command means run; a word that is no command but an existing file is run's file.",
    )
    .helpOption("-h, --help", "show this, or how a command is called")
    .option("-V, --version", "show the version")
    .helpCommand("help [command]", "show how a command is called");
  for (const flag of COMMON_FLAGS) program.addOption(toOption(flag));
  for (const definition of COMMANDS)
    program.addCommand(toCommander(definition), { hidden: definition.hidden === true });
  return program.helpInformation();
}
