// Which files of a project a file imports: the names in its text, and the paths they lead to. Pure; texts are read by patterns,
// not parsed, so a name in a comment counts too: a file that is taken for imported is only looked at more closely.
// Leaves which file is part of the program to program.ts.
import { posix } from "node:path";
import { never } from "../../system/never.js";
import { extensionsOf, familyOf, type Family } from "./families.js";

/** The project's files as far as imports are resolved in them. Paths are text, from the top of the repository. */
export interface FileNames {
  has: (path: string) => boolean;
}

/** One name that a file imports. */
export interface Import {
  /** As it is written: `./a.js`, `pkg.mod`, `stdio.h`, `Foo::Bar`. */
  name: string;
  /** It can only mean a file beside the importing one, or below or above it. */
  relative: boolean;
  /** Names taken out of it, which may be modules themselves: `from a import b`. */
  members: readonly string[];
}

/** Where modules are looked up that are not named by a relative path, from the top of the repository; "" is the top. */
export type SearchPath = readonly string[];

const JS_NAME =
  /\b(?:import|export)\b(?:[^'"`;()]|\n)*?\bfrom\s*(["'])([^"'\n]+)\1|\bimport\s*(["'])([^"'\n]+)\3|\b(?:import|require|require\.resolve|mock|doMock|unmock|importActual|requireActual)\s*\(\s*(["'`])([^"'`\n$]+)\5|\bnew\s+URL\s*\(\s*(["'])([^"'\n]+)\7\s*,\s*import\.meta\.url/g;
const PYTHON_FROM = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|(?:[^\n\\#]|\\\r?\n)*)/gm;
const PYTHON_IMPORT = /^[ \t]*import[ \t]+((?:[^\n\\#;]|\\\r?\n)+)/gm;
const PYTHON_CALL = /\b(?:import_module|__import__|importorskip|run_module)\s*\(\s*(["'])([\w.]+)\1/g;
const C_INCLUDE = /^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm;
const PERL_USE = /^[ \t]*(?:use|require|no)[ \t]+(?:([A-Za-z_]\w*(?:::\w+)*)|(["'])([^"'\n]+)\2)/gm;
const RUBY_REQUIRE =
  /\b(require_relative|require|load|autoload\s*\(?\s*:\w+\s*,)\s*\(?\s*(["'])([^"'\n#]+)\2/g;
const PHP_INCLUDE =
  /\b(?:include|require)(?:_once)?\b[^;'"\n]*(["'])([^"'\n]+)\1|^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([A-Za-z_][\w\\]*)/gm;
const JAVA_IMPORT = /^[ \t]*import[ \t]+(?:static[ \t]+)?([A-Za-z_][\w.]*(?:\.\*)?)/gm;
const RUST_MOD =
  /^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;|\binclude(?:_str|_bytes)?!\s*\(\s*"([^"\n]+)"/gm;
const LUA_REQUIRE = /\brequire\s*\(?\s*(["'])([^"'\n]+)\1/g;
const SHELL_SOURCE = /(?:^|[;&|\n(])[ \t]*(?:\.|source)[ \t]+["']?([^\s"';|&)]+)/g;

/** The names that a text imports, in the order they stand there. */
export function importsOf(family: Family, text: string): Import[] {
  switch (family) {
    case "js":
      return groups(text, JS_NAME, [2, 4, 6, 8]).map((name) => plain(name, /^\.{1,2}(?:\/|$)/.test(name)));
    case "python":
      return pythonImports(text);
    case "c":
      return [...text.matchAll(C_INCLUDE)].map(([, quoted, angled]) => plain(quoted ?? angled ?? "", false));
    case "perl":
      return groups(text, PERL_USE, [1, 3]).map((name) => plain(name, false));
    case "ruby":
      return [...text.matchAll(RUBY_REQUIRE)].map(([, how, , name = ""]) =>
        plain(name, how === "require_relative" || /^\.{1,2}\//.test(name)),
      );
    case "php":
      return groups(text, PHP_INCLUDE, [2, 3]).map((name) => plain(name.replace(/^\/+/, ""), false));
    case "java":
      return groups(text, JAVA_IMPORT, [1]).map((name) => plain(name, false));
    case "rust":
      return groups(text, RUST_MOD, [1, 2]).map((name) => plain(name, true));
    case "lua":
      return groups(text, LUA_REQUIRE, [2]).map((name) => plain(name, false));
    case "shell":
      return groups(text, SHELL_SOURCE, [1]).map((name) => plain(shellPath(name), false));
    case "go":
    case "csharp":
    case "swift":
    case "elixir":
      // Whole folders are compiled together: membership is by place, not by name.
      return [];
    default:
      return never(family);
  }
}

/** The project's files that an import leads to; none for what is outside the project. */
export function resolveImport(
  path: string,
  { name, relative, members }: Import,
  { files, search }: { files: FileNames; search: SearchPath },
): string[] {
  const family = familyOf(path);
  if (family === undefined) return [];
  const here = posix.dirname(path);
  const folders = relative ? [here] : [...(family === "python" ? [] : [here]), ...search];
  const names =
    family === "python" ? pythonPaths(path, { name, relative, members }) : fileNames(family, name);
  const found: string[] = [];
  for (const folder of family === "python" && relative ? [""] : folders) {
    for (const one of names) {
      const at = posix.normalize(posix.join(folder, one));
      const hit = candidates(family, at).filter((each) => !each.startsWith("../") && files.has(each));
      found.push(...hit.slice(0, family === "python" ? hit.length : 1));
    }
  }
  return [...new Set(found)].filter((each) => each !== path);
}

function plain(name: string, relative: boolean): Import {
  return { name, relative, members: [] };
}

function groups(text: string, pattern: RegExp, wanted: readonly number[]): string[] {
  return [...text.matchAll(pattern)].flatMap((found) =>
    wanted.map((index) => found[index]).filter((name) => name !== undefined),
  );
}

function pythonImports(text: string): Import[] {
  const from = [...text.matchAll(PYTHON_FROM)].map(([, name = "", list = ""]) => ({
    name,
    relative: name.startsWith("."),
    members: list
      .replaceAll(/[()\\]|#[^\n]*/g, " ")
      .split(",")
      .map((one) => one.trim().split(/\s+/)[0] ?? "")
      .filter((one) => /^\w+$/.test(one)),
  }));
  const whole = [...text.matchAll(PYTHON_IMPORT)].flatMap(([, list = ""]) =>
    list
      .replaceAll("\\", " ")
      .split(",")
      .map((one) => one.trim().split(/\s+/)[0] ?? "")
      .filter((one) => /^[\w.]+$/.test(one))
      .map((name) => plain(name, false)),
  );
  return [...from, ...whole, ...groups(text, PYTHON_CALL, [2]).map((name) => plain(name, false))];
}

/** `a.b` runs `a/__init__.py` as well; `from . import c` may mean a module `c`. */
function pythonPaths(path: string, { name, relative, members }: Import): string[] {
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

function fileNames(family: Family, name: string): string[] {
  if (family === "perl" && /^[\w:]+$/.test(name)) return [`${name.replaceAll("::", "/")}.pm`];
  if (family === "lua") return [name.replaceAll(".", "/")];
  if (family === "php" && name.includes("\\")) {
    const parts = name.split("\\");
    // PSR-4 maps a prefix to a folder: the rest of the name is the path.
    return parts.map((_, at) => `${parts.slice(at).join("/")}.php`);
  }
  if (family === "java") {
    const parts = name.replace(/\.\*$/, "").split(".");
    // A nested class or a static member is in the file of the class around it.
    return [parts, parts.slice(0, -1)].map((one) => one.join("/"));
  }
  return [name];
}

/** What a path without, or with another, extension may be. */
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

/** `"$(dirname "$0")/lib.sh"` and `$HERE/lib.sh` name a file by the end of it. */
function shellPath(name: string): string {
  return name.replace(/^(?:\$\{?\w+\}?|\$\([^)]*\))\//, "");
}
