// Reads a command line with commander. The first word decides: a command, or a task file, which is for `run`.
// Only the file of that command is imported. Leaves the help to commander.ts, exit codes to looper.ts.
import path from "node:path";
import { CommanderError, type Command } from "commander";
import { usageError } from "../src/system/errors.js";
import type { CommandAnswer, CommandRow } from "./context/command.js";
import { COMMANDS } from "./commands.js";
import type { CommandContext, CommandOutcome } from "./context/command-context.js";
import { missingValue, missingWords, refuseMore, unknownCommand, unknownFlag } from "./line-errors.js";
import { makeCommand, makeProgram, type ProgramFacts } from "./context/commander.js";

export interface LineOptions {
  C?: string;
  logLevel?: string;
  logFormat?: string;
  color?: boolean;
}

export type ParsedLine =
  | { kind: "text"; text: string }
  | {
      kind: "command";
      name: string;
      /** Not for people: the program calls it itself. */
      hidden: boolean;
      request: object;
      options: LineOptions;
      run: (context: CommandContext) => Promise<CommandOutcome>;
    };

export interface CommandLineFacts extends ProgramFacts {
  cwd: string;
  /** Both get absolute paths. */
  isFile: (file: string) => Promise<boolean>;
  namesIn: (folder: string) => Promise<readonly string[]>;
}

const DEFAULT = "run";
const HELP = ["-h", "--help"];

/** Parses a command line (without node and script). Throws only `usage` errors. */
export async function readCommandLine(argv: readonly string[], facts: CommandLineFacts): Promise<ParsedLine> {
  // The Go program's spelling; after a command it meant something else there.
  if (argv.length === 1 && argv[0] === "-v") return text(`looper ${facts.version}\n`);
  const printed: string[] = [];
  const program = makeProgram(COMMANDS, facts, printed);
  try {
    const { operands, unknown } = program.parseOptions([...argv]);
    const words = [...operands, ...unknown];
    const [first = "-", ...rest] = words;
    const scene = { facts, before: optionsOf(program) };
    if (HELP.includes(first))
      return rest.length > 0
        ? await readCommandLine([...rest, "--help"], facts)
        : text(program.helpInformation());
    return first.startsWith("-") ? await readFlags(words, scene) : await readWords(first, rest, scene);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return text(printed.join(""));
    throw missingValue(argv);
  }
}

function text(said: string): ParsedLine {
  return { kind: "text", text: said };
}

interface Scene {
  facts: CommandLineFacts;
  before: LineOptions;
  /** Nothing was typed but `looper`, and options of every command. */
  isBare?: boolean;
}

async function readWords(first: string, rest: readonly string[], scene: Scene): Promise<ParsedLine> {
  const { facts, before } = scene;
  const row = rowOf(first);
  if (row !== undefined) return readCommand(row, rest, scene);
  const file = path.resolve(facts.cwd, folderOf(before, rest), first);
  if (await facts.isFile(file)) return readCommand(defaultRow(), [first, ...rest], scene);
  if (first === "version" && rest.length === 0) return text(`${facts.version}\n`);
  if (first !== "help") {
    if (first.endsWith(".json")) return readCommand(defaultRow(), [first, ...rest], scene);
    throw unknownCommand(first, await facts.namesIn(path.dirname(file)));
  }
  const [name = "help"] = rest.filter((word) => !HELP.includes(word));
  if (name === "help") return readCommandLine(["--help"], facts);
  const asked = rowOf(name);
  if (asked === undefined) throw unknownCommand(name);
  return readCommand(asked, ["--help"], scene);
}

/** A line without a first word is for `run`; its file may come behind flags. */
async function readFlags(words: readonly string[], scene: Scene): Promise<ParsedLine> {
  const read = await readCommand(defaultRow(), words, { ...scene, isBare: words.length === 0 });
  if (read.kind === "text") return read;
  const [file] = (read.request as { words: readonly string[] }).words;
  if (file === undefined || file.endsWith(".json")) return read;
  const { C: folder = "." } = read.options;
  if (await scene.facts.isFile(path.resolve(scene.facts.cwd, folder, file))) return read;
  if (rowOf(file) === undefined) throw unknownCommand(file);
  throw usageError(`the flags of ${file} stand before it`, `begin with looper ${file}`);
}

async function readCommand(row: CommandRow, words: readonly string[], scene: Scene): Promise<ParsedLine> {
  const { command: file } = await row.load();
  const printed: string[] = [];
  const command = makeCommand(row, file, scene.facts, printed);
  try {
    command.parse([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return text(printed.join(""));
    if (error.code === "commander.unknownOption") throw await unknownFlag(error, row.name, command, words);
    throw error.code === "commander.missingArgument" ? missingWords(row.name, command) : missingValue(words);
  }
  refuseMore(row.name, command);
  const given = optionsOf(command);
  // A word is only in `words` where an option has its name.
  const taken = new Set(command.options.map((option) => option.attributeName()));
  const named = command.registeredArguments.flatMap((one, at) =>
    command.processedArgs[at] === undefined || taken.has(one.name())
      ? []
      : [[one.name(), command.processedArgs[at] as unknown] as const],
  );
  const request: object = {
    ...Object.fromEntries(named),
    ...given,
    words: command.args,
    ...(scene.isBare === true ? { bare: true } : {}),
  };
  return {
    kind: "command",
    name: row.name,
    hidden: row.hidden ?? false,
    request,
    options: { ...scene.before, ...given },
    run: async (context) => {
      const { file: todoFile }: { file?: string } = request;
      if (file.refused !== undefined) {
        const { refuseAgents } = await import("./lookup/caller.js");
        await refuseAgents(context, ...file.refused, { file: todoFile });
      }
      const asked = request as never;
      const end = await ("work" in file ? file.work(context, asked) : file.answer(context, asked));
      return typeof end === "object" && "lines" in end ? printAnswer(context, request, end) : end;
    },
  };
}

function rowOf(name: string): CommandRow | undefined {
  return COMMANDS.find((row) => row.name === name);
}

function defaultRow(): CommandRow {
  const found = rowOf(DEFAULT);
  if (found === undefined) throw new Error(`no command is called ${DEFAULT}`);
  return found;
}

/** A `-C` behind the first word says where that word is a file, too. */
function folderOf(before: LineOptions, rest: readonly string[]): string {
  const end = rest.indexOf("--");
  const words = end < 0 ? rest : rest.slice(0, end);
  const at = words.findLastIndex((word) => word.startsWith("-C"));
  const behind = words[at] === "-C" ? words[at + 1] : words[at]?.slice(2);
  return behind ?? before.C ?? ".";
}

/** The options that were typed. */
function optionsOf(command: Command): Record<string, unknown> {
  const entries: [string, unknown][] = Object.entries(command.opts());
  return Object.fromEntries(entries.filter(([key]) => command.getOptionValueSource(key) === "cli"));
}

async function printAnswer(
  context: CommandContext,
  { json: isJson }: { json?: true },
  { json, lines, note, problem, end = "ok" }: CommandAnswer,
): Promise<CommandOutcome> {
  const { printJson, printLines } = await import("./lookup/project.js");
  if (isJson === true) {
    if (json !== undefined) await printJson(context, json);
  } else {
    await printLines(context.out, lines);
    if (note !== undefined) await context.report(note);
  }
  if (problem === undefined) return end;
  await context.report({ level: "error", lines: [`looper: ${problem}`] });
  return "no";
}
