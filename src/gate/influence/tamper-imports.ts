// Checks whether a test still imports its assertions from the same library: the project's own `assert` could accept
// anything. Pure and approximate. protected-imports.ts handles imports of the work, which may move with it.
import type { CodeLine } from "./tamper-lines.js";

const JS_IMPORT = /\bimport\b(?:\s+type\s)?([\w$*\s{},]+?)from\s*["']([^"'\n]+)["']/g;
const JS_REQUIRE =
  /\b(?:const|let|var|import)\b([\w$\s{},:]+)=\s*(?:await\s+import|require)\(\s*["']([^"'\n]+)["']/g;
/** One pattern for both forms, because the later of two imports of a name counts. */
const PY_IMPORT =
  /(?:^|;)[ \t]*(?:from[ \t]*([\w.]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n#;]+)|import[ \t]([^\n#;]+))/gm;

/** The module of each imported name. */
type Bindings = ReadonlyMap<string, string>;

/**
 * Finds the first name that came from a library and now comes from elsewhere, in words. `isOurs`: whether a module is the
 * project's own; `added`: the lines of code that the old text does not have.
 */
export function findSwapped(
  path: string,
  texts: { before: string; after: string; added: readonly CodeLine[] },
  isOurs: (module: string) => boolean,
): string | undefined {
  const read = /\.pyi?$/.test(path)
    ? pythonBindings
    : /\.[cm]?[jt]sx?$/.test(path)
      ? scriptBindings
      : undefined;
  if (read === undefined) return undefined;
  const [before, after] = [read(texts.before), read(texts.after)];
  for (const [name, from] of before) {
    if (isOurs(from)) continue;
    const to = after.get(name);
    if (to !== undefined && isOurs(to)) return `${name} came from ${from} and comes from ${to}`;
    if (to === undefined && texts.added.some(({ text }) => defines(text, name)))
      return `${name} came from ${from} and is made here`;
  }
  return undefined;
}

/** Whether a line declares a name or assigns to it; a call does neither. */
function defines(line: string, name: string): boolean {
  const word = name.replaceAll("$", "\\$&");
  const declared = `(?:const|let|var|class|(?:async\\s+)?(?:function|def))\\b[\\s*]*(?:[{[][^=]*(?<![\\w$]))?${word}(?![\\w$])`;
  const given = `${word}\\s*(?:[:,][^=(]*)?=(?![=>])`;
  return new RegExp(`^(?:export\\s+)?(?:${declared}|${given})`).test(line);
}

function scriptBindings(text: string): Bindings {
  const found = new Map<string, string>();
  for (const pattern of [JS_IMPORT, JS_REQUIRE]) {
    for (const [, names = "", module = ""] of text.matchAll(pattern)) {
      for (const name of namesOf(names)) found.set(name, module);
    }
  }
  return found;
}

/** The names that a clause binds: `a`, `* as a`, `{ a, b as c }`, `{ b: c }`. */
function namesOf(clause: string): string[] {
  return clause
    .split(/[{},]/)
    .map((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? "")
    .filter((name) => name !== "");
}

function pythonBindings(text: string): Bindings {
  const found = new Map<string, string>();
  for (const [, from = "", names, modules = ""] of text.matchAll(PY_IMPORT)) {
    if (names !== undefined)
      for (const name of namesOf(names.replace(/[()]|#.*/g, ""))) found.set(name, from);
    for (const [, module = "", as] of modules.matchAll(/([\w.]+)(?:\s+as\s+(\w+))?/g))
      found.set(as ?? module.replace(/\..*/, ""), module);
  }
  return found;
}
