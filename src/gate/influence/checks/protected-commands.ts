// Finds the files that decide the result of the gate's commands: scripts they run, files these read, rules of `make` and
// similar tools. Pure. protected-patterns.ts has the patterns for every project. See docs/decisions for the limits.
import { posix } from "node:path";
import { z } from "zod";
import type { Words } from "../../../shell/invocation.js";
import { listSimpleCommands, type SimpleCommand } from "../../../shell/simple-commands.js";
import { ANY } from "../../../shell/words.js";
import { parseJson } from "../../../system/text/json.js";
import { listRunFiles, findScript, readOptionValues } from "./command-words.js";
import { pathFoldersIn, readUse, searchPathsIn } from "./command-use.js";
import { isTelling, isWild, wildPattern } from "./wildcards.js";
import { commandsForFlags, commandsInRules, listRecipes } from "./protected-makefile.js";
import { TOOL_FILES } from "./protected-patterns.js";

/** The project at the base. Paths are text, from the top of the repository. */
export interface BaseFiles {
  has: (path: string) => boolean;
  /** The text of a small file; `undefined` if it does not exist. */
  text: (path: string) => string | undefined;
  /** Where a link leads, as it is written; `undefined` for any other path. */
  link?: (path: string) => string | undefined;
}

/** The files that decide the result of the commands. */
export interface Named {
  /** Files at the base, and files that would be found instead of one. */
  paths: ReadonlySet<string>;
  /** Patterns as in .gitignore, for files in the working directory or anywhere, also for added ones: `Makefile`. */
  patterns: ReadonlySet<string>;
  /** Programs they call by name. */
  programs: ReadonlySet<string>;
  /** Modules that their Python scripts import, and the folders of these scripts. */
  modules: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  /** Files at the base that a task's own commands run and judge only by their exit code. Not held. */
  work: ReadonlySet<string>;
  /** How a file at the base is run or sourced, its exit code counting: by a command itself, or by a script that checks. */
  runs: ReadonlyMap<string, RunBy>;
  /** Words that stand for several files, also added ones; `names`: the files are not run. */
  wild: readonly Wild[];
  /** Paths that the commands name in any way, folders too. */
  words: ReadonlySet<string>;
  /** Folders in which the commands have modules looked up: PYTHONPATH, -I, -L. */
  roots: ReadonlySet<string>;
  /** Folders that commands put on PATH. */
  pathFolders: ReadonlySet<string>;
  /** Files that the base does not have, and that commands and scripts of checks run or source if they are there. */
  optional: ReadonlySet<string>;
  /** Folders that commands give to a test runner. */
  testFolders: ReadonlySet<string>;
  /** Programs at the base whose output decides how checks are built: `CFLAGS = $(shell CMD)`. */
  builds: ReadonlySet<string>;
}

type RunBy = "command" | "script";

/** A word that stands for several files. */
export interface Wild {
  by: RunBy | "names";
  matches: (path: string) => boolean;
}

/** Lines for `sh -c`: the project's, and a task's own. */
export interface Commands {
  project: readonly string[];
  own: readonly string[];
}

/** Words in the name of a script that checks, and in the name of any file with expected results. */
const CHECKS = words(
  "test tests check checks checker verify verifier spec specs lint validate validator assert smoke e2e acceptance ci coverage " +
    "qa prove selfcheck selftest",
);
const MODELS = words("expected golden baseline");
const CHECKER_FOLDER = /(?:^|\/)(?:scripts?|ci|\.ci|tools?|hack|build|checks?|support)\//i;
const SHELL_FILE = /\.(?:sh|bash|zsh|bats)$/;
/** How deep scripts that run scripts are followed. */
const DEPTH = 5;

/**
 * Finds the files at the base that decide the result of these commands. Scripts of the project's commands are held; scripts
 * of a task's own commands are often the subject of the task. `folder`: where they run, from the top ("" is the top).
 */
export function findNamedFiles({ project, own }: Commands, folder: string, base: BaseFiles): Named {
  const none = (): Set<string> => new Set();
  const named = {
    paths: none(),
    patterns: none(),
    programs: none(),
    modules: none(),
    folders: none(),
    work: none(),
    runs: new Map<string, RunBy>(),
    wild: [],
    words: none(),
    roots: none(),
    pathFolders: none(),
    optional: none(),
    testFolders: none(),
    builds: none(),
  };
  const common = { named, base, folder, depth: DEPTH, judged: true, seen: new Set<string>() };
  const search: Search = { ...common, runs: undefined, by: "command", asked: new Set() };
  for (const command of project) lookAt({ ...search, runs: "hold" }, command);
  for (const command of own) lookAt({ ...search, runs: "tell" }, command);
  return named;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** Whether a file's name has one of the words: `run_tests.py` and `runTests.py` have "tests", `latest.py` has not. */
function isNamed(names: ReadonlySet<string>, path: string): boolean {
  const parts = posix.basename(path).split(/[^A-Za-z0-9]|(?<=[a-z])(?=[A-Z])/);
  return parts.some((part) => names.has(part.toLowerCase()));
}

interface Found {
  paths: Set<string>;
  patterns: Set<string>;
  programs: Set<string>;
  modules: Set<string>;
  folders: Set<string>;
  work: Set<string>;
  runs: Map<string, RunBy>;
  wild: Wild[];
  words: Set<string>;
  roots: Set<string>;
  pathFolders: Set<string>;
  optional: Set<string>;
  testFolders: Set<string>;
  builds: Set<string>;
}

interface Search {
  named: Found;
  base: BaseFiles;
  folder: string;
  depth: number;
  /** Whether the exit code of the command counts. */
  judged: boolean;
  /** Whether a file that is judged only by its exit code is held or reported; `undefined`: only its name decides. */
  runs: "hold" | "tell" | undefined;
  /** Whether a command itself is looked at, or a script that a command runs. */
  by: RunBy;
  /** The folder of that script. */
  beside?: string;
  /** Files that the base does not have, and for which the command asks before it does something. */
  asked: ReadonlySet<string>;
  /** Commands that were searched already, since rules and scripts may run each other. */
  seen: Set<string>;
}

function lookAt(search: Search, text: string): void {
  const { folder } = search;
  const key = [search.runs, search.by, search.judged, folder, search.beside, text].join("\0");
  if (search.depth === 0 || search.seen.has(key)) return;
  search.seen.add(key);
  const roots = searchPathsIn(text);
  for (const root of roots) search.named.roots.add(posix.normalize(posix.join(folder, root)));
  for (const one of pathFoldersIn(text))
    search.named.pathFolders.add(posix.join(folder, one).replace(/^\.$|\/$/, ""));
  // Shells read these before anything else.
  for (const [file] of text.matchAll(/(?<=\b(?:BASH_ENV|ENV|RUBYOPT=-r|PERL5OPT=-M)=["']?)[^\s"';&|]+/g))
    noteRun(search, posix.normalize(posix.join(folder, file)));
  if (search.judged) noteBuilds(search, commandsForFlags(text));
  const asked = search.runs === "tell" ? new Set<string>() : askedFor(search, text);
  for (const command of listSimpleCommands(text)) {
    const judged = search.judged && command.judged;
    lookAtCommand({ ...search, asked, folder: posix.join(folder, command.folder), judged }, command, roots);
  }
}

const ASKED =
  /(?:\btest|\[)[ \t]+-[efrsx][ \t]+["']?([^\s"'\]);]+)|(?<=^|[\s;&|({])(?:\.|source)[ \t]+["']?([^\s"';&|<>]+)["']?[^\n;]{0,200}?(?:[2&]>[ \t]*\/dev\/null|\|\|[ \t]*(?:true|:)(?![\w-]))/gm;

/** The files of `[ -f FILE ]` and of `. FILE || true` that the base does not have. */
function askedFor({ base, folder }: Search, text: string): ReadonlySet<string> {
  const names = [...text.matchAll(ASKED)].map(([, asked, sourced]) => asked ?? sourced ?? "");
  return new Set(
    names.map((name) => posix.normalize(posix.join(folder, name))).filter((path) => !base.has(path)),
  );
}

function lookAtCommand(
  search: Search,
  { words, reads }: Pick<SimpleCommand, "words" | "reads">,
  roots: readonly string[],
): void {
  const { base, folder, named, judged } = search;
  const [program, ...args] = words;
  const at = (word: string): string => posix.normalize(posix.join(folder, word));
  const inner = { ...search, depth: search.depth - 1 };
  const name = posix.basename(program);
  const tool = Object.hasOwn(TOOL_FILES, name) ? TOOL_FILES[name] : undefined;
  if (tool !== undefined) holdTool(inner, words, tool);
  named.programs.add(program);
  const script = findScript(program, args);
  const run = listRunFiles(words, { has: (word) => base.has(at(word)), roots: ["", ...roots] }).map(at);
  if (judged) for (const path of run) takeRun(inner, path);
  if (script !== undefined) noteModules(search, at(script));
  for (const word of [...words, ...reads]) {
    const path = at(word);
    if (!base.has(path) || named.paths.has(path)) continue;
    const runs = word === script;
    const sourced = runs && (program === "." || program === "source");
    const alone = runs && judged && args.length <= 1 && (SHELL_FILE.test(path) || program.includes("/"));
    const isChecker = isNamed(MODELS, path) || (runs && (isNamed(CHECKS, path) || CHECKER_FOLDER.test(path)));
    if (sourced || alone || isChecker) hold(inner, path, judged || sourced || !runs);
  }
  noteUse(inner, words, reads);
  for (const line of packageScripts(program, args, base.text(at("package.json")))) lookAt(inner, line);
}

/** Notes what a command says of places and modules, and the files that it runs through wildcards, links and runners. */
function noteUse(search: Search, words: Words, reads: readonly string[]): void {
  const { base, folder, named, judged, by } = search;
  const at = (word: string): string => posix.normalize(posix.join(folder, word)).replace(/\/$/, "");
  const use = readUse(words);
  for (const module of use.modules) named.modules.add(module);
  for (const root of use.roots) named.roots.add(at(root));
  const script = findScript(words[0], words.slice(1));
  const ran = judged ? [...(script === undefined ? [] : [script]), ...use.loads, ...use.tests] : [];
  for (const word of ran) {
    const places = search.beside === undefined || !word.startsWith(ANY) ? [] : [beside(search.beside, word)];
    for (const place of [...places, at(word)].map((one) => followLinks(base, one))) noteRun(search, place);
    for (const place of [...places, at(word)]) if (search.asked.has(place)) named.optional.add(place);
    const matches = isWild(word) && !places.some((one) => base.has(one)) ? wildPattern(at(word)) : undefined;
    if (matches !== undefined && search.runs !== "tell") named.wild.push({ by, matches });
  }
  for (const word of use.tests)
    if (judged && !isWild(word) && !base.has(at(word))) named.testFolders.add(at(word));
  for (const word of [...words.slice(1), ...reads]) {
    if (by === "command" && !isWild(word)) named.words.add(at(word));
    const matches = isWild(word) && isTelling(word) ? wildPattern(at(word)) : undefined;
    if (matches !== undefined) named.wild.push({ by: "names", matches });
  }
}

/** `"$(dirname "$0")/lib"`: the file beside the script, if that is where the variable leads. */
function beside(folder: string, word: string): string {
  return posix.normalize(posix.join(folder, word.slice(ANY.length)));
}

/** Notes a file that is run, with where it is if a link leads there. */
function noteRun(search: Search, path: string): void {
  const { base, named, by, runs } = search;
  if (!base.has(path) || (runs === "tell" && by === "command")) return;
  if (named.runs.get(path) === undefined || by === "command") named.runs.set(path, by);
  follow(search, path);
}

/** The path behind the links in a path; itself where there are none, or they lead out of the project. */
function followLinks({ link }: BaseFiles, path: string, left = 20): string {
  const parts = path.split("/");
  for (let at = 1; at <= parts.length; at++) {
    const target = link?.(parts.slice(0, at).join("/"));
    if (target === undefined || target.startsWith("/") || left === 0) continue;
    const to = posix.normalize(posix.join(...parts.slice(0, at - 1), target, ...parts.slice(at)));
    return to.startsWith("../") ? path : followLinks({ link } as BaseFiles, to, left - 1);
  }
  return path;
}

/** Handles a file that is run and judged by its exit code. */
function takeRun(search: Search, path: string): void {
  if (search.runs === "tell") search.named.work.add(path);
  if (search.runs === "hold") hold(search, path, true);
}

function noteModules({ base, named }: Search, script: string): void {
  if (!script.endsWith(".py")) return;
  named.folders.add(posix.dirname(script));
  const imports = base
    .text(script)
    ?.matchAll(/(?<=^[ \t]*(?:from[ \t]+|import[ \t]+(?:[^#\n]{0,200},[ \t]*)?))\w+/gm);
  for (const [module] of imports ?? []) named.modules.add(module);
}

/** Holds a script, with the files that it sources and the checks that it runs itself. `isRun`: its exit code counts. */
function hold(search: Search, path: string, isRun: boolean): void {
  const { named, by } = search;
  named.paths.add(path);
  if (named.runs.get(path) === undefined || by === "command") named.runs.set(path, isRun ? by : "script");
  follow(search, path);
}

/** Looks at what a script runs and sources, from where it runs and from where it is. */
function follow(search: Search, path: string): void {
  const text = search.base.text(path);
  if (text === undefined || !(SHELL_FILE.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text))) return;
  lookAt({ ...search, runs: undefined, by: "script", beside: posix.dirname(path) }, text);
}

/** Holds the files that a tool reads by itself, and those that the rules of a Makefile run. */
function holdTool(search: Search, [program, ...args]: Words, patterns: readonly string[]): void {
  const { base, named } = search;
  for (const pattern of patterns) named.patterns.add(pattern);
  if (!program.endsWith("make")) return;
  const folder = posix.join(search.folder, ...readOptionValues(args, /^(?:-C|--directory)(?:=(.*))?$/));
  const usual = ["GNUmakefile", "makefile", "Makefile"];
  const names = [...readOptionValues(args, /^(?:-f|--(?:file|makefile))(?:=(.*))?$/), ...usual];
  const file = names.find((name) => base.has(posix.join(folder, name)));
  if (file === undefined) return;
  const path = posix.join(folder, file);
  if (!usual.includes(file)) named.paths.add(path);
  const rules = base.text(path);
  if (rules === undefined) return;
  const inside = { ...search, folder };
  noteBuilds(inside, commandsInRules(rules));
  const goals = args.filter((arg) => arg !== file);
  for (const line of listRecipes(rules, goals)) lookAt(inside, asShell(line));
  for (const [, recipe = ""] of rules.matchAll(/^\t[@+-]*(.*)/gm))
    lookAt({ ...inside, runs: undefined, by: "script" }, asShell(recipe));
}

/** Notes the programs that commands run, of which only the output is used. */
function noteBuilds({ named, base, folder }: Search, commands: readonly string[]): void {
  for (const command of commands.flatMap((one) => [...listSimpleCommands(asShell(one))])) {
    const [program, ...args] = command.words;
    for (const word of [program, ...args.slice(0, 3)].filter(
      (one) => one.includes("/") || /\.\w+$/.test(one),
    )) {
      const path = posix.normalize(posix.join(folder, command.folder, word));
      const isRun = word === program || word === findScript(program, args);
      if (isRun && base.has(path)) named.builds.add(path);
    }
  }
}

/** A recipe line as make passes it to the shell. */
function asShell(line: string): string {
  return line.replaceAll("$$", "$");
}

const Manifest = z.object({ scripts: z.record(z.string(), z.unknown()) });
const RUN = /^(?:npm|yarn|pnpm|bun)$/;

/** The commands that `npm test`, `npm run x` and similar commands run at the base. */
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
  return Manifest.safeParse(parseJson(manifest)).data?.scripts ?? {};
}
