// Reads a sorted command line for one command: its flags by their long names, and its operands. Pure. Leaves which
// command that is, and which words belong to flags, to arguments.ts.
import type { Flags } from "../../src/config/read/resolve.js";
import { quoteWord } from "../../src/shell/quote.js";
import { UserError } from "../../src/system/errors.js";
import { readTruth } from "../../src/system/text/truth.js";
import { unknownFlag } from "./arguments.js";
import { GO_FLAGS } from "../context/go-names.js";
import {
  COMMON_FLAGS,
  flagNames,
  namesAndOpposite,
  mayTakeValue,
  takesValue,
  type CommandDefinition,
  type FlagDefinition,
} from "../context/definition.js";
import type { Typed } from "../context/command-context.js";

/** Reads the words of `sortArguments`. Throws only `usage` errors. */
export function readWords(
  definition: CommandDefinition,
  words: readonly string[],
  all: readonly CommandDefinition[],
): Typed {
  const flags = [...definition.flags, ...COMMON_FLAGS];
  const byName = new Map(
    flags.flatMap((flag) => namesAndOpposite(flag).map((name) => [name, flag] as const)),
  );
  const given = new Map<FlagDefinition, string | boolean | string[]>();
  let at = 0;
  for (; at < words.length && words[at] !== "--"; at++) {
    const [, name = "", value] = /^(--[^=]*|-.)(?:=([^]*))?$/.exec(words[at] ?? "") ?? [];
    const flag = byName.get(name);
    if (flag === undefined) throw unknownHere(name, definition, all);
    if (mayTakeValue(flag)) given.set(flag, value ?? true);
    else if (!takesValue(flag))
      given.set(flag, (readTruth(value ?? "true") ?? true) !== (name === flag.opposite));
    else given.set(flag, valueOf(flag, given.get(flag), value ?? words[++at] ?? ""));
  }
  const operands = words.slice(at + 1);
  checkOperands(definition, operands);
  // In the order of the definition, not of the line.
  const known = flags.flatMap((flag) => {
    const value = given.get(flag);
    return value === undefined ? [] : [[longName(flag), value] as const];
  });
  return { operands, flags: Object.fromEntries(known) satisfies Flags };
}

function valueOf(
  { repeatable }: FlagDefinition,
  before: string | boolean | string[] | undefined,
  value: string,
): string | string[] {
  if (repeatable !== true) return value;
  return Array.isArray(before) ? [...before, value] : [value];
}

function longName(flag: FlagDefinition): string {
  const names = flagNames(flag);
  return names.find((name) => name.startsWith("--")) ?? names[0] ?? "";
}

function hintOn(name: string): string {
  return `see \`looper help ${name}\``;
}

function unknownHere(
  flag: string,
  { name, flags }: CommandDefinition,
  all: readonly CommandDefinition[],
): UserError {
  const elsewhere = all.find(
    (other) => other.hidden !== true && other.flags.flatMap(namesAndOpposite).includes(flag),
  );
  if (elsewhere === undefined || GO_FLAGS.has(flag))
    return unknownFlag(flag, [...flags, ...COMMON_FLAGS].flatMap(namesAndOpposite));
  const hint = `looper ${elsewhere.name} has; ${hintOn(name)}`;
  return new UserError("usage", `looper ${name} has no flag ${flag}`, hint);
}

function checkOperands({ name, operands }: CommandDefinition, given: readonly string[]): void {
  const missing = operands.slice(given.length).filter(({ spelled }) => spelled.startsWith("<"));
  if (missing.length > 0) {
    const what = `argument${missing.length === 1 ? "" : "s"} ${missing.map(({ spelled }) => spelled).join(" ")}`;
    throw new UserError("usage", `looper ${name}: missing ${what}`, hintOn(name));
  }
  const last = operands.at(-1);
  if (last?.spelled.includes("...") === true || given.length <= operands.length) return;
  const message = `looper ${name}: too many words: ${given.join(" ")}`;
  if (last?.sentence === undefined) throw new UserError("usage", message, hintOn(name));
  const before = given.slice(0, operands.length - 1).map((word) => `${word} `);
  const sentence = given.slice(operands.length - 1).join(" ");
  const line = `looper ${name} ${before.join("")}${quoted(sentence)}`;
  throw new UserError("usage", message, `put the ${last.sentence} in quotes: ${line}`);
}

/** The text quoted as one word of a shell. */
function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? quoteWord(text) : `"${text}"`;
}
