// The help: how the program and each command are called, from the definitions. commander writes it, and reads nothing.
// Leaves when it is asked for to program.ts.
import { Command as Commander, Option } from "commander";
import { COMMON_FLAGS, type CommandDefinition, type FlagDefinition } from "../context/definition.js";
import { COMMANDS } from "./definitions.js";

/** The help of a command, or of the program, in so many columns. */
export function writeHelp(name: string | undefined, columns: number): string {
  const width = { getOutHelpWidth: () => columns };
  if (name !== undefined) {
    const definition = COMMANDS.find((command) => command.name === name);
    if (definition === undefined) throw new Error(`no command is called ${name}`);
    const [command] = new Commander("looper").addCommand(toCommander(definition)).commands;
    return `${command?.configureOutput(width).helpInformation() ?? ""}${examplesText(definition)}`;
  }
  const program = new Commander("looper")
    .configureOutput(width)
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

function toOption({ spelled, says }: FlagDefinition): Option {
  return new Option(spelled, says);
}

function toCommander({ name, operands, says, flags }: CommandDefinition): Commander {
  const command = new Commander(name).description(says).helpOption("-h, --help", "show this");
  for (const operand of operands) command.argument(operand.spelled, operand.says);
  for (const flag of [...flags, ...COMMON_FLAGS]) command.addOption(toOption(flag));
  return command;
}

function examplesText({ examples = [] }: CommandDefinition): string {
  const lines = examples.map(({ line, says }) => `  ${line}\n      ${says}\n`);
  return lines.length === 0 ? "" : `\nExamples:\n${lines.join("")}`;
}
