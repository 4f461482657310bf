// Commands that are still defined in cmd/line/definitions.
import { Argument, Option } from "commander";
import { Sentence, type CommandFile } from "./context/command.js";
import type { Typed } from "./context/command-context.js";
import { optionsOf, type FlagDefinition, type OperandDefinition } from "./context/definition.js";

/** The command of this name. */
export async function legacy(name: string): Promise<{ command: CommandFile }> {
  const { COMMANDS } = await import("./line/definitions.js");
  const found = COMMANDS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no command is called ${name}`);
  const { operands, flags, examples = [] } = found;
  return {
    command: {
      arguments: operands.map(argumentOf),
      options: flags.flatMap(optionsOf),
      examples: examples.map(({ line, help }) => [line, help] as const),
      work: async (context, request: object) => (await found.load())(context, typedOf(flags, request)),
    },
  };
}

function argumentOf({ spelled, help, sentence }: OperandDefinition): Argument {
  return sentence === undefined ? new Argument(spelled, help) : new Sentence(spelled, help, sentence);
}

/** The request as flags by their long names. */
export function typedOf(flags: readonly FlagDefinition[], request: object): Typed {
  const values = request as Record<string, unknown> & { words: readonly string[] };
  const typed = flags.flatMap((flag) => {
    const option = new Option(flag.spelled);
    const value = values[option.attributeName()];
    const name = option.long ?? option.short ?? "";
    return value === undefined ? [] : [[name, option.negate ? value === false : value] as const];
  });
  return { operands: values.words, flags: Object.fromEntries(typed) as Typed["flags"] };
}
