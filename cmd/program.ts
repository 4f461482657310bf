// Parses a command line by the definitions. A command is imported only when it is called. Leaves the order of the words
// to arguments.ts, its flags to typed-words.ts, the help to help.ts, and exit codes to looper.ts.
import path from "node:path";
import { never } from "../src/system/never.js";
import { sortArguments, type CommandLine, type SortedWords } from "./line/arguments.js";
import {
  COMMON_FLAGS,
  mayTakeValue,
  namesAndOpposite,
  takesValue,
  type CommandDefinition,
} from "./context/definition.js";
import { COMMANDS } from "./line/definitions.js";
import { writeHelp } from "./line/help.js";
import type { Command, Typed } from "./context/command-context.js";
import { readWords } from "./line/typed-words.js";
import { USUAL_COLUMNS, usualHelp } from "./line/usual-help.js";

/** The parsed line: a text to print, or a command to run. `folder`: the value of `-C`. */
export type ParsedLine =
  | { kind: "text"; text: string }
  | {
      kind: "command";
      name: string;
      /** Not for people: the program calls it itself. */
      hidden: boolean;
      typed: Typed;
      folder?: string;
      load: () => Promise<Command>;
    };

/** Parses a command line (without node and script). Throws only `usage` errors. `isFile` and `namesIn` get absolute paths. */
export async function readCommandLine(
  argv: readonly string[],
  facts: {
    version: string;
    cwd: string;
    isFile: (file: string) => Promise<boolean>;
    namesIn: (folder: string) => Promise<readonly string[]>;
    /** The width of stdout, if it is a terminal. */
    columns?: number | undefined;
  },
): Promise<ParsedLine> {
  const place = (word: string, folder = "."): string => path.resolve(facts.cwd, folder, word);
  const sorted = await sortArguments(argv, lineOf(COMMANDS), {
    isFile: (word, folder) => facts.isFile(place(word, folder)),
    namesBeside: (word, folder) => facts.namesIn(path.dirname(place(word, folder))),
  });
  return answer(sorted, facts);
}

function answer(
  sorted: SortedWords,
  { version, columns }: { version: string; columns?: number | undefined },
): ParsedLine {
  switch (sorted.kind) {
    case "version":
      return { kind: "text", text: `${version}\n` };
    case "help":
      return { kind: "text", text: helpText(sorted.command, columns) };
    case "command": {
      const definition = definitionOf(sorted.command);
      const typed = readWords(definition, sorted.words, COMMANDS);
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
  const flags = new Map<string, { takesValue: boolean; mayTakeValue: boolean }>();
  for (const definition of [...COMMON_FLAGS, ...commands.flatMap((command) => command.flags)]) {
    const kind = { takesValue: takesValue(definition), mayTakeValue: mayTakeValue(definition) };
    for (const name of namesAndOpposite(definition)) flags.set(name, kind);
  }
  return {
    commands: commands.map(({ name }) => name),
    hidden: commands.filter(({ hidden }) => hidden).map(({ name }) => name),
    flags,
  };
}

function helpText(name: string | undefined, columns = USUAL_COLUMNS): string {
  return columns === USUAL_COLUMNS ? usualHelp(name) : writeHelp(name, columns);
}
