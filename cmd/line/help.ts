// The text of `looper --help` and of `looper help <command>`, from the definitions; commander lays out its columns.
// Leaves when help is asked for to program.ts.
import { Help } from "commander";
import {
  COMMON_FLAGS,
  HELP_COMMAND,
  HELP_FLAG,
  VERSION_FLAG,
  isShown,
  type CommandDefinition,
} from "../context/definition.js";
import { COMMANDS, COMMAND_GROUPS } from "./definitions.js";

/** A term and its text, in two columns. */
type Row = readonly [term: string, text: string];

const FIRST_STEPS: readonly Row[] = [
  ["looper init", "set up a project"],
  ['looper add "Fix the login bug"', "add a task"],
  ["looper run", "work until every task is done"],
];

/** The help of a command, or of the program, in so many columns. */
export function writeHelp(name: string | undefined, columns: number): string {
  const helper = new Help();
  helper.prepareContext({ helpWidth: columns });
  if (name === undefined) return programHelp(helper);
  const definition = COMMANDS.find((command) => command.name === name);
  if (definition === undefined) throw new Error(`no command has the name ${name}`);
  return commandHelp(definition, helper);
}

function programHelp(helper: Help): string {
  const groups = COMMAND_GROUPS.map(({ heading, commands }) => ({
    heading,
    rows: commands.filter(isShown).map(({ name, help }): Row => [name, help]),
  }));
  groups.at(-1)?.rows.push([HELP_COMMAND.name, HELP_COMMAND.help]);
  const width = widest(groups.flatMap(({ rows }) => rows));
  const parts = [
    columnsText(FIRST_STEPS, helper),
    "Looper works through a backlog of tasks with coding agents.\nA task is done when your checks pass.",
    "Usage: looper [command] [flags]\n       looper [file] [flags]     the same as looper run [file]",
    ...groups.map(({ heading, rows }) => `${heading}:\n${columnsText(rows, helper, width)}`),
    `Flags of every command:\n${columnsText([...COMMON_FLAGS, HELP_FLAG, VERSION_FLAG].map(rowOf), helper)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function commandHelp(
  { name, operands, help, flags, examples = [] }: CommandDefinition,
  helper: Help,
): string {
  const usage = [
    "looper",
    name,
    ...operands.map(({ spelled }) => spelled),
    ...(flags.length > 0 ? ["[flags]"] : []),
  ];
  const rows = [...operands, ...flags].map(rowOf);
  return [
    ...(examples.length > 0 ? [examplesText(examples, helper)] : []),
    `${help.charAt(0).toUpperCase()}${help.slice(1)}.\nUsage: ${usage.join(" ")}`,
    ...(rows.length > 0 ? [columnsText(rows, helper)] : []),
    "`looper help` lists the flags of every command.\n",
  ].join("\n\n");
}

/** Texts stand beside the command lines where all of them fit, else below. */
function examplesText(examples: readonly { line: string; help: string }[], helper: Help): string {
  const rows = examples.map(({ line, help }): Row => [line, help]);
  const width = widest(rows);
  const needed = width + Math.max(...rows.map(([, text]) => text.length)) + 4;
  if (needed <= (helper.helpWidth ?? needed)) return columnsText(rows, helper);
  return rows.map(([line, text]) => `  ${line}\n      ${text}`).join("\n");
}

function rowOf({ spelled, help }: { spelled: string; help: string }): Row {
  return [spelled, help];
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length));
}

function columnsText(rows: readonly Row[], helper: Help, width = widest(rows)): string {
  return rows.map(([term, text]) => helper.formatItem(term, width, text, helper)).join("\n");
}
