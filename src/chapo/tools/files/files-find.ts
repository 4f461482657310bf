// The search tools fs_glob and fs_grep, and the list of a project's files that they search: without .git, node_modules and what
// .gitignore names. rules/patterns.ts matches paths and search-files.ts searches texts.
import path from "node:path";
import { z } from "zod";
import type { Clock, Files } from "../../../system/ports.js";
import { defineTool, done, fail, type CallContext, type Tool, type ToolResult } from "../../tool.js";
import { decodePath, encodePath, findLeftOut, reach, readStart, type ProjectFolder } from "../../paths.js";
import { compilePathPattern, matchesPath } from "../../rules/patterns.js";
import { compilePattern, MOST_CONTEXT, readFlags, searchFiles, type SearchResult } from "./search-files.js";
import ignore, { type Ignore } from "ignore";

/** The project to search. */
interface SearchPlace extends ProjectFolder {
  clock: Clock;
}

const MOST_PATHS = 1000;
const TIMEOUT_MS = 60_000;

const WHERE = z.string().optional();

/** Creates the search tools. */
export function createFindTools(place: SearchPlace): Tool[] {
  return [
    defineTool({
      name: "fs_glob",
      description: `Finds files by a pattern of their path: **, *, ?, {a,b}. At most ${MOST_PATHS}, without those that git ignores.`,
      arguments: z.strictObject({ pattern: z.string(), path: WHERE }),
      changes: false,
      maxOutput: 120_000,
      subjects: (args) => [{ kind: "path", path: args.path ?? ".", use: "read" }],
      timeoutMs: TIMEOUT_MS,
      run: async (args) => {
        // A model may write the pattern as an absolute path.
        const prefix = `${place.root}/`;
        const { pattern } = args;
        const matches = compileGlob(pattern.startsWith(prefix) ? pattern.slice(prefix.length) : pattern);
        const folder = await resolveFolder(place, args.path);
        if (folder.file) fail(`path: ${folder.from} is a file, not a folder`);
        const files = await listProjectFiles(place, folder.from);
        const matching = files.filter(
          (file) => place.hidden?.name(file.path) !== true && matches(toRelative(folder.from, file.path)),
        );
        if (matching.length === 0) return done("no files match");
        const lines = matching.slice(0, MOST_PATHS).map((file) => file.path);
        if (matching.length > MOST_PATHS)
          lines.push(
            `[truncated: ${MOST_PATHS} of ${matching.length} files are shown; use a narrower pattern]`,
          );
        return done(lines.join("\n"));
      },
    }),
    defineTool({
      name: "fs_grep",
      description:
        "Searches files with a regular expression, without those that git ignores: file:line:text.",
      arguments: GREP,
      changes: false,
      maxOutput: 50_000,
      subjects: (args) => [{ kind: "path", path: args.path ?? ".", use: "read" }],
      timeoutMs: TIMEOUT_MS,
      run: (args, context) => runGrep(place, args, context),
    }),
  ];
}

const GREP = z.strictObject({
  pattern: z.string(),
  path: WHERE,
  glob: z.string().optional(),
  flags: z.string().optional().describe("-i, -w, -F, -l, -c as in grep"),
  context: z.int().min(0).max(MOST_CONTEXT).optional().describe("Lines shown around each match"),
});

async function runGrep(
  place: SearchPlace,
  args: z.output<typeof GREP>,
  { signal }: CallContext,
): Promise<ToolResult> {
  const show = readFlags(args.flags ?? "", args.context);
  const pattern = compilePattern(args.pattern, show);
  // Without a slash it matches file names in any folder.
  const { glob = "**" } = args;
  const matches = compileGlob(glob.includes("/") ? glob : `**/${glob}`, "glob");
  const folder = await resolveFolder(place, args.path);
  const listed = folder.file ? [] : await listProjectFiles(place, folder.from);
  const all = folder.file ? [folder.from] : listed.filter(({ link }) => !link).map((file) => file.path);
  // The gate has decided on a file that is named.
  const left = await findLeftOut(place.hidden, "content", folder.file ? [] : all);
  const shown = all.filter((name) => !left.has(name));
  const paths = shown.filter((name) => folder.file || matches(toRelative(folder.from, name)));
  const found = await searchFiles(place, { root: folder.root, paths, pattern, show, signal });
  return done(formatMatches(found, all.length - shown.length));
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

const LONGEST_PATTERN = 1000;

/** Compiles the pattern of an argument, and says what is wrong with it. A star also matches names that begin with a dot. */
function compileGlob(pattern: string, argument = "pattern"): (path: string) => boolean {
  const spelled = pattern.trim().replace(/^(?:\.\/)+/, "");
  if (spelled === "") fail(`${argument}: empty; give one like **/*.ts`);
  if (spelled.length > LONGEST_PATTERN) fail(`${argument}: longer than ${LONGEST_PATTERN} characters`);
  if (spelled.startsWith("/") || spelled.split("/").includes(".."))
    fail(`${argument}: ${pattern} leads outside; it is relative to the folder that is searched`);
  if (/\{[^{}]*\{/.test(spelled)) fail(`${argument}: braces inside braces are not supported`);
  const compiled = compilePathPattern(spelled, "/");
  if ("problem" in compiled) fail(`${argument}: ${compiled.problem}`);
  return (file) => matchesPath(compiled, file);
}

/** Resolves a folder or a file to a path relative to the project's real folder. */
async function resolveFolder(
  place: ProjectFolder,
  spelled = ".",
): Promise<{ root: string; from: string; file: boolean }> {
  const resolved = await reach(place, spelled, "read");
  const stat = await place.files.stat(resolved.path);
  if (stat === undefined) fail(`${resolved.shown}: no such file or folder`);
  const root = (await place.files.realPath(place.root)) ?? place.root;
  return { root, from: path.relative(root, resolved.path), file: stat.kind !== "folder" };
}

function toRelative(from: string, name: string): string {
  return from === "" ? name : name.slice(from.length + 1);
}

const NEVER = new Set([".git", "node_modules"]);
const RULES = ".gitignore";
const LARGEST_RULES = 256 * 1024;
/** Patterns become regular expressions, which are very slow with many stars. */
const MOST_STARS = 4;

/** The rules of one `.gitignore` for the paths below its folder. */
interface Rules {
  /** The folder, relative to the project; "" for the project itself. */
  base: string;
  rules: Ignore;
}

/** A file or a link; its path is relative to the project. */
interface ProjectFile {
  path: string;
  link: boolean;
}

/** Lists all files below a folder, sorted. The folder is relative to the project; "" is the project. An ignored folder is listed whole. */
export async function listProjectFiles({ files, root }: ProjectFolder, from: string): Promise<ProjectFile[]> {
  const realRoot = (await files.realPath(root)) ?? root;
  const parts = from === "" ? [] : from.split("/");
  const above = await readRules(files, realRoot, [
    "",
    ...parts.map((_, at) => parts.slice(0, at + 1).join("/")),
  ]);
  const kept = from !== "" && isIgnored(above, `${from}/`) ? [] : above;
  const walked = await files.tree(realRoot).walk(encodePath(from), (folder) => {
    const name = decodePath(folder);
    return !NEVER.has(path.basename(name)) && !isIgnored(kept, `${name}/`);
  });
  const entries = walked.map((entry) => ({ ...entry, path: decodePath(entry.path) }));
  const below = entries.filter((entry) => entry.kind === "file" && path.basename(entry.path) === RULES);
  const bases = below.map((entry) => path.dirname(entry.path));
  const rules = [...kept, ...(await readRules(files, realRoot, bases))];
  return entries
    .filter(
      ({ path: name, kind }) => (kind === "file" || kind === "symlink") && !NEVER.has(path.basename(name)),
    )
    .filter(({ path: name }) => !isIgnored(rules, name))
    .map(({ path: name, kind }) => ({ path: name, link: kind === "symlink" }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Reads the rules of these folders, as far as they have some. */
async function readRules(files: Files, root: string, bases: readonly string[]): Promise<Rules[]> {
  const found: Rules[] = [];
  for (const base of bases) {
    const read = await readStart(files, path.join(root, base, RULES), LARGEST_RULES);
    if (read === undefined) continue;
    const lines = read.text.split("\n").filter((line) => (line.match(/\*+/g)?.length ?? 0) <= MOST_STARS);
    found.push({ base, rules: ignore().add(lines) });
  }
  return found;
}

/** Applies the deepest rules that match a path. A folder's path ends in `/`. */
function isIgnored(rules: readonly Rules[], name: string): boolean {
  const deepestFirst = rules
    .filter(({ base }) => base === "" || name.startsWith(`${base}/`))
    .toSorted((a, b) => b.base.length - a.base.length);
  for (const { base, rules: own } of deepestFirst) {
    const relative = base === "" ? name : name.slice(base.length + 1);
    if (relative === "") continue;
    const { ignored, unignored } = own.test(relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}
