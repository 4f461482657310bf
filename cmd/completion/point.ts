// Finds the cursor's place on a command line: which command, and what may follow. Pure, and never throws, because a line
// that is being typed is seldom valid. Leaves looking values up to values.ts, and each shell's rules to its file.
import { given } from "../../src/system/given.js";
import {
  HELP_COMMAND,
  HELP_FLAG,
  VERSION_FLAG,
  flagNames,
  isShown,
  namesAndOpposite,
  takesValue,
  type CommandDefinition,
  type Completes,
  type FlagDefinition,
} from "../context/definition.js";

/** A word that may be typed, and its description. */
export interface Completion {
  value: string;
  says?: string;
}

/** The cursor's place on the line. */
export interface Point {
  /** Candidates from the definitions. */
  words: readonly Completion[];
  /** The kind of value that is looked up in the project. */
  completes?: Completes;
  /** The beginning of the last word that is kept: `--status=`. */
  lead: string;
  /** The part of the last word to complete. */
  typed: string;
  /** Operands typed so far, which are not offered again. */
  used: readonly string[];
  /** The values of `-C` and `--file`. */
  folder?: string;
  file?: string;
  /** A word with a leading dash would be read as a flag. */
  dashIsFlag: boolean;
}

/** The words before the last one, sorted. */
interface Line {
  operands: string[];
  given: Map<string, string>;
  /** A flag that still needs its value. */
  pending?: string;
  /** After `--` there are no more flags. */
  ended: boolean;
}

const DEFAULT = "run";

/** The commands, and the flags that all of them take. */
export interface Grammar {
  commands: readonly CommandDefinition[];
  common: readonly FlagDefinition[];
}

/** `words` follow the program's name; `current` is the word at the cursor, up to the cursor. */
export function findPoint(words: readonly string[], current: string, grammar: Grammar): Point {
  const flags = [...grammar.common, ...grammar.commands.flatMap((command) => command.flags)];
  const line = readLine(words, flags);
  const asked = askedOf(line, grammar);
  const { given: typed, ended, pending } = line;
  const folder = typed.get("-C");
  const file = typed.get("--file");
  const rest = {
    used: asked.operands,
    dashIsFlag: !ended && pending === undefined,
    ...given({ folder, file }),
  };
  const valued = pending === undefined ? valueIn(current, ended, flags) : { name: pending, lead: "" };
  if (valued !== undefined) {
    const { name, lead } = valued;
    const completes = asked.flags.find((flag) => flagNames(flag).includes(name))?.completes;
    const known = completes === undefined ? {} : { completes };
    return { words: [], ...known, lead, typed: current.slice(lead.length), ...rest, dashIsFlag: false };
  }
  if (!ended && current.startsWith("-"))
    return { words: flagsLeft(asked.flags, typed), lead: "", typed: current, ...rest };
  return { ...operandAt(asked, line, grammar), lead: "", typed: current, ...rest };
}

/** The command on the line, its flags, and its operands so far. */
interface AskedFor {
  definition?: CommandDefinition;
  flags: readonly FlagDefinition[];
  operands: readonly string[];
  help: boolean;
}

function askedOf({ operands }: Line, { commands, common }: Grammar): AskedFor {
  const [first, ...rest] = operands;
  if (first === "help") return { flags: [], operands: rest, help: true };
  const named = commands.find(({ name }) => name === first);
  const definition = named ?? commands.find(({ name }) => name === DEFAULT);
  const flags = [
    ...(definition?.flags ?? []),
    ...common,
    HELP_FLAG,
    ...(first === undefined ? [VERSION_FLAG] : []),
  ];
  const found = definition === undefined ? {} : { definition };
  return { ...found, flags, operands: named === undefined ? operands : rest, help: false };
}

function operandAt(asked: AskedFor, line: Line, { commands }: Grammar): Pick<Point, "words" | "completes"> {
  const names = commands.filter(isShown).map(candidateOf);
  if (asked.help) return { words: asked.operands.length === 0 ? names : [] };
  const operands = asked.definition?.operands ?? [];
  const last = operands.at(-1);
  const operand =
    operands[asked.operands.length] ?? (last?.spelled.includes("...") === true ? last : undefined);
  const completes = operand?.completes === undefined ? {} : { completes: operand.completes };
  if (line.operands.length === 0) return { words: [...names, candidateOf(HELP_COMMAND)], ...completes };
  // When no more operands are allowed, only flags can follow.
  return operand === undefined && !line.ended
    ? { words: flagsLeft(asked.flags, line.given) }
    : { words: [], ...completes };
}

function candidateOf({ name, help }: { name: string; help: string }): Completion {
  return { value: name, says: help };
}

/** Long names, else short ones; flags on the line are left out. */
function flagsLeft(flags: readonly FlagDefinition[], typed: ReadonlyMap<string, string>): Completion[] {
  return flags
    .filter((flag) => flag.repeatable === true || !namesAndOpposite(flag).some((name) => typed.has(name)))
    .flatMap((flag) =>
      [flagNames(flag).at(-1) ?? "", flag.opposite]
        .filter((value) => value !== undefined)
        .map((value) => ({ value, says: flag.help })),
    );
}

function takes(name: string, flags: readonly FlagDefinition[]): boolean {
  return flags.some((flag) => takesValue(flag) && flagNames(flag).includes(name));
}

function readLine(words: readonly string[], flags: readonly FlagDefinition[]): Line {
  const line: Line = { operands: [], given: new Map(), ended: false };
  for (const word of words) {
    if (line.pending !== undefined) {
      line.given.set(line.pending, word);
      delete line.pending;
    } else if (line.ended || !word.startsWith("-") || word === "-") line.operands.push(word);
    else if (word === "--") line.ended = true;
    else if (word.startsWith("--")) readLong(word, flags, line);
    else readShort(word, flags, line);
  }
  return line;
}

function readLong(word: string, flags: readonly FlagDefinition[], line: Line): void {
  const [name = ""] = word.split("=", 1);
  line.given.set(name, word.slice(name.length + 1));
  if (name === word && takes(name, flags)) line.pending = name;
}

/** `-fn5` is `-f -n 5`. */
function readShort(word: string, flags: readonly FlagDefinition[], line: Line): void {
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const value = takes(name, flags) ? word.slice(at + 1) : "";
    line.given.set(name, value);
    if (!takes(name, flags)) continue;
    if (value === "") line.pending = name;
    return;
  }
}

/** The flag whose value the word contains, and the part of the word before the value. */
function valueIn(
  word: string,
  ended: boolean,
  flags: readonly FlagDefinition[],
): { name: string; lead: string } | undefined {
  if (ended) return undefined;
  const [lead, name = ""] = /^(--[^=]+)=/.exec(word) ?? [];
  if (lead !== undefined) return { name, lead };
  const short = word.slice(0, 2);
  return /^-[^-]./u.test(word) && takes(short, flags) ? { name: short, lead: short } : undefined;
}
