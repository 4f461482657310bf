// Decides whether a shell text is one simple command, and finds where that command ends. Pure.
import { parseShell } from "./parse-shell.js";

/** The one simple command that a text consists of. */
export interface OnlyCommand {
  /** Its words as the shell would pass them; `undefined` where only the shell knows (`$HOME`, `*`, `~`). */
  words: readonly (string | undefined)[];
  /** Where it ends in the text: behind its last word, before a comment. */
  end: number;
}

const LONGEST = 50_000;

/**
 * The command of a text that is one command with its words: without a redirection, a pipe, a list, a syntax error, and not an
 * assignment alone. `undefined` for any other text, and for one with a carriage return: the parser counts its line ends once.
 */
export function findOnlyCommand(text: string): OnlyCommand | undefined {
  if (text.length > LONGEST || /[\0\r]/.test(text)) return undefined;
  const { script, isWhole } = parseShell(text);
  const [statement, ...others] = script.commands;
  if (!isWhole || statement === undefined || others.length > 0) return undefined;
  const { command, background } = statement;
  if (background === true || command.type !== "Command" || command.name === undefined) return undefined;
  if (command.suffix.some(({ type }) => type !== "Word")) return undefined;
  if (command.prefix.some(({ type }) => type !== "Assignment")) return undefined;
  const words = [...command.prefix, command.name, ...command.suffix].map((word) =>
    word.type === "Word" && isPlain(word.text) ? word.value : undefined,
  );
  return { words, end: command.end };
}

/** Whether the shell passes a word on without expanding anything in it. */
function isPlain(text: string): boolean {
  const unquoted = text.replace(/'[^']*'/g, "").replace(/\\./gs, "");
  return !/[$`*?{]|\[(?!\[?$)/.test(unquoted) && !unquoted.startsWith("~");
}
