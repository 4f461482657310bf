// Finds the commands that code in another language may run: `python -c`, awk, `git -c alias.x=…`, values of variables. The code is
// not understood; every word of it may begin a command. Pure. shell-reading.ts reads shell texts.
import { posix } from "node:path";
import { ANY } from "./words.js";

/** Programs whose words, or whose input, may be code. */
const RUNS_CODE =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|luajit|tclsh|expect|osascript|pwsh|Rscript|[gmn]?awk|g?sed|split|ed|ex|vim?|nvim|view|emacs|gdb|lldb|m4|g?make|tar|bsdtar|ssh|rsync|less|man|npm|pnpm|yarn|mapfile|readarray|complete|compgen|bind)$/;
/** Builtins that compute: they expand a subscript in their words again. */
const COMPUTES = /^(?:let|test|\[|read|unset|declare|typeset|local|export|readonly|printf)$/;
/** Subcommands of git that run what their words say. */
const GIT_RUNS =
  /^(?:config|rebase|bisect|submodule|filter-branch|difftool|mergetool|fetch|pull|clone|ls-remote|archive|for-each-repo)$/;
/** Options of git before its subcommand that have a value. */
const GIT_VALUE = /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;

const EXPANDS = /\$\(|`/;

/** Returns the texts in a command's words, and in values it is given, that may be code. */
export function listCode(words: readonly string[], assigned: readonly string[]): string[] {
  const [name = "", ...args] = words;
  const program = posix.basename(name);
  // A variable alone is code only where it is expanded later.
  const values = assigned.filter((one) => name !== "" || EXPANDS.test(one)).flatMap(readAssignment);
  if (program === "git") return [...values, ...listGitCode(args)];
  // A file may be glued to a command of sed: `wFILE`.
  if (/^g?sed$/.test(program))
    return [
      ...values,
      ...args,
      ...args.map((word) => word.replaceAll(/(?<![a-zA-Z])[rRwW](?=[\w./])/g, "$& ")),
    ];
  if (RUNS_CODE.test(program)) return [...values, ...args];
  return COMPUTES.test(program) ? [...values, ...args.filter((word) => EXPANDS.test(word))] : values;
}

/** Programs that run nothing of what they are given: their words are texts and names. */
const KEEPS =
  /^(?:echo|printf|cat|[efz]?grep|ag|ls|cd|pwd|mkdir|touch|cp|mv|rm|which|type|true|false|:|test|\[|read|export|declare|typeset|local|readonly|unset|let)$/;
/** Subcommands of git whose words are texts and names. */
const GIT_KEEPS =
  /^(?:add|blame|branch|checkout|commit|diff|log|merge|mv|notes|restore|rev-parse|rm|shortlog|show|stash|status|switch|tag)$/;

/** Returns the texts in a command's words that a program which is not known may run: all of them, one by one and together. */
export function listGuesses(words: readonly string[]): string[] {
  const [name = "", ...args] = words;
  const program = posix.basename(name);
  if (KEEPS.test(program)) return [];
  if (program !== "git") return [...args.filter((word) => /\s/.test(word)), args.join(" ")];
  const [subcommand = "", ...rest] = args.slice(findSubcommand(args));
  if (GIT_KEEPS.test(subcommand)) return [];
  // It is given a program for its pages: `-O'less'`, `--open-files-in-pager=less`.
  if (subcommand === "grep") return rest.filter((word) => /^(?:-\w*O|--op)/.test(word));
  return [...rest, `git ${rest.join(" ")}`];
}

/** Whether a program keeps its input as it is. */
export function keepsInput([name = ""]: readonly string[]): boolean {
  return name === "git" || KEEPS.test(posix.basename(name));
}

/** Whether a script of sed runs what it reads: its command `e`, or that flag of `s`. */
function runsLines(script: string): boolean {
  if (/(?:^|[;\n{}\d$/!])\s?e(?:\s|$|;|\})/.test(script)) return true;
  const plain = script.replaceAll(/\\./g, "");
  const [whole, mark] = /(?:^|[;{}\s\d/])s([/|#,!@:~%])/.exec(plain) ?? [];
  if (whole === undefined || mark === undefined) return false;
  const parts = plain.slice(plain.indexOf(whole) + whole.length).split(mark);
  return parts.some((part, at) => at % 3 === 2 && /^[gpIiMm\d]*e/.test(part));
}

/** Whether options make a command run what the text does not show: another program under a known name, or what it reads. */
export function hidesCommand([name = "", ...args]: readonly string[]): boolean {
  switch (posix.basename(name)) {
    case "git":
      return args.some((word) => word.startsWith("--config-env"));
    case "hash":
      return args.some((word) => /^-\w*p/.test(word));
    case "enable":
      return args.some((word) => /^-\w*f/.test(word));
    case "sed":
    case "gsed":
      return args.some(runsLines);
    default:
      return false;
  }
}

/** Whether a quoted text is expanded where it is computed with: `[[ -v 'a[$(…)]' ]]`. */
export function mayExpand(word: string): boolean {
  return EXPANDS.test(word);
}

/** Whether the program may run its input. */
export function readsCode([name = ""]: readonly string[]): boolean {
  return RUNS_CODE.test(posix.basename(name));
}

/** A value is code only if it is more than a word. */
function readAssignment(text: string): string[] {
  const [, name = "", value = ""] = /^(\w+)\+?=([^]*)$/.exec(text) ?? [];
  if (/^GIT_CONFIG_VALUE_\d+$/.test(name)) return readAlias(value);
  if (name === "GIT_CONFIG_PARAMETERS")
    return [...value.matchAll(/alias\.[^=']{1,200}'?='?([^']*)/g)].flatMap(([, alias = ""]) =>
      readAlias(alias),
    );
  return /\s/.test(value) ? [value] : [];
}

/** Where git's subcommand is among its arguments. */
function findSubcommand(args: readonly string[]): number {
  const first = args.findIndex((word, at) => !word.startsWith("-") && !GIT_VALUE.test(args[at - 1] ?? ""));
  return first < 0 ? args.length : first;
}

function listGitCode(args: readonly string[]): string[] {
  const first = findSubcommand(args);
  const options = args.slice(0, first);
  const [subcommand = "", ...rest] = args.slice(first);
  // The plumbing of a push.
  if (/^(?:send-pack|http-push)$/.test(subcommand)) return [`git push ${rest.join(" ")}`];
  const settings = [...options, ...(GIT_RUNS.test(subcommand) ? rest : [])];
  return settings.flatMap((word, at) => {
    const [, inline] = /^alias\.[^=]*=([^]*)$/.exec(word) ?? [];
    if (inline !== undefined) return readAlias(inline);
    return /^alias\.[^=]*$/.test(settings[at - 1] ?? "") ? readAlias(word) : [word];
  });
}

/** An alias is a subcommand of git, or a shell text after `!`. */
function readAlias(value: string): string[] {
  return [value.startsWith("!") ? value.slice(1) : `git ${value}`];
}

const MOST_WORDS = 400;
const LONGEST_COMMAND = 12;

/** Returns what may be commands in code: from each of its words on, without the marks of the language. */
export function listMentions(code: string): string[][] {
  const words = code
    .split(/[\s"'`()[\]{};,|&<>$!\\#]+/)
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);
  return words.flatMap((word, at) => {
    const first = word.slice(Math.max(word.lastIndexOf("="), word.lastIndexOf(":")) + 1);
    // A command may be glued to an option: `-x'git push'`.
    const glued = /^-\w{2,}/.test(first) ? [first.slice(2), first.slice(3)] : [];
    return [first, ...glued]
      .filter((one) => one !== "" && !one.includes(ANY))
      .map((one) => [one, ...words.slice(at + 1, at + LONGEST_COMMAND)]);
  });
}
