// Sorts a command line: flags may be anywhere, and the first operand selects the command.
// Pure except for one question: is this word an existing file, or nearly one? Leaves the flags' values to typed-words.ts.
import path from "node:path";
import { UserError } from "../../src/system/errors.js";
import { given } from "../../src/system/given.js";
import { nearest } from "../../src/system/text/nearest.js";
import { readTruth } from "../../src/system/text/truth.js";
import { GO_COMMANDS, GO_FLAGS } from "../context/go-names.js";
import { OTHER_COMMANDS, OTHER_FLAGS } from "./other-names.js";

/** Whether a flag takes the next word, or may take it, by its name: `--json` and `-n`. */
export type FlagTable = ReadonlyMap<string, { takesValue: boolean; mayTakeValue?: boolean }>;

export interface CommandLine {
  /** Names of commands, `help` left out. */
  commands: readonly string[];
  /** Commands that are never suggested. */
  hidden: readonly string[];
  /** Flags of all commands together. */
  flags: FlagTable;
}

/** The sorted line. `words`: flags, then `--` and the operands. `folder`: the value of `-C`. */
export type SortedWords =
  | { kind: "version" }
  | { kind: "help"; command?: string }
  | { kind: "command"; command: string; words: readonly string[]; folder?: string };

/** Flags and operands, each in order. */
interface Parts {
  flags: string[];
  operands: string[];
  folder?: string;
  help: boolean;
  version: boolean;
}

const DEFAULT = "run";

/** Facts on files, relative to the folder of `-C`. */
export interface FileFacts {
  /** Whether a word names an existing file. */
  isFile: (word: string, folder: string | undefined) => Promise<boolean>;
  /** The names in the folder of that file. */
  namesBeside: (word: string, folder: string | undefined) => Promise<readonly string[]>;
}

/** Contract: throws only `usage` errors. */
export async function sortArguments(
  argv: readonly string[],
  line: CommandLine,
  files: FileFacts,
): Promise<SortedWords> {
  // The Go program's spelling; after a command it meant something else there.
  if (argv.length === 1 && argv[0] === "-v") return { kind: "version" };
  const parts = await takeApartOrExplain(argv, line, files);
  if (parts.version) return { kind: "version" };
  const [first, ...rest] = parts.operands;
  if (first === "version" && rest.length === 0 && !(await files.isFile(first, parts.folder)))
    return { kind: "version" };
  if (first === "help") return helpOn(rest[0], line);
  if (first !== undefined && line.commands.includes(first)) {
    if (parts.help) return { kind: "help", command: first };
    return command(first, rest, parts);
  }
  if (first === undefined) return parts.help ? { kind: "help" } : command(DEFAULT, [], parts);
  if (!(await files.isFile(first, parts.folder)))
    throw unknownCommand(first, line, await files.namesBeside(first, parts.folder));
  return parts.help ? { kind: "help", command: DEFAULT } : command(DEFAULT, parts.operands, parts);
}

function command(name: string, operands: readonly string[], { flags, folder }: Parts): SortedWords {
  const words = operands.length === 0 ? flags : [...flags, "--", ...operands];
  return { kind: "command", command: name, words, ...given({ folder }) };
}

function helpOn(name: string | undefined, line: CommandLine): SortedWords {
  if (name === undefined || name === "help") return { kind: "help" };
  if (line.commands.includes(name)) return { kind: "help", command: name };
  throw unknownCommand(name, line);
}

/** A command of another program is answered before its flags are. */
async function takeApartOrExplain(
  argv: readonly string[],
  line: CommandLine,
  files: FileFacts,
): Promise<Parts> {
  try {
    return takeApart(argv, line);
  } catch (error) {
    const [first = ""] = argv;
    const isOthers = GO_COMMANDS.has(first) || OTHER_COMMANDS.has(first);
    if (!isOthers || line.commands.includes(first) || (await files.isFile(first, undefined))) throw error;
    throw unknownCommand(first, line);
  }
}

function takeApart(argv: readonly string[], line: CommandLine): Parts {
  const parts: Parts = { flags: [], operands: [], help: false, version: false };
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      parts.operands.push(...argv.slice(at + 1));
      return parts;
    }
    if (!word.startsWith("-") || word === "-") {
      parts.operands.push(word);
      continue;
    }
    const wants = word.startsWith("--") ? longFlag(word, line, parts) : shortFlags(word, line, parts);
    if (wants === undefined) {
      if (takesNext(argv.slice(at), line, parts))
        parts.flags.push(`${String(parts.flags.pop())}=${String(argv[++at])}`);
      continue;
    }
    const value = argv[++at];
    if (value === undefined) throw new UserError("usage", `${wants} needs a value`, "see `looper help`");
    parts.flags.push(value);
    if (wants === "-C") parts.folder = value;
  }
  return parts;
}

/** Whether a flag that may have a value has the next word: not if that is the operand which the command cannot do without. */
function takesNext([word = "", next, after]: readonly string[], line: CommandLine, parts: Parts): boolean {
  if (line.flags.get(word)?.mayTakeValue !== true || next === undefined || next.startsWith("-")) return false;
  const hasOperand = parts.operands.length > 1;
  return hasOperand || (after !== undefined && !after.startsWith("-"));
}

/** The flag of this word that takes the next word, if any. */
function longFlag(word: string, line: CommandLine, parts: Parts): string | undefined {
  const [name = ""] = word.split("=", 1);
  if (name === "--help") parts.help = true;
  else if (name === "--version") parts.version = true;
  else {
    const flag = line.flags.get(name);
    if (flag === undefined)
      throw unknownFlag(name, [...line.flags.keys(), "--help", "--version", "-h", "-v"]);
    const isSwitch = !flag.takesValue && flag.mayTakeValue !== true;
    if (isSwitch && word !== name) mustBeTruth(name, word.slice(name.length + 1));
    parts.flags.push(word);
    if (flag.takesValue && word === name) return name;
  }
  return undefined;
}

/** Refuses a value of a switch that is not a truth value. */
function mustBeTruth(name: string, value: string): void {
  if (readTruth(value) === undefined)
    throw new UserError(
      "usage",
      `${name} is a switch: it cannot be ${JSON.stringify(value)}`,
      `use ${name}, ${name}=true or ${name}=false`,
    );
}

/** `-fn5` is `-f -n 5`; `-f=false` gives a switch its value. */
function shortFlags(word: string, line: CommandLine, parts: Parts): string | undefined {
  refuseSingleDash(word, line);
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    if (name === "-h") parts.help = true;
    else if (name === "-V") parts.version = true;
    else {
      const flag = line.flags.get(name);
      if (flag === undefined) throw unknownFlag(name, [...line.flags.keys(), "-h", "-V"]);
      const value = word.slice(at + 1);
      if (!flag.takesValue && value.startsWith("=")) {
        mustBeTruth(name, value.slice(1));
        parts.flags.push(name + value);
        return undefined;
      }
      parts.flags.push(name);
      if (!flag.takesValue) continue;
      if (value === "") return name;
      parts.flags.push(value);
      if (name === "-C") parts.folder = value;
      return undefined;
    }
  }
  return undefined;
}

/** Refuses a long flag with a single dash, which Go programs accept. */
function refuseSingleDash(word: string, { flags }: CommandLine): void {
  const [name = ""] = `-${word}`.split("=", 1);
  if (name.length === 3) return;
  const isHere = flags.has(name) || name === "--help" || name === "--version";
  const hint = isHere ? `did you mean -${word}?` : GO_FLAGS.get(name);
  if (hint !== undefined) throw new UserError("usage", `unknown flag ${name.slice(1)}`, hint);
}

/** The error for an unknown flag, or one that this command does not have. */
export function unknownFlag(flag: string, known: readonly string[]): UserError {
  const long = flag.startsWith("--");
  const near = long
    ? nearest(
        flag.slice(2),
        known.filter((name) => name.startsWith("--")).map((name) => name.slice(2)),
      )
    : undefined;
  const other = GO_FLAGS.get(flag) ?? OTHER_FLAGS.get(flag);
  // Go takes a short flag with two dashes.
  const short = known.includes(flag.slice(1)) ? flag.slice(1) : undefined;
  const meant = short ?? (near === undefined ? undefined : `--${near}`);
  const hint = other ?? (meant === undefined ? "list them with `looper help`" : `did you mean ${meant}?`);
  return new UserError("usage", `unknown flag ${flag}`, hint);
}

function unknownCommand(word: string, line: CommandLine, beside: readonly string[] = []): UserError {
  const looksLikeFile = /[./\\]/.test(word);
  const offered = [...line.commands.filter((name) => !line.hidden.includes(name)), "help"];
  const near = looksLikeFile ? nearest(path.basename(word), beside) : nearest(word, offered);
  const message = looksLikeFile ? `there is no file ${word}, and no such command` : `unknown command ${word}`;
  const lower = word.toLowerCase();
  const other = GO_COMMANDS.get(lower) ?? OTHER_COMMANDS.get(lower);
  const hint = other ?? (near === undefined ? "list them with `looper help`" : `did you mean ${near}?`);
  return new UserError("usage", message, hint);
}
