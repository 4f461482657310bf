// The files of a project that an import leads to, by the path rules of its language. Pure.
// Leaves reading the names from texts to imports.ts.
import { posix } from "node:path";
import { followAliases, type Aliases } from "./aliases.js";
import { extensionsOf, type Family } from "./families.js";
import type { Import } from "./imports.js";

/** The project's files as far as imports are resolved in them. Paths are text, from the top of the repository. */
export interface FileNames {
  has: (path: string) => boolean;
}

/** Where modules are looked up that are not named by a relative path, from the top of the repository; "" is the top. */
export type SearchPath = readonly string[];

/** The files and settings by which an import is resolved. */
export interface Lookup {
  files: FileNames;
  search: SearchPath;
  aliases: Aliases;
}

/** The file that imports. */
export interface Importer {
  path: string;
  family: Family;
}

/** The project's files that an import leads to; none for what is outside the project. */
export function resolveImport({ path, family }: Importer, what: Import, lookup: Lookup): string[] {
  const found = placesOf({ path, family }, what, lookup).flatMap((place) => {
    const at = posix.normalize(place);
    const hits = candidates(family, at).filter((one) => !one.startsWith("../") && lookup.files.has(one));
    // Python runs every package on the way; elsewhere the first that is there is the one.
    return hits.slice(0, family === "python" ? hits.length : 1);
  });
  return [...new Set(found)].filter((one) => one !== path);
}

/** Where a name may lead, extensions left out. */
function placesOf({ path, family }: Importer, what: Import, { files, search, aliases }: Lookup): string[] {
  const here = posix.dirname(path);
  const { name, relative } = what;
  const within = (folders: readonly string[], names: readonly string[]): string[] =>
    folders.flatMap((folder) => names.map((one) => posix.join(folder, one)));
  switch (family) {
    case "python": {
      // A script's own folder comes first; a package's folder is not looked in.
      const own = files.has(posix.join(here, "__init__.py")) ? [] : [here];
      return within(relative ? [""] : [...own, ...search], pythonNames(path, what));
    }
    case "js":
      return relative ? [posix.join(here, name)] : followAliases(aliases.js, name);
    case "php":
      return name.includes("\\")
        ? phpPlaces(name, search, aliases)
        : within([here, ...search], [name.replace(/^\/+/, "")]);
    case "rust":
      return within([here, posix.join(here, posix.basename(path, ".rs"))], [name]);
    default:
      return within(relative ? [here] : [here, ...search], fileNames(family, name));
  }
}

/** `a.b` runs `a/__init__.py` as well; `from . import c` may mean a module `c`. */
function pythonNames(path: string, { name, relative, members }: Import): string[] {
  const dots = relative ? (/^\.*/.exec(name)?.[0].length ?? 0) : 0;
  let base = "";
  if (relative) base = posix.join(posix.dirname(path), "../".repeat(Math.max(0, dots - 1)));
  const parts = name.slice(dots).split(".").filter(Boolean);
  const prefixes = parts.map((_, at) => posix.join(base, ...parts.slice(0, at + 1)));
  const whole = posix.join(base, ...parts);
  return [
    ...prefixes,
    ...(parts.length === 0 ? [whole] : []),
    ...members.map((one) => posix.join(whole, one)),
  ];
}

/** PSR-4 maps a prefix to a folder, and the rest of the name is the path; without a map, any end of the name may be. */
function phpPlaces(name: string, search: SearchPath, { php }: Aliases): string[] {
  const asPath = (one: string): string => `${one.replaceAll("\\", "/")}.php`;
  const mapped = followAliases(php, name).map(asPath);
  if (php.length > 0) return mapped;
  const parts = name.split("\\");
  return search.flatMap((folder) =>
    parts.map((_, at) => posix.join(folder, asPath(parts.slice(at).join("\\")))),
  );
}

function fileNames(family: Family, name: string): string[] {
  if (family === "perl" && /^[\w:]+$/.test(name)) return [`${name.replaceAll("::", "/")}.pm`];
  if (family === "lua") return [name.replaceAll(".", "/")];
  if (family === "java") {
    const parts = name.replace(/\.\*$/, "").split(".");
    // A nested class or a static member is in the file of the class around it.
    return [parts, parts.slice(0, -1)].map((one) => one.join("/"));
  }
  return [name];
}

/** The files that a path may mean if it has no extension, or another one. */
function candidates(family: Family, at: string): string[] {
  switch (family) {
    case "js": {
      const typed = [at, at.replace(/\.([cm]?)js$/, ".$1ts"), at.replace(/\.jsx?$/, ".tsx")];
      const bare = extensionsOf("js").map((extension) => at + extension);
      return [
        ...typed,
        ...bare,
        `${at}.json`,
        ...extensionsOf("js").map((extension) => `${at}/index${extension}`),
      ];
    }
    case "python":
      return [`${at}/__init__.py`, ...extensionsOf("python").map((extension) => at + extension)];
    case "ruby":
      return [at, `${at}.rb`];
    case "java":
      return extensionsOf("java").map((extension) => at + extension);
    case "rust":
      return [at, `${at}.rs`, `${at}/mod.rs`];
    case "lua":
      return [at, `${at}.lua`, `${at}/init.lua`];
    default:
      return [at];
  }
}
