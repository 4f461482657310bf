// The files that check commands load: scripts whose exit code they take or that they source, through package
// scripts, make goals and shells; files behind options; words that stand for several files. Pure. The floor
// `shell` reads shell texts; no other program is read. Leaves what settings of runners load to
// runner-settings.ts.
import { posix } from "node:path";
import { POSIX_SHELL, programName, type Words } from "../../shell/invocation.js";
import { listSimpleCommands, type SimpleCommand } from "../../shell/simple-commands.js";
import { commandsForFlags, commandsInRules, listRecipes } from "./makefile.js";
import { folderOf, isForeign, pathAt, type ReferenceFiles } from "./files.js";
import { readTable, stringsIn, tableOf } from "./program-folders.js";
import { isWild, wildPattern } from "./wildcards.js";
import { ANY } from "../../shell/words.js";

/** Lines for `sh -c`: the project's, and a task's own. */
export interface Commands {
  project: readonly string[];
  own: readonly string[];
}

/** Whether a check command names the file itself, or a script that a command runs does. */
export type LoadedBy = "command" | "script";

/** How deep scripts that run scripts are followed. */
const DEPTH = 6;

interface Place {
  folder: string;
  depth: number;
  by: LoadedBy | "own";
  who: string;
  /** The command that all of it belongs to. */
  command: string;
  judged: boolean;
}

/** Files that shells and interpreters read first, in a variable. */
const READ_FIRST =
  /\b(?:BASH_ENV|ENV|RUBYOPT=-r|PERL5OPT=-M|NODE_OPTIONS=["']?--(?:require|import)[= ])=?["']?([^\s"';&|]+)/g;
/** Options before a file that is loaded: of interpreters and runners. */
const LOADS =
  /^(?:-r|--(?:require|import|loader|experimental-loader|preload|setup|bootstrap|prelude|config|config-file|configuration|rcfile))(?:=(.+))?$/;
const SHELL_TEXT = /^#!.*\b(?:ba|da|z|k)?sh\b/;
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** The files that the commands load, and the words that they name. */
export class Loads {
  /** Files that are run, sourced or read as settings, existing or not: with who does. */
  readonly files = new Map<string, { by: LoadedBy; who: string }>();
  /** The same, for words that stand for several files. */
  readonly globs: { by: LoadedBy; who: string; matches: (path: string) => boolean }[] = [];
  /** Paths that the commands name in any way, folders too, and endings that runners of tests are given: `*.txt`. */
  readonly named = new Set<string>();
  /** The first words of commands, without files: programs, and what these are told to do. */
  readonly programs = new Set<string>();
  /** Files of a task's own commands, judged by their exit code: often what the task is about. */
  readonly own: { path: string; command: string }[] = [];
  /** Files and folders that are handed to a test runner. */
  readonly handed = new Set<string>();
  readonly handedGlobs: ((path: string) => boolean)[] = [];
  readonly #seen = new Set<string>();

  /** Reads the commands. `folder`: where they run, from the top ("" is the top). */
  constructor(
    { project: commands, own }: Commands,
    folder: string,
    private readonly project: ReferenceFiles,
  ) {
    const from = { folder, depth: DEPTH, judged: true };
    for (const text of commands)
      this.#read(text, { ...from, by: "command", who: "a check command", command: text });
    for (const text of own)
      this.#read(text, { ...from, by: "own", who: "a command of the task", command: text });
  }

  #read(text: string, place: Place): void {
    const key = [place.by, place.judged, place.folder, text].join("\0");
    if (place.depth === 0 || this.#seen.has(key)) return;
    this.#seen.add(key);
    for (const [, file = ""] of text.matchAll(READ_FIRST))
      this.#load(file, { ...place, by: place.by === "own" ? "own" : "command" });
    for (const flags of commandsForFlags(text)) this.#readFlags(flags, place);
    for (const command of listSimpleCommands(text)) {
      const folder = posix.join(place.folder, command.folder);
      const judged = place.judged && command.judged;
      this.#readCommand(command, { ...place, folder, judged });
    }
  }

  /** Commands of which only the output counts, as flags of what is built. */
  #readFlags(text: string, place: Place): void {
    for (const { words, folder } of listSimpleCommands(text.replaceAll("$$", "$"))) {
      const at = { ...place, folder: posix.join(place.folder, folder), by: "script" as const };
      const script = findScript(words, (word) => this.#has(at, word));
      if (script !== undefined && this.#has(at, script)) this.#load(script, at);
    }
  }

  #readCommand({ words, reads }: SimpleCommand, place: Place): void {
    const [program, ...args] = words;
    const name = programName(words);
    const has = (word: string): boolean => this.#has(place, word);
    for (const word of [...words.slice(1), ...reads]) this.#name(word, place);
    for (const word of words.slice(0, 3)) if (!/[./]/.test(word)) this.programs.add(word);
    if (/^g?make$/.test(name)) this.#readMake(args, place);
    for (const { line, folder } of this.#packageScripts(words, place))
      this.#read(line, { ...place, folder, depth: place.depth - 1 });
    for (const file of [...loadedBefore(name, args), ...reads]) if (has(file)) this.#load(file, place);
    const isSourced = program === "." || program === "source";
    this.#hand(name, args, place);
    if (!place.judged && !isSourced) return;
    const script = findScript(words, has);
    if (script !== undefined && (script !== program || script.includes("/") || has(script)))
      this.#load(script, place);
  }

  /** Notes a file that is loaded, and follows a script of the shell. */
  #load(word: string, place: Place): void {
    const { by, who } = place;
    const path = pathAt(place.folder, word);
    if (path === undefined) return;
    if (isWild(word)) {
      const matches = wildPattern(path);
      if (matches !== undefined && by !== "own") this.globs.push({ by, who, matches });
      return;
    }
    if (by === "own") this.own.push({ path, command: place.command });
    else if (this.files.get(path) === undefined || by === "command") this.files.set(path, { by, who });
    const text = this.project.text(path);
    if (text === undefined || !(/\.(?:sh|bash|zsh|bats)$/.test(path) || SHELL_TEXT.test(text))) return;
    this.#read(text, { ...place, depth: place.depth - 1, by: "script", who: path, judged: true });
  }

  #has(place: Place, word: string): boolean {
    const path = pathAt(place.folder, word);
    return path !== undefined && this.project.has(path);
  }

  #name(word: string, { folder, by }: Place): void {
    const path = pathAt(folder, word.replace(/^--?[\w-]+=/, ""));
    if (path !== undefined && path !== folder && !isWild(word) && by !== "script") this.named.add(path);
  }

  #readMake(args: readonly string[], place: Place): void {
    const folder = posix.join(place.folder, ...readOptionValues(args, /^(?:-C|--directory)(?:=(.*))?$/));
    const given = readOptionValues(args, /^(?:-f|--(?:file|makefile))(?:=(.*))?$/);
    const file = [...given, ...MAKEFILES].find((name) => this.#has({ ...place, folder }, name));
    if (file === undefined) return;
    const inside = { ...place, folder, depth: place.depth - 1, who: posix.join(folder, file) };
    if (given.includes(file)) this.#load(file, inside);
    const rules = this.project.text(posix.join(folder, file));
    if (rules === undefined) return;
    for (const line of commandsInRules(rules)) this.#readFlags(line, inside);
    for (const [, included = ""] of rules.matchAll(/^[-s]?include[ \t]+(\S+)/gm))
      this.#load(included, inside);
    const goals = args.filter((arg) => arg !== file);
    for (const line of listRecipes(rules, goals)) this.#read(line.replaceAll("$$", "$"), inside);
  }

  /** The lines that `npm test`, `npm run x` and the like run, of all packages where they are told so. */
  #packageScripts([program, ...args]: Words, { folder }: Place): { line: string; folder: string }[] {
    if (!SCRIPT_RUNNER.test(program)) return [];
    const prefix = readOptionValues(args, /^(?:-C|--(?:prefix|dir|cwd))(?:=(.*))?$/)[0] ?? "";
    const isOfAll = [program, ...args].some((word) => OF_PACKAGES.test(word));
    const top = posix.join(folder, prefix);
    const manifests = ["package.json", "composer.json"].map((name) => posix.join(top, name));
    const all = this.project.paths.filter(
      (path) => posix.basename(path) === "package.json" && !isForeign(path),
    );
    const named = args.filter((arg) => !arg.startsWith("-")).map((arg) => arg.replace(/^(?:t|tst)$/, "test"));
    return (isOfAll ? all : manifests).flatMap((path) => {
      const scripts = tableOf(tableOf(readTable(path, this.project.text(path) ?? ""))["scripts"]);
      const lines = named.flatMap((name) =>
        stringsIn([scripts[`pre${name}`], scripts[name], scripts[`post${name}`]]),
      );
      return lines.map((line) => ({ line: line.replace(/^@(?=php\b)/, ""), folder: folderOf(path) }));
    });
  }

  #hand(name: string, args: readonly string[], place: Place): void {
    const at = [name, ...args].findIndex((arg) => RUNNER.test(posix.basename(arg)) || arg === "--test");
    for (const word of at < 0 ? [] : args.slice(at)) {
      const ending = /\*\.\w+$/.exec(word);
      if (ending !== null) this.named.add(ending[0]);
      const path = word.startsWith("-") ? undefined : pathAt(place.folder, word.replace(/::.*$/, ""));
      const matches = path !== undefined && isWild(word) ? wildPattern(path) : undefined;
      if (matches !== undefined && saysTests(word))
        this.globs.push({
          by: "command",
          who: "a runner of tests",
          matches: wildPattern(`**/${word}`) ?? matches,
        });
      else if (matches !== undefined) this.handedGlobs.push(matches);
      else if (path !== undefined)
        for (const one of [path, `${path.replaceAll(".", "/")}.py`]) this.handed.add(one);
    }
  }
}

/** Programs that run the scripts of a package, and how they are told to do so in others. */
const SCRIPT_RUNNER = /^(?:npm|yarn|pnpm|bun|composer|run-[sp]|npm-run-all2?|lerna|turbo|nx)$/;
const OF_PACKAGES = /^(?:-ws?|-r|-F|--(?:workspaces?|recursive|filter)(?:=.*)?|workspaces?|lerna|turbo|nx)$/;

/** Whether a pattern says how tests are called: `*.check.js`, `check_*.py`. */
function saysTests(word: string): boolean {
  const name = posix.basename(word.replaceAll(ANY, "*")).replace(/\.[\w{},]+$/, "");
  return /^\*[._-][\w{]|\w[._-]\*$/.test(name);
}

/** Programs that take files and folders of tests as their operands. */
const RUNNER =
  /^(?:pytest|py\.test|unittest|nose2?|vitest|jest|mocha|ava|tap|jasmine|playwright|cypress|karma|prove|phpunit|pest|codecept|behat|rspec|bats|cucumber|busted|ctest|tape|uvu|borp)$/;

/** Files that a command may load before anything else: behind options and `@`, plugins of pytest. */
function loadedBefore(name: string, args: readonly string[]): string[] {
  const options = readOptionValues(args, LOADS);
  const endings = ["", ".js", ".cjs", ".mjs", ".ts"];
  const listed = args.filter((arg) => arg.startsWith("@")).map((arg) => arg.slice(1));
  const isPytest = /^(?:pytest|py\.test)$/.test(name) || args.includes("pytest");
  const plugins = isPytest ? readOptionValues(args, /^-p$/) : [];
  return [
    ...[...options.flatMap((one) => endings.map((ending) => one + ending)), ...listed],
    ...plugins.map((one) => `${one.replaceAll(".", "/")}.py`),
  ];
}

const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua(?:jit|[\d.]*)|expect|source|\.|Rscript|julia|runghc|runhaskell|ocaml|elixir|escript|dart|groovy|kotlin|scala|swift|tclsh|pwsh|racket|guile|sbcl|clojure|clj|bb|nim|crystal|rdmd)$/;
/** Option of a shell before inline code. */
const SHELL_CODE = /^-\w*c/;
/** Options before inline code or a module, or with which no script runs. `-rdate` makes Ruby load. */
const CODE = /^(?:-(?!r)[a-z]*[ecm]|--(?:eval|print|check|test))$/;

/** The file that a command runs: the program, or the first file, else word, of an interpreter. */
function findScript(words: Words, has: (word: string) => boolean): string | undefined {
  const [program, ...args] = words;
  const name = programName(words);
  if (!INTERPRETERS.test(name)) return program;
  // Words behind inline code belong to it.
  const code = args.findIndex((arg) => (POSIX_SHELL.test(name) ? SHELL_CODE : CODE).test(arg));
  const loaded = readOptionValues(args, LOADS);
  const given = (code < 0 ? args : args.slice(0, code)).filter(
    (arg) => !arg.startsWith("-") && arg !== "run" && !loaded.includes(arg),
  );
  return given.find(has) ?? given[0];
}

/** The values of an option: `-f FILE`, `-fFILE`, `--file FILE` and `--file=FILE`. */
function readOptionValues(args: readonly string[], option: RegExp): string[] {
  const values = args.flatMap((arg, at) => {
    const found = option.exec(arg);
    if (found === null) return option.test(arg.slice(0, 2)) ? [arg.slice(2)] : [];
    return found[1] === undefined ? args.slice(at + 1, at + 2) : [found[1]];
  });
  return values.map((value) => value.replace(/^\.\//, ""));
}
