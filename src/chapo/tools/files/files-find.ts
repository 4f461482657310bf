// The search tools fs_glob and fs_grep. project-files.ts lists a project's files, rules/patterns.ts matches paths and
// search-files.ts searches texts.
import path from "node:path";
import { z } from "zod";
import type { Clock, Processes } from "../../../system/ports.js";
import { defineTool, done, failed, type CallContext, type Tool, type ToolResult } from "../../tool.js";
import { findLeftOut, resolvePath, type ProjectFolder } from "../../paths.js";
import { compilePathPattern, matchesPath } from "../../rules/patterns.js";
import { listProjectFiles } from "./project-files.js";
import { findRipgrep, selectFiles } from "../find/ripgrep.js";
import { compilePattern, MOST_CONTEXT, readFlags, type SearchPattern } from "../find/search-flags.js";
import { searchFiles, type SearchResult } from "../find/search-files.js";

/** The project to search and the ports a search needs. */
export interface SearchPlace extends ProjectFolder {
  clock: Clock;
  processes: Processes;
  /** The environment of programs that are started. */
  env: Readonly<Record<string, string>>;
  /** Whether to use ripgrep if it is available. It only makes a search faster. */
  ripgrep: boolean;
}

const MOST_PATHS = 1000;
const TIMEOUT_MS = 60_000;

const WHERE = z.string().optional();

/** Creates the search tools. */
export function createFindTools(place: SearchPlace): Tool[] {
  return [createGlobTool(place), createGrepTool(place)];
}

function createGlobTool(place: SearchPlace): Tool {
  return defineTool({
    name: "fs_glob",
    description: `Finds files by a pattern of their path: **, *, ?, {a,b}. Returns sorted paths relative to the project, at most ${MOST_PATHS}. Leaves out .git, node_modules and what .gitignore names.`,
    arguments: z.strictObject({
      pattern: z.string().describe("For example **/*.ts or src/**/*.{js,ts}"),
      path: WHERE.describe("The folder the pattern is relative to; the project itself if left out"),
    }),
    aliases: { folder: "path", directory: "path", dir: "path" },
    changes: false,
    maxOutput: 120_000,
    subjects: (args) => [{ kind: "path", path: args.path ?? ".", use: "read" }],
    timeoutMs: TIMEOUT_MS,
    run: async (args) => {
      const compiled = compileGlob(stripRoot(place, args.pattern));
      if ("problem" in compiled) return failed(compiled.problem);
      const folder = await resolveFolder(place, args.path);
      if ("problem" in folder) return failed(folder.problem);
      if (folder.file) return failed(`path: ${folder.from} is a file, not a folder`);
      const files = await listProjectFiles(place, folder.from);
      const matching = files.filter(
        (file) =>
          place.hidden?.name(file.path) !== true && compiled.matches(toRelative(folder.from, file.path)),
      );
      if (matching.length === 0) return done("no files match");
      const lines = matching.slice(0, MOST_PATHS).map((file) => file.path);
      if (matching.length > MOST_PATHS)
        lines.push(
          `[truncated: ${MOST_PATHS} of ${matching.length} files are shown; use a narrower pattern]`,
        );
      return done(lines.join("\n"));
    },
  });
}

const GREP = z.strictObject({
  pattern: z.string().describe("A regular expression, matched against each line"),
  path: WHERE.describe("The folder or file to search; the project itself if left out"),
  glob: z.string().optional().describe("Only files whose path matches, e.g. *.ts or src/**"),
  flags: z
    .string()
    .optional()
    .describe("-i ignore case, -w whole words, -F literal text, -l only file names, -c only counts"),
  context: z.int().min(0).max(MOST_CONTEXT).optional().describe("Lines shown around each match"),
});

function createGrepTool(place: SearchPlace): Tool {
  return defineTool({
    name: "fs_grep",
    description:
      "Searches the text of files with a regular expression and returns file:line:text, sorted by path. Leaves out .git, node_modules, what .gitignore names and binary files.",
    arguments: GREP,
    aliases: { regex: "pattern", query: "pattern", include: "glob", folder: "path", directory: "path" },
    changes: false,
    maxOutput: 50_000,
    subjects: (args) => [{ kind: "path", path: args.path ?? ".", use: "read" }],
    timeoutMs: TIMEOUT_MS,
    run: (args, context) => runGrep(place, args, context),
  });
}

async function runGrep(
  place: SearchPlace,
  args: z.output<typeof GREP>,
  { signal }: CallContext,
): Promise<ToolResult> {
  const flags = readFlags(args.flags ?? "", args.context);
  if ("problem" in flags) return failed(flags.problem);
  const pattern = compilePattern(args.pattern, flags);
  if ("problem" in pattern) return failed(pattern.problem);
  const wanted = compileFilter(args.glob);
  if ("problem" in wanted) return failed(wanted.problem.replace("pattern:", "glob:"));
  const folder = await resolveFolder(place, args.path);
  if ("problem" in folder) return failed(folder.problem);
  const all = folder.file ? [folder.from] : await listSearchable(place, folder.from);
  // The gate has decided on a file that is named.
  const left = await findLeftOut(place.hidden, "content", folder.file ? [] : all);
  const shown = all.filter((name) => !left.has(name));
  const paths = shown.filter((name) => folder.file || wanted.matches(toRelative(folder.from, name)));
  const root = folder.root;
  const worth = await selectCandidates(place, { root, paths, pattern, ignoreCase: flags.ignoreCase });
  const found = await searchFiles(place, {
    root,
    paths: worth,
    pattern: pattern.pattern,
    show: flags,
    signal,
  });
  return "problem" in found ? failed(found.problem) : done(formatMatches(found, all.length - shown.length));
}

function formatMatches({ lines, capped, skipped }: SearchResult, hidden: number): string {
  const said = lines.length === 0 ? ["no matches"] : [...lines];
  if (capped)
    said.push(`[truncated: the first ${lines.length} matches are shown; narrow the pattern or the path]`);
  if (skipped.length > 0)
    said.push(
      `[not searched, too large: ${skipped.slice(0, 10).join(", ")}${skipped.length > 10 ? ", …" : ""}]`,
    );
  if (hidden > 0) said.push(`[not searched, because reading needs a permission: ${hidden} of the files]`);
  return said.join("\n");
}

async function listSearchable(place: ProjectFolder, from: string): Promise<string[]> {
  return (await listProjectFiles(place, from)).filter((file) => !file.link).map((file) => file.path);
}

async function selectCandidates(
  place: SearchPlace,
  search: { root: string; paths: readonly string[]; pattern: SearchPattern; ignoreCase: boolean },
): Promise<readonly string[]> {
  const { root, paths, pattern, ignoreCase } = search;
  if (!place.ripgrep || pattern.source === undefined || paths.length < 2) return paths;
  const { processes, env } = place;
  const program = await findRipgrep(processes, { env, cwd: root });
  if (program === undefined) return paths;
  return selectFiles({ processes, program, env, cwd: root }, paths, { source: pattern.source, ignoreCase });
}

const LONGEST_PATTERN = 1000;

interface Glob {
  matches(path: string): boolean;
}

/** Compiles a pattern, or returns what is wrong with it. A star also matches names that begin with a dot. */
function compileGlob(pattern: string): Glob | { problem: string } {
  const spelled = pattern.trim().replace(/^(?:\.\/)+/, "");
  if (spelled === "") return { problem: "pattern: empty; give one like **/*.ts" };
  if (spelled.length > LONGEST_PATTERN)
    return { problem: `pattern: longer than ${LONGEST_PATTERN} characters` };
  if (spelled.startsWith("/") || spelled.split("/").includes(".."))
    return { problem: `pattern: ${pattern} leads outside; it is relative to the folder that is searched` };
  if (/\{[^{}]*\{/.test(spelled)) return { problem: "pattern: braces inside braces are not supported" };
  const compiled = compilePathPattern(spelled, "/");
  if ("problem" in compiled) return { problem: `pattern: ${compiled.problem}` };
  return { matches: (file) => matchesPath(compiled, file) };
}

/** A pattern without a slash matches file names in any folder. */
function compileFilter(pattern: string | undefined): Glob | { problem: string } {
  if (pattern === undefined) return { matches: () => true };
  return compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
}

/** Resolves a folder or a file to a path relative to the project's real folder. */
async function resolveFolder(
  place: ProjectFolder,
  spelled = ".",
): Promise<{ root: string; from: string; file: boolean } | { problem: string }> {
  const resolved = await resolvePath(place, spelled, "read");
  if ("refusal" in resolved) return { problem: resolved.refusal };
  const stat = await place.files.stat(resolved.path);
  if (stat === undefined) return { problem: `${resolved.shown}: no such file or folder` };
  const root = (await place.files.realPath(place.root)) ?? place.root;
  return { root, from: path.relative(root, resolved.path), file: stat.kind !== "folder" };
}

function toRelative(from: string, name: string): string {
  return from === "" ? name : name.slice(from.length + 1);
}

/** Removes the project's folder from a pattern that a model wrote as an absolute path. */
function stripRoot({ root }: ProjectFolder, pattern: string): string {
  return pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern;
}
