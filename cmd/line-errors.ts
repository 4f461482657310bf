// The errors of a command line, each with the words that were probably meant.
import path from "node:path";
import type { Command, CommanderError } from "commander";
import { quoteWord } from "../src/shell/quote.js";
import { type UserError, usageError } from "../src/system/errors.js";
import { hintOn, nearest } from "../src/system/text/nearest.js";
import { hintOnSentence } from "./context/words.js";
import { Sentence } from "./context/command.js";
import { COMMANDS } from "./commands.js";
import { spellArgument } from "./context/commander.js";
import { OLD_COMMANDS } from "./old-names.js";

function seeHelp(name: string): string {
  return `see \`looper help ${name}\``;
}

/** `beside`: the names in the folder where the word would be a file. */
export function unknownCommand(word: string, beside: readonly string[] = []): UserError {
  const sentence = hintOnSentence(word);
  if (sentence !== undefined) return usageError(`unknown command ${word}`, sentence);
  const looksLikeFile = /[./\\]/.test(word);
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const message = looksLikeFile ? `there is no file ${word}, and no such command` : `unknown command ${word}`;
  const old = OLD_COMMANDS.get(word.toLowerCase());
  const [typed, known] = looksLikeFile ? [path.basename(word), beside] : [word, [...shown, "help"]];
  return usageError(message, old ?? hintOn(typed, known, "list them with `looper help`"));
}

/** Commander tells the flag in its message alone, and of a group of short ones only the rest. */
export async function unknownFlag(
  { message }: CommanderError,
  name: string,
  command: Command,
  words: readonly string[],
): Promise<UserError> {
  const [, told = ""] = /'([^]*)'/.exec(message) ?? [];
  const isGroup = /^-[^-]./.test(told);
  const typed =
    (isGroup ? words.find((word) => /^-[^-]/.test(word) && word.endsWith(told.slice(1))) : told) ?? told;
  const [flag = ""] = typed.split("=", 1);
  const own = command.options.flatMap(({ short, long }) => [short, long].filter((one) => one !== undefined));
  own.push("-h", "--help", "-v");
  if (flag !== "-v" && own.includes(flag)) {
    const no = flag.replace("--", "--no-");
    const off = own.includes(no) ? `, or ${no}` : "";
    return usageError(`${flag} takes no value`, `use ${flag} alone${off}`);
  }
  // Go programs take a long flag with one dash, and a short one with two.
  const otherDash = own.find((one) => one === `-${flag}` || (one.length === 2 && flag === `-${one}`));
  if (otherDash !== undefined)
    return usageError(`unknown flag ${flag}`, `did you mean ${otherDash}${typed.slice(flag.length)}?`);
  const elsewhere = await findCommandWith(flag);
  if (elsewhere !== undefined)
    return usageError(`looper ${name} has no flag ${flag}`, `looper ${elsewhere} has; ${seeHelp(name)}`);
  const long = own.filter((one) => one.startsWith("--")).map((one) => one.slice(2));
  const near = flag.startsWith("--") ? nearest(flag.slice(2), long) : undefined;
  return usageError(
    `unknown flag ${isGroup ? told : flag}`,
    near === undefined ? "list them with `looper help`" : `did you mean --${near}?`,
  );
}

async function findCommandWith(flag: string): Promise<string | undefined> {
  for (const { name, hidden, load } of COMMANDS) {
    if (hidden === true) continue;
    const { options = [] } = (await load()).command;
    if (options.some(({ short, long }) => short === flag || long === flag)) return name;
  }
  return undefined;
}

/** A flag that needs a value is the last word there. */
export function missingValue(words: readonly string[]): UserError {
  return usageError(`${words.at(-1) ?? ""} needs a value`, "see `looper help`");
}

export function missingWords(name: string, { registeredArguments, args }: Command): UserError {
  const missing = registeredArguments.slice(args.length).filter(({ required }) => required);
  const what = `argument${missing.length === 1 ? "" : "s"} ${missing.map(spellArgument).join(" ")}`;
  return usageError(`looper ${name}: missing ${what}`, seeHelp(name));
}

/** Throws where there are more words than arguments. */
export function refuseMore(name: string, { registeredArguments, args }: Command): void {
  const last = registeredArguments.at(-1);
  if (last?.variadic === true || args.length <= registeredArguments.length) return;
  const message = `looper ${name}: too many words: ${args.join(" ")}`;
  if (!(last instanceof Sentence)) throw usageError(message, seeHelp(name));
  const before = args.slice(0, registeredArguments.length - 1).map((word) => `${word} `);
  const sentence = args.slice(registeredArguments.length - 1).join(" ");
  const line = `looper ${name} ${before.join("")}${quoted(sentence)}`;
  throw usageError(message, `put the ${last.what} in quotes: ${line}`);
}

function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? quoteWord(text) : `"${text}"`;
}
