// Finds the commands that words may be to the program that is given them: `python -c`, awk, `git -c alias.x=…`, `perf stat …`. The
// words are not understood: unless a program is known to run nothing of them, each may begin a command. Pure.
import { posix } from "node:path";
import { ANY } from "./words.js";

/** Print their words, or a file that the text names. */
export const PRINTS = /^(?:echo|printf|cat|true|:)$/;
/** Programs that run nothing of what they are given: their words are texts and names. */
const KEEPS =
  /^(?:echo|printf|cat|[efz]?grep|ag|ls|cd|pwd|mkdir|touch|cp|mv|rm|which|type|true|false|:|test|\[|read|export|declare|typeset|local|readonly|unset|let)$/;
/** Of these, the ones that compute: they expand a subscript in their words again. */
const COMPUTES = /^(?:let|test|\[|read|unset|declare|typeset|local|export|readonly|printf)$/;
/** Subcommands of git whose words are texts and names. */
const GIT_KEEPS =
  /^(?:add|blame|branch|checkout|commit|diff|log|merge|mv|notes|restore|rev-parse|rm|shortlog|show|stash|status|switch|tag)$/;
/** Options of git before its subcommand that have a value. */
const GIT_VALUE = /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;
const EXPANDS = /\$\(|`/;

/** Whether a program keeps its input as it is. */
export function keepsInput([name = ""]: readonly string[]): boolean {
  return name === "git" || KEEPS.test(posix.basename(name));
}

/** Returns the texts in a command's words, and in values it is given, that may be code. `isKept`: nothing runs what it prints. */
export function listCode(
  words: readonly string[],
  { assigned, isKept }: { assigned: readonly string[]; isKept: boolean },
): string[] {
  const [name = "", ...args] = words;
  const program = posix.basename(name);
  // A variable alone is code only where it is expanded later.
  const values = assigned.filter((one) => name !== "" || EXPANDS.test(one));
  if (program === "git") return listGitCode(args, values);
  const isTold = KEEPS.test(program) && (isKept || !PRINTS.test(program));
  if (isTold)
    return [...values, ...(COMPUTES.test(program) ? args.filter((word) => EXPANDS.test(word)) : [])];
  // A file may be glued to a command of sed: `wFILE`.
  const glued = /sed$/.test(program)
    ? args.map((word) => word.replaceAll(/(?<![a-zA-Z])[rRwW](?=[\w./])/g, "$& "))
    : [];
  return [...values, args.join(" "), ...glued];
}

function listGitCode(args: readonly string[], assigned: readonly string[]): string[] {
  const found = args.findIndex((word, at) => !word.startsWith("-") && !GIT_VALUE.test(args[at - 1] ?? ""));
  const first = found < 0 ? args.length : found;
  const [subcommand = "", ...rest] = args.slice(first);
  // The plumbing of a push.
  if (/^(?:send-pack|http-push|subtree)$/.test(subcommand)) return [`git push ${rest.join(" ")}`];
  // It may be given a program for its pages: `-O'less'`, `--open-files-in-pager=less`.
  const opens = subcommand === "grep" ? rest.filter((word) => /^(?:-\w*O|--op)/.test(word)) : rest;
  const own = [...assigned, ...args.slice(0, first), ...(GIT_KEEPS.test(subcommand) ? [] : opens)].join(" ");
  // An alias is a subcommand of git, or a shell text after `!`.
  const [, ...aliases] = own.split(/alias\.|GIT_CONFIG_VALUE_/);
  const values = aliases.map((one) => one.replace(/^[^=\s]*[=\s](?:'?='?)?/, ""));
  return [own, ...values.map((one) => `git ${one}`)];
}

/** Whether options make a command run what the text does not show: another program under a known name, or what it reads. */
export function hidesCommand([name = "", ...args]: readonly string[]): boolean {
  const hides = HIDES[posix.basename(name)];
  return hides !== undefined && args.some((word) => hides.test(word));
}

const HIDES: Readonly<Record<string, RegExp>> = {
  git: /^--config-env/,
  hash: /^-\w*p/,
  enable: /^-\w*f/,
  // Its command `e`, or that flag of `s`.
  sed: /(?:^|[;{}\s\d$!]|[/|#,@:~%][gpiIMm\d]*)e(?:[\s;}]|$)/,
};

const MOST_MENTIONS = 2_000;
const LONGEST_COMMAND = 12;

/** Returns what may be commands in code: from each of its words on, without the marks of the language. */
export function listMentions(code: string): string[][] {
  const open = code.replaceAll(/\$(?:\w+|\{\w+\})/g, ANY);
  // A quote may end a word, or be within one: `g''it`.
  const texts = [open.replaceAll(/\\[nt0]/g, " "), open.replaceAll(/["'\\]/g, "")];
  return texts.flatMap((text) =>
    text
      .split(/[;&|\n]/)
      .flatMap(listInPart)
      .slice(0, MOST_MENTIONS),
  );
}

function listInPart(part: string): string[][] {
  const words = part.split(/[\s"'`()[\]{},<>$!\\#]+/).filter((word) => /[^:]/.test(word));
  return words.flatMap((word, at) => {
    const first = word.slice(Math.max(word.lastIndexOf("="), word.lastIndexOf(":")) + 1);
    // A command may be glued to an option: `-x'git push'`.
    const glued = /^-\w{2,}/.test(first) ? [2, 3, 4].map((from) => first.slice(from)) : [];
    return [first, ...glued]
      .map((one) => (one.includes(ANY) ? posix.basename(one) : one))
      .filter((one) => one !== "" && !one.includes(ANY))
      .map((one) => [one, ...words.slice(at + 1, at + LONGEST_COMMAND)]);
  });
}
