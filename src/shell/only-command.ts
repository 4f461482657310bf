// Whether a shell text is one simple command, and where that command ends. Pure; `unbash` parses.
import { parse } from "unbash";

/** The one simple command that a text consists of. */
export interface OnlyCommand {
  /** Its words as the shell would pass them; `undefined` where only the shell knows (`$HOME`, `*`, `~`). */
  words: readonly (string | undefined)[];
  /** Where it ends in the text: behind its last word, before a comment. */
  end: number;
}

const LONGEST = 50_000;

/**
 * The command of a text that is one command with its words: no redirection, no pipe, no list, no assignment alone, and no
 * syntax error. `undefined` for any other text.
 */
export function onlyCommand(text: string): OnlyCommand | undefined {
  if (text.length > LONGEST || text.includes("\0")) return undefined;
  const { commands, errors = [] } = parse(text);
  const [statement] = commands;
  if (errors.length > 0 || commands.length !== 1 || statement === undefined) return undefined;
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
  return !/[$`*?{]|\[.+\]/.test(unquoted) && !unquoted.startsWith("~");
}
