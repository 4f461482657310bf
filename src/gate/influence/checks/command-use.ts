// Reads from the words of a command the modules it loads by name, the folders in which modules are looked up, and the files and folders
// that it gives to a test runner. Uses the runners' and interpreters' own options. Pure.
// Leaves which of these exist to protected-commands.ts.
import { posix } from "node:path";
import { programName, type Words } from "../../../shell/invocation.js";

/** The modules and files that a command loads, and the folders it loads them from, as they are named. */
export interface Use {
  /** Names of modules: `pytest` of `python -m pytest`, `Foo/Bar.pm` of `perl -MFoo::Bar`. */
  modules: readonly string[];
  /** Files that those may be. */
  loads: readonly string[];
  /** Folders in which modules are looked up. */
  roots: readonly string[];
  /** Files and folders of tests. */
  tests: readonly string[];
}

/** Options that load a file before anything else: `--import ./hook`, `-r ./hook`, `--require=hook`. */
const PRELOAD = /^(?:-r|--(?:require|import|loader|experimental-loader|preload))(?:=(.+))?$/;

const PATH_VARIABLES =
  /(?<=\b(?:PYTHONPATH|PERL5LIB|RUBYLIB|NODE_PATH|CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|CLASSPATH|PHP_INCLUDE_PATH|include_path)=["']?)[^\s"';&|]+/g;

/** The folders that variables in a text name for looking up modules. */
export function searchPathsIn(text: string): string[] {
  return [...text.matchAll(PATH_VARIABLES)]
    .flatMap(([value]) => value.split(":"))
    .filter((one) => one !== "" && !one.includes("$"));
}

/** The folders of the project that a text puts on PATH: `bin` of `PATH="$PWD/bin:$PATH"`. */
export function pathFoldersIn(text: string): string[] {
  return [...text.matchAll(/(?<=\bPATH=["']?)[^\s"';&|]+/g)]
    .flatMap(([value]) => value.split(":"))
    .map((one) => one.replace(/^\$(?:PWD|\{PWD\}|\(pwd\))\/?/, "./"))
    .filter((one) => !one.includes("$") && !one.startsWith("/") && one !== "");
}

/** Programs that take files and folders of tests as their operands. */
const RUNNERS =
  /^(?:pytest|py\.test|nose2?|nosetests|vitest|jest|mocha|ava|tap|jasmine|playwright|cypress|karma|prove|phpunit|pest|codecept|behat|rspec|bats|cucumber|testcafe|busted|ctest|shellspec|tape|uvu|borp)$/;
const SUBCOMMANDS = /^(?:run|watch|test|exec|discover|related|dev|start|bench)$/;
const INTERPRETER = /^(?:node|nodejs|python[\d.]*|pypy3?|perl|ruby|php|lua|deno|bun|tsx|ts-node)$/;

/** Reads the words of a command. */
export function readUse(words: Words): Use {
  const [, ...args] = words;
  const name = programName(words);
  const runner = runnerIn(name, args);
  const modules = moduleNames(name, args);
  return {
    modules: modules.flatMap(({ module }) => module),
    loads: [...modules.flatMap(({ files }) => files), ...preloaded(args)],
    roots:
      INTERPRETER.test(name) || /^(?:prove|rspec|g?cc|clang|g\+\+|c\+\+|rake)/.test(name)
        ? includes(args)
        : [],
    tests: runner === undefined ? [] : operands(runner.name, runner.args),
  };
}

/** The test runner behind an interpreter or a manager of packages, with its arguments. */
function runnerIn(
  name: string,
  args: readonly string[],
): { name: string; args: readonly string[] } | undefined {
  if (RUNNERS.test(name)) return { name, args };
  const isNode = /^(?:node|nodejs|tsx|deno|bun)$/.test(name);
  const test = isNode ? args.findIndex((arg) => arg === "--test" || arg === "test") : -1;
  if (test >= 0) return { name: "node", args: args.slice(test + 1) };
  const at = args.findIndex((arg) => RUNNERS.test(posix.basename(arg)) || arg === "unittest");
  const before = args.slice(0, at);
  const isCalled = before.every((arg) => /^-|^(?:run|exec|x|dlx|-m|--)$/.test(arg));
  if (at < 0 || !(isCalled || before.at(-1) === "-m")) return undefined;
  if (
    !/^(?:python|pypy|npx|bunx|pnpm|yarn|npm|uv|uvx|poetry|pipenv|pdm|hatch|bundle|coverage|c8|nyc|php|ruby|perl|node|bun)/.test(
      name,
    )
  )
    return undefined;
  return { name: posix.basename(args[at] ?? ""), args: args.slice(at + 1) };
}

/** Options of runners whose next word is a value, and is not a file of tests. */
const TAKES_VALUE =
  /^-(?:[kmnpWoctrRxg]|-(?:config|reporter|project|grep|testNamePattern|test-name-pattern|filter|test-reporter|test-reporter-destination|timeout|maxWorkers|pattern|outputFile|junitxml|cov|cov-report|import|require|loader|env|rootdir|top-level-directory|group|testsuite|bootstrap|configuration|output|format|out))$/;

function operands(runner: string, args: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("-")) {
      const isPlace = /^-s$|^--(?:start-directory|dir|spec|rootDir|testPathPattern)$/.test(arg);
      const value = /^--(?:dir|spec|start-directory|testPathPattern)=(.+)$/.exec(arg)?.[1];
      if (value !== undefined) found.push(value);
      if (isPlace && args[at + 1] !== undefined) found.push(args[at + 1] ?? "");
      if (isPlace || TAKES_VALUE.test(arg)) at++;
      continue;
    }
    if (found.length === 0 && SUBCOMMANDS.test(arg)) continue;
    found.push(
      runner === "unittest" && /^[\w.]+$/.test(arg) ? arg.replaceAll(".", "/") : arg.replace(/::.*$/, ""),
    );
  }
  const isModule = runner === "unittest";
  return found.flatMap((one) => (isModule && !one.endsWith(".py") ? [one, `${one}.py`] : [one]));
}

/** Modules that options load, with the files these may be. */
function moduleNames(
  name: string,
  args: readonly string[],
): { module: readonly string[]; files: readonly string[] }[] {
  const next = (at: number): string => args[at + 1] ?? "";
  return args.flatMap((arg, at) => {
    if (/^(?:python|pypy)/.test(name) && /^-[a-zA-Z]*m$/.test(arg)) return [pythonModule(next(at))];
    if (/^(?:pytest|py\.test)$/.test(name) || args.includes("pytest")) {
      const plugin = arg === "-p" ? next(at) : /^-p(\w.*)$/.exec(arg)?.[1];
      if (plugin !== undefined && !plugin.startsWith("no:")) return [pythonModule(plugin)];
    }
    if (name === "perl" || name === "prove") {
      const module = /^-[Mm]-?([\w:]+)/.exec(arg)?.[1];
      if (module !== undefined) {
        const file = `${module.replaceAll("::", "/")}.pm`;
        return [{ module: [file], files: [file, `lib/${file}`] }];
      }
    }
    return [];
  });
}

function preloaded(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const found = PRELOAD.exec(arg);
    if (found === null) return [];
    const name = found[1] ?? args[at + 1] ?? "";
    return [name, `${name}.js`, `${name}.cjs`, `${name}.mjs`, `${name}.ts`, `${name}.rb`];
  });
}

function pythonModule(name: string): { module: readonly string[]; files: readonly string[] } {
  const at = name.replaceAll(".", "/");
  return {
    module: [name.replace(/\..*$/, "")],
    files: [`${at}.py`, `${at}/__init__.py`, `${at}/__main__.py`],
  };
}

/** `-I DIR`, `-IDIR`, `-L DIR`. */
function includes(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const value = /^-[IL](.*)$/.exec(arg)?.[1];
    if (value === undefined) return [];
    return value === "" ? args.slice(at + 1, at + 2) : [value];
  });
}
