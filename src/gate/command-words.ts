// Reads shell lines as far as the gate needs: the simple commands in them, and the files these run. Pure, and rough: what is in
// quotes stays a word. Leaves which of these files are held to protected-commands.ts.
import { posix } from "node:path";

export interface SimpleCommand {
  words: string[];
  /** Its own exit code is looked at: nothing else reads what it prints. */
  judged: boolean;
}

const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|expect|source|\.)$/;
/** Run another program that their words name. */
const WRAPPERS = /^(?:coverage|uv|poetry|pipenv|pdm|hatch|bundle|pnpm|yarn|c8|nyc|dotenv)$/;
/** Prefixes of a command that only say how it runs. */
const PREFIXES =
  /^(?:env|exec|command|time|nice|nohup|sudo|timeout|xvfb-run|cross-env|npx|bunx|then|do|else|if|!|\(|\{)$/;
/** Options and numbers of such a prefix. */
const PREFIX_WORDS = /^(?:-.*|\d+(?:\.\d+)?[smhd]?)$/;
/** Hand on what they read: whoever looks at what they print looks at what came before. */
const PASS_ON = /^\s*(?:tee|cat|head|tail|ts)\b/;

/** The simple commands of a shell text; `$(…)` is a command of its own, that nothing but its output speaks for. */
export function simpleCommands(text: string): SimpleCommand[] {
  const plain = text.replace(/\\\n/g, " ").replace(/(^|\s)#.*$/gm, "$1");
  const commands: (SimpleCommand & { into: string | undefined })[] = [];
  const take = (part: string, judged: boolean): void => {
    const words = wordsOf(part);
    const into = /(?<![\d&>])>{1,2}\s*(?!&|\/dev\/null)([^\s"'<>]+)/.exec(part)?.[1];
    if (words.length > 0) commands.push({ words, judged, into: into?.replace(/^\.\//, "") });
  };
  const outer = plain.replace(
    /\$\(([^()]*)\)|`([^`]*)`/g,
    (_, round: string | undefined, tick: string | undefined) => {
      for (const part of (round ?? tick ?? "").split(/[;\n&|]+/)) take(part, false);
      return " ";
    },
  );
  for (const line of outer.split(/[;\n]|&&|\|\|/)) {
    // What runs in the background has no exit code that counts.
    const [, beside, last = line] = /^(.*(?<![>&]))&(?![>&\d])(.*)$/.exec(line) ?? [];
    if (beside !== undefined) take(beside, false);
    const pipe = last.split("|");
    pipe.forEach((part, at) => {
      const judged = pipe.slice(at + 1).every((later) => PASS_ON.test(later));
      take(part.replace(/[()]/g, " "), judged);
    });
  }
  // What goes into a file that another command looks at is judged by that one.
  return commands.map(({ words, judged, into }, at) => {
    const isRead = into !== undefined && commands.slice(at + 1).some((later) => later.words.includes(into));
    return { words, judged: judged && !isRead };
  });
}

function wordsOf(part: string): string[] {
  const words = [...part.matchAll(/"([^"]*)"|'([^']*)'|([^\s"'<>]+)/g)]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "")
    .map((word) => word.replace(/^\.\//, "").replace(/^\$(?:PWD|\{PWD\})\//, ""));
  let prefixed = false;
  for (let [first] = words; first !== undefined; [first] = words) {
    const isPrefix = PREFIXES.test(first);
    if (!isPrefix && !/^\w+=/.test(first) && !(prefixed && PREFIX_WORDS.test(first))) break;
    prefixed ||= isPrefix;
    words.shift();
  }
  return words;
}

/** The file that a program is told to run: itself, or the first word an interpreter does not take for an option. */
export function scriptOf(program: string, args: readonly string[]): string | undefined {
  if (!INTERPRETERS.test(posix.basename(program))) return program;
  if (args.some((arg) => /^-[a-z]*[ecm]$/.test(arg) || /^--(?:eval|print|check|test)$/.test(arg)))
    return undefined;
  return args.find((arg) => !arg.startsWith("-") && arg !== "run");
}

/** Loaded before the script. */
const PRELOAD = /^(?:-r|--(?:require|import|loader|experimental-loader))(?:=(.*))?$/;
/** Options of these name the rules or settings they go by. */
const RULES: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:g?make|[gm]?awk|sed|just|rake)$/, /^(?:-f|--(?:file|makefile|justfile|rakefile))(?:=(.*))?$/],
  [/^(?:task)$/, /^(?:-t|--taskfile)(?:=(.*))?$/],
  [
    /^(?:jest|vitest|mocha|ava|tap|c8|nyc|pytest|tox|eslint|prettier|playwright|cypress|phpunit|ruff|mypy|flake8|pylint)$/,
    /^(?:-c|--(?:config|config-file|configuration|rcfile))(?:=(.*))?$/,
  ],
];

/** The files there are, by the words that name them, and the folders modules of Python are looked up in. */
export interface NamedFiles {
  has: (word: string) => boolean;
  roots: readonly string[];
}

/**
 * The files (as they are named) that a command runs and goes by; none for inline code. Of a module also those that would be
 * found in its place.
 */
export function filesRun(words: readonly string[], files: NamedFiles): string[] {
  const [program = "", ...args] = words;
  const name = posix.basename(program);
  const [, option] = RULES.find(([programs]) => programs.test(name)) ?? [];
  const found = option === undefined ? [] : valuesOf(args, option).filter(files.has);
  if (WRAPPERS.test(name)) {
    const at = args.findIndex((arg) => INTERPRETERS.test(arg));
    const inner = at < 0 ? firstOf(args, files) : filesRun(args.slice(at), files);
    return [...found, ...inner, ...moduleFiles(args, files)];
  }
  if (!INTERPRETERS.test(name)) return [...found, ...[program].filter(files.has)];
  const loaded = valuesOf(args, PRELOAD).filter(files.has);
  const modules = /^(?:python|pypy)/.test(name) ? moduleFiles(args, files) : [];
  const rest = args.filter(
    (_, at) => !PRELOAD.test(args[at - 1] ?? "") || (args[at - 1] ?? "").includes("="),
  );
  const script = scriptOf(program, rest);
  const run = script === undefined ? [] : files.has(script) ? [script] : firstOf(rest, files);
  return [...loaded, ...modules, ...run];
}

/** The text that a shell is given as a word. */
export function inlineShell([program = "", ...args]: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  return /^(?:ba|da|z|k)?sh$/.test(posix.basename(program)) && at >= 0 ? args[at + 1] : undefined;
}

function firstOf(args: readonly string[], { has }: NamedFiles): string[] {
  const first = args.find((arg) => !arg.startsWith("-") && has(arg));
  return first === undefined ? [] : [first];
}

function valuesOf(args: readonly string[], option: RegExp): string[] {
  return args.flatMap((arg, at) => {
    const found = option.exec(arg);
    if (found !== null) return [found[1] ?? args[at + 1] ?? ""].map((one) => one.replace(/^\.\//, ""));
    // `make -fFILE`
    const short = /^-[fc](.+)$/.exec(arg)?.[1];
    return short !== undefined && option.test("-f") ? [short] : [];
  });
}

/** What `-m a.b` runs, and what would be found before it, there or not. */
function moduleFiles(args: readonly string[], { has, roots }: NamedFiles): string[] {
  const option = args.findIndex((arg) => /^-[a-zA-Z]*m$/.test(arg));
  const module = option < 0 ? undefined : args[option + 1];
  if (module === undefined) return [];
  const parts = module.split(".");
  return roots.flatMap((root) => {
    const paths = parts.map((_, at) => posix.join(root, ...parts.slice(0, at + 1)));
    const last = paths.at(-1) ?? "";
    if (!has(`${last}.py`) && !has(`${last}/__main__.py`)) return [];
    return [...paths.flatMap((path) => [`${path}.py`, `${path}/__init__.py`]), `${last}/__main__.py`];
  });
}
