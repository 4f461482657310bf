// The help: commander finds the rows and wraps them; the order of the parts is Looper's, examples first.
import type { Argument, Command, Help, HelpConfiguration } from "commander";

/** A term and its text, in two columns. */
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
export const PROGRAM_HELP: HelpConfiguration = {
  formatHelp: (program, helper) => {
    const groups = helper.groupItems([...program.commands], helper.visibleCommands(program), (one) =>
      one.helpGroup(),
    );
    const rows = (commands: readonly Command[]): Row[] =>
      commands.map((one) => [one.name(), one.description()]);
    const width = widest(rows(helper.visibleCommands(program)));
    return join([
      columns(FIRST_STEPS, helper),
      program.description(),
      `Usage: looper [command] [flags]\n       looper [file] [flags]     the same as looper run [file]`,
      ...[...groups].map(([group, commands]) => `${group}:\n${columns(rows(commands), helper, width)}`),
      `Flags of every command:\n${columns(optionRows(program, helper), helper)}`,
    ]);
  },
};

/** The help of a command. */
export function commandHelp(examples: readonly Row[]): HelpConfiguration {
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
