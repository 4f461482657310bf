// Finds the files that a simple command runs or reads its rules from, by its words. Pure. The floor `shell` reads shell
// texts, and sort/loads.ts decides which of these files are checks.
import { posix } from "node:path";
import { POSIX_SHELL, type Words } from "../../shell/invocation.js";

const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua(?:jit|[\d.]*)|expect|source|\.|Rscript|julia|runghc|runhaskell|ocaml|elixir|escript|dart|groovy|kotlin|scala|swift|tclsh|pwsh|racket|guile|sbcl|clojure|clj|bb|nim|crystal|rdmd)$/;
/** Programs that run another program named in their arguments. */
const WRAPPERS = /^(?:coverage|uv|poetry|pipenv|pdm|hatch|bundle|pnpm|yarn|c8|nyc|dotenv)$/;
/** Option of a shell before inline code. */
const SHELL_CODE = /^-\w*c/;
/** Options of other interpreters before inline code or a module, or with which no script runs. `-rdate` makes Ruby load. */
const CODE = /^(?:-(?!r)[a-z]*[ecm]|--(?:eval|print|check|test))$/;

/** The file that a command runs: the program itself, or the first argument of an interpreter that is not an option. */
export function findScript(program: string, args: readonly string[]): string | undefined {
  if (!INTERPRETERS.test(posix.basename(program))) return program;
  return beforeCode(program, args).find((arg) => !arg.startsWith("-") && arg !== "run");
}

/** The words before inline code, or all: words behind the code belong to it. */
function beforeCode(program: string, args: readonly string[]): readonly string[] {
  const code = POSIX_SHELL.test(posix.basename(program)) ? SHELL_CODE : CODE;
  const at = args.findIndex((arg) => code.test(arg));
  return at < 0 ? args : args.slice(0, at);
}

/** Options that load a file before the script. */
const PRELOAD = /^(?:-r|--(?:require|import|loader|experimental-loader))(?:=(.*))?$/;
/** Programs, and their options that name a file of rules or settings. */
const RULES: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:g?make|[gm]?awk|sed|just|rake)$/, /^(?:-f|--(?:file|makefile|justfile|rakefile))(?:=(.*))?$/],
  [/^task$/, /^(?:-t|--taskfile)(?:=(.*))?$/],
  [
    /^(?:jest|vitest|mocha|ava|tap|c8|nyc|pytest|tox|eslint|prettier|playwright|cypress|phpunit|ruff|mypy|flake8|pylint)$/,
    /^(?:-c|--(?:config|config-file|configuration|rcfile))(?:=(.*))?$/,
  ],
];

/** Whether a word names an existing file. */
type HasFile = (word: string) => boolean;

/**
 * Finds the files (as named) that a command runs or reads its rules from; none for inline code. For a Python module also
 * the files that would be found instead of it.
 */
export function listRunFiles([program, ...args]: Words, has: HasFile): string[] {
  const name = posix.basename(program);
  const option = RULES.find(([programs]) => programs.test(name))?.[1];
  const found = option === undefined ? [] : readOptionValues(args, option).filter(has);
  if (WRAPPERS.test(name)) {
    const at = args.findIndex((arg) => INTERPRETERS.test(arg));
    const inner = args[at];
    const run = inner === undefined ? firstOf(args, has) : listRunFiles([inner, ...args.slice(at + 1)], has);
    return [...found, ...run, ...moduleFiles(args, has)];
  }
  if (!INTERPRETERS.test(name)) return [...found, ...[program].filter(has)];
  const loaded = readOptionValues(args, PRELOAD).filter(has);
  const modules = name.startsWith("py") ? moduleFiles(args, has) : [];
  const rest = beforeCode(program, args).filter((arg) => !loaded.includes(arg));
  return [...loaded, ...modules, ...firstOf(rest, has)];
}

function firstOf(args: readonly string[], has: HasFile): string[] {
  return args.filter((arg) => !arg.startsWith("-") && has(arg)).slice(0, 1);
}

/** The values of an option: `-f FILE`, `-fFILE`, `--file FILE` and `--file=FILE`. */
export function readOptionValues(args: readonly string[], option: RegExp): string[] {
  const values = args.flatMap((arg, at) => {
    const found = option.exec(arg);
    if (found === null) return option.test(arg.slice(0, 2)) ? [arg.slice(2)] : [];
    return found[1] === undefined ? args.slice(at + 1, at + 2) : [found[1]];
  });
  return values.map((value) => value.replace(/^\.\//, ""));
}

/** The files that `-m a.b` runs, and those that would be found before them, whether they exist or not. */
function moduleFiles(args: readonly string[], has: HasFile): string[] {
  const [module] = readOptionValues(args, /^-[a-zA-Z]*m$/);
  if (module === undefined) return [];
  const parts = module.split(".");
  const last = parts.join("/");
  if (!has(`${last}.py`) && !has(`${last}/__main__.py`)) return [];
  const paths = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  return [...paths.flatMap((path) => [`${path}.py`, `${path}/__init__.py`]), `${last}/__main__.py`];
}
