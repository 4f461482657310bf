// Decides how a hook is started: which program, with which arguments (docs/notifications.md). Pure. run-hook.ts runs it.
import { findOnlyCommand } from "../../shell/only-command.js";
import { quoteIfNeeded } from "../../shell/quote.js";

/** A hook as the settings have it: a shell line, or a command as a list of words. */
export type Hook = string | readonly string[];

/** Task id, status, the file with the summary, label: `$1` to `$4` of every hook; a notification has none. */
export type HookArguments = readonly string[];

/** The command to start. */
export interface HookCall {
  command: string;
  args: readonly string[];
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
 * A list of words is started directly; a line that is one simple command gets the arguments appended; every other line keeps
 * them as its positional parameters.
 */
export function planHookCall(hook: Hook, given: HookArguments): HookCall {
  if (typeof hook !== "string") {
    const [command = "", ...words] = hook;
    return { command, args: [...words, ...given] };
  }
  const only = findOnlyCommand(hook);
  const [program = "", ...rest] = only?.words ?? [];
  // `exec` alone would start the first argument as a program; before a command it passes all arguments on.
  const takesNoMore = TAKES_NO_MORE.has(program) || (program === "exec" && rest.length === 0);
  const keeps = only === undefined || NAMES_ARGUMENTS.test(hook) || takesNoMore;
  const line = keeps ? hook : `${hook.slice(0, only.end)} "$@"${hook.slice(only.end)}`;
  return { command: "/bin/sh", args: ["-c", line, "looper-hook", ...given] };
}

/** Formats a hook on one line, for people and for the log; words are quoted if the shell needs it. */
export function formatHook(hook: Hook): string {
  if (typeof hook === "string") return hook;
  return hook.map(quoteIfNeeded).join(" ");
}
