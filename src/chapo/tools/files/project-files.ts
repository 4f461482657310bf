// Lists the files of a project without .git, node_modules and what .gitignore names. files-find.ts filters the list.
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import type { Files, Walked } from "../../../system/ports.js";
import type { ProjectFolder } from "../../paths.js";

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
export interface ProjectFile {
  path: string;
  link: boolean;
}

/** Lists all files below a folder, sorted. The folder is relative to the project; "" is the project. An ignored folder is listed whole. */
export async function listProjectFiles({ files, root }: ProjectFolder, from: string): Promise<ProjectFile[]> {
  const realRoot = (await files.realPath(root)) ?? root;
  const above = await readRulesAbove(files, realRoot, from);
  const walked = await files.tree(realRoot).walk(toBytes(from), (folder) => {
    const name = toText(folder);
    return !NEVER.has(path.basename(name)) && !isIgnored(above, `${name}/`);
  });
  const entries = walked.map((entry) => ({ ...entry, path: toText(entry.path) }));
  const rules = [
    ...above,
    ...(await readRulesBelow(
      files,
      realRoot,
      entries.filter((entry) => !isKnown(above, entry)),
    )),
  ];
  return entries
    .filter(
      ({ path: name, kind }) => (kind === "file" || kind === "symlink") && !NEVER.has(path.basename(name)),
    )
    .filter(({ path: name }) => !isIgnored(rules, name))
    .map(({ path: name, kind }) => ({ path: name, link: kind === "symlink" }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Reads the rules of the project and of every folder down to `from`; none if they ignore `from` itself. */
async function readRulesAbove(files: Files, root: string, from: string): Promise<Rules[]> {
  const parts = from === "" ? [] : from.split("/");
  const found: Rules[] = [];
  for (let depth = 0; depth <= parts.length; depth++) {
    const rules = await readRules(files, root, parts.slice(0, depth).join("/"));
    if (rules !== undefined) found.push(rules);
  }
  return from !== "" && isIgnored(found, `${from}/`) ? [] : found;
}

function isKnown(above: readonly Rules[], { path: name }: Walked): boolean {
  return above.some(({ base }) => name === path.posix.join(base, RULES));
}

async function readRulesBelow(files: Files, root: string, entries: readonly Walked[]): Promise<Rules[]> {
  const found: Rules[] = [];
  for (const { path: name, kind } of entries) {
    if (kind !== "file" || path.basename(name) !== RULES) continue;
    const rules = await readRules(files, root, path.dirname(name));
    if (rules !== undefined) found.push(rules);
  }
  return found;
}

async function readRules(files: Files, root: string, base: string): Promise<Rules | undefined> {
  const file = path.join(root, base, RULES);
  if ((await files.stat(file))?.kind !== "file") return undefined;
  const text = new TextDecoder().decode(await files.readRange(file, 0, LARGEST_RULES));
  const lines = text.split("\n").filter((line) => (line.match(/\*+/g)?.length ?? 0) <= MOST_STARS);
  return { base, rules: ignore().add(lines) };
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

// Paths in a tree are bytes, one character each.
function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function toBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
