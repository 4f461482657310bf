// The names that a file imports. Pure; texts are read by patterns, not parsed, so a name in a comment counts too: a file that is
// taken for imported is only looked at more closely. Leaves the files that the names lead to to resolve-imports.ts.
import { familyIn, familyOf, type Family } from "./families.js";

/** One name that a file imports. */
export interface Import {
  /** As it is written: `./a.js`, `pkg.mod`, `stdio.h`, `Foo::Bar`. */
  name: string;
  /** It can only mean a file beside the importing one, or below or above it. */
  relative: boolean;
  /** Names taken out of it, which may be modules themselves: `from a import b`. */
  members: readonly string[];
}

// `from "…"` counts wherever it stands: what a pattern reads between `import` and `from` could be read in too many ways.
const JS_NAME =
  /\bfrom\s*(["'])([^"'\n]+)\1|\bimport\s*(["'])([^"'\n]+)\3|\b(?:import|require|require\.resolve|mock|doMock|unmock|importActual|requireActual)\s*\(\s*(["'`])([^"'`\n$]+)\5|\bnew\s+URL\s*\(\s*(["'])([^"'\n]+)\7\s*,\s*import\.meta\.url/g;
const PYTHON_FROM = /^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|(?:[^\n\\#]|\\\r?\n)*)/gm;
const PYTHON_IMPORT = /^[ \t]*import[ \t]+((?:[^\n\\#;]|\\\r?\n)+)/gm;
const PYTHON_CALL = /\b(?:import_module|__import__|importorskip|run_module)\s*\(\s*(["'])([\w.]+)\1/g;
const C_INCLUDE = /^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\r\n]+)>)/gm;
const PERL_USE = /^[ \t]*(?:use|require|no)[ \t]+(?:([A-Za-z_]\w*(?:::\w+)*)|(["'])([^"'\n]+)\2)/gm;
const RUBY_REQUIRE =
  /\b(require_relative|require|load|autoload\s*(?:\(\s*)?:\w+\s*,)\s*(?:\(\s*)?(["'])([^"'\n#]+)\2/g;
const PHP_INCLUDE =
  /\b(?:include|require)(?:_once)?\b[^;'"\n]{0,200}(["'])([^"'\n]+)\1|^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([A-Za-z_][\w\\]*)/gm;
const JAVA_IMPORT = /^[ \t]*import[ \t]+(?:static[ \t]+)?([A-Za-z_][\w.]*(?:\.\*)?)/gm;
const RUST_MOD =
  /^[ \t]*(?:pub(?:\([^)\n]{0,99}\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;|#\[[ \t]*path[ \t]*=[ \t]*"([^"\n]+)"|\binclude(?:_str|_bytes)?!\s*\(\s*"([^"\n]+)"/gm;
const LUA_REQUIRE = /\brequire\s*(?:\(\s*)?(["'])([^"'\n]+)\1/g;
const SHELL_SOURCE = /(?:^|[;&|\n(])[ \t]*(?:\.|source)[ \t]+([^\n;|&]+)/g;

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
      return groups(text, RUST_MOD, [1, 2, 3]).map((name) => plain(name, true));
    case "lua":
      return groups(text, LUA_REQUIRE, [2]).map((name) => plain(name, false));
    case "shell":
      return groups(text, SHELL_SOURCE, [1]).map((name) => plain(shellPath(name), false));
    default:
      // Whole folders are compiled together, or the names are not read: membership is by place, not by name.
      return [];
  }
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

/** `"$(dirname "$0")/lib"` and `$HERE/lib` name a file by the end of its path. */
function shellPath(name: string): string {
  const plain = name.replaceAll(/["']/g, "").replace(/^(?:\$\w+|\$\{[^}]*\}|\$\([^)]*\))\//, "");
  return plain.trim().split(/\s/)[0] ?? "";
}

const TEST_LIBRARY =
  /^(?:(?:node:)?(?:test|assert)(?:\/|$)|vitest(?:\/|$)|@jest\/|@testing-library\/|(?:mocha|chai|sinon|tape|ava|uvu|jest|expect)(?:\/|$)|(?:pytest|unittest|doctest|hypothesis|nose)(?:\.|$)|(?:rspec|minitest|test\/unit)(?:\/|$)|PHPUnit\\|Test::|TAP::|(?:org\.)?(?:junit|testng|hamcrest|assertj|mockito)(?:\.|$))/;

/** An import of Go, alone or in a list. */
const TEST_LIBRARY_OF_GO =
  /^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"(?:testing(?:\/\w+)?|github\.com\/(?:stretchr\/testify|onsi\/(?:gomega|ginkgo))[^"]*|gotest\.tools[^"]*)"/m;

/** Names in full need no import. */
const TEST_LIBRARY_OF_JAVA = /\b(?:org\.(?:junit|testng|hamcrest|assertj|mockito)|junit\.framework)\./;

/** Whether the text of a file imports a library to write tests with. */
export function importsTestLibrary(path: string, text: string): boolean {
  const family = familyOf(path) ?? familyIn(path, text);
  if (family === "go") return TEST_LIBRARY_OF_GO.test(text);
  if (family === "java") return TEST_LIBRARY_OF_JAVA.test(text);
  return family !== undefined && importsOf(family, text).some(({ name }) => TEST_LIBRARY.test(name));
}
