// Which files the gate's commands check by: scripts they run, what these read, the rules of `make` and its like. Pure.
// Leaves the patterns every project shares to protected-patterns.ts. See docs/decisions for what is not held.
import { posix } from "node:path";
import { TOOL_FILES } from "./protected-patterns.js";

/** The project at the base, as far as it is asked for here. Paths are text, from the top of the repository. */
export interface BaseFiles {
  has: (path: string) => boolean;
  /** A small text; `undefined` where there is none. */
  text: (path: string) => string | undefined;
}

/** What commands check by. */
export interface Named {
  /** Files at the base. */
  paths: ReadonlySet<string>;
  /** Patterns, as in .gitignore, for files in the folder of work or anywhere: `Makefile`, also one that is added. */
  patterns: ReadonlySet<string>;
  /** Programs they call by name. */
  programs: ReadonlySet<string>;
  /** Modules that their scripts in Python load. */
  modules: ReadonlySet<string>;
}

const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|awk|expect|source|\.)$/;
/** Prefixes of a command that only say how it runs. */
const PREFIXES =
  /^(?:env|exec|command|time|nice|nohup|sudo|timeout|xvfb-run|cross-env|npx|bunx|then|do|else|if|!|\(|\{)$/;
/** Words in a script's name that say that it checks, and in any file's name that it is what something is held against. */
const CHECKS = words(
  "test tests check checks checker verify verifier spec specs lint validate assert smoke e2e acceptance ci coverage",
);
const MODELS = words("expected golden baseline");
const CHECKER_FOLDER = /(?:^|\/)(?:scripts?|ci|\.ci|tools?|hack|build|checks?|support)\//i;
const SHELL_FILE = /\.(?:sh|bash|zsh|bats)$/;
/** How many scripts deep it goes on. */
const DEPTH = 5;

/** Finds the files at the base that these commands check by. `folder`: where they run, from the top ("" is the top). */
export function namedByCommands(commands: readonly string[], folder: string, base: BaseFiles): Named {
  const none = (): Set<string> => new Set();
  const named = { paths: none(), patterns: none(), programs: none(), modules: none() };
  for (const command of commands) lookAt({ named, base, folder, depth: DEPTH }, command);
  return named;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** `run_tests.py` and `runTests.py` are named "tests", `latest.py` is not. */
function isNamed(names: ReadonlySet<string>, path: string): boolean {
  const parts = posix.basename(path).split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/);
  return parts.some((part) => names.has(part.toLowerCase()));
}

interface Search {
  named: Record<keyof Named, Set<string>>;
  base: BaseFiles;
  folder: string;
  depth: number;
}

function lookAt(search: Search, text: string): void {
  if (search.depth === 0) return;
  let { folder } = search;
  for (const { words, judged } of simpleCommands(text)) {
    const [program, to] = words;
    if (program === "cd" && to !== undefined) folder = posix.join(folder, to);
    else lookAtWords({ ...search, folder }, words, judged);
  }
}

function lookAtWords(search: Search, words: readonly string[], judged: boolean): void {
  const { base, folder, named } = search;
  const [program = "", ...args] = words;
  const at = (word: string): string => posix.normalize(posix.join(folder, word));
  const tool = TOOL_FILES[posix.basename(program)];
  if (tool !== undefined) holdTool(search, posix.basename(program), tool);
  named.programs.add(program);
  const script = scriptOf(program, args);
  if (script?.endsWith(".py") === true) {
    const imports = (base.text(at(script)) ?? "").matchAll(/^[ \t]*(?:import|from)[ \t]+(\w+)/gm);
    for (const [, module = ""] of imports) named.modules.add(module);
  }
  for (const word of words) {
    const path = at(word);
    if (!base.has(path) || named.paths.has(path)) continue;
    const runs = word === script;
    const sourced = runs && (program === "." || program === "source");
    const alone = runs && judged && args.length <= 1 && (SHELL_FILE.test(path) || program.includes("/"));
    const isChecker = isNamed(MODELS, path) || (runs && (isNamed(CHECKS, path) || CHECKER_FOLDER.test(path)));
    if (sourced || alone || isChecker) hold(search, path);
  }
  for (const script of packageScripts(program, args, base.text(at("package.json")))) {
    lookAt({ ...search, depth: search.depth - 1 }, script);
  }
}

/** A script that checks is held with what it sources and the checks it runs itself. */
function hold(search: Search, path: string): void {
  search.named.paths.add(path);
  const text = search.base.text(path);
  if (text === undefined || !(SHELL_FILE.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text))) return;
  lookAt({ ...search, depth: search.depth - 1 }, text);
}

/** What a tool reads by itself, with the checks that the rules of a Makefile run. */
function holdTool(search: Search, tool: string, patterns: readonly string[]): void {
  const { base, folder, named, depth } = search;
  for (const pattern of patterns) named.patterns.add(pattern);
  if (tool !== "make" && tool !== "gmake") return;
  const file = ["GNUmakefile", "makefile", "Makefile"].find((name) => base.has(posix.join(folder, name)));
  const rules = file === undefined ? "" : (base.text(posix.join(folder, file)) ?? "");
  for (const [, recipe = ""] of rules.matchAll(/^\t[@+-]*(.*)$/gm)) {
    lookAt({ ...search, depth: depth - 1 }, recipe);
  }
}

/** The file that a program is told to run: itself, or the first word an interpreter does not take for an option. */
function scriptOf(program: string, args: readonly string[]): string | undefined {
  if (!INTERPRETERS.test(posix.basename(program))) return program;
  if (args.some((arg) => /^-[a-z]*[ecm]$/.test(arg) || /^--(?:eval|print|check|test)$/.test(arg)))
    return undefined;
  return args.find((arg) => !arg.startsWith("-") && arg !== "run");
}

const RUN = /^(?:npm|yarn|pnpm|bun)$/;

/** The lines that `npm test`, `npm run x` and their like run, at the base. */
function packageScripts(program: string, args: readonly string[], manifest: string | undefined): string[] {
  if (!RUN.test(program) || manifest === undefined) return [];
  const scripts = scriptsOf(manifest);
  const names = args.filter((arg) => !arg.startsWith("-")).slice(0, 2);
  const lines = names.flatMap((name) => {
    const called = name === "t" || name === "tst" ? "test" : name;
    return [`pre${called}`, called, `post${called}`].map((one) => scripts[one]);
  });
  return lines.filter((line) => typeof line === "string");
}

function scriptsOf(manifest: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(manifest);
    const scripts =
      typeof parsed === "object" && parsed !== null && "scripts" in parsed ? parsed.scripts : {};
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

interface SimpleCommand {
  words: string[];
  /** Its own exit code is looked at: nothing reads what it prints. */
  judged: boolean;
}

/** The simple commands of a shell text, roughly: what is in quotes stays a word, `$(…)` is a command of its own. */
export function simpleCommands(text: string): SimpleCommand[] {
  const plain = text.replace(/\\\n/g, " ").replace(/(^|\s)#.*$/gm, "$1");
  const commands: SimpleCommand[] = [];
  const take = (part: string, judged: boolean): void => {
    const words = [...part.matchAll(/"([^"]*)"|'([^']*)'|([^\s"'<>]+)/g)]
      .map(([, double, single, bare]) => double ?? single ?? bare ?? "")
      .map((word) => word.replace(/^\.\//, "").replace(/^\$(?:PWD|\{PWD\})\//, ""));
    while (words[0] !== undefined && (PREFIXES.test(words[0]) || /^\w+=/.test(words[0]))) words.shift();
    if (words.length > 0) commands.push({ words, judged });
  };
  const outer = plain.replace(
    /\$\(([^()]*)\)|`([^`]*)`/g,
    (_, round: string | undefined, tick: string | undefined) => {
      for (const part of (round ?? tick ?? "").split(/[;\n&|]+/)) take(part, false);
      return " ";
    },
  );
  for (const line of outer.split(/[;\n]|&&|\|\|/)) {
    const pipe = line.split("|");
    pipe.forEach((part, at) => {
      take(part.replace(/[()]/g, " "), pipe.length === 1 || at === pipe.length - 1);
    });
  }
  return commands;
}
