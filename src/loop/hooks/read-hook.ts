// Decides how a hook is started: which program, with which arguments (docs/notifications.md). Pure. run-hook.ts runs it.
import { findOnlyCommand } from "../../shell/only-command.js";
import { quoteIfNeeded } from "../../shell/quote.js";

/** A hook as the settings have it: a shell line, or a command as a list of words. */
export type Hook = string | readonly string[];

/** Task id, status, the file with the summary, label: `$1` to `$4` of every hook; a notification has none. */
export type HookArguments = readonly string[];

/** The command to start. `program`: the word that names the program, if it is known without the shell. */
export interface HookCall {
  command: string;
  args: readonly string[];
  program?: string;
}

/** A line that uses `$1`, `$@` and the like itself, quoted or not, is left unchanged. */
const NAMES_ARGUMENTS = /\$(?:[1-9@*]|\{[#!]?[1-9@*])/;

/** Shell builtins that reject further words, or give them another meaning. */
const TAKES_NO_MORE = new Set(
  "[ [[ test : . source break cd continue eval exit export kill read readonly return set shift trap umask unset wait".split(
    " ",
  ),
);

/**
 * `file`: the path of the file that the whole text names, if one exists, so that a path may have spaces.
 * A list of words and a single word are started directly; a line that is one simple command gets the arguments appended;
 * every other line keeps them as its positional parameters.
 */
export function planHookCall(hook: Hook, given: HookArguments, file: string | undefined): HookCall {
  if (typeof hook !== "string") {
    const [program = "", ...words] = hook;
    return { command: program, args: [...words, ...given], program };
  }
  if (file !== undefined) return { command: file, args: given, program: file };
  const only = findOnlyCommand(hook);
  const [program] = only?.words ?? [];
  const named = program === undefined ? {} : { program };
  if (only === undefined || NAMES_ARGUMENTS.test(hook) || takesNoMore(only.words))
    return { ...makeShellCall(hook, given), ...named };
  if (only.words.length === 1 && program !== undefined) return { command: program, args: given, program };
  return { ...makeShellCall(`${hook.slice(0, only.end)} "$@"${hook.slice(only.end)}`, given), ...named };
}

/** `exec` alone would start the first argument as a program; before a command it passes all arguments on. */
function takesNoMore([program = "", ...rest]: readonly (string | undefined)[]): boolean {
  return TAKES_NO_MORE.has(program) || (program === "exec" && rest.length === 0);
}

function makeShellCall(line: string, given: HookArguments): HookCall {
  return { command: "/bin/sh", args: ["-c", line, "looper-hook", ...given] };
}

/** Formats a hook on one line, for people and for the log; words are quoted if the shell needs it. */
export function formatHook(hook: Hook): string {
  if (typeof hook === "string") return hook;
  return hook.map(quoteIfNeeded).join(" ");
}
