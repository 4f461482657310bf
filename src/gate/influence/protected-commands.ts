// Which files the gate's commands check by: scripts they run, what these read, the rules of `make` and its like. Pure.
// Leaves the patterns every project shares to protected-patterns.ts. See docs/decisions for what is not held.
import { posix } from "node:path";
import { z } from "zod";
import type { Words } from "../../shell/invocation.js";
import { listSimpleCommands, type SimpleCommand } from "../../shell/simple-commands.js";
import { parseJson } from "../../system/text/json.js";
import { filesRun, scriptOf, valuesOf } from "./command-words.js";
import { recipesFor } from "./protected-makefile.js";
import { TOOL_FILES } from "./protected-patterns.js";

/** The project at the base, as far as it is asked for here. Paths are text, from the top of the repository. */
export interface BaseFiles {
  has: (path: string) => boolean;
  /** A small text; `undefined` where there is none. */
  text: (path: string) => string | undefined;
}

/** What commands check by. */
export interface Named {
  /** Files, at the base or found in place of one there. */
  paths: ReadonlySet<string>;
  /** Patterns, as in .gitignore, for files in the folder of work or anywhere: `Makefile`, also one that is added. */
  patterns: ReadonlySet<string>;
  /** Programs they call by name. */
  programs: ReadonlySet<string>;
  /** Modules that their scripts in Python load, and the folders these scripts lie in. */
  modules: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  /** Files at the base that a task's own commands run, and that nothing but their own exit code speaks for. Not held. */
  work: ReadonlySet<string>;
}

/** Lines for `sh -c`: the project's, and a task's own. */
export interface Commands {
  project: readonly string[];
  own: readonly string[];
}

/** Words in a script's name that say that it checks, and in any file's name that it is what something is held against. */
const CHECKS = words(
  "test tests check checks checker verify verifier spec specs lint validate validator assert smoke e2e acceptance ci coverage " +
    "qa prove selfcheck selftest",
);
const MODELS = words("expected golden baseline");
const CHECKER_FOLDER = /(?:^|\/)(?:scripts?|ci|\.ci|tools?|hack|build|checks?|support)\//i;
const SHELL_FILE = /\.(?:sh|bash|zsh|bats)$/;
/** How many scripts deep it goes on. */
const DEPTH = 5;

/**
 * Finds the files at the base that these commands check by. What the project's commands run is held; what a task's own run
 * is often what the task is about. `folder`: where they run, from the top ("" is the top).
 */
export function namedByCommands({ project, own }: Commands, folder: string, base: BaseFiles): Named {
  const none = (): Set<string> => new Set();
  const named = {
    paths: none(),
    patterns: none(),
    programs: none(),
    modules: none(),
    folders: none(),
    work: none(),
  };
  const search = { named, base, folder, depth: DEPTH, judged: true, seen: new Set<string>() };
  for (const command of project) lookAt({ ...search, runs: "hold" }, command);
  for (const command of own) lookAt({ ...search, runs: "tell" }, command);
  return named;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** `run_tests.py` and `runTests.py` are named "tests", `latest.py` is not. */
function isNamed(names: ReadonlySet<string>, path: string): boolean {
  const parts = posix.basename(path).split(/[^A-Za-z0-9]|(?<=[a-z])(?=[A-Z])/);
  return parts.some((part) => names.has(part.toLowerCase()));
}

interface Search {
  named: Record<keyof Named, Set<string>>;
  base: BaseFiles;
  folder: string;
  depth: number;
  /** Whether the exit code of all of it is looked at. */
  judged: boolean;
  /** What becomes of a file that is run and judged by its exit code alone; `undefined`: only names tell. */
  runs: "hold" | "tell" | undefined;
  /** What was looked at: rules and scripts run each other. */
  seen: Set<string>;
}

function lookAt(search: Search, text: string): void {
  const { folder } = search;
  const key = [search.runs, search.judged, folder, text].join("\0");
  if (search.depth === 0 || search.seen.has(key)) return;
  search.seen.add(key);
  const roots = [...text.matchAll(/(?<=\bPYTHONPATH=["']?)[^\s"';]+/g)].flatMap(([path]) => path.split(":"));
  for (const command of listSimpleCommands(text)) {
    const judged = search.judged && command.judged;
    lookAtCommand({ ...search, folder: posix.join(folder, command.folder), judged }, command, roots);
  }
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
  const tool = TOOL_FILES[posix.basename(program)];
  if (tool !== undefined) holdTool(inner, words, tool);
  named.programs.add(program);
  const script = scriptOf(program, args);
  const run = filesRun(words, { has: (word) => base.has(at(word)), roots: ["", ...roots] }).map(at);
  if (judged) for (const path of run) takeRun(inner, path);
  if (script !== undefined) noteModules(search, at(script));
  for (const word of [...words, ...reads]) {
    const path = at(word);
    if (!base.has(path) || named.paths.has(path)) continue;
    const runs = word === script;
    const sourced = runs && (program === "." || program === "source");
    const alone = runs && judged && args.length <= 1 && (SHELL_FILE.test(path) || program.includes("/"));
    const isChecker = isNamed(MODELS, path) || (runs && (isNamed(CHECKS, path) || CHECKER_FOLDER.test(path)));
    if (sourced || alone || isChecker) hold(inner, path);
  }
  for (const line of packageScripts(program, args, base.text(at("package.json")))) lookAt(inner, line);
}

/** A file that is run, and says by its exit code how it went. */
function takeRun(search: Search, path: string): void {
  if (search.runs === "tell") search.named.work.add(path);
  if (search.runs === "hold") hold(search, path);
}

function noteModules({ base, named }: Search, script: string): void {
  if (!script.endsWith(".py")) return;
  named.folders.add(posix.dirname(script));
  const imports = base
    .text(script)
    ?.matchAll(/(?<=^[ \t]*(?:from[ \t]+|import[ \t]+(?:[^#\n]*,[ \t]*)?))\w+/gm);
  for (const [module] of imports ?? []) named.modules.add(module);
}

/** A script that checks is held with what it sources and the checks it runs itself. */
function hold(search: Search, path: string): void {
  search.named.paths.add(path);
  const text = search.base.text(path);
  if (text === undefined || !(SHELL_FILE.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text))) return;
  lookAt({ ...search, runs: undefined }, text);
}

/** What a tool reads by itself, with what the rules of a Makefile run. */
function holdTool(search: Search, [program, ...args]: Words, patterns: readonly string[]): void {
  const { base, named } = search;
  for (const pattern of patterns) named.patterns.add(pattern);
  if (!program.endsWith("make")) return;
  const folder = posix.join(search.folder, ...valuesOf(args, /^(?:-C|--directory)(?:=(.*))?$/));
  const usual = ["GNUmakefile", "makefile", "Makefile"];
  const names = [...valuesOf(args, /^(?:-f|--(?:file|makefile))(?:=(.*))?$/), ...usual];
  const file = names.find((name) => base.has(posix.join(folder, name)));
  if (file === undefined) return;
  const path = posix.join(folder, file);
  if (!usual.includes(file)) named.paths.add(path);
  const rules = base.text(path);
  if (rules === undefined) return;
  const inside = { ...search, folder };
  const goals = args.filter((arg) => arg !== file);
  for (const line of recipesFor(rules, goals)) lookAt(inside, asShell(line));
  for (const [, recipe = ""] of rules.matchAll(/^\t[@+-]*(.*)/gm))
    lookAt({ ...inside, runs: undefined }, asShell(recipe));
}

/** A line of a recipe as the shell gets it. */
function asShell(line: string): string {
  return line.replaceAll("$$", "$");
}

const Manifest = z.object({ scripts: z.record(z.string(), z.unknown()) });
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
  return Manifest.safeParse(parseJson(manifest)).data?.scripts ?? {};
}
