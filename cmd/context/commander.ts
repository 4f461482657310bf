// The program and a command as commander knows them, and their help: commander finds the rows and wraps them;
// the order of the parts is Looper's, examples first.
import { Command, Option, type Argument, type Help, type HelpConfiguration } from "commander";
import { commonOptions, type CommandFile, type CommandRow } from "./command.js";

type Row = readonly [term: string, text: string];

/** The width of a pipe or a file. */
export const USUAL_COLUMNS = 80;

const FIRST_STEPS: readonly Row[] = [
  ["looper init", "set up a project"],
  ['looper add "Fix the login bug"', "add a task"],
  ["looper run", "work until every task is done"],
];

/** As it is typed in a line: `<id>`, `[file]`, `[words...]`. */
export function spellArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The help of the program: its commands by their groups. */
const PROGRAM_HELP: HelpConfiguration = {
  formatHelp: (program, helper) => {
    const groups = helper.groupItems([...program.commands], helper.visibleCommands(program), (one) =>
      one.helpGroup(),
    );
    const rows = (commands: readonly Command[]): Row[] =>
      commands.map((one) => [one.name(), one.description()]);
    const width = widest(rows(helper.visibleCommands(program)));
    return join([
      program.description(),
      `Usage: looper [command] [flags]\n       looper [file] [flags]     the same as looper run [file]`,
      ...[...groups].map(([group, commands]) => `${group}:\n${columns(rows(commands), helper, width)}`),
      `Flags of every command:\n${columns(optionRows(program, helper), helper)}`,
      `First steps:\n${columns(FIRST_STEPS, helper)}`,
    ]);
  },
};

function commandHelp(examples: readonly Row[]): HelpConfiguration {
  return {
    formatHelp: (command, helper) => {
      const words = command.registeredArguments.map((one): Row => [spellArgument(one), one.description]);
      const rows = [...words, ...optionRows(command, helper)];
      return join([
        examplesText(examples, helper),
        `${command.description()}\nUsage: ${helper.commandUsage(command)}`,
        columns(rows, helper),
        "`looper help` lists the flags of every command.",
      ]);
    },
  };
}

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function optionRows(command: Command, helper: Help): Row[] {
  return helper.visibleOptions(command).map((one) => [one.flags, one.description]);
}

/** Texts stand beside the command lines where all of them fit, else below. */
function examplesText(examples: readonly Row[], helper: Help): string {
  const width = widest(examples);
  const needed = width + Math.max(...examples.map(([, text]) => text.length)) + 4;
  if (needed <= (helper.helpWidth ?? USUAL_COLUMNS)) return columns(examples, helper);
  return examples.map(([line, text]) => `  ${line}\n      ${text}`).join("\n");
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length));
}

function columns(rows: readonly Row[], helper: Help, width = widest(rows)): string {
  return rows.map(([term, text]) => helper.formatItem(term, width, text, helper)).join("\n");
}

export interface ProgramFacts {
  version: string;
  /** The width of stdout, if it is a terminal. */
  columns?: number | undefined;
}

/** The program as commander knows it: the options of every command, and a first word. */
export function makeProgram(
  rows: readonly CommandRow[],
  { version, columns }: ProgramFacts,
  printed: string[] = [],
): Command {
  const program = silent(new Command("looper"), columns, printed)
    .description(
      "Looper works through a backlog of tasks with coding agents.\nA task is done when your checks pass.",
    )
    .helpCommand(false)
    .configureHelp(PROGRAM_HELP)
    .passThroughOptions();
  for (const option of commonOptions()) program.addOption(option);
  program.helpOption("-h, --help", "show help for looper or a command");
  for (const row of rows) program.addCommand(stub(row), { hidden: row.hidden ?? false });
  program.addCommand(stub({ name: "help", group: "Project", summary: "show help for looper or a command" }));
  return program.version(`looper ${version}`, "-V, --version", "show the version");
}

function stub({ name, group, summary }: Pick<CommandRow, "name" | "group" | "summary">): Command {
  return new Command(name).description(summary).helpGroup(group);
}

export function makeCommand(
  { name, summary }: CommandRow,
  { arguments: words = [], options = [], examples = [] }: CommandFile,
  { version, columns }: ProgramFacts,
  printed: string[] = [],
): Command {
  const command = silent(new Command(`looper ${name}`), columns, printed)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .usage([...words.map(spellArgument), ...(options.length === 0 ? [] : ["[flags]"])].join(" "))
    .configureHelp(commandHelp(examples))
    .showSuggestionAfterError(false)
    .allowExcessArguments()
    .addHelpOption(new Option("-h, --help").hideHelp())
    .version(`looper ${version}`, "-V, --version");
  for (const option of commonOptions()) command.addOption(option);
  for (const common of command.options) common.hideHelp();
  for (const word of words) command.addArgument(word);
  for (const option of options) command.addOption(option);
  return command;
}

function silent(command: Command, columns: number | undefined, printed: string[]): Command {
  return command.exitOverride().configureOutput({
    writeOut: (said) => printed.push(said),
    writeErr: () => undefined,
    getOutHelpWidth: () => columns ?? USUAL_COLUMNS,
    getOutHasColors: () => false,
  });
}
