// Finds the files that decide the result of the gate's commands: scripts they run, files these read, rules of `make` and
// similar tools. Pure. protected-patterns.ts has the patterns for every project. See docs/decisions for the limits.
import { posix } from "node:path";
import { z } from "zod";
import type { Words } from "../../shell/invocation.js";
import { listSimpleCommands, type SimpleCommand } from "../../shell/simple-commands.js";
import { parseJson } from "../../system/text/json.js";
import { listRunFiles, findScript, readOptionValues } from "./command-words.js";
import { listRecipes } from "./protected-makefile.js";
import { TOOL_FILES } from "./protected-patterns.js";

/** The project at the base. Paths are text, from the top of the repository. */
export interface BaseFiles {
  has: (path: string) => boolean;
  /** The text of a small file; `undefined` if it does not exist. */
  text: (path: string) => string | undefined;
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
  };
  const search = { named, base, folder, depth: DEPTH, judged: true, seen: new Set<string>() };
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

interface Search {
  named: Record<keyof Named, Set<string>>;
  base: BaseFiles;
  folder: string;
  depth: number;
  /** Whether the exit code of the command counts. */
  judged: boolean;
  /** Whether a file that is judged only by its exit code is held or reported; `undefined`: only its name decides. */
  runs: "hold" | "tell" | undefined;
  /** Commands that were searched already, since rules and scripts may run each other. */
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
    if (sourced || alone || isChecker) hold(inner, path);
  }
  for (const line of packageScripts(program, args, base.text(at("package.json")))) lookAt(inner, line);
}

/** Handles a file that is run and judged by its exit code. */
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

/** Holds a script, with the files that it sources and the checks that it runs itself. */
function hold(search: Search, path: string): void {
  search.named.paths.add(path);
  const text = search.base.text(path);
  if (text === undefined || !(SHELL_FILE.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text))) return;
  lookAt({ ...search, runs: undefined }, text);
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
  const goals = args.filter((arg) => arg !== file);
  for (const line of listRecipes(rules, goals)) lookAt(inside, asShell(line));
  for (const [, recipe = ""] of rules.matchAll(/^\t[@+-]*(.*)/gm))
    lookAt({ ...inside, runs: undefined }, asShell(recipe));
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
