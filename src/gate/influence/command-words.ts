// The files that the words of a simple command run and go by. Pure. Leaves reading shell texts to the floor `shell`, and which
// of these files are held to protected-commands.ts.
import { posix } from "node:path";
import { POSIX_SHELL, type Words } from "../../shell/invocation.js";

const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|expect|source|\.)$/;
/** Run another program that their words name. */
const WRAPPERS = /^(?:coverage|uv|poetry|pipenv|pdm|hatch|bundle|pnpm|yarn|c8|nyc|dotenv)$/;
/** Of a shell: what follows is code. */
const SHELL_CODE = /^-\w*c/;
/** Of other interpreters: what follows is code or a module, or nothing is run. `-rdate` is what Ruby loads. */
const CODE = /^(?:-(?!r)[a-z]*[ecm]|--(?:eval|print|check|test))$/;

/** The file that a program is told to run: itself, or the first word an interpreter does not take for an option. */
export function scriptOf(program: string, args: readonly string[]): string | undefined {
  if (!INTERPRETERS.test(posix.basename(program))) return program;
  return beforeCode(program, args).find((arg) => !arg.startsWith("-") && arg !== "run");
}

/** All words, or those before inline code: the options of a script are its own. */
function beforeCode(program: string, args: readonly string[]): readonly string[] {
  const code = POSIX_SHELL.test(posix.basename(program)) ? SHELL_CODE : CODE;
  const at = args.findIndex((arg) => code.test(arg));
  return at < 0 ? args : args.slice(0, at);
}

/** Loaded before the script. */
const PRELOAD = /^(?:-r|--(?:require|import|loader|experimental-loader))(?:=(.*))?$/;
/** Options of these name the rules or settings they go by. */
const RULES: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:g?make|[gm]?awk|sed|just|rake)$/, /^(?:-f|--(?:file|makefile|justfile|rakefile))(?:=(.*))?$/],
  [/^task$/, /^(?:-t|--taskfile)(?:=(.*))?$/],
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
export function filesRun([program, ...args]: Words, files: NamedFiles): string[] {
  const name = posix.basename(program);
  const option = RULES.find(([programs]) => programs.test(name))?.[1];
  const found = option === undefined ? [] : valuesOf(args, option).filter(files.has);
  if (WRAPPERS.test(name)) {
    const at = args.findIndex((arg) => INTERPRETERS.test(arg));
    const inner = args[at];
    const run = inner === undefined ? firstOf(args, files) : filesRun([inner, ...args.slice(at + 1)], files);
    return [...found, ...run, ...moduleFiles(args, files)];
  }
  if (!INTERPRETERS.test(name)) return [...found, ...[program].filter(files.has)];
  const loaded = valuesOf(args, PRELOAD).filter(files.has);
  const modules = name.startsWith("py") ? moduleFiles(args, files) : [];
  const rest = beforeCode(program, args).filter((arg) => !loaded.includes(arg));
  return [...loaded, ...modules, ...firstOf(rest, files)];
}

function firstOf(args: readonly string[], { has }: NamedFiles): string[] {
  return args.filter((arg) => !arg.startsWith("-") && has(arg)).slice(0, 1);
}

/** What an option is given: `-f FILE`, `-fFILE`, `--file FILE` and `--file=FILE`. */
export function valuesOf(args: readonly string[], option: RegExp): string[] {
  const values = args.flatMap((arg, at) => {
    const found = option.exec(arg);
    if (found === null) return option.test(arg.slice(0, 2)) ? [arg.slice(2)] : [];
    return found[1] === undefined ? args.slice(at + 1, at + 2) : [found[1]];
  });
  return values.map((value) => value.replace(/^\.\//, ""));
}

/** What `-m a.b` runs, and what would be found before it, there or not. */
function moduleFiles(args: readonly string[], { has, roots }: NamedFiles): string[] {
  const [module] = valuesOf(args, /^-[a-zA-Z]*m$/);
  if (module === undefined) return [];
  const parts = module.split(".");
  return roots.flatMap((root) => {
    const last = posix.join(root, ...parts);
    if (!has(`${last}.py`) && !has(`${last}/__main__.py`)) return [];
    const paths = parts.map((_, at) => posix.join(root, ...parts.slice(0, at + 1)));
    return [...paths.flatMap((path) => [`${path}.py`, `${path}/__init__.py`]), `${last}/__main__.py`];
  });
}
